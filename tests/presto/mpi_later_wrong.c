/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/later.c, presto/mpi/comm_end.c, presto/tools/run_guarding.c,
 * presto/tools/run_names.c, presto/tools/run_numbers.c, presto/tools/run_world.c. */
/* Ranks that come later and jobs that meet, where it goes wrong: see mpi_later.c. */
#include "mpi_later.h"

#include <mpi-ext.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool reads_late;

/* The library's, too: what prestorun says is heard 200 ms later. */
ssize_t read(int fd, void *buffer, size_t bytes)
{
    ssize_t n = syscall(SYS_read, fd, buffer, bytes);

    if (reads_late) {
        const int error = errno;

        (void)usleep(200000);
        errno = error;
    }
    return n;
}

/* Each knock arrives when the port has been closed, which was open when it was looked for. */
void later_rush(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;

    (void)program;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        if (later_rank == 0) {
            MPI_Open_port(MPI_INFO_NULL, port);
            MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            (void)usleep(100000);
            MPI_Close_port(port);
        } else {
            MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            reads_late = true;
            CHECK(later_class(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
                  MPI_ERR_PORT);
            reads_late = false;
        }
    }
}

/* Of the ranks that are to be met one has died, which rank 0 has known and rank 1 has not: neither
 * has a communicator. With --keep-going. */
void later_gone(char *program)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter = MPI_COMM_NULL;
    int pid = (int)getpid();

    if (later_rank == 0) {
        inter = later_spawn(program, "part", 2, MPI_COMM_SELF);
        MPI_Bcast(&pid, 1, MPI_INT, MPI_ROOT, inter);
        MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, inter, MPI_STATUS_IGNORE);
        MPI_Recv(&pid, 1, MPI_INT, 1, 0, inter, MPI_STATUS_IGNORE);
        MPI_Comm_disconnect(&inter);
        for (int i = 0; i < 20000 && kill(pid, 0) == 0; i++) {
            (void)usleep(1000);
        }
        (void)usleep(200000); /* prestorun has heard of it */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter) != MPI_SUCCESS);
    CHECK(inter == MPI_COMM_NULL);
}

/* A child of rank 0 does not come to its program: rank 1's does, and what ends the job ends all. */
void later_slow(char *program)
{
    MPI_Comm inter;
    MPI_Info info;

    if (later_rank == 0) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "wdir", "/folder-that-hangs");
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
        later_fail("that it hangs", __LINE__);
    }
    (void)usleep(300000);
    inter = later_spawn(program, "talk", 1, MPI_COMM_SELF);
    later_talk(inter, 0);
    MPI_Comm_disconnect(&inter);
    MPI_Abort(MPI_COMM_WORLD, 7);
}

/* The first of several commands is wrong: all error codes say so. */
static void refuse_first(char *program)
{
    char *programs[] = {program, program};
    const int ranks[] = {1, 2};
    int codes[] = {0, 0, 0};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;

    MPI_Info_create(&infos[0]);
    MPI_Info_set(infos[0], "host", "no-such-host");
    CHECK(later_class(MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, ranks, infos, 0,
                                              MPI_COMM_WORLD, &inter, codes)) == MPI_ERR_SPAWN);
    for (int i = 0; i < 3; i++) {
        CHECK(codes[i] == MPI_ERR_SPAWN);
    }
    MPI_Info_free(&infos[0]);
}

void later_errors(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    int codes[3] = {0, 0, 0};
    MPI_Comm inter;
    MPI_Info info;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(later_class(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0,
                                     MPI_COMM_WORLD, &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(codes[i] == MPI_ERR_SPAWN);
    }
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                     &inter, codes)) == MPI_ERR_ARG);
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 100000, MPI_INFO_NULL, 0,
                                     MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE)) ==
          MPI_ERR_SPAWN);
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, later_size,
                                     MPI_COMM_WORLD, &inter, codes)) == MPI_ERR_ROOT);
    MPI_Info_create(&info);
    MPI_Info_set(info, "host", "no-such-host");
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter,
                                     codes)) == MPI_ERR_SPAWN);
    MPI_Info_set(info, "host", "localhost");
    refuse_first(program);
    MPI_Info_set(info, "wdir", "/no/such/folder");
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter,
                                     codes)) == MPI_ERR_SPAWN);
    MPI_Info_free(&info);
    CHECK(later_class(MPI_Lookup_name("nobody", MPI_INFO_NULL, port)) == MPI_ERR_NAME);
    CHECK(later_class(MPI_Unpublish_name("nobody", MPI_INFO_NULL, "x")) == MPI_ERR_SERVICE);
    CHECK(later_class(MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) ==
          MPI_ERR_PORT);
    CHECK(later_class(MPI_Comm_accept("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) ==
          MPI_ERR_PORT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (later_rank == 0) {
        CHECK(MPI_Publish_name("twice", MPI_INFO_NULL, "x") == MPI_SUCCESS);
        CHECK(later_class(MPI_Publish_name("twice", MPI_INFO_NULL, "x")) == MPI_ERR_SERVICE);
        MPI_Unpublish_name("twice", MPI_INFO_NULL, "x");
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        CHECK(later_class(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
              MPI_ERR_PORT);
        CHECK(later_class(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
              MPI_ERR_PORT);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    inter = later_spawn(program, "talk", 2, MPI_COMM_WORLD);
    later_talk(inter, 0);
    MPI_Comm_disconnect(&inter);
}

/* Two commands of one rank each, by a shell, of which one ends before it is a rank; file is their
 * first word. */
static void spawn_in_vain(const char *one, const char *other, const char *file)
{
    char *shells[] = {(char[]){"/bin/sh"}, (char[]){"/bin/sh"}};
    char *first[] = {(char[]){"-c"}, (char *)one, (char *)file, NULL};
    char *second[] = {(char[]){"-c"}, (char *)other, (char *)file, NULL};
    char **words[] = {first, second};
    const int ranks[] = {1, 1};
    int codes[] = {0, 0};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;

    CHECK(later_class(MPI_Comm_spawn_multiple(2, shells, words, ranks, infos, 0, MPI_COMM_WORLD,
                                              &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL && codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
}

/* Programs that end before they call MPI_Init: nothing is left of those that were to be with them,
 * and who has started them goes on. */
void later_early(char *program)
{
    char file[1024], text[64] = "";
    FILE *in;
    int pid = 0;
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    snprintf(file, sizeof(file), "%s.pid", program);
    spawn_in_vain("exit 5", "sleep 600", file);
    spawn_in_vain("sleep 600", "kill -9 $$", file);
    spawn_in_vain("exec \"${0%.pid}\" talk", "sleep 0.2; exit 0", file); /* one joins, perhaps */
    spawn_in_vain("sleep 600 & echo $! >\"$0\"; wait",
                  "until [ -s \"$0\" ]; do sleep 0.01; done; exit 1", file);
    in = fopen(file, "r");
    CHECK(in != NULL && fgets(text, sizeof(text), in) != NULL && (pid = atoi(text)) > 0);
    (void)fclose(in);
    for (int i = 0; i < 10000 && kill(pid, 0) == 0; i++) {
        (void)usleep(1000);
    }
    CHECK(kill(pid, 0) != 0);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    inter = later_spawn(program, "talk", 2, MPI_COMM_WORLD);
    later_talk(inter, 0);
    MPI_Comm_disconnect(&inter);
}

/* The same, of a program that does not go on. */
void later_fatal(char *program)
{
    char *words[] = {(char[]){"-c"}, (char[]){"exit 5"}, NULL};
    MPI_Comm inter;

    (void)program;
    MPI_Comm_spawn("/bin/sh", words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
}

/* As later_spawn, again and again while there are no numbers: those that end still have them. */
static void spawn_when_free(char *program, const char *role, int n, MPI_Comm who, MPI_Comm *inter)
{
    char *words[] = {(char *)role, NULL};
    int tries = 0;

    while (MPI_Comm_spawn(program, words, n, MPI_INFO_NULL, 0, who, inter, MPI_ERRCODES_IGNORE) !=
           MPI_SUCCESS) {
        CHECK(++tries < 3000);
        (void)usleep(10000);
    }
}

/* More ranks than there are numbers (PRESTO_NUMBERS): those of jobs that are over are given again,
 * but for one that a group has kept. */
void later_again(char *program)
{
    MPI_Group kept, other;
    MPI_Comm inter;
    int result, code;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    spawn_when_free(program, "quick", 1, MPI_COMM_WORLD, &inter);
    MPI_Comm_remote_group(inter, &kept);
    MPI_Barrier(inter);
    MPI_Comm_disconnect(&inter);
    for (int i = 0; i < 10; i++) {
        spawn_when_free(program, "quick", 1 + i % 2, MPI_COMM_WORLD, &inter);
        MPI_Comm_remote_group(inter, &other);
        MPI_Group_compare(kept, other, &result);
        CHECK(result == MPI_UNEQUAL);
        MPI_Group_free(&other);
        MPI_Barrier(inter);
        MPI_Comm_disconnect(&inter);
    }
    MPI_Group_free(&kept);
    code = MPI_Comm_spawn(program, MPI_ARGV_NULL, 7, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                          MPI_ERRCODES_IGNORE);
    CHECK(later_class(code) == MPI_ERR_SPAWN);
}

/* The same of children that are killed while both ranks are connected with them, the last of which
 * no rank knows either when neither spawns, and rank 1 only waits. With --keep-going. */
void later_killed(char *program)
{
    MPI_Comm inter;
    int word = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; i++) {
        spawn_when_free(program, "doomed", 2, MPI_COMM_WORLD, &inter);
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        (void)MPI_Barrier(inter);
        for (int j = 0; j < 2; j++) {
            CHECK(MPI_Recv(&word, 1, MPI_INT, j, 0, inter, MPI_STATUS_IGNORE) != MPI_SUCCESS);
        }
        MPI_Comm_free(&inter);
    }
    if (later_rank == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        spawn_when_free(program, "quick", 6, MPI_COMM_SELF, &inter);
        MPI_Barrier(inter);
        MPI_Comm_disconnect(&inter);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A communicator that the child leads, in whose contexts so many come before it. */
static MPI_Comm be_led(MPI_Comm inter, bool child, int before)
{
    MPI_Comm both, led;

    for (int i = 0; i < before; i++) {
        MPI_Comm_split(MPI_COMM_SELF, 0, 0, &led);
        MPI_Comm_free(&led);
    }
    MPI_Intercomm_merge(inter, child, &both);
    MPI_Comm_split(both, 0, child ? 0 : 1, &led);
    MPI_Comm_free(&both);
    MPI_Comm_set_errhandler(led, MPI_ERRORS_RETURN);
    return led;
}

/* A communicator that a child leads is revoked, and the child killed: the next child of that number
 * has the same context, as each takes 257 later than the one before, and that is not revoked. With
 * --keep-going and one number for children. */
void later_revoked(char *program)
{
    MPI_Comm inter, led;
    int word = 0;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; i++) {
        spawn_when_free(program, i == 0 ? "leads" : "led", 1, MPI_COMM_SELF, &inter);
        MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN);
        led = be_led(inter, false, 0);
        CHECK(MPI_Barrier(led) == MPI_SUCCESS);
        if (i == 0) {
            MPIX_Comm_revoke(led);
            CHECK(MPI_Recv(&word, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE) != MPI_SUCCESS);
        }
        MPI_Comm_free(&led);
        MPI_Comm_disconnect(&inter);
    }
}

void later_child(const char *role, MPI_Comm parent)
{
    MPI_Comm led = MPI_COMM_NULL;

    if (strcmp(role, "doomed") == 0) {
        MPI_Barrier(parent);
    } else if (strcmp(role, "leads") == 0 || strcmp(role, "led") == 0) {
        led = be_led(parent, true, strcmp(role, "leads") == 0 ? 257 : 0);
        (void)MPI_Barrier(led);
    }
    if (strcmp(role, "doomed") == 0 || strcmp(role, "leads") == 0) {
        (void)kill(getpid(), SIGKILL);
    } else if (led != MPI_COMM_NULL) {
        MPI_Comm_free(&led);
    }
}

/* A program that was started alone. */
void later_alone(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    int codes[1] = {MPI_SUCCESS};
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(later_class(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                                     &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(codes[0] == MPI_ERR_SPAWN);
    CHECK(later_class(MPI_Open_port(MPI_INFO_NULL, port)) == MPI_ERR_PORT);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, codes);
}
