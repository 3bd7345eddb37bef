/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/mpi/spawn.c, presto/mpi/port.c, presto/mpi/join.c, presto/core/later.c,
 * presto/tools/run_names.c, presto/tools/run_serve.c, presto/tools/run_world.c. */
/* Ranks that come later: mpi_later MODE. The same program is the child, told by its first word.
 * Where it goes wrong is in mpi_later_wrong.c. */
#include "mpi_later.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int later_rank, later_size;

void later_fail(const char *what, int line)
{
    fprintf(stderr, "mpi_later: rank %d, line %d: not %s\n", later_rank, line, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

int later_class(int code)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(code, &class);
    return class;
}

MPI_Comm later_spawn(char *program, const char *role, int n, MPI_Comm who)
{
    char *words[] = {(char *)role, NULL};
    int codes[64], got;
    MPI_Comm inter;

    memset(codes, 0xff, sizeof(codes));
    MPI_Comm_spawn(program, words, n, MPI_INFO_NULL, 0, who, &inter, codes);
    for (int i = 0; i < n; i++) {
        CHECK(codes[i] == MPI_SUCCESS);
    }
    MPI_Comm_remote_size(inter, &got);
    CHECK(got == n);
    return inter;
}

static int attribute(int key)
{
    int *value, flag;

    MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
    CHECK(flag);
    return *value;
}

void later_talk(MPI_Comm inter, int high)
{
    enum { LONG = 1 << 16 };
    static int out[LONG], in[LONG];
    int mine, remotes, all, sum = 1;
    MPI_Comm merged;

    MPI_Comm_rank(inter, &mine);
    MPI_Comm_remote_size(inter, &remotes);
    for (int i = 0; i < remotes; i++) {
        MPI_Request request;

        for (int k = 0; k < LONG; k++) {
            out[k] = mine * 7 + k;
        }
        MPI_Isend(out, LONG, MPI_INT, i, 5, inter, &request);
        MPI_Recv(in, LONG, MPI_INT, i, 5, inter, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(in[0] == i * 7 && in[LONG - 1] == i * 7 + LONG - 1);
    }
    MPI_Intercomm_merge(inter, high, &merged);
    MPI_Comm_size(merged, &all);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == all);
    MPI_Comm_free(&merged);
}

/* ---- children -------------------------------------------------------------------------------- */

static void serve(MPI_Comm parent)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm client;

    if (later_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("later", MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client);
        later_talk(client, 0);
        MPI_Comm_disconnect(&client);
    }
    if (later_rank == 0) {
        MPI_Unpublish_name("later", MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        CHECK(later_class(MPI_Close_port(port)) == MPI_ERR_PORT);
    }
}

static void use(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm server;

    for (int i = 0; i < 2; i++) {
        if (later_rank == 0) {
            MPI_Lookup_name("later", MPI_INFO_NULL, port);
        }
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server);
        later_talk(server, 1);
        MPI_Comm_disconnect(&server);
    }
}

/* A window on a merged communicator, which then stays until all leave. */
static void keep(MPI_Comm inter, int high)
{
    int *memory, sum = 1;
    MPI_Comm merged;
    MPI_Win window;

    MPI_Intercomm_merge(inter, high, &merged);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, merged, &memory, &window);
    MPI_Win_free(&window);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == 4);
}

/* One of both is no more when the other group comes: neither has a communicator then. */
static void part(MPI_Comm parent)
{
    char port[MPI_MAX_PORT_NAME];
    int pid = (int)getpid(), other;
    MPI_Comm client;

    MPI_Bcast(&other, 1, MPI_INT, 0, parent);
    if (later_rank == 1) {
        MPI_Send(&pid, 1, MPI_INT, 0, 0, parent);
    } else {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent);
    }
    MPI_Comm_disconnect(&parent);
    if (later_rank == 1) {
        (void)kill(getpid(), SIGKILL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client) != MPI_SUCCESS);
    CHECK(client == MPI_COMM_NULL);
    for (int i = 0; kill(other, 0) == 0; i++) {
        CHECK(i < 60000); /* it waits for this rank */
        (void)usleep(1000);
    }
    MPI_Finalize();
    exit(0);
}

static int child(char **argv, MPI_Comm parent)
{
    const char *role = argv[1];
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    MPI_Comm again;

    MPI_Comm_get_name(parent, name, &length);
    CHECK(strcmp(name, "MPI_COMM_PARENT") == 0);
    if (strcmp(role, "talk") == 0) {
        later_talk(parent, 1);
    } else if (strcmp(role, "quick") == 0) {
        MPI_Barrier(parent);
    } else if (strcmp(role, "stay") == 0) {
        later_talk(parent, 1);
        MPI_Finalize();
        return 0;
    } else if (strcmp(role, "tell") == 0) {
        int word[2] = {attribute(MPI_APPNUM), atoi(argv[2])};

        MPI_Send(word, 2, MPI_INT, 0, 0, parent);
    } else if (strcmp(role, "where") == 0) {
        char *folder = getcwd(NULL, 0);

        MPI_Send(folder, (int)strlen(folder) + 1, MPI_CHAR, 0, 0, parent);
        free(folder);
    } else if (strcmp(role, "serve") == 0) {
        serve(parent);
    } else if (strcmp(role, "use") == 0) {
        use();
    } else if (strcmp(role, "part") == 0) {
        part(parent);
    } else if (strcmp(role, "keep") == 0) {
        keep(parent, 1);
        MPI_Finalize();
        return 0;
    } else if (strcmp(role, "nest") == 0) {
        MPI_Comm inner = later_spawn(argv[0], "stay", 2, MPI_COMM_WORLD);

        later_talk(inner, 0);
        later_talk(parent, 1);
        MPI_Finalize(); /* of three jobs, connected by this one */
        return 0;
    } else if (strcmp(role, "die") == 0) {
        (void)kill(getpid(), SIGKILL);
    } else if (strcmp(role, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(role, "late") == 0) {
        MPI_Request request;

        MPI_Isend(&later_rank, 1, MPI_INT, 0, 9, parent, &request);
        MPI_Request_free(&request);
        MPI_Finalize();
        return 0;
    } else {
        later_child(role, parent);
    }
    MPI_Comm_disconnect(&parent);
    MPI_Comm_get_parent(&again);
    CHECK(again == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}

/* ---- parents --------------------------------------------------------------------------------- */

static void some(char *program)
{
    for (int i = 1; i < 4; i++) {
        MPI_Comm inter = later_spawn(program, "talk", i, MPI_COMM_WORLD);

        later_talk(inter, 0);
        MPI_Comm_disconnect(&inter);
        CHECK(inter == MPI_COMM_NULL);
    }
    CHECK(attribute(MPI_UNIVERSE_SIZE) >= later_size);
    /* Each rank alone, at the same time. */
    MPI_Comm one = later_spawn(program, "talk", 2, MPI_COMM_SELF);

    later_talk(one, 0);
    MPI_Comm_disconnect(&one);
}

static void several(char *program)
{
    char *programs[] = {program, program, program};
    char *one[] = {(char[]){"tell"}, (char[]){"11"}, NULL}, *two[] = {one[0], (char[]){"22"}, NULL};
    char **words[] = {one, one, two};
    const int ranks[] = {1, 0, 2}, wanted[3][2] = {{0, 11}, {2, 22}, {2, 22}};
    int codes[3] = {-1, -1, -1}, got[2];
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;

    MPI_Comm_spawn_multiple(3, programs, words, ranks, infos, later_size - 1, MPI_COMM_WORLD,
                            &inter, codes);
    CHECK(codes[0] == 0 && codes[1] == 0 && codes[2] == 0);
    for (int i = 0; later_rank == 0 && i < 3; i++) {
        MPI_Recv(got, 2, MPI_INT, i, 0, inter, MPI_STATUS_IGNORE);
        CHECK(got[0] == wanted[i][0] && got[1] == wanted[i][1]);
    }
    MPI_Comm_disconnect(&inter);
}

static void where(char *program)
{
    char *words[] = {(char[]){"where"}, NULL}, folder[1024], path[1024];
    const char *slash = strrchr(program, '/');
    MPI_Comm inter;
    MPI_Info info;

    snprintf(path, sizeof(path), "/nowhere:%.*s", (int)(slash - program), program);
    MPI_Info_create(&info);
    MPI_Info_set(info, "wdir", "/");
    MPI_Info_set(info, "path", path);
    MPI_Info_set(info, "host", "localhost");
    MPI_Comm_spawn(slash + 1, words, 1, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    MPI_Info_free(&info);
    if (later_rank == 0) {
        MPI_Recv(folder, sizeof(folder), MPI_CHAR, 0, 0, inter, MPI_STATUS_IGNORE);
        CHECK(strcmp(folder, "/") == 0);
    }
    MPI_Comm_disconnect(&inter);
}

static void names(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm server = later_spawn(program, "serve", 2, MPI_COMM_WORLD), client;

    if (later_rank == 0) {
        MPI_Recv(port, sizeof(port), MPI_CHAR, 0, 0, server, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the name is there */
    client = later_spawn(program, "use", 3, MPI_COMM_WORLD);
    MPI_Comm_disconnect(&client);
    MPI_Comm_disconnect(&server);
}

/* Ranks 0 and 1, by a socket. */
static void join(char *program)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = -1, listening, pid = (int)getpid();
    socklen_t length;
    MPI_Comm inter;

    (void)program;
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "mpi_later.%d", pid);
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (later_rank == 0) {
        CHECK(bind(listening, (struct sockaddr *)&address, length) == 0 &&
              listen(listening, 1) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (later_rank == 0) {
        fd = accept(listening, NULL, NULL);
    } else if (later_rank == 1) {
        fd = listening;
        CHECK(connect(fd, (struct sockaddr *)&address, length) == 0);
    }
    if (later_rank < 2) {
        MPI_Comm_join(fd, &inter);
        later_talk(inter, later_rank);
        MPI_Comm_disconnect(&inter);
    }
    (void)close(listening);
}

static void nest(char *program)
{
    later_talk(later_spawn(program, "nest", 1, MPI_COMM_WORLD), 0);
}

static void keep_both(char *program)
{
    keep(later_spawn(program, "keep", 2, MPI_COMM_WORLD), 0);
}

static void late(char *program)
{
    MPI_Comm inter = later_spawn(program, "late", 2, MPI_COMM_WORLD);
    int got;

    (void)usleep(100000);
    for (int i = 0; later_rank == 0 && i < 2; i++) {
        MPI_Recv(&got, 1, MPI_INT, i, 9, inter, MPI_STATUS_IGNORE);
        CHECK(got == i);
    }
}

static const struct {
    const char *name;
    void (*run)(char *program);
} modes[] = {
    {"some", some},         {"several", several},     {"where", where},
    {"names", names},       {"join", join},           {"nest", nest},
    {"keep", keep_both},    {"late", late},           {"rush", later_rush},
    {"gone", later_gone},   {"slow", later_slow},     {"errors", later_errors},
    {"early", later_early}, {"fatal", later_fatal},   {"alone", later_alone},
    {"again", later_again}, {"killed", later_killed}, {"revoked", later_revoked},
};

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    size_t at = 0;
    MPI_Comm parent;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &later_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &later_size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        return child(argv, parent);
    }
    while (at < sizeof(modes) / sizeof(modes[0]) && strcmp(mode, modes[at].name) != 0) {
        at++;
    }
    if (at < sizeof(modes) / sizeof(modes[0])) {
        modes[at].run(argv[0]);
    } else {
        MPI_Barrier(later_spawn(argv[0], mode, 1, MPI_COMM_WORLD)); /* die, abort */
    }
    MPI_Finalize();
    if (later_rank == 0) {
        printf("mpi_later %s: done\n", mode);
    }
    return 0;
}
