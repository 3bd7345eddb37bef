/* SPDX-License-Identifier: BSD-3-Clause */
/* An interface that was told that its peers are often away (NI_PEERS_AWAY) reads and writes from
 * 128 bytes on without them: what its peer would have to poll for otherwise is done while that
 * makes no call. Shorter ones, and those of other interfaces, wait for it. Covers:
 * ni/engine/bulk/transfer.c ni/engine/bulk/copy.c */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "shm_mock.h"

enum { SIZE = 8192, LEAST = 128, LOOKS = 1000, GIVE_UP_S = 60 };

struct board {
    uint32_t len;
    uint8_t blob[NI_BLOB_MAX];
    struct ni_rkey rkey;
    _Atomic unsigned ready;
    _Atomic unsigned polls; /* the target does */
    _Atomic unsigned turns; /* its loop has gone so far */
    _Atomic unsigned ends;
    uint8_t memory[SIZE];
};

static struct board *board;
static struct ni *ni;
static struct ni_peer *peer;

static int target(void *arg)
{
    struct ni *mine;

    (void)arg;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    CHECK(ni_open(NULL, &mine) == NI_OK);
    CHECK(ni_region_memory(mine, board->memory, SIZE, NI_ACCESS_ALL, &board->rkey) == NI_OK);
    board->len = (uint32_t)ni_address(mine, board->blob, NI_BLOB_MAX);
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->ends) == 0) {
        if (atomic_load(&board->polls) != 0) {
            (void)ni_progress(mine);
        }
        atomic_fetch_add(&board->turns, 1);
        usleep(100);
    }
    ni_close(mine);
    return 0;
}

/* From its next turn on. */
static void target_polls(bool polls)
{
    unsigned turns;

    atomic_store(&board->polls, polls);
    turns = atomic_load(&board->turns);
    while (atomic_load(&board->turns) - turns < 2) {
        usleep(100);
    }
}

static bool ends(const ni_word *word, size_t len, unsigned looks)
{
    for (unsigned i = 0; i < looks && atomic_load(word) == 0; i++) {
        (void)ni_progress(ni);
    }
    CHECK(atomic_load(word) == 0 || atomic_load(word) == len);
    return atomic_load(word) != 0;
}

static void wait_for(const ni_word *word, size_t len)
{
    time_t begin = time(NULL);

    while (!ends(word, len, LOOKS)) {
        CHECK(time(NULL) - begin < GIVE_UP_S);
    }
}

static void fill(uint8_t *bytes, size_t len, unsigned seed)
{
    for (size_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(seed + i * 7);
    }
}

/* Both ways at an odd place; whether both ended by themselves. */
static bool transfer(size_t len, unsigned seed)
{
    static uint8_t in[SIZE], out[SIZE];
    static ni_word read_done, write_done;
    const struct ni_remote where = {.addr = (uint64_t)(uintptr_t)board->memory + seed % 100,
                                    .key = board->rkey.key,
                                    .handle = board->rkey.handle};
    const struct ni_ack read_ack = {.kind = NI_ACK_WORD, .word = &read_done};
    const struct ni_ack write_ack = {.kind = NI_ACK_WORD, .word = &write_done};
    bool alone;

    atomic_store(&read_done, 0);
    atomic_store(&write_done, 0);
    fill(out, len, seed);
    memset(in, 0, sizeof(in));
    CHECK(ni_write(ni, peer, out, len, &where, &write_ack) == NI_OK);
    alone = ends(&write_done, len, LOOKS);
    if (!alone) {
        target_polls(true);
        wait_for(&write_done, len);
        target_polls(false);
    }
    CHECK(memcmp(board->memory + seed % 100, out, len) == 0);
    CHECK(ni_read(ni, peer, in, len, &where, &read_ack) == NI_OK);
    if (!ends(&read_done, len, LOOKS)) {
        CHECK(!alone);
        target_polls(true);
        wait_for(&read_done, len);
        target_polls(false);
    }
    CHECK(memcmp(in, out, len) == 0);
    return alone;
}

/* Stores that have not arrived are not overtaken, by whatever moves the bytes. */
static void test_order(void)
{
    static uint8_t in[SIZE];
    static ni_word done;
    const struct ni_remote where = {.addr = (uint64_t)(uintptr_t)board->memory,
                                    .key = board->rkey.key,
                                    .handle = board->rkey.handle};
    const uint64_t value = UINT64_C(0x5707ed0123456789);

    atomic_store(&done, 0);
    memset(board->memory, 0, sizeof(board->memory));
    CHECK(ni_store(ni, peer, &where, value, 8) == NI_OK);
    CHECK(ni_read(ni, peer, in, 800, &where,
                  &(struct ni_ack){.kind = NI_ACK_WORD, .word = &done}) == NI_OK);
    target_polls(true);
    wait_for(&done, 800);
    CHECK(memcmp(in, &value, 8) == 0);
    target_polls(false);
}

static void on_flushed(void *arg, ni_status status, uint64_t value)
{
    (void)value;
    *(ni_status *)arg = status;
}

static ni_status flush(void)
{
    const time_t begin = time(NULL);
    ni_status status = NI_AGAIN;

    CHECK(ni_flush(ni, peer,
                   &(struct ni_ack){.kind = NI_ACK_CALL, .fn = on_flushed, .arg = &status}) ==
          NI_OK);
    while (status == NI_AGAIN) {
        (void)ni_progress(ni);
        CHECK(time(NULL) - begin < GIVE_UP_S);
    }
    return status;
}

/* Of what was refused a flush tells. */
static void test_refused(void)
{
    static const uint8_t out[SIZE];
    const struct ni_remote where = {.addr = (uint64_t)(uintptr_t)board->memory,
                                    .key = board->rkey.key + 1,
                                    .handle = board->rkey.handle};

    target_polls(true);
    CHECK(ni_write(ni, peer, out, 800, &where, NULL) == NI_OK);
    CHECK(flush() == NI_ERR_KEY);
    CHECK(flush() == NI_OK);
    target_polls(false);
}

static bool kernel_copies(void)
{
    char text[256];

    (void)ni_map_describe(&peer, 1, text, sizeof(text));
    return strstr(text, "go by process_vm_readv") != NULL;
}

static void begin(unsigned flags)
{
    const struct ni_open_attr attr = {.flags = flags};

    CHECK(ni_open(&attr, &ni) == NI_OK);
    CHECK(ni_connect(ni, board->blob, board->len, &peer) == NI_OK);
    target_polls(true);
    for (unsigned i = 0; i < 10; i++) {
        const struct ni_remote where = {.addr = (uint64_t)(uintptr_t)board->memory,
                                        .key = board->rkey.key,
                                        .handle = board->rkey.handle};
        uint64_t word;
        ni_word done = 0;

        CHECK(ni_read(ni, peer, &word, 8, &where,
                      &(struct ni_ack){.kind = NI_ACK_WORD, .word = &done}) == NI_OK);
        wait_for(&done, 8);
    }
    target_polls(false);
}

static void end(void)
{
    ni_disconnect(ni, peer);
    ni_close(ni);
}

int main(void)
{
    static const size_t lens[] = {LEAST, LEAST + 1, 800, 2048, 2049, 4095, 4096};
    unsigned seed = 1;
    int result = 0;
    pid_t pid;

    board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(board != MAP_FAILED);
    pid = mock_fork(target, NULL);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    begin(NI_PEERS_AWAY);
    if (!kernel_copies()) {
        printf("skipped: the kernel does not copy between processes here\n");
        result = 77;
    }
    for (size_t i = 0; result == 0 && i < sizeof(lens) / sizeof(lens[0]); i++) {
        CHECK(transfer(lens[i], seed++));
    }
    CHECK(result != 0 || (!transfer(LEAST - 1, seed++) && !transfer(8, seed++)));
    test_order();
    test_refused();
    end();
    begin(NI_PEERS_AWAY | NI_THREADS);
    CHECK(result != 0 || (transfer(800, seed++) && !transfer(8, seed++)));
    end();
    begin(0);
    CHECK(result != 0 || (!transfer(800, seed++) && transfer(4096, seed++)));
    end();
    atomic_store(&board->ends, 1);
    mock_join(pid);
    return result;
}
