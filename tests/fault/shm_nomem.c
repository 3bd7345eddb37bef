/* SPDX-License-Identifier: BSD-3-Clause */
/* No memory, no descriptors, no file size: each is an error that says what is missing, or a slower
 * way, never a signal, and nothing leaks. */

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <apeni/fault.h>

#include "shm_mock.h"

static unsigned errors, warnings;
static char last_error[512];

static void count(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    errors += level == NI_LOG_ERROR;
    warnings += level == NI_LOG_WARN;
    if (level == NI_LOG_ERROR) {
        snprintf(last_error, sizeof(last_error), "%s", text);
    }
}

/* A conversation that uses everything once; false when it could not even begin. */
static bool converse(void)
{
    struct mock a = {0}, b = {0};
    struct ni_peer *peer = NULL;
    uint8_t blob[MOCK_BLOB];
    bool talked = false;

    errors = 0;
    if (mock_try_open(&a, 1, NULL) != NI_OK) {
        CHECK(errors == 1);
        return false;
    }
    if (mock_try_open(&b, 2, NULL) != NI_OK) {
        CHECK(errors == 1);
        mock_close(&a);
        return false;
    }
    if (mock_try_connect(&a, blob, mock_blob(&b, blob), &peer) == NI_OK) {
        ni_status status = NI_OK;

        for (unsigned i = 0; i < 100; i++) {
            while ((status = mock_send(peer, 16 + i * 10)) == NI_AGAIN) {
                mock_progress(&a);
                mock_progress(&b);
            }
        }
        talked = status == NI_OK;
        for (int i = 0; talked && b.received < 100; i++) {
            mock_progress(&b);
        }
        CHECK(talked || errors == 1);
    }
    mock_close(&a);
    mock_close(&b);
    return talked;
}

/* Each allocation in turn fails once. */
static void test_each(void)
{
    unsigned fds = mock_count_fds();
    unsigned failed = 0, talked = 0;
    uint64_t n = 1;

    for (;; n++) {
        ni_fault_reset();
        ni_fault_arm(NI_FAULT_ALLOC, n, 0);
        if (converse()) {
            talked++;
        } else {
            failed++;
        }
        CHECK(mock_count_fds() == fds);
        if (ni_fault_struck(NI_FAULT_ALLOC) == 0) {
            break;
        }
    }
    ni_fault_reset();
    CHECK(failed >= 8 && talked >= 3);
    CHECK(converse());
}

/* No memory for a lane, ever: slots do, for what they can hold. */
static void test_no_lane(void)
{
    struct mock a, b;
    struct ni_peer *peer;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    peer = mock_connect(&a, blob, mock_blob(&b, blob));
    mock_send_all(peer, 16);
    while (b.received == 0) {
        mock_progress(&b);
    }
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    for (unsigned i = 0; i < 3000; i++) {
        while (mock_send(peer, 16 + i % 2000) == NI_AGAIN) {
            mock_progress(&b);
        }
    }
    while (b.received < 3001) {
        mock_progress(&b);
    }
    CHECK(b.peers->in_slots == 3001);
    CHECK(peer->ep->max_bulk == 0);
    CHECK(mock_send(peer, 2033) == NI_ERR_LIMIT);
    /* Memory is back: some packets later there is a lane. */
    ni_fault_reset();
    for (unsigned i = 0; i < 2000; i++) {
        while (mock_send(peer, 16) == NI_AGAIN) {
            mock_progress(&b);
        }
    }
    CHECK(peer->ep->tx.lines != NULL && peer->ep->max_bulk != 0);
    while (b.received < 5001) {
        mock_progress(&b);
    }
    mock_close(&a);
    mock_close(&b);
}

/* Memory for a lane, but not for its bulk area. */
static void test_no_bulk(void)
{
    struct mock a, b;
    struct ni_peer *peer;
    uint8_t blob[MOCK_BLOB];

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    peer = mock_connect(&a, blob, mock_blob(&b, blob));
    for (unsigned i = 0; i < 5; i++) {
        mock_send_all(peer, 16);
    }
    ni_fault_arm(NI_FAULT_ALLOC, 1, 0); /* the first packet that needs it */
    CHECK(mock_send(peer, 4096) == NI_AGAIN);
    CHECK(ni_fault_struck(NI_FAULT_ALLOC) == 1);
    ni_fault_reset();
    CHECK(peer->ep->tx.lines != NULL && peer->ep->tx.bulk == NULL && peer->ep->max_bulk == 0);
    for (unsigned i = 0; i < 1000; i++) {
        while (mock_send(peer, 16 + i * 4) == NI_AGAIN) {
            mock_progress(&b);
        }
    }
    while (b.received < 1005) {
        mock_progress(&b);
    }
    CHECK(b.peers->in_lane == 1001 && b.peers->in_bulk == 0);
    mock_close(&a);
    mock_close(&b);
}

/* A receiver that has got a first packet, and has no memory for the sender's lane then, ever. */
struct poor {
    _Atomic uint32_t ready, without;
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static int be_poor(void *arg)
{
    struct poor *poor = arg;
    struct mock mock = {0};

    mock_open(&mock, 2, NULL);
    poor->len = mock_blob(&mock, poor->blob);
    atomic_store(&poor->ready, 1);
    while (mock.received == 0) {
        mock_relax(&mock);
    }
    ni_fault_arm(NI_FAULT_ALLOC, 1, 1);
    atomic_store(&poor->without, 1);
    while (mock.peers->downs == 0) {
        mock_relax(&mock);
    }
    ni_fault_reset();
    CHECK(mock.peers->down == NI_ERR_NOMEM);
    CHECK(errors == 1 && strstr(last_error, "KiB to receive from process") != NULL);
    CHECK(strstr(last_error, "50 ms") != NULL && strstr(last_error, "ulimit -v") != NULL);
    mock_disconnect(&mock, mock.peers);
    mock_close(&mock);
    return 0;
}

/* It gives the sender up after a while, and both ends know. */
static void test_no_memory_to_receive(void)
{
    struct poor *poor = mock_shared(sizeof(*poor));
    struct mock mock = {0};
    struct ni_peer *peer;
    ni_status status = NI_OK;
    pid_t pid;

    mock_param("memory_wait_ms", "50");
    errors = 0;
    pid = mock_fork(be_poor, poor);
    mock_open(&mock, 1, NULL);
    while (atomic_load(&poor->ready) == 0) {
        mock_relax(&mock);
    }
    peer = mock_connect(&mock, poor->blob, poor->len);
    mock_send_all(peer, 16);
    while (atomic_load(&poor->without) == 0) {
        mock_relax(&mock);
    }
    while (status == NI_OK || status == NI_AGAIN) {
        status = mock_send(peer, 16);
        mock_relax(&mock);
    }
    while (peer->downs == 0) {
        mock_relax(&mock);
    }
    mock_join(pid);
    mock_close(&mock);
    mock_param("memory_wait_ms", "10000");
}

static void with_limit(int resource, rlim_t value, const char *expected)
{
    struct rlimit old, now;
    struct mock a = {0};

    errors = 0;
    CHECK(getrlimit(resource, &old) == 0);
    now = old;
    now.rlim_cur = value;
    CHECK(setrlimit(resource, &now) == 0);
    CHECK(mock_try_open(&a, 1, NULL) != NI_OK);
    CHECK(setrlimit(resource, &old) == 0);
    CHECK(errors == 1);
    CHECK(strstr(last_error, expected) != NULL);
}

/* Another process, which ends when it has got ten packets. */
struct other {
    _Atomic uint32_t ready;
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static int be_other(void *arg)
{
    struct other *other = arg;
    struct mock mock;

    mock_open(&mock, 2, NULL);
    other->len = mock_blob(&mock, other->blob);
    atomic_store(&other->ready, 1);
    while (mock.received < 10) {
        mock_relax(&mock);
    }
    mock_close(&mock);
    return 0;
}

/* Without a descriptor for the peer's memory connecting fails, and says so; later it works. */
static void no_descriptor(void)
{
    struct other *other = mock_shared(sizeof(*other));
    pid_t pid = mock_fork(be_other, other);
    struct rlimit old, now;
    struct ni_peer *peer;
    struct mock a = {0};
    int next;

    while (atomic_load(&other->ready) == 0) {
        usleep(100);
    }
    mock_open(&a, 1, NULL);
    next = dup(STDERR_FILENO);
    CHECK(next >= 0 && close(next) == 0);
    CHECK(getrlimit(RLIMIT_NOFILE, &old) == 0);
    now = old;
    now.rlim_cur = (rlim_t)next;
    CHECK(setrlimit(RLIMIT_NOFILE, &now) == 0);
    errors = 0;
    CHECK(mock_try_connect(&a, other->blob, other->len, &peer) == NI_ERR_LIMIT);
    CHECK(errors == 1 && strstr(last_error, "ulimit -n") != NULL);
    CHECK(setrlimit(RLIMIT_NOFILE, &old) == 0);
    peer = mock_connect(&a, other->blob, other->len);
    for (unsigned i = 0; i < 10; i++) {
        mock_send_all(peer, 16);
    }
    mock_join(pid);
    mock_close(&a);
}

/* Where not all whom the parameter allows would fit, but the processes of the host do. */
static void less_file_size(void)
{
    struct rlimit old, now;

    CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
    now = old;
    now.rlim_cur = 40 << 20;
    CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
    CHECK(converse());
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
}

/* In a child: setting limits is a risk for the rest. */
static int limits(void *arg)
{
    (void)arg;
    ni_log_set_sink(count, NULL);
    with_limit(RLIMIT_FSIZE, 1 << 20, "ulimit -f");
    less_file_size();
    with_limit(RLIMIT_NOFILE, 3, "ulimit -n");
    no_descriptor();
    CHECK(converse());
    return 0;
}

int main(void)
{
    CHECK(converse()); /* what is made once per process is made */
    ni_log_set_sink(count, NULL);
    test_each();
    test_no_lane();
    test_no_bulk();
    test_no_memory_to_receive();
    mock_join(mock_fork(limits, NULL));
    return 0;
}
