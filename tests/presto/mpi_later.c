/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/mpi/spawn.c, presto/mpi/port.c, presto/mpi/join.c, presto/core/later.c,
 * presto/tools/run_guarding.c, presto/tools/run_names.c, presto/tools/run_numbers.c,
 * presto/tools/run_serve.c, presto/tools/run_world.c. */
/* Ranks that come later: mpi_later MODE. The same program is the child, told by its first word. */
#include <mpi.h>

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static int rank, size;

#define CHECK(what) ((what) ? (void)0 : fail(#what, __LINE__))

static void fail(const char *what, int line)
{
    fprintf(stderr, "mpi_later: rank %d, line %d: not %s\n", rank, line, what);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

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

static int class_of(int code)
{
    int class = MPI_SUCCESS;

    MPI_Error_class(code, &class);
    return class;
}

static MPI_Comm spawn(char *program, const char *role, int n, MPI_Comm who)
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

/* Both groups, one way and the other, and merged. */
static void talk(MPI_Comm inter, int high)
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

    if (rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Publish_name("later", MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &client);
        talk(client, 0);
        MPI_Comm_disconnect(&client);
    }
    if (rank == 0) {
        MPI_Unpublish_name("later", MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        CHECK(class_of(MPI_Close_port(port)) == MPI_ERR_PORT);
    }
}

static void use(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm server;

    for (int i = 0; i < 2; i++) {
        if (rank == 0) {
            MPI_Lookup_name("later", MPI_INFO_NULL, port);
        }
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &server);
        talk(server, 1);
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
    if (rank == 1) {
        MPI_Send(&pid, 1, MPI_INT, 0, 0, parent);
    } else {
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, parent);
    }
    MPI_Comm_disconnect(&parent);
    if (rank == 1) {
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
        talk(parent, 1);
    } else if (strcmp(role, "quick") == 0) {
        MPI_Barrier(parent);
    } else if (strcmp(role, "stay") == 0) {
        talk(parent, 1);
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
        MPI_Comm inner = spawn(argv[0], "stay", 2, MPI_COMM_WORLD);

        talk(inner, 0);
        talk(parent, 1);
        MPI_Finalize(); /* of three jobs, connected by this one */
        return 0;
    } else if (strcmp(role, "die") == 0) {
        (void)kill(getpid(), SIGKILL);
    } else if (strcmp(role, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    } else if (strcmp(role, "late") == 0) {
        MPI_Request request;

        MPI_Isend(&rank, 1, MPI_INT, 0, 9, parent, &request);
        MPI_Request_free(&request);
        MPI_Finalize();
        return 0;
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
        MPI_Comm inter = spawn(program, "talk", i, MPI_COMM_WORLD);

        talk(inter, 0);
        MPI_Comm_disconnect(&inter);
        CHECK(inter == MPI_COMM_NULL);
    }
    CHECK(attribute(MPI_UNIVERSE_SIZE) >= size);
    /* Each rank alone, at the same time. */
    MPI_Comm one = spawn(program, "talk", 2, MPI_COMM_SELF);

    talk(one, 0);
    MPI_Comm_disconnect(&one);
}

/* As spawn, again and again while there are no numbers: those that end still have them. */
static void spawn_when_free(char *program, const char *role, int n, MPI_Comm *inter)
{
    char *words[] = {(char *)role, NULL};
    int tries = 0;

    while (MPI_Comm_spawn(program, words, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter,
                          MPI_ERRCODES_IGNORE) != MPI_SUCCESS) {
        CHECK(++tries < 3000);
        (void)usleep(10000);
    }
}

/* More ranks than there are numbers (PRESTO_NUMBERS): those of jobs that are over are given again,
 * but for one that a group has kept. */
static void again(char *program)
{
    MPI_Group kept, other;
    MPI_Comm inter;
    int result, code;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    spawn_when_free(program, "quick", 1, &inter);
    MPI_Comm_remote_group(inter, &kept);
    MPI_Barrier(inter);
    MPI_Comm_disconnect(&inter);
    for (int i = 0; i < 10; i++) {
        spawn_when_free(program, "quick", 1 + i % 2, &inter);
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
    CHECK(class_of(code) == MPI_ERR_SPAWN);
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

    MPI_Comm_spawn_multiple(3, programs, words, ranks, infos, size - 1, MPI_COMM_WORLD, &inter,
                            codes);
    CHECK(codes[0] == 0 && codes[1] == 0 && codes[2] == 0);
    for (int i = 0; rank == 0 && i < 3; i++) {
        MPI_Recv(got, 2, MPI_INT, i, 0, inter, MPI_STATUS_IGNORE);
        CHECK(got[0] == wanted[i][0] && got[1] == wanted[i][1]);
    }
    MPI_Comm_disconnect(&inter);
}

static void where(const char *program)
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
    if (rank == 0) {
        MPI_Recv(folder, sizeof(folder), MPI_CHAR, 0, 0, inter, MPI_STATUS_IGNORE);
        CHECK(strcmp(folder, "/") == 0);
    }
    MPI_Comm_disconnect(&inter);
}

static void names(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm server = spawn(program, "serve", 2, MPI_COMM_WORLD), client;

    if (rank == 0) {
        MPI_Recv(port, sizeof(port), MPI_CHAR, 0, 0, server, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* the name is there */
    client = spawn(program, "use", 3, MPI_COMM_WORLD);
    MPI_Comm_disconnect(&client);
    MPI_Comm_disconnect(&server);
}

/* Each knock arrives when the port has been closed, which was open when it was looked for. */
static void rush(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++) {
        if (rank == 0) {
            MPI_Open_port(MPI_INFO_NULL, port);
            MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            (void)usleep(100000);
            MPI_Close_port(port);
        } else {
            MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            reads_late = true;
            CHECK(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
                  MPI_ERR_PORT);
            reads_late = false;
        }
    }
}

/* Of the ranks that are to be met one has died, which rank 0 has known and rank 1 has not: neither
 * has a communicator. With --keep-going. */
static void gone(char *program)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter = MPI_COMM_NULL;
    int pid = (int)getpid();

    if (rank == 0) {
        inter = spawn(program, "part", 2, MPI_COMM_SELF);
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
static void slow(char *program)
{
    MPI_Comm inter;
    MPI_Info info;

    if (rank == 0) {
        MPI_Info_create(&info);
        MPI_Info_set(info, "wdir", "/folder-that-hangs");
        MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
        fail("that it hangs", __LINE__);
    }
    (void)usleep(300000);
    inter = spawn(program, "talk", 1, MPI_COMM_SELF);
    talk(inter, 0);
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
    CHECK(class_of(MPI_Comm_spawn_multiple(2, programs, MPI_ARGVS_NULL, ranks, infos, 0,
                                           MPI_COMM_WORLD, &inter, codes)) == MPI_ERR_SPAWN);
    for (int i = 0; i < 3; i++) {
        CHECK(codes[i] == MPI_ERR_SPAWN);
    }
    MPI_Info_free(&infos[0]);
}

static void errors(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    int codes[3] = {0, 0, 0};
    MPI_Comm inter;
    MPI_Info info;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Comm_spawn("/no/such/program", MPI_ARGV_NULL, 3, MPI_INFO_NULL, 0,
                                  MPI_COMM_WORLD, &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL);
    for (int i = 0; i < 3; i++) {
        CHECK(codes[i] == MPI_ERR_SPAWN);
    }
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 0, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                  &inter, codes)) == MPI_ERR_ARG);
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 100000, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                                  &inter, MPI_ERRCODES_IGNORE)) == MPI_ERR_SPAWN);
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, size, MPI_COMM_WORLD,
                                  &inter, codes)) == MPI_ERR_ROOT);
    MPI_Info_create(&info);
    MPI_Info_set(info, "host", "no-such-host");
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter,
                                  codes)) == MPI_ERR_SPAWN);
    MPI_Info_set(info, "host", "localhost");
    refuse_first(program);
    MPI_Info_set(info, "wdir", "/no/such/folder");
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, info, 0, MPI_COMM_WORLD, &inter,
                                  codes)) == MPI_ERR_SPAWN);
    MPI_Info_free(&info);
    CHECK(class_of(MPI_Lookup_name("nobody", MPI_INFO_NULL, port)) == MPI_ERR_NAME);
    CHECK(class_of(MPI_Unpublish_name("nobody", MPI_INFO_NULL, "x")) == MPI_ERR_SERVICE);
    CHECK(class_of(MPI_Comm_connect("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) ==
          MPI_ERR_PORT);
    CHECK(class_of(MPI_Comm_accept("no port", MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter)) ==
          MPI_ERR_PORT);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        CHECK(MPI_Publish_name("twice", MPI_INFO_NULL, "x") == MPI_SUCCESS);
        CHECK(class_of(MPI_Publish_name("twice", MPI_INFO_NULL, "x")) == MPI_ERR_SERVICE);
        MPI_Unpublish_name("twice", MPI_INFO_NULL, "x");
        MPI_Open_port(MPI_INFO_NULL, port);
        MPI_Close_port(port);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        CHECK(class_of(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
              MPI_ERR_PORT);
        CHECK(class_of(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter)) ==
              MPI_ERR_PORT);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    inter = spawn(program, "talk", 2, MPI_COMM_WORLD);
    talk(inter, 0);
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

    CHECK(class_of(MPI_Comm_spawn_multiple(2, shells, words, ranks, infos, 0, MPI_COMM_WORLD,
                                           &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(inter == MPI_COMM_NULL && codes[0] == MPI_ERR_SPAWN && codes[1] == MPI_ERR_SPAWN);
}

/* Programs that end before they call MPI_Init: nothing is left of those that were to be with them,
 * and who has started them goes on. */
static void early(char *program)
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
    inter = spawn(program, "talk", 2, MPI_COMM_WORLD);
    talk(inter, 0);
    MPI_Comm_disconnect(&inter);
}

/* The same, of a program that does not go on. */
static void fatal(void)
{
    char *words[] = {(char[]){"-c"}, (char[]){"exit 5"}, NULL};
    MPI_Comm inter;

    MPI_Comm_spawn("/bin/sh", words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
}

/* Ranks 0 and 1, by a socket. */
static void join(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = -1, listening, pid = (int)getpid();
    socklen_t length;
    MPI_Comm inter;

    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "mpi_later.%d", pid);
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    if (rank == 0) {
        CHECK(bind(listening, (struct sockaddr *)&address, length) == 0 &&
              listen(listening, 1) == 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        fd = accept(listening, NULL, NULL);
    } else if (rank == 1) {
        fd = listening;
        CHECK(connect(fd, (struct sockaddr *)&address, length) == 0);
    }
    if (rank < 2) {
        MPI_Comm_join(fd, &inter);
        talk(inter, rank);
        MPI_Comm_disconnect(&inter);
    }
    (void)close(listening);
}

/* A program that was started alone. */
static void alone(char *program)
{
    char port[MPI_MAX_PORT_NAME];
    int codes[1] = {MPI_SUCCESS};
    MPI_Comm inter;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF,
                                  &inter, codes)) == MPI_ERR_SPAWN);
    CHECK(codes[0] == MPI_ERR_SPAWN);
    CHECK(class_of(MPI_Open_port(MPI_INFO_NULL, port)) == MPI_ERR_PORT);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter, codes);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    MPI_Comm parent, inter;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        return child(argv, parent);
    }
    if (strcmp(mode, "some") == 0) {
        some(argv[0]);
    } else if (strcmp(mode, "again") == 0) {
        again(argv[0]);
    } else if (strcmp(mode, "several") == 0) {
        several(argv[0]);
    } else if (strcmp(mode, "where") == 0) {
        where(argv[0]);
    } else if (strcmp(mode, "names") == 0) {
        names(argv[0]);
    } else if (strcmp(mode, "errors") == 0) {
        errors(argv[0]);
    } else if (strcmp(mode, "rush") == 0) {
        rush();
    } else if (strcmp(mode, "gone") == 0) {
        gone(argv[0]);
    } else if (strcmp(mode, "slow") == 0) {
        slow(argv[0]);
    } else if (strcmp(mode, "early") == 0) {
        early(argv[0]);
    } else if (strcmp(mode, "fatal") == 0) {
        fatal();
    } else if (strcmp(mode, "join") == 0) {
        join();
    } else if (strcmp(mode, "alone") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
        alone(argv[0]);
    } else if (strcmp(mode, "nest") == 0) {
        inter = spawn(argv[0], "nest", 1, MPI_COMM_WORLD);
        talk(inter, 0);
    } else if (strcmp(mode, "keep") == 0) {
        keep(spawn(argv[0], "keep", 2, MPI_COMM_WORLD), 0);
    } else if (strcmp(mode, "late") == 0) {
        int got;

        inter = spawn(argv[0], "late", 2, MPI_COMM_WORLD);
        (void)usleep(100000);
        for (int i = 0; rank == 0 && i < 2; i++) {
            MPI_Recv(&got, 1, MPI_INT, i, 9, inter, MPI_STATUS_IGNORE);
            CHECK(got == i);
        }
    } else {
        inter = spawn(argv[0], mode, 1, MPI_COMM_WORLD); /* die, abort */
        MPI_Barrier(inter);
    }
    MPI_Finalize();
    if (rank == 0) {
        printf("mpi_later %s: done\n", mode);
    }
    return 0;
}
