/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_match/procs.c. */
/*
 * Two jobs started apart meet by accept and connect. Usage: dyn_connect -server FILE in the one,
 * dyn_connect -client FILE in the other; FILE carries the name of the port. With -die the server's
 * last rank kills itself in the middle: the client must end with an error.
 */
#include "dyn.h"

#include <signal.h>
#include <unistd.h>

enum { ROUNDS = 3 };

static const char *file_of(int argc, char **argv, const char *role)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], role)) {
            return argv[i + 1];
        }
    }
    return NULL;
}

/* Written under another name first, so that a reader never sees half of it. */
static void publish(const char *file, const char *port)
{
    char tmp[1024];
    FILE *f;

    snprintf(tmp, sizeof tmp, "%s.new", file);
    f = fopen(tmp, "w");
    if (!f || fputs(port, f) < 0 || 0 != fclose(f) || 0 != rename(tmp, file)) {
        mt_fail("cannot write %s", file);
    }
}

static void look_up(const char *file, char *port)
{
    FILE *f = NULL;

    for (int i = 0; i < 1000 && !f; ++i) {
        f = fopen(file, "r");
        mt_sleep(20);
    }
    if (!f || !fgets(port, MPI_MAX_PORT_NAME, f)) {
        mt_fail("no port in %s after 20 s", file);
    }
    fclose(f);
}

static void meet(MPI_Comm inter, bool server, int salt)
{
    dyn_traffic(inter, salt);
    dyn_collectives(inter, server);
    dyn_merged(inter, !server, salt);
}

/* The client waits for a message that will not come; the server's last rank goes away. */
static void die(MPI_Comm inter, bool server)
{
    int v, last;

    MPI_Barrier(inter);
    if (!server) {
        MPI_Comm_remote_size(inter, &last);
        MPI_Recv(&v, 1, MPI_INT, last - 1, 1, inter, MPI_STATUS_IGNORE);
        mt_fail("a message of a dead rank arrived: %d", v);
    }
    if (mt_rank == mt_size - 1) {
        mt_sleep(200);
        fprintf(stderr, "rank %d kills itself\n", mt_rank);
        kill(getpid(), SIGKILL);
    }
    MPI_Recv(&v, 1, MPI_INT, mt_size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    const char *file;
    bool server, dying;
    MPI_Comm inter;

    mt_init(&argc, &argv);
    file = file_of(argc, argv, "-server");
    server = NULL != file;
    file = server ? file : file_of(argc, argv, "-client");
    if (!file) {
        mt_fail("neither -server FILE nor -client FILE is given");
    }
    dying = mt_flag(argc, argv, "-die");
    if (server && 0 == mt_rank) {
        MPI_Open_port(MPI_INFO_NULL, port);
        publish(file, port);
    } else if (0 == mt_rank) {
        look_up(file, port);
    }
    for (int i = 0; i < (dying ? 1 : ROUNDS); ++i) {
        if (server) {
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
        } else {
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter);
        }
        meet(inter, server, 500 * i);
        if (dying) {
            die(inter, server);
        }
        MPI_Comm_disconnect(&inter);
    }
    if (server && 0 == mt_rank) {
        MPI_Close_port(port);
    }
    return mt_finish();
}
