/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes killed at any moment: those that send to us, with a slot claimed, between two packets,
 * in the middle of one; those that we send to. The others go on undisturbed, and the core is told
 * once. */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "link/shm/shm.h"
#include "shm_mock.h"

enum { STEADY = 3, VICTIMS = 60 };

struct board {
    _Atomic uint32_t ready;
    _Atomic uint32_t stop;
    _Atomic uint32_t claimed;
    uint8_t blob[MOCK_BLOB];
    size_t len;
    _Atomic uint64_t sent[STEADY];
};

static struct board *board;

static uint32_t some_len(struct ni_rng *rng)
{
    return 16 + (uint32_t)ni_rng_below(rng, ni_rng_below(rng, 8) == 0 ? 30000 : 300);
}

static int stream(uintptr_t number, _Atomic uint64_t *sent)
{
    struct mock a;
    struct ni_peer *peer;
    struct ni_rng rng;

    ni_rng_seed(&rng, number);
    mock_open(&a, number, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    while (atomic_load(&board->stop) == 0) {
        uint32_t len = some_len(&rng);

        mock_send_all(peer, peer->ep->max_bulk == 0 && len > 4000 ? 4000 : len);
        if (sent != NULL) {
            atomic_store(sent, peer->sent);
        }
    }
    mock_close(&a);
    return 0;
}

static int steady(void *arg)
{
    uintptr_t number = (uintptr_t)arg;

    return stream(number, &board->sent[number]);
}

static int victim(void *arg)
{
    return stream((uintptr_t)arg, NULL);
}

/* Dies with a slot claimed and not published. */
static int claimer(void *arg)
{
    struct mock a;
    struct ni_peer *peer;
    struct ni_packet *packet;
    bool in_lane;

    mock_open(&a, (uintptr_t)arg, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    mock_send_all(peer, 16);
    CHECK(ni_link_shm.reserve(peer->ep, 1, &packet, &in_lane) == NI_OK && !in_lane);
    raise(SIGKILL);
    return 1;
}

/* Dies as soon as it has a seat, before it sends anything. */
static int sitter(void *arg)
{
    struct mock a;
    struct ni_peer *peer;
    struct ni_packet *packet;
    bool in_lane;

    mock_open(&a, (uintptr_t)arg, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    CHECK(ni_link_shm.reserve(peer->ep, 1, &packet, &in_lane) == NI_OK);
    raise(SIGKILL);
    return 1;
}

static struct ni_peer *find(struct mock *mock, uint64_t sender)
{
    struct ni_peer *peer = mock->peers;

    while (peer != NULL && (peer->received == 0 || peer->sender != sender)) {
        peer = peer->next;
    }
    return peer;
}

static void check_slots_and_seats(struct mock *b, unsigned expected_seats)
{
    const struct ni_shm_segment *segment = ((struct ni_shm_link *)(void *)b->link)->segment;
    unsigned seats = 0;

    for (uint32_t i = 0; i < segment->geometry.counts.seats; i++) {
        seats += ni_shm_seat_state(atomic_load(&segment->seat_words[i])) != NI_SHM_SEAT_FREE;
    }
    CHECK(seats == expected_seats);
    for (uint32_t i = 0; i < segment->geometry.counts.slots; i++) {
        CHECK(ni_shm_slot_state(atomic_load(&segment->slot_words[i])) == NI_SHM_SLOT_FREE);
    }
}

static void kill_streaming(struct mock *b, struct ni_rng *rng, uintptr_t number)
{
    pid_t pid = mock_fork(victim, (void *)number);
    uint64_t polls = ni_rng_below(rng, 3000);
    struct ni_peer *peer;

    while ((peer = find(b, number)) == NULL) {
        mock_relax(b);
    }
    for (uint64_t i = 0; i < polls; i++) {
        mock_progress(b);
    }
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    while (peer->down == NI_OK) {
        mock_relax(b);
    }
    CHECK(peer->down == NI_ERR_PEER_DEAD && peer->downs == 1);
    mock_disconnect(b, peer);
}

static void kill_claimer(struct mock *b, uintptr_t number)
{
    pid_t pid = mock_fork(claimer, (void *)number);
    struct ni_peer *peer;

    while ((peer = find(b, number)) == NULL || peer->down == NI_OK) {
        mock_relax(b);
    }
    CHECK(peer->down == NI_ERR_PEER_DEAD && peer->received == 1);
    CHECK(waitpid(pid, NULL, 0) == pid);
    mock_disconnect(b, peer);
}

static void kill_sitter(struct mock *b, uintptr_t number)
{
    uint64_t accepted = b->accepted;
    pid_t pid = mock_fork(sitter, (void *)number);

    while (waitpid(pid, NULL, WNOHANG) != pid) {
        mock_relax(b);
    }
    CHECK(b->accepted == accepted);
}

static void test_senders(uint64_t seed)
{
    struct mock b;
    struct ni_rng rng;
    pid_t pids[STEADY];

    ni_rng_seed(&rng, seed);
    mock_open(&b, 1000, NULL);
    board->len = mock_blob(&b, board->blob);
    for (uintptr_t i = 0; i < STEADY; i++) {
        pids[i] = mock_fork(steady, (void *)i);
    }
    for (uintptr_t i = 0; i < VICTIMS; i++) {
        kill_streaming(&b, &rng, 100 + i);
        if (i % 4 == 0) {
            kill_claimer(&b, 300 + i);
            kill_sitter(&b, 500 + i);
        }
    }
    atomic_store(&board->stop, 1);
    for (uintptr_t i = 0; i < STEADY; i++) {
        struct ni_peer *peer;

        while ((peer = find(&b, i)) == NULL || peer->down == NI_OK) {
            mock_relax(&b);
        }
        mock_join(pids[i]);
        CHECK(peer->down == NI_ERR_PEER_CLOSED);
        CHECK(peer->received == atomic_load(&board->sent[i]) && peer->received > 0);
    }
    /* Those that died on their seat are found by the clock. */
    for (int i = 0; i < 100; i++) {
        usleep(1000);
        for (int n = 0; n < 100; n++) {
            mock_progress(&b);
        }
    }
    CHECK(b.lane_count == 0);
    check_slots_and_seats(&b, 0);
    mock_close(&b);
}

/* ---- the receiver dies ----------------------------------------------------------------------- */

static int receiver(void *arg)
{
    struct mock b;

    (void)arg;
    mock_open(&b, 2000, NULL);
    board->len = mock_blob(&b, board->blob);
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->ready) != 0) { /* until killed */
        mock_relax(&b);
    }
    return 1;
}

static void test_receiver(uint64_t seed, bool reading)
{
    struct mock a, other;
    struct ni_peer *peer, *living;
    struct ni_rng rng;
    uint8_t blob[MOCK_BLOB], byte;
    uint64_t before;
    pid_t pid;

    ni_rng_seed(&rng, seed);
    atomic_store(&board->ready, 0);
    pid = mock_fork(receiver, NULL);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    mock_open(&a, 1, NULL);
    mock_open(&other, 2, NULL);
    living = mock_connect(&a, blob, mock_blob(&other, blob));
    peer = mock_connect(&a, board->blob, board->len);
    for (uint64_t i = ni_rng_below(&rng, 3000); i != 0; i--) {
        mock_send_all(peer, 16 + (uint32_t)ni_rng_below(&rng, 7000));
    }
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, NULL, 0) == pid);
    if (reading && peer->ep->copy) {
        /* The copy notices before the clock does. */
        CHECK(ni_link_shm.copy(peer->ep, NI_COPY_FROM_PEER, &byte, (uintptr_t)&byte, 1) ==
              NI_ERR_PEER_DEAD);
    }
    while (peer->down == NI_OK) {
        mock_send_all(living, 500);
        mock_progress(&other);
        (void)mock_send(peer, 16); /* into the void */
        mock_progress(&a);
    }
    CHECK(peer->down == NI_ERR_PEER_DEAD && peer->downs == 1);
    CHECK(mock_send(peer, 16) == NI_ERR_PEER_DEAD);
    before = living->sent;
    for (int i = 0; i < 1000; i++) {
        mock_send_all(living, 500);
        mock_progress(&other);
    }
    while (other.received < before + 1000) {
        mock_progress(&other);
    }
    /* A new connection to the dead is refused at once. */
    CHECK(mock_try_connect(&a, peer->blob, peer->blob_len, &peer) == NI_ERR_PEER_DEAD);
    mock_close(&a);
    mock_close(&other);
}

/* Whose end nobody has waited for is as dead, though there still is a process of its number. */
static void test_dead_before(void)
{
    struct mock a;
    struct ni_peer *peer;
    siginfo_t info;
    pid_t pid;

    atomic_store(&board->ready, 0);
    pid = mock_fork(receiver, NULL);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    CHECK(kill(pid, SIGKILL) == 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0);
    mock_open(&a, 1, NULL);
    CHECK(mock_try_connect(&a, board->blob, board->len, &peer) == NI_ERR_PEER_DEAD);
    CHECK(waitpid(pid, NULL, 0) == pid);
    CHECK(mock_try_connect(&a, board->blob, board->len, &peer) == NI_ERR_PEER_DEAD);
    mock_close(&a);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned fds;

    board = mock_shared(sizeof(*board));
    mock_param("peer_check_ms", "10");
    fds = mock_count_fds();
    test_senders(seed);
    for (uint64_t i = 0; i < 10; i++) {
        test_receiver(seed + i, i % 2 == 1);
    }
    test_dead_before();
    CHECK(mock_count_fds() == fds);
    return 0;
}
