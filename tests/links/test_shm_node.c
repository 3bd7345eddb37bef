/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On a machine with two memory nodes, which this test makes up in a mount namespace of its own:
 * rings and bulk areas are asked for on the node of the process that reads them, whichever
 * allocates their pages, and nowhere if it has no node.
 */
#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/memory_node.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

#define NODES "/sys/devices/system/node"

enum { PACKETS = 200, LIMIT_S = 300, SKIPPED = 77 };

struct board {
    _Atomic uint32_t ready, read;
    int wanted; /* policy */
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static struct board *board;

static _Noreturn void skip(const char *what)
{
    printf("skipped: %s: %s\n", what, strerror(errno));
    exit(SKIPPED);
}

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof(path), NODES "/%s", name);
    file = fopen(path, "we");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The processors of node 0; node 1 has others, and all memory that there is is of node 0. */
static void make_nodes(const char *cpus)
{
    write_file("has_memory", "0-1\n");
    write_file("node0/cpulist", cpus);
    write_file("node1/cpulist", "1000-1023\n");
}

static void make_machine(void)
{
    if (unshare(CLONE_NEWNS) != 0) {
        skip("a mount namespace needs root");
    }
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", NODES, "tmpfs", 0, "size=64k") != 0) {
        skip("cannot mount on " NODES);
    }
    CHECK(mkdir(NODES "/node0", 0755) == 0 && mkdir(NODES "/node1", 0755) == 0);
}

static int policy_of(const void *page)
{
    int mode = -1;
    unsigned long mask = 0;

    CHECK(syscall(SYS_get_mempolicy, &mode, &mask, sizeof(mask) * 8, page, MPOL_F_ADDR) == 0);
    CHECK(mode != MPOL_PREFERRED || mask == 1); /* node 0 */
    return mode;
}

/* Pages from here to there of the reader's file have this policy. */
static void check_part(const struct ni_shm_segment *segment, uint64_t from, uint64_t to, int policy)
{
    size_t page = segment->geometry.counts.page;
    uint8_t *part = mmap(NULL, to - from, PROT_READ, MAP_SHARED, segment->fd, (off_t)from);

    CHECK(part != MAP_FAILED);
    for (size_t at = 0; at < to - from; at += page) {
        CHECK(policy_of(part + at) == policy);
    }
    munmap(part, to - from);
}

static int reader(void *arg)
{
    const struct ni_shm_segment *segment;
    const struct ni_shm_geometry *g;
    struct mock mock;

    (void)arg;
    mock_open(&mock, 1, NULL);
    board->len = mock_blob(&mock, board->blob);
    atomic_store(&board->ready, 1);
    while (mock.received < PACKETS) {
        mock_relax(&mock);
    }
    CHECK(mock.peers->in_lane != 0 && mock.peers->in_bulk != 0);
    segment = ni_shm_link_of(mock.link)->segment;
    g = &segment->geometry;
    check_part(segment, 0, g->areas, MPOL_DEFAULT);
    /* the first area has been used, the last has not */
    check_part(segment, g->areas, g->areas + g->area_size, board->wanted);
    check_part(segment, g->size - g->area_size, g->size, board->wanted);
    atomic_store(&board->read, 1);
    mock_close(&mock);
    return 0;
}

static int sender(void *arg)
{
    struct ni_peer *peer;
    struct mock mock;

    (void)arg;
    (void)alarm(LIMIT_S); /* a reader that failed tells nobody */
    while (atomic_load(&board->ready) == 0) {
        sched_yield();
    }
    mock_open(&mock, 2, NULL);
    peer = mock_connect(&mock, board->blob, board->len);
    for (unsigned i = 0; i < PACKETS; i++) {
        mock_send_all(peer, i < PACKETS / 2 ? 100 : 10000);
    }
    while (atomic_load(&board->read) == 0) {
        mock_relax(&mock);
    }
    mock_close(&mock);
    return 0;
}

static void check_node(const char *cpus, int node, int wanted)
{
    pid_t pids[2];

    make_nodes(cpus);
    CHECK(ni_memory_nodes() == 2 && ni_memory_node_near() == node);
    atomic_store(&board->ready, 0);
    atomic_store(&board->read, 0);
    board->wanted = wanted;
    pids[0] = mock_fork(reader, NULL);
    pids[1] = mock_fork(sender, NULL);
    mock_join(pids[0]);
    mock_join(pids[1]);
}

int main(void)
{
    int mode;

    if (syscall(SYS_get_mempolicy, &mode, NULL, 0, NULL, 0) != 0) {
        skip("this kernel or container has no get_mempolicy");
    }
    make_machine();
    board = mock_shared(sizeof(*board));
    check_node("0-999\n", 0, MPOL_PREFERRED);
    check_node("998-999\n", -1, MPOL_DEFAULT);
    return 0;
}
