/* SPDX-License-Identifier: BSD-3-Clause */
#include "shm_mock.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/param.h>

#include "base/random.h"

/* What each packet carries at its beginning. */
struct content {
    uint64_t sender;
    uint64_t number;
};

static uint64_t pattern(uint64_t sender, uint64_t number, uint64_t at)
{
    return (sender * 0x9e3779b97f4a7c15U) ^ (number * 0xbf58476d1ce4e5b9U) ^ at;
}

static void fill(uint8_t *payload, uint32_t len, uint64_t sender, uint64_t number)
{
    struct content content = {.sender = sender, .number = number};
    uint32_t at = sizeof(content);

    memcpy(payload, &content, sizeof(content));
    for (; at + 8 <= len; at += 8) {
        uint64_t word = pattern(sender, number, at);

        memcpy(payload + at, &word, 8);
    }
    for (; at < len; at++) {
        payload[at] = (uint8_t)pattern(sender, number, at);
    }
}

static bool matches(const uint8_t *payload, uint32_t len, uint64_t sender, uint64_t number)
{
    uint32_t at = sizeof(struct content);

    for (; at + 8 <= len; at += 8) {
        uint64_t word;

        memcpy(&word, payload + at, 8);
        if (word != pattern(sender, number, at)) {
            return false;
        }
    }
    for (; at < len; at++) {
        if (payload[at] != (uint8_t)pattern(sender, number, at)) {
            return false;
        }
    }
    return true;
}

/* ---- the core's side of the contract --------------------------------------------------------- */

static struct ni_peer *find(struct mock *mock, const void *blob, size_t len)
{
    for (struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        if (peer->down == NI_OK && peer->blob_len == len && memcmp(peer->blob, blob, len) == 0) {
            return peer;
        }
    }
    return NULL;
}

static struct ni_peer *get(struct mock *mock, const void *blob, size_t len)
{
    struct ni_peer *peer = find(mock, blob, len);

    if (peer == NULL) {
        CHECK(len <= MOCK_BLOB);
        peer = calloc(1, sizeof(*peer));
        CHECK(peer != NULL);
        peer->mock = mock;
        memcpy(peer->blob, blob, len);
        peer->blob_len = len;
        peer->next = mock->peers;
        mock->peers = peer;
    }
    return peer;
}

static struct ni_peer *on_accept(void *core, struct ni_link *link, const void *blob, size_t len)
{
    struct mock *mock = core;

    (void)link;
    mock->accepted++;
    return mock->refuse ? NULL : get(mock, blob, len);
}

static ni_status on_lane_add(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    if (mock->lane_count == MOCK_LANES) {
        return NI_ERR_NOMEM;
    }
    mock->lanes[mock->lane_count++] = lane;
    return NI_OK;
}

static void on_lane_remove(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    if (!ni_list_empty(&lane->parked)) {
        ni_list_remove(&lane->parked);
        return;
    }
    for (unsigned i = 0; i < mock->lane_count; i++) {
        if (mock->lanes[i] == lane) {
            mock->lanes[i] = mock->lanes[--mock->lane_count];
            return;
        }
    }
    CHECK(!"a lane is removed that was never added");
}

static bool on_lane_park(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    on_lane_remove(core, lane);
    ni_list_push_back(&mock->parked, &lane->parked);
    return true;
}

static void on_lane_unpark(void *core, struct ni_lane_rx *lane)
{
    struct mock *mock = core;

    CHECK(!ni_list_empty(&lane->parked) && mock->lane_count < MOCK_LANES);
    ni_list_remove(&lane->parked);
    mock->lanes[mock->lane_count++] = lane;
}

static ni_status take(struct mock *mock, struct ni_peer *peer, uint64_t word0, uint64_t word1,
                      const uint8_t *payload)
{
    struct content content;
    uint32_t len = ni_packet_len(word1);

    if (ni_packet_kind(word0) == NI_PACKET_NOP && !mock->any) {
        return NI_OK;
    }
    mock->received++;
    peer->received++;
    if (mock->any) {
        for (uint32_t i = 0; i < len; i++) {
            mock->sum ^= payload[i];
        }
        return NI_OK;
    }
    CHECK(ni_packet_kind(word0) == NI_PACKET_MESSAGE);
    CHECK(len >= sizeof(content));
    memcpy(&content, payload, sizeof(content));
    if (peer->received == 1) {
        peer->sender = content.sender;
    }
    CHECK(content.sender == peer->sender);
    CHECK(content.number == peer->received - 1);
    CHECK(matches(payload, len, content.sender, content.number));
    if (mock->handler != NULL) {
        mock->handler(mock, peer);
    }
    return NI_OK;
}

static ni_status on_deliver(void *core, struct ni_peer *peer, const struct ni_packet *packet,
                            size_t room)
{
    struct mock *mock = core;
    uint64_t word0 = atomic_load_explicit(&packet->word0, memory_order_relaxed);
    uint64_t word1 = packet->word1;
    unsigned head = ni_packet_head(word0);
    uint32_t len = ni_packet_len(word1);

    if (mock->again != 0 && ++mock->deliveries % mock->again == 0) {
        return NI_AGAIN;
    }
    if (head < NI_PACKET_HEADER || (uint64_t)head + len > room || ni_packet_in_bulk(word0)) {
        mock->malformed++;
        return NI_ERR_PROTOCOL;
    }
    peer->in_slots++;
    return take(mock, peer, word0, word1, (const uint8_t *)packet + head);
}

static void on_peer_down(void *core, struct ni_peer *peer, ni_status status)
{
    (void)core;
    CHECK(status != NI_OK);
    peer->downs++;
    peer->down = status;
    if (peer->ep != NULL) { /* as the engine does */
        peer->ep->tx.limit = peer->ep->tx.head;
        peer->ep->tx.lines = NULL;
    }
}

static void on_review(void *core, uint64_t now)
{
    struct mock *mock = core;

    for (struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        if (peer->ep != NULL && peer->down == NI_OK) {
            ni_link_shm.review(peer->ep, now);
        }
    }
}

static void on_tick(void *core, uint64_t now)
{
    (void)core;
    (void)now;
}

static const struct ni_core_ops core_ops = {
    .accept = on_accept,
    .lane_add = on_lane_add,
    .lane_remove = on_lane_remove,
    .lane_park = on_lane_park,
    .lane_unpark = on_lane_unpark,
    .deliver = on_deliver,
    .review = on_review,
    .tick = on_tick,
    .peer_down = on_peer_down,
};

/* ---- life ------------------------------------------------------------------------------------ */

ni_status mock_try_open(struct mock *mock, uint64_t id, const struct ni_open_attr *attr)
{
    static const struct ni_open_attr none;
    struct ni_link_attr link_attr = {.core_ops = &core_ops,
                                     .core = mock,
                                     .open = attr != NULL ? attr : &none,
                                     .address = id + 1000,
                                     .rails = (unsigned)ni_config_get()->rails,
                                     .stats = &mock->stats};

    mock->id = id;
    ni_list_init(&mock->parked);
    return ni_link_shm.open(&link_attr, &mock->link);
}

void mock_open(struct mock *mock, uint64_t id, const struct ni_open_attr *attr)
{
    memset(mock, 0, sizeof(*mock));
    CHECK(mock_try_open(mock, id, attr) == NI_OK);
}

void mock_close(struct mock *mock)
{
    for (struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        if (peer->ep != NULL) {
            ni_link_shm.disconnect(peer->ep);
        }
    }
    ni_link_shm.close(mock->link);
    CHECK(mock->lane_count == 0);
    while (mock->peers != NULL) {
        struct ni_peer *peer = mock->peers;

        CHECK(peer->downs <= 1);
        mock->peers = peer->next;
        free(peer);
    }
}

size_t mock_blob(struct mock *mock, void *blob)
{
    size_t len = ni_link_shm.blob(mock->link, blob, MOCK_BLOB);

    CHECK(len != 0);
    return len;
}

ni_status mock_try_connect(struct mock *mock, const void *blob, size_t len, struct ni_peer **found)
{
    struct ni_peer *peer = get(mock, blob, len);

    *found = peer;
    return peer->ep != NULL ? NI_OK : ni_link_shm.connect(mock->link, blob, len, peer, &peer->ep);
}

struct ni_peer *mock_connect(struct mock *mock, const void *blob, size_t len)
{
    struct ni_peer *peer;
    ni_status status = mock_try_connect(mock, blob, len, &peer);

    if (status != NI_OK) {
        fprintf(stderr, "connect: %s\n", ni_status_text(status));
        _exit(1);
    }
    return peer;
}

void mock_disconnect(struct mock *mock, struct ni_peer *peer)
{
    struct ni_peer **where = &mock->peers;

    CHECK(peer->ep != NULL || peer->down != NI_OK || peer->received == 0);
    if (peer->ep != NULL) {
        ni_link_shm.disconnect(peer->ep);
    }
    while (*where != peer) {
        where = &(*where)->next;
    }
    *where = peer->next;
    free(peer);
}

/* ---- packets --------------------------------------------------------------------------------- */

static void sent(struct ni_peer *peer)
{
    peer->sent++;
    if (atomic_load_explicit(peer->ep->unpolled, memory_order_relaxed) != 0) {
        ni_link_shm.wake(peer->ep);
    }
}

static ni_status send_bulk(struct ni_peer *peer, uint32_t len)
{
    struct ni_ep *ep = peer->ep;
    uint8_t *payload;

    if (!ni_lane_room(&ep->tx, 1) || (payload = ni_lane_bulk_reserve(&ep->tx, len, 0)) == NULL) {
        return NI_AGAIN;
    }
    fill(payload, len, peer->mock->id, peer->sent);
    ni_lane_at(&ep->tx)->word1 = ni_packet_word1(len, 0);
    ni_lane_commit_bulk(&ep->tx, ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0), 1,
                        payload, len);
    sent(peer);
    return NI_OK;
}

ni_status mock_send(struct ni_peer *peer, uint32_t len)
{
    struct ni_ep *ep = peer->ep;
    uint32_t lines = ni_packet_lines(NI_PACKET_HEADER, len);
    struct ni_packet *packet;
    bool in_lane = true;
    ni_status status = NI_OK;

    if (peer->down != NI_OK) {
        return peer->down;
    }
    if (lines > ep->max_lines && ep->tx.lines == NULL) { /* have a lane, for its bulk area */
        status = ni_link_shm.reserve(ep, (uint32_t)ep->max_lines, &packet, &in_lane);
        if (status != NI_OK || !in_lane) {
            return status == NI_OK ? NI_ERR_LIMIT : status;
        }
    }
    if (len > 2048 && ep->tx.bulk != NULL && len <= ep->max_bulk / 2) {
        return send_bulk(peer, len);
    }
    if (lines <= ep->max_lines && ni_lane_room(&ep->tx, lines)) {
        packet = ni_lane_at(&ep->tx);
    } else {
        status = ni_link_shm.reserve(ep, lines, &packet, &in_lane);
    }
    if (status != NI_OK) {
        ep->tx.asked_at = ep->tx.head;
        return status;
    }
    fill((uint8_t *)packet + NI_PACKET_HEADER, len, peer->mock->id, peer->sent);
    packet->word1 = ni_packet_word1(len, 0);

    uint64_t word0 = ni_packet_word0(0, NI_PACKET_MESSAGE, NI_PACKET_HEADER, 0);

    if (in_lane) {
        ni_lane_commit(&ep->tx, word0, lines);
    } else {
        ni_link_shm.commit(ep, packet, word0, lines);
    }
    sent(peer);
    return NI_OK;
}

void mock_send_all(struct ni_peer *peer, uint32_t len)
{
    ni_status status;

    while ((status = mock_send(peer, len)) == NI_AGAIN) {
        mock_relax(peer->mock);
    }
    if (status != NI_OK) {
        fprintf(stderr, "send: %s\n", ni_status_text(status));
        _exit(1);
    }
}

/* ---- progress -------------------------------------------------------------------------------- */

static bool has_lane(const struct mock *mock, const struct ni_lane_rx *lane)
{
    for (unsigned i = 0; i < mock->lane_count; i++) {
        if (mock->lanes[i] == lane) {
            return true;
        }
    }
    return false;
}

static bool is_move(uint64_t word0)
{
    return ni_packet_kind(word0) == NI_PACKET_NOP && ni_packet_tag(word0) >= NI_NOP_RING &&
           ni_packet_tag(word0) <= NI_NOP_BULK;
}

static unsigned poll_lane(struct mock *mock, struct ni_lane_rx *lane)
{
    struct ni_peer *peer = lane->peer;
    struct ni_packet *packet;
    unsigned events = 0;
    uint64_t word0;

    while (events < 32 && (packet = ni_lane_peek(lane, &word0)) != NULL) {
        uint64_t word1 = packet->word1;
        const uint8_t *payload;
        uint32_t lines = ni_lane_check(lane, packet, word0, word1, &payload);

        if (lines == 0 && ni_lane_refusal(lane) == NI_AGAIN) {
            break;
        }
        if (lines == 0) {
            CHECK(mock->any);
            mock->malformed++;
            break;
        }
        ni_lane_advance(lane, lines);
        lane->depth++;
        if (is_move(word0)) {
            ni_status status =
                lane->move == NULL ? NI_ERR_PROTOCOL : lane->move(lane, ni_packet_tag(word0));

            if (status == NI_AGAIN) {
                lane->depth--;
                ni_lane_step_back(lane, lines);
                break;
            }
            mock->malformed += status != NI_OK;
        } else {
            peer->in_lane++;
            peer->in_bulk += ni_packet_in_bulk(word0);
            (void)take(mock, peer, word0, word1, payload);
        }
        if (!has_lane(mock, lane)) {
            return events + 1;
        }
        lane->depth--;
        events++;
    }
    ni_lane_publish(lane);
    return events;
}

unsigned mock_progress(struct mock *mock)
{
    unsigned events = ni_link_shm.progress(mock->link);

    for (unsigned i = 0; i < mock->lane_count && !mock->deaf; i++) {
        events += poll_lane(mock, mock->lanes[i]);
    }
    return events;
}

void mock_relax(struct mock *mock)
{
    if (mock_progress(mock) == 0) {
        sched_yield();
    }
}

bool mock_has_work(void *core)
{
    struct mock *mock = core;

    for (unsigned i = 0; i < mock->lane_count; i++) {
        if (ni_lane_has_packet(mock->lanes[i])) {
            return true;
        }
    }
    return false;
}

/* ---- processes ------------------------------------------------------------------------------- */

void mock_param(const char *name, const char *value)
{
    char error[256];

    (void)ni_config_get();
    if (ni_param_set(name, value, "test", error, sizeof(error)) != NI_OK) {
        fprintf(stderr, "%s\n", error);
        _exit(1);
    }
}

void mock_end_with(pid_t parent)
{
    pid_t now;

    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    now = getppid(); /* 0: it is in another pid namespace */
    if (now != parent && now != 0) {
        _exit(1);
    }
}

pid_t mock_fork(int (*fn)(void *arg), void *arg)
{
    pid_t parent = getpid(), pid;

    fflush(NULL);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        int result;

        mock_end_with(parent);
        result = fn(arg);

        fflush(NULL);
        _exit(result);
    }
    return pid;
}

void mock_join(pid_t pid)
{
    int status;

    CHECK(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "child %d failed: status %#x\n", (int)pid, (unsigned)status);
        _exit(1);
    }
}

unsigned mock_count_fds(void)
{
    unsigned count = 0;
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;

    CHECK(dir != NULL);
    while ((entry = readdir(dir)) != NULL) {
        char target[64] = "";

        (void)!readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);
        count += strstr(target, "apelink-life") == NULL;
    }
    closedir(dir);
    return count;
}

void *mock_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}
