/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/link.c ni/link/shm/counts.c ni/link/shm/identity.c ni/link/shm/host.c. */
/* NIs of one process: with each other, with themselves, with the same third one; what they leave
 * behind; who is refused; who is told what when somebody leaves. */

#include <string.h>
#include <unistd.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

static void settle(struct mock *a, struct mock *b)
{
    for (int i = 0; i < 1000; i++) {
        if (a != NULL) {
            mock_progress(a);
        }
        if (b != NULL) {
            mock_progress(b);
        }
    }
}

static void test_both_ways(void)
{
    struct mock a, b;
    struct ni_peer *to_a, *to_b;
    uint8_t blob[MOCK_BLOB];
    uint64_t value = 42, copy = 0;
    char text[200];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    mock_send_all(to_b, 77);
    settle(&a, &b);
    /* b knows a by its packet; connecting finds the same peer. */
    CHECK(b.peers != NULL && b.peers->next == NULL);
    to_a = mock_connect(&b, blob, mock_blob(&a, blob));
    CHECK(to_a == b.peers);
    for (int i = 0; i < 1000; i++) {
        mock_send_all(to_a, 16 + (uint32_t)i);
        mock_send_all(to_b, 16 + (uint32_t)i * 3);
        settle(&a, &b);
    }
    CHECK(to_a->received == 1001 && to_b->received == 1000);
    CHECK(to_b->ep->same_memory && to_b->ep->copy);
    CHECK(ni_link_shm.copy(to_b->ep, NI_COPY_FROM_PEER, &copy, (uintptr_t)&value, 8) == NI_OK);
    CHECK(copy == 42);
    copy = 43;
    CHECK(ni_link_shm.copy(to_b->ep, NI_COPY_TO_PEER, &copy, (uintptr_t)&value, 8) == NI_OK);
    CHECK(value == 43);
    CHECK(ni_link_shm.describe(to_b->ep, text, sizeof(text)) > 0);
    CHECK(strstr(text, "same process") != NULL && strstr(text, "own ring") != NULL);
    CHECK(ni_link_shm.connect(a.link, to_b->blob, to_b->blob_len, to_b, &to_b->ep) ==
          NI_ERR_EXISTS);
    mock_close(&a);
    settle(NULL, &b);
    CHECK(to_a->down == NI_ERR_PEER_CLOSED && to_a->downs == 1);
    CHECK(mock_send(to_a, 16) == NI_ERR_PEER_CLOSED);
    mock_close(&b);
}

static void test_self(void)
{
    struct mock a;
    struct ni_peer *self;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    self = mock_connect(&a, blob, mock_blob(&a, blob));
    for (int i = 0; i < 5000; i++) {
        mock_send_all(self, 16 + (uint32_t)i % 5000);
    }
    settle(&a, NULL);
    CHECK(self->received == 5000 && self->downs == 0);
    mock_close(&a);
}

/* What an NI exports is what its peers see. */
static void test_export(void)
{
    struct mock a, b;
    struct ni_peer *to_b;
    uint8_t blob[MOCK_BLOB];
    size_t count;
    uint8_t *mine;

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    mine = (uint8_t *)ni_link_shm.export_area(b.link, &count);
    CHECK(mine != NULL && count == ni_config_get()->shm_exports);
    CHECK(to_b->ep->exported_count == count);
    for (size_t i = 0; i < count * 32; i++) {
        CHECK(mine[i] == 0);
        mine[i] = (uint8_t)(i * 7);
    }
    CHECK(memcmp(to_b->ep->exported, mine, count * 32) == 0);
    mock_close(&a);
    mock_close(&b);
}

/* Of two NIs of one process that send to the same third one, one leaves: the other is not taken for
 * dead. */
static int third(void *arg)
{
    _Atomic uint32_t *word = arg;
    struct mock c;
    uint8_t *blob = (uint8_t *)arg + 64;

    mock_param("peer_check_ms", "10");
    mock_open(&c, 3, NULL);
    mock_blob(&c, blob);
    atomic_store(word, 1);
    while (atomic_load(word) < 2) {
        mock_relax(&c);
    }
    for (const struct ni_peer *peer = c.peers; peer != NULL; peer = peer->next) {
        CHECK(peer->down == NI_OK || (peer->down == NI_ERR_PEER_CLOSED && peer->received == 1));
    }
    CHECK(c.accepted == 2);
    mock_close(&c);
    return 0;
}

static void test_two_to_third(void)
{
    _Atomic uint32_t *word = mock_shared(4096);
    const uint8_t *blob = (const uint8_t *)word + 64;
    pid_t pid = mock_fork(third, (void *)word);
    struct mock a, b;
    struct ni_peer *from_a, *from_b;

    while (atomic_load(word) == 0) {
        usleep(100);
    }
    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    from_a = mock_connect(&a, blob, sizeof(struct ni_shm_blob));
    from_b = mock_connect(&b, blob, sizeof(struct ni_shm_blob));
    mock_send_all(from_a, 16);
    mock_send_all(from_b, 16);
    mock_close(&a);
    for (int i = 0; i < 20000; i++) {
        mock_send_all(from_b, 16);
        if (i % 100 == 0) {
            usleep(100);
        }
    }
    CHECK(from_b->down == NI_OK);
    atomic_store(word, 2);
    mock_join(pid);
    while (from_b->down == NI_OK) {
        mock_relax(&b);
    }
    CHECK(from_b->down == NI_ERR_PEER_CLOSED);
    mock_close(&b);
}

/* Either side gives the other up; both may meet again. */
static void test_part_and_meet(void)
{
    struct mock a, b;
    struct ni_peer *to_b;
    uint8_t blob[MOCK_BLOB];
    size_t len;

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    len = mock_blob(&b, blob);
    for (int round = 0; round < 300; round++) {
        uint64_t before = b.received;

        to_b = mock_connect(&a, blob, len);
        for (int i = 0; i < 10; i++) {
            mock_send_all(to_b, 3000);
        }
        if (round % 3 == 0) {
            settle(&a, &b);
        }
        mock_disconnect(&a, to_b);
        /* What had been sent arrives all the same. */
        settle(&a, &b);
        CHECK(b.received == before + 10);
        CHECK(b.peers->down == NI_ERR_PEER_CLOSED && b.peers->downs == 1);
        mock_disconnect(&b, b.peers);
        CHECK(b.lane_count == 0);
    }
    mock_close(&a);
    mock_close(&b);
}

static bool seat_free(const struct mock *mock, uint32_t seat)
{
    const struct ni_shm_link *link = (const struct ni_shm_link *)(const void *)mock->link;

    return ni_shm_seat_state(atomic_load(&link->segment->seat_words[seat])) == NI_SHM_SEAT_FREE;
}

static void test_kick(void)
{
    struct mock a, b;
    struct ni_peer *to_b, *to_a;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    mock_send_all(to_b, 16);
    settle(&a, &b);
    to_a = mock_connect(&b, blob, mock_blob(&a, blob));
    mock_disconnect(&b, to_a);
    settle(&a, &b);
    CHECK(to_b->down == NI_ERR_PEER_CLOSED && to_b->downs == 1);
    /* Its seat is free again, although a keeps the endpoint. */
    CHECK(to_b->ep != NULL && seat_free(&b, 0));
    mock_close(&a);
    mock_close(&b);
}

/* With all sending to all, the memory of each is bounded, and far below 64 MiB for 128. */
static void test_sizes(void)
{
    for (unsigned processes = 0; processes <= 512; processes++) {
        struct ni_open_attr attr = {.host_processes = processes};
        const struct ni_shm_geometry *geometry;
        struct mock a;

        mock_open(&a, 1, &attr);
        geometry = &((struct ni_shm_link *)(void *)a.link)->segment->geometry;
        CHECK(geometry->counts.bulk >= 64 << 10);
        CHECK(geometry->areas + processes * geometry->area_size < UINT64_C(64) << 20);
        CHECK(processes > 128 || geometry->areas + processes * geometry->area_size < UINT64_C(16)
                                                                                         << 20);
        mock_close(&a);
    }
}

/* A handler that gives up the peer whose packet it handles, in a slot or in the lane. */
static void give_up(struct mock *mock, struct ni_peer *peer)
{
    if (peer->received == mock->deliveries) {
        ni_link_shm.disconnect(peer->ep);
        peer->ep = NULL;
        mock->handler = NULL;
    }
}

static void test_give_up(unsigned at)
{
    struct mock a, b;
    struct ni_peer *to_a, *to_b;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    to_a = mock_connect(&b, blob, mock_blob(&a, blob));
    for (int i = 0; i < 10; i++) {
        mock_send_all(to_b, 100);
    }
    b.handler = give_up;
    b.deliveries = at;
    settle(&a, &b);
    CHECK(to_a->received == at && b.lane_count == 0 && to_a->downs == 0);
    CHECK(to_b->down == NI_ERR_PEER_CLOSED);
    mock_close(&a);
    mock_close(&b);
}

static void test_refuse(void)
{
    struct mock a, b;
    struct ni_peer *to_b;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    b.refuse = true;
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    mock_send_all(to_b, 16);
    mock_send_all(to_b, 16);
    mock_progress(&b);
    CHECK(b.accepted == 1 && b.received == 0 && ni_stat_get(&b.stats.rx_refused) == 2);
    mock_param("peer_check_ms", "10");
    while (to_b->down == NI_OK) {
        mock_relax(&a);
    }
    CHECK(to_b->down == NI_ERR_UNREACHABLE);
    mock_close(&a);
    /* The seat can be used by others. */
    b.refuse = false;
    settle(NULL, &b);
    mock_open(&a, 4, NULL);
    to_b = mock_connect(&a, blob, mock_blob(&b, blob));
    mock_send_all(to_b, 16);
    settle(&a, &b);
    CHECK(b.received == 1);
    mock_close(&a);
    mock_close(&b);
    mock_param("peer_check_ms", "250");
}

static void test_jobs(void)
{
    struct ni_open_attr one = {.job_key = 1}, two = {.job_key = 2};
    struct mock a, b, c;
    struct ni_peer *peer;
    uint8_t blob[MOCK_BLOB];
    char reason[200];
    size_t len;

    mock_open(&a, 1, &one);
    mock_open(&b, 2, &two);
    mock_open(&c, 3, NULL);
    len = mock_blob(&b, blob);
    CHECK(ni_link_shm.reach(a.link, blob, len, reason, sizeof(reason)) == NI_ERR_UNREACHABLE);
    CHECK(strstr(reason, "another job") != NULL);
    CHECK(mock_try_connect(&a, blob, len, &peer) == NI_ERR_UNREACHABLE);
    CHECK(ni_link_shm.reach(c.link, blob, len, reason, sizeof(reason)) == NI_OK);
    CHECK(mock_try_connect(&c, blob, len, &peer) == NI_OK);
    mock_close(&a);
    mock_close(&b);
    mock_close(&c);
}

static void test_reach(void)
{
    struct mock a;
    struct ni_shm_blob blob, bad;
    uint8_t bytes[MOCK_BLOB];
    char reason[200];
    size_t len;

    mock_open(&a, 1, NULL);
    len = mock_blob(&a, bytes);
    CHECK(len == sizeof(blob));
    memcpy(&blob, bytes, sizeof(blob));
    CHECK(ni_link_shm.reach(a.link, &blob, len, reason, sizeof(reason)) == NI_OK);
    CHECK(ni_link_shm.reach(a.link, &blob, len - 1, reason, sizeof(reason)) == NI_ERR_PROTOCOL);
    CHECK(ni_link_shm.reach(a.link, &blob, 0, NULL, 0) == NI_ERR_PROTOCOL);
    bad = blob;
    bad.magic ^= 1;
    CHECK(ni_link_shm.reach(a.link, &bad, len, reason, sizeof(reason)) == NI_ERR_PROTOCOL);
    bad = blob;
    bad.version++;
    CHECK(ni_link_shm.reach(a.link, &bad, len, reason, sizeof(reason)) == NI_ERR_UNREACHABLE);
    CHECK(strstr(reason, "version") != NULL);
    bad = blob;
    bad.host++;
    CHECK(ni_link_shm.reach(a.link, &bad, len, reason, sizeof(reason)) == NI_ERR_UNREACHABLE);
    CHECK(strstr(reason, "another host") != NULL);
    bad = blob;
    bad.pid_ns++;
    CHECK(ni_link_shm.reach(a.link, &bad, len, reason, sizeof(reason)) == NI_OK);
    bad.net_ns++;
    CHECK(ni_link_shm.reach(a.link, &bad, len, reason, sizeof(reason)) == NI_ERR_UNREACHABLE);
    CHECK(strstr(reason, "container") != NULL);
    CHECK(ni_link_shm.blob(a.link, bytes, len - 1) == 0);
    mock_close(&a);
}

int main(void)
{
    unsigned fds = mock_count_fds();

    test_both_ways();
    test_self();
    test_export();
    test_two_to_third();
    test_part_and_meet();
    test_kick();
    test_sizes();
    test_give_up(1);
    test_give_up(3);
    test_give_up(7);
    test_refuse();
    test_jobs();
    test_reach();
    CHECK(mock_count_fds() == fds);
    return 0;
}
