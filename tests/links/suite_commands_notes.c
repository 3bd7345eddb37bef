/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <unistd.h>

#include "suite_commands.h"

/*
 * Notification by descriptors: notes behind the bytes, of each kind; lines that are given back at
 * the departure of their source; acks that are interrupts; and what is refused.
 */

enum { LONGEST = 300000, FLAG = 4, COUNTED, WOKEN, ELSEWHERE };

struct noted {
    struct cmd_world *world;
    struct cmd_region *region;
    uint8_t *from, *to; /* LONGEST bytes, at NI 0 and at NI 1 */
    ni_word *flags;     /* at NI 1 */
    struct ni_rkey to_key, flag_key, counter_key, interrupt_key, other_key, here_key;
    _Atomic uint64_t zeros, items;
    int there, here; /* where INTERRUPTs of NI 1 and NI 0 are read */
    _Atomic uint64_t raised;
};

static void on_zero(void *arg, ni_status status, uint64_t value)
{
    struct noted *noted = arg;

    (void)value;
    CHECK(status == NI_OK);
    atomic_fetch_add(&noted->zeros, 1);
}

static void open_there(struct suite_ni *ni, void *arg)
{
    struct noted *noted = arg;
    struct ni_ack zero = {.kind = NI_ACK_CALL, .fn = on_zero, .arg = noted};

    CHECK(ni_counter_create(ni->ni, -12, &noted->counter_key) == NI_OK);
    CHECK(ni_counter_notify(ni->ni, noted->counter_key.handle, &zero) == NI_OK);
    CHECK(ni_interrupt_create(ni->ni, &noted->interrupt_key, &noted->there) == NI_OK);
}

static void open_here(struct suite_ni *ni, void *arg)
{
    struct noted *noted = arg;
    const struct ni_rkey *rkeys[] = {&noted->flag_key, &noted->counter_key, &noted->interrupt_key,
                                     &noted->other_key, &noted->to_key};

    CHECK(ni_interrupt_create(ni->ni, &noted->here_key, &noted->here) == NI_OK);
    for (uint16_t i = 0; i < NI_ARRAY_LENGTH(rkeys); i++) {
        struct ni_peer *peer = ni->peers[i + FLAG == ELSEWHERE ? 2 : 1];
        uint16_t target;

        CHECK(ni_command_target(ni->ni, noted->region->handle, peer, rkeys[i], &target) == NI_OK);
        CHECK(target == i + FLAG);
    }
}

static struct noted *new_noted(struct suite *suite)
{
    struct noted *noted = suite_alloc(suite, sizeof(*noted));

    noted->world = cmd_world_new(suite);
    noted->region = cmd_region_new(noted->world, 2, 0);
    noted->from = suite_alloc(suite, LONGEST);
    noted->to = suite_alloc(suite, LONGEST);
    noted->flags = suite_alloc(suite, 4096);
    (void)suite_region(suite, 0, noted->from, LONGEST, NI_ACCESS_ALL);
    noted->to_key = suite_region(suite, 1, noted->to, LONGEST, NI_ACCESS_ALL);
    noted->flag_key = suite_region(suite, 1, noted->flags, 4096, NI_ACCESS_WRITE);
    noted->other_key = suite_region(suite, 2, noted->flags, 4096, NI_ACCESS_WRITE);
    suite_call(suite, 1, open_there, noted);
    suite_call(suite, 0, open_here, noted);
    return noted;
}

/* A write of all kinds of lengths, whose memory is ready. */
static struct ni_descriptor write_of(struct noted *noted, uint32_t len, uint64_t seed)
{
    struct ni_descriptor it;

    suite_fill(noted->from, len, seed);
    memset(noted->to, 0, len);
    ni_command_copy(&it, NI_COMMAND_WRITE, ELSEWHERE + 1, noted->from, (uintptr_t)noted->to, len);
    return it;
}

static const uint32_t lens[] = {0, 1, 8, 40, 2048, 70000, LONGEST};

/* ---- notes ----------------------------------------------------------------------------------- */

/* A thread that sees the flag sees the bytes; and the descriptor ends behind both. */
static void remote_flags(struct suite *suite)
{
    struct noted *noted = new_noted(suite);
    ni_word *word = suite_alloc(suite, 4096);

    (void)suite_region(suite, 0, word, 4096, NI_ACCESS_ALL);
    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_descriptor it = write_of(noted, lens[i], i);
        struct ni_command_result result;

        ni_command_note(&it, FLAG, (uintptr_t)&noted->flags[i], i + 1);
        ni_command_ack_word(&it, word);
        atomic_store(word, UINT64_MAX);
        CHECK(ni_command_begin(&noted->region->command[0]));
        ni_command_compose(&noted->region->command[0], &it);
        suite_until_count(suite, &noted->flags[i], i + 1);
        CHECK(atomic_load_explicit(&noted->flags[i], memory_order_acquire) == i + 1);
        CHECK(suite_filled(noted->to, lens[i], i));
        result = cmd_wait(suite, &noted->region->command[0]);
        CHECK(result.status == NI_OK && result.reason == NI_COMMAND_DONE);
        CHECK(atomic_load(word) == lens[i]);
    }
}

static void read_interrupt(struct suite_ni *ni, void *arg)
{
    struct noted *noted = arg;
    struct pollfd fd = {.fd = ni->index == 0 ? noted->here : noted->there, .events = POLLIN};
    uint64_t times = 0;

    CHECK(poll(&fd, 1, 0) == 0 || read(fd.fd, &times, sizeof(times)) == sizeof(times));
    atomic_fetch_add(&noted->raised, times);
}

static void pop(struct suite_ni *ni, void *arg)
{
    struct noted *noted = arg;
    uint64_t item;
    size_t len;

    while (ni_queue_pop(ni->ni, noted->world->body_key.handle, &item, sizeof(item), &len) ==
           NI_OK) {
        CHECK(len == sizeof(item) && item == 7);
        atomic_fetch_add(&noted->items, 1);
    }
}

/* Counters are added to, queues and consumers get an item, interrupts are raised: once for each. */
static void remote_objects(struct suite *suite)
{
    static const uint16_t targets[] = {COUNTED, WOKEN, CMD_BODY, CMD_SINK};
    struct noted *noted = new_noted(suite);

    for (unsigned i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        for (unsigned kind = 0; kind < NI_ARRAY_LENGTH(targets); kind++) {
            struct ni_descriptor it = write_of(noted, lens[i], i);
            struct ni_command_result result;

            ni_command_note(&it, targets[kind], 0, kind == 0 ? (i == 0 ? 6 : 1) : 7);
            result = cmd_run(noted->region, 0, &it);
            CHECK(result.status == NI_OK && result.reason == NI_COMMAND_DONE);
            CHECK(suite_filled(noted->to, lens[i], i));
        }
        suite_call(suite, 1, pop, noted);
    }
    suite_call(suite, 1, read_interrupt, noted);
    CHECK(atomic_load(&noted->raised) == NI_ARRAY_LENGTH(lens));
    CHECK(atomic_load(&noted->items) == NI_ARRAY_LENGTH(lens));
    CHECK(atomic_load(&noted->zeros) == 1);
    CHECK(atomic_load(&noted->world->log_count) == NI_ARRAY_LENGTH(lens));
}

/* ---- departure, and local interrupts --------------------------------------------------------- */

/* The line is given back when the source may be used: use it at once. The note tells of the
 * bytes. */
static void departures(struct suite *suite)
{
    struct noted *noted = new_noted(suite);

    for (uint64_t i = 0; i < NI_ARRAY_LENGTH(lens); i++) {
        struct ni_descriptor it = write_of(noted, lens[i], i);
        struct ni_command_result result;

        ni_command_note(&it, FLAG, (uintptr_t)&noted->flags[i], 1);
        ni_command_departed(&it);
        ni_command_ack_interrupt(&it, noted->here_key.handle);
        result = cmd_run(noted->region, 0, &it);
        CHECK(result.status == NI_OK && result.reason == NI_COMMAND_DONE);
        memset(noted->from, 0xee, lens[i]);
        suite_call(suite, 0, read_interrupt, noted);
        CHECK(atomic_load(&noted->raised) == i + 1);
        suite_until_count(suite, &noted->flags[i], 1);
        CHECK(suite_filled(noted->to, lens[i], i));
    }
}

/* Also of messages, reads, and of what fails. */
static void interrupts(struct suite *suite)
{
    struct noted *noted = new_noted(suite);
    struct ni_descriptor it;

    ni_command_message(&it, CMD_SINK, "wake", 4);
    ni_command_ack_interrupt(&it, noted->here_key.handle);
    CHECK(cmd_run(noted->region, 0, &it).status == NI_OK);
    ni_command_copy(&it, NI_COMMAND_READ, CMD_MEMORY, noted->from, (uintptr_t)noted->world->remote,
                    100);
    ni_command_ack_interrupt(&it, noted->here_key.handle);
    CHECK(cmd_run(noted->region, 1, &it).status == NI_OK);
    ni_command_copy(&it, NI_COMMAND_READ, CMD_SECRET, noted->from, (uintptr_t)noted->world->remote,
                    100);
    ni_command_ack_interrupt(&it, noted->here_key.handle);
    CHECK(cmd_run(noted->region, 0, &it).status == NI_ERR_KEY);
    suite_call(suite, 0, read_interrupt, noted);
    CHECK(atomic_load(&noted->raised) == 3);
}

/* ---- refused --------------------------------------------------------------------------------- */

static void expect(struct noted *noted, const struct ni_descriptor *it,
                   enum ni_command_reason reason, ni_status status)
{
    struct ni_command_result result = cmd_run(noted->region, 0, it);

    CHECK(result.reason == reason && result.status == status);
}

static void refused(struct suite *suite)
{
    struct noted *noted = new_noted(suite);
    struct ni_descriptor good = write_of(noted, 8, 1), it;

    ni_command_note(&good, FLAG, (uintptr_t)noted->flags, 1);
    for (unsigned bit = 18; bit < 32; bit++) {
        it = good;
        it.word[8] |= 1U << bit;
        expect(noted, &it, NI_COMMAND_BAD_NOTE, NI_ERR_NOTFOUND);
    }
    it = good;
    it.word[8] ^= NI_COMMAND_NOTE; /* its target and words are there still */
    expect(noted, &it, NI_COMMAND_BAD_NOTE, NI_ERR_NOTFOUND);
    it.word[8] = NI_COMMAND_DEPARTED;
    expect(noted, &it, NI_COMMAND_BAD_NOTE, NI_ERR_NOTFOUND);
    it = good;
    ni_command_note(&it, 999, 0, 1);
    expect(noted, &it, NI_COMMAND_BAD_NOTE, NI_ERR_NOTFOUND);
    ni_command_note(&it, ELSEWHERE, (uintptr_t)noted->flags, 1);
    expect(noted, &it, NI_COMMAND_BAD_NOTE, NI_ERR_NOTFOUND); /* another peer's */
    it = good;
    it.word[0] = (it.word[0] & ~UINT32_C(0xf00)) | NI_COMMAND_READ << 8;
    expect(noted, &it, NI_COMMAND_BAD_SIZE, NI_ERR_INVALID);
    it = good;
    ni_command_ack_interrupt(&it, noted->world->counter);
    expect(noted, &it, NI_COMMAND_BAD_ACK, NI_ERR_REGION);
    it = good;
    ni_command_note(&it, CMD_SECRET, (uintptr_t)noted->world->remote, 1);
    expect(noted, &it, NI_COMMAND_FAILED, NI_ERR_KEY);
    it = good;
    ni_command_note(&it, FLAG, (uintptr_t)noted->flags + 4, 1);
    expect(noted, &it, NI_COMMAND_FAILED, NI_ERR_ALIGN);
    CHECK(atomic_load(&noted->flags[0]) == 0);
    expect(noted, &good, NI_COMMAND_DONE, NI_OK);
    CHECK(atomic_load(&noted->flags[0]) == 1);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"remote_flags", 3, 0, remote_flags}, {"remote_objects", 3, 0, remote_objects},
        {"departures", 3, 0, departures},     {"interrupts", 3, 0, interrupts},
        {"refused", 3, 0, refused},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
