/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long transfers while both sides compute (soNUMA-NI 3 and 4). Each of two processes begins a Write
 * of 4 MiB to the other one, and then calls the interface no more: it computes, and looks now and
 * then at two words of its own memory. One says that what it has sent has arrived; the other is
 * written behind what it gets. With an engine thread (placement edge or split) both change; with
 * tile they would not before somebody calls.
 *
 *   placement [edge|split]
 *
 * Both end with 0 if every byte is right.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <apeni/apeni.h>

enum { BYTES = 4 << 20, SIDES = 2, PATIENCE_S = 60 };

/* What the processes tell each other before their NIs can: in memory that they share. */
struct notes {
    struct side {
        uint8_t blob[NI_BLOB_MAX];
        size_t blob_len;
        struct ni_rkey key; /* of its struct room */
        uint64_t at;
    } side[SIDES];
    atomic_uint present, done;
};

/* Where the other one writes to. */
struct room {
    uint8_t bytes[BYTES];
    ni_word here; /* 1: all of them */
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "placement: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static uint8_t byte_of(unsigned who, unsigned i)
{
    return (uint8_t)(i * 7 + i / 4096 + who);
}

static struct ni *open_side(struct notes *notes, unsigned who, enum ni_placement placement,
                            struct room *room, struct ni_peer **peer)
{
    struct ni_open_attr attr = {.placement = placement};
    struct side *mine = &notes->side[who], *other = &notes->side[1 - who];
    char text[256];
    struct ni *ni;

    must(ni_open(&attr, &ni), "open an NI");
    must(ni_region_memory(ni, room, sizeof(*room), NI_ACCESS_WRITE, &mine->key), "register");
    mine->at = (uintptr_t)room;
    mine->blob_len = ni_address(ni, mine->blob, NI_BLOB_MAX);
    (void)ni_placement_describe(ni, text, sizeof(text));
    fprintf(stderr, "process %u: %s\n", who, text);
    atomic_fetch_add(&notes->present, 1);
    while (atomic_load(&notes->present) < SIDES) {
        usleep(100);
    }
    must(ni_connect(ni, other->blob, other->blob_len, peer), "connect");
    return ni;
}

/* Numbers whose Collatz sequence reaches 1, as all do: work in which the interface is not called.
 * Returns how many were tried before both words had changed; gives up after a minute. */
static uint64_t compute_until(const ni_word *arrived, const ni_word *here)
{
    time_t end = time(NULL) + PATIENCE_S;
    uint64_t tried = 0;

    while (atomic_load_explicit(arrived, memory_order_acquire) == 0 ||
           atomic_load_explicit(here, memory_order_acquire) == 0) {
        for (uint64_t n = ++tried; n > 1;) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        }
        if (tried % 4096 == 0 && time(NULL) > end) {
            break;
        }
    }
    return tried;
}

static bool run(struct notes *notes, unsigned who, enum ni_placement placement)
{
    static struct room room;
    static uint8_t bytes[BYTES];
    ni_word arrived = 0;
    const struct ni_ack ack = {.kind = NI_ACK_WORD, .word = &arrived};
    const struct side *other = &notes->side[1 - who];
    struct ni_remote to = {0};
    struct ni_note note = {.value = 1};
    struct ni_peer *peer;
    struct ni *ni;
    bool good;

    memset((void *)&room, 0, sizeof(room)); /* of the placement before */
    ni = open_side(notes, who, placement, &room, &peer);
    for (unsigned i = 0; i < BYTES; i++) {
        bytes[i] = byte_of(who, i);
    }
    to = (struct ni_remote){.addr = other->at, .key = other->key.key, .handle = other->key.handle};
    note.region = other->key;
    note.addr = other->at + offsetof(struct room, here);
    must(ni_write_notify(ni, peer, bytes, BYTES, &to, &note, NULL, &ack), "write");
    fprintf(stderr, "process %u: %llu numbers tried meanwhile\n", who,
            (unsigned long long)compute_until(&arrived, &room.here));
    good = arrived == BYTES && room.here == 1;
    for (unsigned i = 0; i < BYTES; i++) {
        good = good && room.bytes[i] == byte_of(1 - who, i);
    }
    /* The other one's words may need our engine thread still. */
    atomic_fetch_add(&notes->done, 1);
    while (atomic_load(&notes->done) < SIDES) {
        usleep(100);
    }
    ni_close(ni);
    return good;
}

static bool run_both(enum ni_placement placement)
{
    struct notes *notes =
        mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    bool good;
    pid_t pid;

    if (notes == MAP_FAILED || (pid = fork()) < 0) {
        perror("placement");
        return false;
    }
    if (pid == 0) {
        _exit(run(notes, 1, placement) ? 0 : 1);
    }
    good = run(notes, 0, placement);
    return waitpid(pid, &status, 0) == pid && status == 0 && good;
}

int main(int argc, char **argv)
{
    bool edge = argc < 2 || strcmp(argv[1], "edge") == 0;
    bool split = argc < 2 || strcmp(argv[1], "split") == 0;
    bool good = true;

    if (!edge && !split) {
        fprintf(stderr, "placement: %s: wants edge or split; nothing means both\n", argv[1]);
        return 1;
    }
    if (edge) {
        good = run_both(NI_PLACEMENT_EDGE);
    }
    if (split) {
        good = run_both(NI_PLACEMENT_SPLIT) && good;
    }
    printf("%d bytes each way while both compute: %s\n", BYTES, good ? "right" : "wrong");
    return good ? 0 : 1;
}
