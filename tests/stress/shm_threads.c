/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

/*
 * NIs of one process, each in its own thread, each sending to all: their segments, seats, slots and
 * lanes are shared memory as between processes, at the same addresses for all, so ThreadSanitizer
 * sees both ends. In the second part NIs come and go all the time. In the third, threads share one
 * NI as a threaded core does: one polls, the others connect and send, each with its own endpoint.
 */

enum { NIS = 5, PACKETS = 4000, ROUNDS = 25, SHARERS = 4 };

struct ni_thread {
    pthread_t thread;
    struct mock mock;
    uint8_t blob[MOCK_BLOB];
    uint64_t id;
};

static struct ni_thread threads[NIS];
static pthread_barrier_t barrier;

static void start(void *(*fn)(void *), void *arg, pthread_t *thread)
{
    CHECK(pthread_create(thread, NULL, fn, arg) == 0);
}

/* ---- all to all ------------------------------------------------------------------------------ */

static _Atomic uint32_t done;

static uint32_t some_len(struct ni_rng *rng)
{
    return 16 + (uint32_t)ni_rng_below(rng, ni_rng_below(rng, 16) == 0 ? 7000 : 200);
}

static uint64_t least_received(const struct mock *mock)
{
    uint64_t least = UINT64_MAX;

    for (const struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        least = peer->received < least ? peer->received : least;
    }
    return least;
}

static void *all_to_all(void *arg)
{
    struct ni_thread *self = arg;
    struct ni_peer *peers[NIS];
    struct ni_rng rng;

    ni_rng_seed(&rng, self->id);
    mock_open(&self->mock, self->id, NULL);
    (void)mock_blob(&self->mock, self->blob);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < NIS; i++) {
        peers[i] = mock_connect(&self->mock, threads[i].blob, sizeof(struct ni_shm_blob));
    }
    for (int n = 0; n < PACKETS; n++) {
        mock_send_all(peers[ni_rng_below(&rng, NIS)], some_len(&rng));
    }
    for (int i = 0; i < NIS; i++) {
        while (peers[i]->sent < PACKETS) {
            mock_send_all(peers[i], some_len(&rng));
        }
    }
    while (least_received(&self->mock) < PACKETS) {
        mock_relax(&self->mock);
    }
    atomic_fetch_add(&done, 1);
    while (atomic_load(&done) < NIS) {
        mock_relax(&self->mock);
    }
    mock_close(&self->mock);
    return NULL;
}

static void test_all_to_all(void)
{
    pthread_barrier_init(&barrier, NULL, NIS);
    for (uint64_t i = 0; i < NIS; i++) {
        threads[i].id = i;
        start(all_to_all, &threads[i], &threads[i].thread);
    }
    for (int i = 0; i < NIS; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    pthread_barrier_destroy(&barrier);
}

/* ---- coming and going ------------------------------------------------------------------------ */

static uint8_t server_blob[MOCK_BLOB];

static void *guest(void *arg)
{
    struct ni_thread *self = arg;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct ni_peer *peer;

        mock_open(&self->mock, self->id * 1000 + round, NULL);
        peer = mock_connect(&self->mock, server_blob, sizeof(struct ni_shm_blob));
        for (int i = 0; i < 50; i++) {
            mock_send_all(peer, 16 + (uint32_t)i * 20);
        }
        mock_close(&self->mock);
    }
    atomic_fetch_add(&done, 1);
    return NULL;
}

static void test_guests(void)
{
    struct mock server;

    atomic_store(&done, 0);
    mock_open(&server, 0, NULL);
    (void)mock_blob(&server, server_blob);
    for (uint64_t i = 0; i < NIS; i++) {
        threads[i].id = i + 1;
        start(guest, &threads[i], &threads[i].thread);
    }
    while (server.received < (uint64_t)NIS * ROUNDS * 50) {
        mock_relax(&server);
    }
    for (int i = 0; i < NIS; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    CHECK(server.accepted == NIS * ROUNDS);
    mock_close(&server);
}

/* ---- one NI, many threads -------------------------------------------------------------------- */

static struct mock shared;
static struct mock targets[SHARERS];
static uint8_t target_blobs[SHARERS][MOCK_BLOB];

/* Owns one endpoint of the shared NI. Its peer is not in the mock's list, which belongs to the one
 * that polls. */
static void *sharer(void *arg)
{
    uintptr_t number = (uintptr_t)arg;
    struct ni_peer *peer = calloc(1, sizeof(*peer));

    CHECK(peer != NULL);
    peer->mock = &shared;
    CHECK(ni_link_shm.connect(shared.link, target_blobs[number], sizeof(struct ni_shm_blob), peer,
                              &peer->ep) == NI_OK);
    for (int i = 0; i < PACKETS; i++) {
        ni_status status;

        while ((status = mock_send(peer, 16 + (uint32_t)i % 3000)) == NI_AGAIN) {
            mock_relax(&targets[number]);
        }
        CHECK(status == NI_OK);
    }
    while (targets[number].received < PACKETS) {
        mock_relax(&targets[number]);
    }
    atomic_fetch_add(&done, 1);
    return peer;
}

static void test_shared(void)
{
    pthread_t sharers[SHARERS];

    atomic_store(&done, 0);
    mock_open(&shared, 0, NULL);
    for (uintptr_t i = 0; i < SHARERS; i++) {
        mock_open(&targets[i], 10 + i, NULL);
        (void)mock_blob(&targets[i], target_blobs[i]);
    }
    for (uintptr_t i = 0; i < SHARERS; i++) {
        start(sharer, (void *)i, &sharers[i]);
    }
    while (atomic_load(&done) < SHARERS) {
        mock_relax(&shared);
    }
    for (int i = 0; i < SHARERS; i++) {
        void *peer;

        pthread_join(sharers[i], &peer);
        ni_link_shm.disconnect(((struct ni_peer *)peer)->ep);
        free(peer);
        mock_close(&targets[i]);
    }
    mock_close(&shared);
}

int main(void)
{
    mock_param("peer_check_ms", "10");
    test_all_to_all();
    test_guests();
    test_shared();
    return 0;
}
