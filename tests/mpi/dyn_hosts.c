/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One process starts a job that is on several hosts at once, its own among them or not. Everybody
 * talks to everybody, and all merge. Usage: dyn_hosts -way WAY -on HOST,...
 *
 * -way host: by the info "host"; several: MPI_Comm_spawn_multiple, a command for each host;
 * hostfile: by "add-hostfile", with hosts of which mpirun has not heard before.
 */
#include "dyn.h"

#include <unistd.h>

enum { HOSTS = 8, NAME = 64, EACH = 2 };

static char hosts[HOSTS][NAME];
static int host_count;

static void read_hosts(const char *list)
{
    for (const char *next; list != NULL && *list != '\0'; list = next) {
        size_t len = strcspn(list, ",");

        if (host_count == HOSTS || len == 0 || len >= NAME) {
            mt_fail("-on: up to %d names are wanted", HOSTS);
        }
        memcpy(hosts[host_count++], list, len);
        next = list + len + (list[len] == ',');
    }
}

/* How many hosts the processes of a communicator are on. */
static int spread_of(MPI_Comm comm)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", *names;
    int size, len, count = 0;

    MPI_Comm_size(comm, &size);
    names = calloc((size_t)size, sizeof name);
    if (!names) {
        mt_fail("no memory");
    }
    MPI_Get_processor_name(name, &len);
    MPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, comm);
    for (int i = 0; i < size; ++i) {
        bool first = true;

        for (int k = 0; k < i; ++k) {
            first = first && 0 != strcmp(names + i * sizeof name, names + k * sizeof name);
        }
        count += first;
    }
    free(names);
    return count;
}

/* What the new job does. */
static int child(MPI_Comm parent)
{
    int wanted[2];

    MPI_Bcast(wanted, 2, MPI_INT, 0, parent);
    mt_equal(mt_size, wanted[0], "processes of a job");
    mt_equal(spread_of(MPI_COMM_WORLD), wanted[1], "hosts of a job");
    dyn_traffic(parent, 1);
    dyn_collectives(parent, false);
    dyn_merged(parent, true, 1);
    MPI_Comm_disconnect(&parent);
    return mt_finish();
}

static void work_with(MPI_Comm inter)
{
    int wanted[2] = {EACH * host_count, host_count};

    MPI_Bcast(wanted, 2, MPI_INT, MPI_ROOT, inter);
    dyn_traffic(inter, 1);
    dyn_collectives(inter, true);
    dyn_merged(inter, false, 1);
    MPI_Comm_disconnect(&inter);
}

static MPI_Comm by_info(char *program, const char *key, const char *value)
{
    MPI_Info info;
    MPI_Comm inter;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Info_set(info, "map_by", "node");
    MPI_Comm_spawn(program, MPI_ARGV_NULL, EACH * host_count, info, 0, MPI_COMM_SELF, &inter,
                   MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    return inter;
}

static MPI_Comm by_commands(char *program)
{
    char *programs[HOSTS];
    int counts[HOSTS];
    MPI_Info infos[HOSTS];
    MPI_Comm inter;

    for (int i = 0; i < host_count; ++i) {
        programs[i] = program;
        counts[i] = EACH;
        MPI_Info_create(&infos[i]);
        MPI_Info_set(infos[i], "host", hosts[i]);
    }
    MPI_Comm_spawn_multiple(host_count, programs, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_SELF,
                            &inter, MPI_ERRCODES_IGNORE);
    for (int i = 0; i < host_count; ++i) {
        MPI_Info_free(&infos[i]);
    }
    return inter;
}

static MPI_Comm by_hostfile(char *program)
{
    char cwd[1024], path[sizeof cwd + 32];
    MPI_Comm inter;
    FILE *f;

    if (!getcwd(cwd, sizeof cwd)) {
        mt_fail("no working directory");
    }
    snprintf(path, sizeof path, "%s/hosts.%d", cwd, (int)getpid());
    f = fopen(path, "w");
    for (int i = 0; f && i < host_count; ++i) {
        fprintf(f, "%s slots=%d\n", hosts[i], EACH);
    }
    if (!f || 0 != fclose(f)) {
        mt_fail("cannot write %s", path);
    }
    inter = by_info(program, "add-hostfile", path);
    unlink(path);
    return inter;
}

int main(int argc, char **argv)
{
    const char *list, *way;
    MPI_Comm parent;

    mt_init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        return child(parent);
    }
    list = mt_text(argc, argv, "-on");
    way = mt_text(argc, argv, "-way");
    read_hosts(list);
    if (!list || !way || 1 != mt_size) {
        mt_fail("one process, -way and -on are wanted");
    }
    if (0 == strcmp(way, "several")) {
        work_with(by_commands(argv[0]));
    } else if (0 == strcmp(way, "hostfile")) {
        work_with(by_hostfile(argv[0]));
    } else if (0 == strcmp(way, "host")) {
        work_with(by_info(argv[0], "host", list));
    } else {
        mt_fail("unknown -way '%s'", way);
    }
    return mt_finish();
}
