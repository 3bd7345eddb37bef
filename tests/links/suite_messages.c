/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/send/message.c ni/engine/send/send.c. */
#include "suite.h"

/*
 * Messages: all sizes and alignments, order, floods in both directions, many to one, consumers
 * that do everything a consumer may do, and messages that name no queue.
 */

/* What a message begins with; then random bytes that follow from the number. */
struct content {
    uint32_t sender;
    uint32_t number;
};

/* A consumer that checks order and contents. */
struct sink {
    _Atomic uint64_t received;
    _Atomic uint64_t bytes;
    uint32_t next[SUITE_NIS]; /* expected number by sender */
    struct suite_ni *ni;
    struct ni_rkey rkey;
};

static uint64_t seed_of(const struct content *content)
{
    return (uint64_t)content->sender << 32 | content->number;
}

static void on_message(void *arg, const struct ni_message_info *message)
{
    struct sink *sink = arg;
    const struct suite_ni *sender = ni_peer_user(message->source);
    struct content content;

    CHECK(message->len >= sizeof(content));
    memcpy(&content, message->data, sizeof(content));
    CHECK(sender->index == content.sender);
    CHECK(content.number == sink->next[content.sender]);
    CHECK(message->tag == (uint16_t)(content.number * 7));
    CHECK(suite_filled((const uint8_t *)message->data + sizeof(content),
                       message->len - sizeof(content), seed_of(&content)));
    sink->next[content.sender]++;
    atomic_fetch_add(&sink->bytes, message->len);
    atomic_fetch_add(&sink->received, 1);
}

static void open_sink(struct suite_ni *ni, void *arg)
{
    struct sink *sink = arg;

    sink->ni = ni;
    CHECK(ni_region_consumer(ni->ni, on_message, sink, 0, &sink->rkey) == NI_OK);
}

static struct sink *new_sink(struct suite *suite, unsigned i)
{
    struct sink *sink = suite_alloc(suite, sizeof(*sink));

    suite_call(suite, i, open_sink, sink);
    return sink;
}

/* Send message number `number` with len bytes in all, gathered from a head of head_len bytes. */
static ni_status try_send(struct suite_ni *ni, unsigned to, ni_handle queue, uint32_t number,
                          uint32_t len, uint32_t head_len, uint8_t *buffer)
{
    struct content content = {.sender = ni->index, .number = number};

    memcpy(buffer, &content, sizeof(content));
    suite_fill(buffer + sizeof(content), len - sizeof(content), seed_of(&content));
    return ni_message(ni->ni, ni->peers[to], queue, (uint16_t)(number * 7), buffer, head_len,
                      buffer + head_len, len - head_len);
}

static void send(struct suite_ni *ni, unsigned to, ni_handle queue, uint32_t number, uint32_t len,
                 uint32_t head_len, uint8_t *buffer)
{
    ni_status status;

    while ((status = try_send(ni, to, queue, number, len, head_len, buffer)) == NI_AGAIN) {
        suite_turn(ni);
    }
    CHECK(status == NI_OK);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

struct sizes {
    struct sink *sink;
    uint8_t *buffer;
    uint32_t sent;
    uint64_t bytes;
    uint32_t max;
};

static void send_one_size(struct suite_ni *ni, struct sizes *sizes, uint32_t len, uint32_t head_len)
{
    send(ni, 1, sizes->sink->rkey.handle, sizes->sent, len, head_len,
         sizes->buffer + sizes->sent % 67);
    sizes->sent++;
    sizes->bytes += len;
}

/* The first message may have to make the way; its largest size is known from then on. */
static void send_all_sizes(struct suite_ni *ni, void *arg)
{
    static const uint32_t head_lens[] = {0, 8, 14, 16, 48, 63, 64, 65, 200};
    struct sizes *sizes = arg;

    send_one_size(ni, sizes, 8, 0);
    sizes->max = (uint32_t)ni_message_max(ni->peers[1]);
    CHECK(sizes->max >= 512);
    for (uint32_t len = 8; len <= 1100 && len <= sizes->max; len++) {
        send_one_size(ni, sizes, len, len % 9);
    }
    for (uint32_t len = 1024; len <= sizes->max; len += len / 2 + 13) {
        send_one_size(ni, sizes, len, 14);
    }
    for (size_t i = 0; i < sizeof(head_lens) / sizeof(head_lens[0]); i++) {
        send_one_size(ni, sizes, sizes->max, head_lens[i]);
        send_one_size(ni, sizes, sizes->max - (uint32_t)i * 15, head_lens[i]);
    }
}

static void all_sizes(struct suite *suite)
{
    struct sizes *sizes = suite_alloc(suite, sizeof(*sizes));

    sizes->sink = new_sink(suite, 1);
    sizes->buffer = suite_alloc(suite, 64 << 20);
    suite_call(suite, 0, send_all_sizes, sizes);
    suite_until_count(suite, &sizes->sink->received, sizes->sent);
    CHECK(atomic_load(&sizes->sink->bytes) == sizes->bytes);
}

static void send_too_long(struct suite_ni *ni, void *arg)
{
    struct sizes *sizes = arg;
    const ni_handle queue = sizes->sink->rkey.handle;
    uint32_t max;

    send_one_size(ni, sizes, 8, 0);
    max = (uint32_t)ni_message_max(ni->peers[1]);
    for (int i = 0; i < 5; i++) {
        CHECK(try_send(ni, 1, queue, 1, max + 1, 0, sizes->buffer) == NI_ERR_LIMIT);
        CHECK(try_send(ni, 1, queue, 1, max + 1, 14, sizes->buffer) == NI_ERR_LIMIT);
        CHECK(try_send(ni, 1, queue, 1, max * 2, 64, sizes->buffer) == NI_ERR_LIMIT);
        suite_turn(ni);
    }
    CHECK(ni_message(ni->ni, ni->peers[1], queue, 0, sizes->buffer, SIZE_MAX, NULL, 0) ==
          NI_ERR_LIMIT);
    CHECK(ni_message(ni->ni, ni->peers[1], queue, 0, NULL, 0, sizes->buffer, SIZE_MAX) ==
          NI_ERR_LIMIT);
    send_one_size(ni, sizes, max, 14);
}

static void too_long(struct suite *suite)
{
    struct sizes *sizes = suite_alloc(suite, sizeof(*sizes));

    sizes->sink = new_sink(suite, 1);
    sizes->buffer = suite_alloc(suite, 64 << 20);
    suite_call(suite, 0, send_too_long, sizes);
    suite_until_count(suite, &sizes->sink->received, 2);
}

/* Nobody takes what is sent. All lengths are refused then, and counted, and nothing is lost. */
static void send_until_full(struct suite_ni *ni, void *arg)
{
    static const uint32_t lens[] = {8, 9, 48, 300};
    struct sizes *sizes = arg;
    const ni_handle queue = sizes->sink->rkey.handle;
    uint64_t full;

    /* By a network a sender hears a while later that there is room again. */
    send(ni, 1, queue, sizes->sent++, 40, 0, sizes->buffer);
    while (try_send(ni, 1, queue, sizes->sent, 40, 0, sizes->buffer) == NI_OK) {
        CHECK(++sizes->sent < 1000000);
    }
    full = suite_stat(ni, "tx_full");
    for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
        CHECK(try_send(ni, 1, queue, sizes->sent, lens[i], 0, sizes->buffer) == NI_AGAIN);
        CHECK(suite_stat(ni, "tx_full") > full);
        full = suite_stat(ni, "tx_full");
    }
}

static void full(struct suite *suite)
{
    struct sizes *sizes = suite_alloc(suite, sizeof(*sizes));

    sizes->sink = new_sink(suite, 1);
    sizes->buffer = suite_alloc(suite, 4096);
    for (unsigned round = 0; round < 5; round++) {
        suite_call(suite, 0, send_until_full, sizes);
        CHECK(sizes->sent > atomic_load(&sizes->sink->received));
        suite_until_count(suite, &sizes->sink->received, sizes->sent);
    }
}

static void no_bytes_arrived(void *arg, const struct ni_message_info *message)
{
    CHECK(message->len == 0);
    atomic_fetch_add((_Atomic uint64_t *)arg, 1);
}

struct empty {
    _Atomic uint64_t received;
    struct ni_rkey rkey;
};

static void open_empty(struct suite_ni *ni, void *arg)
{
    struct empty *empty = arg;

    CHECK(ni_region_consumer(ni->ni, no_bytes_arrived, &empty->received, 0, &empty->rkey) == NI_OK);
}

static void send_empty(struct suite_ni *ni, void *arg)
{
    struct empty *empty = arg;

    for (int i = 0; i < 500; i++) {
        CHECK(suite_message(ni, 1, empty->rkey.handle, 0, NULL, 0) == NI_OK);
    }
}

static void empty_messages(struct suite *suite)
{
    struct empty *empty = suite_alloc(suite, sizeof(*empty));

    suite_call(suite, 1, open_empty, empty);
    suite_call(suite, 0, send_empty, empty);
    suite_until_count(suite, &empty->received, 500);
}

/* ---- floods ---------------------------------------------------------------------------------- */

struct flood {
    struct sink *sinks[SUITE_NIS];
    uint8_t *buffers[SUITE_NIS];
    uint32_t messages; /* from each NI to each other one */
    uint32_t max_len;
    unsigned only_to; /* SUITE_NIS: to all */
};

/* All peers in turn, lengths at random: rings are full most of the time. */
static void send_flood(struct suite_ni *ni, void *arg)
{
    struct flood *flood = arg;
    struct ni_rng rng;

    ni_rng_seed(&rng, ni->index + ni->suite->seed);
    for (uint32_t number = 0; number < flood->messages; number++) {
        for (unsigned to = 0; to < ni->suite->n; to++) {
            uint32_t len =
                8 + (uint32_t)(ni_rng_below(&rng, flood->max_len) >> ni_rng_below(&rng, 10));

            if (to != ni->index && (flood->only_to == SUITE_NIS || flood->only_to == to)) {
                send(ni, to, flood->sinks[to]->rkey.handle, number, len, 0,
                     flood->buffers[ni->index]);
            }
        }
    }
}

static void run_flood(struct suite *suite, unsigned only_to, uint32_t messages, uint32_t max_len)
{
    struct flood *flood = suite_alloc(suite, sizeof(*flood));

    flood->messages = messages;
    flood->max_len = max_len;
    flood->only_to = only_to;
    for (unsigned i = 0; i < suite->n; i++) {
        flood->sinks[i] = new_sink(suite, i);
        flood->buffers[i] = suite_alloc(suite, max_len + 16);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_begin(suite, i, send_flood, flood);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        suite_end(suite, i);
    }
    for (unsigned i = 0; i < suite->n; i++) {
        if (only_to == SUITE_NIS || only_to == i) {
            suite_until_count(suite, &flood->sinks[i]->received,
                              (uint64_t)messages * (suite->n - 1));
        }
    }
}

static void flood_one_way(struct suite *suite)
{
    run_flood(suite, 1, 5000, 2000);
}

/* Both sides have full rings and send on: neither may wait for the other for ever. */
static void flood_both_ways(struct suite *suite)
{
    run_flood(suite, SUITE_NIS, 3000, 2000);
}

static void flood_many_to_one(struct suite *suite)
{
    run_flood(suite, 0, 500, 1500);
}

static void flood_all_to_all(struct suite *suite)
{
    run_flood(suite, SUITE_NIS, 300, 2000);
}

/* ---- consumers that do things ---------------------------------------------------------------- */

/* Answers from within its consumer, so that both sides' consumers run within each other's sends;
 * registers, deregisters and makes progress there too. */
enum { PINGS = 200, ANSWERS = 400 };

struct echo {
    struct suite_ni *ni;
    struct ni_rkey rkey;
    ni_handle other; /* the other side's queue */
    unsigned depth, deepest;
    _Atomic uint64_t received;
    _Atomic uint64_t given; /* answers */
    _Atomic uint64_t lost;  /* answers for which there was no room */
    uint8_t scratch[256];
};

static void on_echo(void *arg, const struct ni_message_info *message)
{
    struct echo *echo = arg;
    uint8_t copy[64];
    struct ni_rkey region, found;

    CHECK(message->len == sizeof(copy));
    memcpy(copy, message->data, sizeof(copy));
    CHECK(suite_filled(copy, sizeof(copy), 5));
    echo->depth++;
    echo->deepest = echo->depth > echo->deepest ? echo->depth : echo->deepest;
    CHECK(ni_region_memory(echo->ni->ni, echo->scratch, sizeof(echo->scratch), NI_ACCESS_ALL,
                           &region) == NI_OK);
    CHECK(ni_region_search(echo->ni->ni, echo->scratch + 3, 20, &found) == NI_OK);
    if (atomic_load(&echo->given) + atomic_load(&echo->lost) < ANSWERS) {
        ni_status status =
            ni_message(echo->ni->ni, message->source, echo->other, 0, NULL, 0, copy, sizeof(copy));

        CHECK(status == NI_OK || status == NI_AGAIN);
        atomic_fetch_add(status == NI_OK ? &echo->given : &echo->lost, 1);
    }
    if (echo->depth < 20) {
        (void)ni_progress(echo->ni->ni);
    }
    /* The message is still there, whatever came meanwhile. */
    CHECK(memcmp(copy, message->data, sizeof(copy)) == 0);
    CHECK(ni_region_deregister(echo->ni->ni, region.handle) == NI_OK);
    echo->depth--;
    atomic_fetch_add(&echo->received, 1);
}

static void open_echo(struct suite_ni *ni, void *arg)
{
    struct echo *echo = (struct echo *)arg + ni->index;

    echo->ni = ni;
    CHECK(ni_region_consumer(ni->ni, on_echo, echo, 0, &echo->rkey) == NI_OK);
}

static void send_pings(struct suite_ni *ni, void *arg)
{
    struct echo *echo = (struct echo *)arg + ni->index;
    uint8_t data[64];

    suite_fill(data, sizeof(data), 5);
    for (int i = 0; i < PINGS; i++) {
        CHECK(suite_message(ni, 1 - ni->index, echo->other, 0, data, sizeof(data)) == NI_OK);
    }
}

static bool echoes_are_over(void *arg)
{
    struct echo *echo = arg;

    for (int i = 0; i < 2; i++) {
        uint64_t received = atomic_load(&echo[i].received);
        uint64_t answered = atomic_load(&echo[i].given) + atomic_load(&echo[i].lost);

        if (received != PINGS + atomic_load(&echo[1 - i].given) ||
            answered != (received < ANSWERS ? received : ANSWERS)) {
            return false;
        }
    }
    return true;
}

static void busy_consumers(struct suite *suite)
{
    struct echo *echo = suite_alloc(suite, 2 * sizeof(*echo));

    suite_call(suite, 0, open_echo, echo);
    suite_call(suite, 1, open_echo, echo);
    echo[0].other = echo[1].rkey.handle;
    echo[1].other = echo[0].rkey.handle;
    suite_begin(suite, 0, send_pings, echo);
    suite_begin(suite, 1, send_pings, echo);
    suite_end(suite, 0);
    suite_end(suite, 1);
    suite_until(suite, echoes_are_over, echo);
}

/* ---- queues that are not there --------------------------------------------------------------- */

struct nowhere {
    struct sink *sink;
    ni_handle handles[4];
    struct ni_rkey memory;
    uint8_t bytes[64];
    uint64_t refused;
};

static void make_nowhere(struct suite_ni *ni, void *arg)
{
    struct nowhere *nowhere = arg;
    struct ni_rkey gone;

    CHECK(ni_region_consumer(ni->ni, on_message, nowhere->sink, 0, &gone) == NI_OK);
    CHECK(ni_region_deregister(ni->ni, gone.handle) == NI_OK);
    CHECK(ni_region_memory(ni->ni, nowhere->bytes, 64, NI_ACCESS_ALL, &nowhere->memory) == NI_OK);
    nowhere->handles[0] = 0;
    nowhere->handles[1] = gone.handle;
    nowhere->handles[2] = UINT32_MAX;
    nowhere->handles[3] = nowhere->memory.handle;
    nowhere->refused = suite_stat(ni, "rx_refused");
}

static void send_nowhere(struct suite_ni *ni, void *arg)
{
    struct nowhere *nowhere = arg;
    uint8_t buffer[64];

    for (int i = 0; i < 4; i++) {
        CHECK(suite_message(ni, 1, nowhere->handles[i], 0, buffer, sizeof(buffer)) == NI_OK);
    }
    send(ni, 1, nowhere->sink->rkey.handle, 0, 64, 0, buffer);
    /* Its sender hears of each. */
    while (suite_stat(ni, "tx_refused") != 4) {
        suite_turn(ni);
    }
}

static void check_nowhere(struct suite_ni *ni, void *arg)
{
    struct nowhere *nowhere = arg;

    CHECK(suite_stat(ni, "rx_refused") == nowhere->refused + 4);
    for (int i = 0; i < 64; i++) {
        CHECK(nowhere->bytes[i] == 0);
    }
}

/* Refused, counted, and what comes behind is not disturbed. */
static void no_such_queue(struct suite *suite)
{
    struct nowhere *nowhere = suite_alloc(suite, sizeof(*nowhere));

    nowhere->sink = new_sink(suite, 1);
    suite_call(suite, 1, make_nowhere, nowhere);
    suite_call(suite, 0, send_nowhere, nowhere);
    suite_until_count(suite, &nowhere->sink->received, 1);
    suite_call(suite, 1, check_nowhere, nowhere);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"all_sizes", 2, 0, all_sizes},
        {"too_long", 2, 0, too_long},
        {"full", 2, SUITE_NEEDS_HERE, full},
        {"empty_messages", 2, 0, empty_messages},
        {"flood_one_way", 2, 0, flood_one_way},
        {"flood_both_ways", 2, 0, flood_both_ways},
        {"flood_many_to_one", 6, 0, flood_many_to_one},
        {"flood_all_to_all", 4, 0, flood_all_to_all},
        {"busy_consumers", 2, 0, busy_consumers},
        {"no_such_queue", 2, 0, no_such_queue},
    };

    suite_beside_engines();
    suite_between_hosts();
    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
