/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/seat.c ni/link/shm/segment.c ni/link/shm/file.c ni/link/shm/watch.c. */
/* A long life with many short-lived peers: seats, memory and descriptors come back, whether the
 * peers leave in order or die; and when all seats are taken, the next one waits for its turn. */

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

enum { GENERATIONS = 60, AT_ONCE = 8, PACKETS = 50 };

struct board {
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static struct board *board;

static int visitor(void *arg)
{
    uintptr_t number = (uintptr_t)arg;
    struct mock a;
    struct ni_peer *peer;

    mock_open(&a, number, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    for (int i = 0; i < PACKETS; i++) {
        mock_send_all(peer, 16 + (uint32_t)(i * 37 % 3000));
    }
    if (number % 3 == 0) {
        raise(SIGKILL);
    }
    if (number % 3 == 1) {
        mock_close(&a);
    } /* else just exit, without closing */
    return 0;
}

static uint64_t blocks_of(struct ni_link *link)
{
    struct stat st;

    CHECK(fstat(((struct ni_shm_link *)(void *)link)->segment->fd, &st) == 0);
    return (uint64_t)st.st_blocks;
}

static unsigned seats_taken(struct ni_link *base)
{
    const struct ni_shm_segment *segment = ((struct ni_shm_link *)(void *)base)->segment;
    unsigned taken = 0;

    for (uint32_t i = 0; i < segment->geometry.counts.seats; i++) {
        taken += ni_shm_seat_state(atomic_load(&segment->seat_words[i])) != NI_SHM_SEAT_FREE;
    }
    return taken;
}

static void forget_all(struct mock *mock)
{
    while (mock->peers != NULL) {
        CHECK(mock->peers->downs == 1 && mock->peers->received == PACKETS);
        mock_disconnect(mock, mock->peers);
    }
}

static unsigned count_down(const struct mock *mock)
{
    unsigned down = 0;

    for (const struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        down += peer->downs;
    }
    return down;
}

static void reap(pid_t pid, bool killed)
{
    int status;

    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(killed ? WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL
                 : WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void generation(struct mock *b, uintptr_t first)
{
    pid_t pids[AT_ONCE];

    for (uintptr_t i = 0; i < AT_ONCE; i++) {
        pids[i] = mock_fork(visitor, (void *)(first + i));
    }
    while (count_down(b) < AT_ONCE) {
        mock_relax(b);
    }
    for (uintptr_t i = 0; i < AT_ONCE; i++) {
        reap(pids[i], (first + i) % 3 == 0);
    }
    CHECK(b->lane_count == 0);
    forget_all(b);
}

static void test_visitors(void)
{
    struct mock b;
    unsigned fds;
    uint64_t blocks = 0;

    mock_param("peer_check_ms", "10");
    mock_param("shm_max_peers", "8");
    mock_open(&b, 0, NULL);
    board->len = mock_blob(&b, board->blob);
    fds = mock_count_fds();
    for (uintptr_t i = 0; i < GENERATIONS; i++) {
        generation(&b, 1 + i * AT_ONCE);
        while (seats_taken(b.link) != 0) {
            mock_relax(&b);
        }
        CHECK(mock_count_fds() == fds);
        /* All that visitors allocated was given back. */
        CHECK(blocks == 0 || blocks_of(b.link) == blocks);
        blocks = blocks_of(b.link);
    }
    CHECK(b.accepted == GENERATIONS * AT_ONCE);
    mock_close(&b);
}

/* The same with the receiver connecting to each of its visitors, as a core does that answers. */
static int answered(void *arg)
{
    uintptr_t number = (uintptr_t)arg;
    struct mock a;
    struct ni_peer *peer;

    mock_open(&a, number, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    for (int i = 0; i < PACKETS; i++) {
        mock_send_all(peer, 16 + (uint32_t)(i * 37 % 3000));
    }
    while (peer->received < PACKETS) {
        mock_relax(&a);
    }
    if (number % 2 == 0) {
        raise(SIGKILL);
    }
    mock_close(&a);
    return 0;
}

static void test_answered(void)
{
    struct mock b;
    unsigned fds;

    mock_open(&b, 0, NULL);
    board->len = mock_blob(&b, board->blob);
    fds = mock_count_fds();
    for (uintptr_t i = 1; i < 100; i++) {
        pid_t pid = mock_fork(answered, (void *)i);
        struct ni_peer *peer;

        while (b.peers == NULL) {
            mock_relax(&b);
        }
        peer = mock_connect(&b, b.peers->blob, b.peers->blob_len);
        CHECK(peer == b.peers);
        for (int n = 0; n < PACKETS; n++) {
            mock_send_all(peer, 100);
        }
        while (peer->down == NI_OK) {
            mock_relax(&b);
        }
        CHECK(peer->down == (i % 2 == 0 ? NI_ERR_PEER_DEAD : NI_ERR_PEER_CLOSED));
        reap(pid, i % 2 == 0);
        forget_all(&b);
        while (seats_taken(b.link) != 0) { /* it may have kicked us before it left its own */
            mock_relax(&b);
        }
        CHECK(mock_count_fds() == fds);
    }
    mock_close(&b);
}

/* Two seats, four senders at once: two wait until others have left. */
static void test_no_seat(void)
{
    struct mock b;
    pid_t pids[4];

    ni_log_set_level(NI_LOG_ERROR);
    mock_param("shm_max_peers", "2");
    mock_param("shm_peers_wait_ms", "3600000");
    mock_open(&b, 0, NULL);
    board->len = mock_blob(&b, board->blob);
    for (uintptr_t i = 0; i < 4; i++) {
        pids[i] = mock_fork(visitor, (void *)(i * 3 + 1));
    }
    while (count_down(&b) < 4) {
        mock_relax(&b);
        CHECK(b.lane_count <= 2);
    }
    for (int i = 0; i < 4; i++) {
        reap(pids[i], false);
    }
    forget_all(&b);
    mock_close(&b);
}

static void keep(enum ni_log_level level, const char *text, void *arg)
{
    CHECK(level == NI_LOG_ERROR);
    snprintf(arg, 256, "%s", text);
}

/* More processes than seats would wait for ever: refused at once, by the name that the user
 * knows. */
static void test_too_few_seats(void)
{
    struct ni_open_attr attr = {.host_processes = 4};
    char message[256] = "", error[256];
    struct mock b;

    memset(&b, 0, sizeof(b));
    mock_param("shm_max_peers", "2");
    ni_log_set_sink(keep, message);
    CHECK(mock_try_open(&b, 0, &attr) == NI_ERR_LIMIT);
    CHECK(strstr(message, "APENI_SHM_MAX_PEERS = 2 ") != NULL);
    CHECK(strstr(message, "at least 3") != NULL);
    CHECK(ni_param_set("shm_max_peers", "2", "mca some_shm_max_peers", error, sizeof(error)) ==
          NI_OK);
    CHECK(mock_try_open(&b, 0, &attr) == NI_ERR_LIMIT);
    CHECK(strstr(message, " some_shm_max_peers = 2 ") != NULL);
    ni_log_set_sink(NULL, NULL);
    attr.host_processes = 3;
    mock_open(&b, 0, &attr);
    mock_close(&b);
}

/* Two seats, and nobody leaves: the third sender is told so, by name, after its wait. While
 * somebody is leaving it goes on waiting, and then has its turn. */
static void test_all_stay(void)
{
    char message[256] = "";
    struct mock a[4], b;
    struct ni_peer *peers[4];

    mock_param("shm_max_peers", "2");
    mock_param("shm_peers_wait_ms", "0");
    ni_log_set_level(NI_LOG_ERROR);
    ni_log_set_sink(keep, message);
    mock_open(&b, 0, NULL);
    board->len = mock_blob(&b, board->blob);
    for (uintptr_t i = 0; i < 4; i++) {
        mock_open(&a[i], i + 1, NULL);
        peers[i] = mock_connect(&a[i], board->blob, board->len);
    }
    CHECK(mock_send(peers[0], 100) == NI_OK && mock_send(peers[1], 100) == NI_OK);
    CHECK(message[0] == '\0');
    CHECK(mock_send(peers[2], 100) == NI_ERR_UNREACHABLE);
    CHECK(strstr(message, "APENI_SHM_MAX_PEERS = 2 allows") != NULL);
    CHECK(strstr(message, "APENI_SHM_PEERS_WAIT_MS = 0 ms") != NULL);
    CHECK(strstr(message, "Raise APENI_SHM_MAX_PEERS") != NULL);
    while (peers[2]->downs == 0) {
        mock_relax(&a[2]);
    }
    CHECK(peers[2]->down == NI_ERR_UNREACHABLE);

    mock_close(&a[0]);
    CHECK(mock_send(peers[3], 100) == NI_AGAIN);
    while (seats_taken(b.link) == 2) {
        mock_relax(&b);
    }
    mock_send_all(peers[3], 100);
    while (b.received < 3) {
        mock_relax(&b);
    }
    CHECK(peers[1]->downs == 0 && peers[3]->downs == 0);
    for (int i = 1; i < 4; i++) {
        mock_close(&a[i]);
    }
    ni_log_set_sink(NULL, NULL);
    mock_close(&b);
}

/* A fault that shared memory does not know would never strike. */
static void test_foreign_fault(void)
{
    char message[256] = "";
    struct mock b;

    memset(&b, 0, sizeof(b));
    ni_log_set_sink(keep, message);
    mock_param("fault", "full:nth=1000000;dup:nth=1,every=1");
    CHECK(mock_try_open(&b, 0, NULL) == NI_ERR_PARAM);
    CHECK(strstr(message, "APENI_FAULT = \"full") != NULL && strstr(message, "\"dup\"") != NULL);
    mock_param("fault", "full:nth=1000000");
    mock_open(&b, 0, NULL);
    mock_close(&b);
    mock_param("fault", "");
    ni_log_set_sink(NULL, NULL);
}

int main(void)
{
    unsigned fds = mock_count_fds();

    board = mock_shared(sizeof(*board));
    test_visitors();
    test_answered();
    test_no_seat();
    test_all_stay();
    test_too_few_seats();
    test_foreign_fault();
    CHECK(mock_count_fds() == fds);
    return 0;
}
