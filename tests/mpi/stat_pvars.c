/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_glue/pvars.c. */
/*
 * The statistics of a component as variables of MPI_T: they are there, they count what was sent,
 * and they stay readable between MPI_Init and MPI_Finalize. The argument is the prefix of their
 * names.
 */
#include "mt.h"

enum { TAG = 5, ROUNDS = 100, SMALL = 64, LARGE = 1 << 20 };

static const char *prefix;
static MPI_T_pvar_session session;

struct counter {
    MPI_T_pvar_handle handle;
    unsigned long long before;
};

static unsigned long long value_of(const struct counter *counter)
{
    unsigned long long value = 0;

    mt_ok(MPI_T_pvar_read(session, counter->handle, &value));
    return value;
}

/* How many variables have the prefix; each has to have a description. */
static int count_ours(void)
{
    int all, ours = 0;

    mt_ok(MPI_T_pvar_get_num(&all));
    for (int i = 0; i < all; i++) {
        char name[256], help[1024];
        int name_size = sizeof(name), help_size = sizeof(help);
        int verbosity, class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum values;

        if (MPI_T_pvar_get_info(i, name, &name_size, &verbosity, &class, &type, &values, help,
                                &help_size, &bind, &readonly, &continuous,
                                &atomic) == MPI_SUCCESS &&
            strncmp(name, prefix, strlen(prefix)) == 0) {
            mt_check(help[0] != '\0', "%s has no description", name);
            mt_check(readonly && continuous, "%s can be written or stopped", name);
            mt_check(type == MPI_UNSIGNED_LONG_LONG, "type of %s", name);
            ours++;
        }
    }
    return ours;
}

static struct counter find(const char *name, int class)
{
    struct counter counter;
    char full[256];
    int index, count = 0;

    snprintf(full, sizeof(full), "%s%s", prefix, name);
    mt_check(MPI_T_pvar_get_index(full, class, &index) == MPI_SUCCESS, "there is no %s", full);
    mt_ok(MPI_T_pvar_handle_alloc(session, index, NULL, &counter.handle, &count));
    mt_equal(count, 1, "values of %s", full);
    counter.before = value_of(&counter);
    return counter;
}

static void send(void *buffer, int bytes)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (mt_rank == 0) {
            MPI_Send(buffer, bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        } else if (mt_rank == 1) {
            MPI_Recv(buffer, bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* By how much it grew has to be from least to most. Where an engine thread receives, packets are
 * counted after they have been handed on. */
static void grew(const struct counter *counter, const char *name, unsigned long long least,
                 unsigned long long most)
{
    unsigned long long by;
    double end = MPI_Wtime() + 20;
    int flag;

    while ((by = value_of(counter) - counter->before) < least && MPI_Wtime() < end) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }

    mt_check(by >= least && by <= most, "%s grew by %llu, not %llu to %llu", name, by, least, most);
}

int main(int argc, char **argv)
{
    struct counter tx_packets, tx_bytes, rx_packets, rx_bytes, peers;
    const unsigned long long others = 1000; /* packets of barriers, at the most */
    void *buffer;
    int provided;

    mt_init(&argc, &argv);
    mt_need(2);
    prefix = argc > 1 ? argv[1] : "btl_apelink_";
    mt_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    mt_ok(MPI_T_pvar_session_create(&session));
    mt_check(count_ours() >= 10, "only %d variables begin with %s", count_ours(), prefix);
    buffer = mt_alloc(LARGE);
    send(buffer, SMALL); /* connects */

    tx_packets = find("tx_packets", MPI_T_PVAR_CLASS_COUNTER);
    tx_bytes = find("tx_bytes", MPI_T_PVAR_CLASS_COUNTER);
    rx_packets = find("rx_packets", MPI_T_PVAR_CLASS_COUNTER);
    rx_bytes = find("rx_bytes", MPI_T_PVAR_CLASS_COUNTER);
    peers = find("peers", MPI_T_PVAR_CLASS_LEVEL);
    mt_equal((long long)peers.before, mt_size - 1, "peers");
    send(buffer, SMALL);
    if (mt_rank == 0) {
        grew(&tx_packets, "tx_packets", ROUNDS, ROUNDS + others);
        grew(&tx_bytes, "tx_bytes", ROUNDS * SMALL, (ROUNDS + others) * 512);
    } else if (mt_rank == 1) {
        grew(&rx_packets, "rx_packets", ROUNDS, ROUNDS + others);
        grew(&rx_bytes, "rx_bytes", ROUNDS * SMALL, (ROUNDS + others) * 512);
    }
    send(buffer, LARGE);
    mt_equal((long long)value_of(&peers), mt_size - 1, "peers at the end");
    mt_free(buffer);
    mt_ok(MPI_T_pvar_session_free(&session));
    mt_ok(MPI_T_finalize());
    return mt_finish();
}
