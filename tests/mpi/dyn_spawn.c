/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comm_spawn: jobs are started while the program runs, talk small and big to the ranks that are
 * there already, merge with them, and end. Several in a row, and two at a time. -host NAME: on that
 * host.
 */
#include "dyn.h"

static MPI_Info where = MPI_INFO_NULL;

/* The child's program: does what the parent asks for, then ends. */
static int child(MPI_Comm parent)
{
    int salt;

    MPI_Bcast(&salt, 1, MPI_INT, 0, parent);
    dyn_traffic(parent, salt);
    dyn_collectives(parent, false);
    dyn_merged(parent, true, salt);
    MPI_Comm_disconnect(&parent);
    return mt_finish();
}

static void check_codes(const int *codes, int n)
{
    for (int i = 0; i < n; ++i) {
        mt_equal(codes[i], MPI_SUCCESS, "error code of child %d", i);
    }
}

static MPI_Comm spawn(char *program, int n, MPI_Comm who)
{
    char *args[] = {"-child", NULL};
    int *codes = calloc((size_t)n, sizeof *codes), got;
    MPI_Comm inter;

    if (!codes) {
        mt_fail("no memory");
    }
    MPI_Comm_spawn(program, args, n, where, 0, who, &inter, codes);
    check_codes(codes, n);
    MPI_Comm_remote_size(inter, &got);
    mt_equal(got, n, "children");
    free(codes);
    return inter;
}

static void salt_to(MPI_Comm inter, int salt)
{
    int rank;

    MPI_Comm_rank(inter, &rank);
    MPI_Bcast(&salt, 1, MPI_INT, 0 == rank ? MPI_ROOT : MPI_PROC_NULL, inter);
}

static void work_with(MPI_Comm inter, int salt)
{
    salt_to(inter, salt);
    dyn_traffic(inter, salt);
    dyn_collectives(inter, true);
    dyn_merged(inter, false, salt);
}

int main(int argc, char **argv)
{
    MPI_Comm parent, a, b;
    int children, repeat;
    const char *host;

    mt_init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        return child(parent);
    }
    children = (int)mt_option(argc, argv, "-children", 2);
    repeat = (int)mt_option(argc, argv, "-repeat", 1);
    host = mt_text(argc, argv, "-host");
    if (host != NULL) {
        MPI_Info_create(&where);
        MPI_Info_set(where, "host", host);
    }
    for (int i = 0; i < repeat; ++i) {
        a = spawn(argv[0], children, MPI_COMM_WORLD);
        work_with(a, 100 * i);
        MPI_Comm_disconnect(&a);
    }
    /* one rank alone spawns too, and two jobs are there at a time */
    a = spawn(argv[0], 1, MPI_COMM_WORLD);
    b = spawn(argv[0], children, MPI_COMM_WORLD);
    work_with(b, 7000);
    work_with(a, 8000);
    MPI_Comm_disconnect(&b);
    MPI_Comm_disconnect(&a);
    if (0 == mt_rank) {
        a = spawn(argv[0], 1, MPI_COMM_SELF);
        work_with(a, 9000);
        MPI_Comm_disconnect(&a);
    }
    if (where != MPI_INFO_NULL) {
        MPI_Info_free(&where);
    }
    return mt_finish();
}
