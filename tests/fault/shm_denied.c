/* SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel may forbid: system calls, copies among them, by a seccomp filter; copies and
 * /proc by another user namespace, by a process that may not be traced, by another pid or network
 * namespace. Packets flow all the same, both ways, and who may copy is found out by each side for
 * itself. What cannot be tried here (unprivileged namespaces may be switched off) is said. */

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

enum { PACKETS = 3000 };

struct board {
    _Atomic uint32_t ready;
    _Atomic uint32_t refused;
    _Atomic uint32_t done;
    uint8_t blob[2][MOCK_BLOB];
    size_t len;
};

static struct board *board;
static uint64_t data = 0x1122334455667788;

/* What a process is, and what it may do with the other. */
struct side {
    const char *name;
    int (*prepare)(void); /* 0 or an errno */
    bool forks;           /* what prepare does holds for children */
    enum { MAY_COPY, CANNOT_COPY } copy;
    enum { MAY_OPEN, MUST_ASK } reach;
};

/* ---- one conversation ------------------------------------------------------------------------ */

static void talk(struct mock *mock, uint32_t me, const struct side *side)
{
    struct ni_peer *peer = mock_connect(mock, board->blob[1 - me], board->len);
    uint64_t copy = 0;

    if (side->reach == MUST_ASK) {
        CHECK(((struct ni_shm_peer *)(void *)peer->ep)->stage == NI_SHM_CONNECTING);
        CHECK(mock_send(peer, 16) == NI_AGAIN);
    }
    for (uint32_t i = 0; i < PACKETS; i++) {
        mock_send_all(peer, 16 + i);
    }
    while (peer->received < PACKETS) {
        mock_relax(mock);
    }
    CHECK(side->copy == MAY_COPY || !peer->ep->copy);
    if (peer->ep->copy) {
        CHECK(ni_link_shm.copy(peer->ep, NI_COPY_FROM_PEER, &copy, (uintptr_t)&data, 8) == NI_OK);
        CHECK(copy == data);
    }
    atomic_fetch_add(&board->done, 1);
    while (atomic_load(&board->done) < 2) {
        mock_relax(mock);
    }
}

static void run(uint32_t me, const struct side *side)
{
    struct mock mock;

    mock_open(&mock, me, NULL);
    board->len = mock_blob(&mock, board->blob[me]);
    atomic_fetch_add(&board->ready, 1);
    while (atomic_load(&board->ready) < 2) {
        usleep(100);
    }
    if (atomic_load(&board->refused) == 0) {
        talk(&mock, me, side);
    }
    mock_close(&mock);
}

static const struct side *sides[2];

static int grandchild(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg;

    run(me, sides[me]);
    return 0;
}

static int child(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg;
    pid_t parent = getppid();
    int error = sides[me]->prepare();

    mock_end_with(parent);
    if (error != 0) {
        printf("%s: not tested here: %s\n", sides[me]->name, strerror(error));
        atomic_store(&board->refused, 1);
        atomic_fetch_add(&board->ready, 1);
    } else if (sides[me]->forks) {
        mock_join(mock_fork(grandchild, arg));
    } else {
        run(me, sides[me]);
    }
    return 0;
}

static void test(const struct side *first, const struct side *second)
{
    pid_t pids[2];

    sides[0] = first;
    sides[1] = second;
    memset(board, 0, sizeof(*board));
    for (uintptr_t i = 0; i < 2; i++) {
        pids[i] = mock_fork(child, (void *)i);
    }
    mock_join(pids[0]);
    mock_join(pids[1]);
}

/* ---- conditions ------------------------------------------------------------------------------ */

static int nothing(void)
{
    return 0;
}

static int forbid(long first, long second)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)first, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)second, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        return errno;
    }
    return 0;
}

static int seccomp_both(void)
{
    return forbid(SYS_process_vm_readv, SYS_process_vm_writev);
}

static int seccomp_write(void)
{
    return forbid(SYS_process_vm_writev, SYS_process_vm_writev);
}

static int user_namespace(void)
{
    return unshare(CLONE_NEWUSER) == 0 ? 0 : errno;
}

static int user_and_net_namespace(void)
{
    /* Neither /proc nor sockets: tested apart, see below. */
    return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
}

static int net_namespace(void)
{
    return unshare(CLONE_NEWNET) == 0 ? 0 : errno;
}

static int pid_namespace(void)
{
    return unshare(CLONE_NEWPID) == 0 ? 0 : errno;
}

/* In another user namespace nothing is left of root's rights; without being dumpable, not even the
 * user's own. */
static int untraceable(void)
{
    if (unshare(CLONE_NEWUSER) != 0) {
        return errno;
    }
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : errno;
}

/* ---- cases that do not end in a conversation ------------------------------------------------- */

/* A child in another user and network namespace cannot get our segment: an error at once, no
 * hang. */
static int cut_off(void *arg)
{
    struct mock mock;
    struct ni_peer *peer;
    pid_t parent = getppid();
    int error = user_and_net_namespace();

    (void)arg;
    mock_end_with(parent);
    if (error != 0) {
        fprintf(stderr, "user and network namespace: not tested here: %s\n", strerror(error));
        return 0;
    }
    mock_open(&mock, 1, NULL);
    CHECK(mock_try_connect(&mock, board->blob[0], board->len, &peer) == NI_ERR_UNREACHABLE);
    mock_close(&mock);
    return 0;
}

static void test_cut_off(void)
{
    struct mock mock;

    mock_open(&mock, 0, NULL);
    board->len = mock_blob(&mock, board->blob[0]);
    mock_join(mock_fork(cut_off, NULL));
    mock_close(&mock);
}

/* A call that the link cannot do without: one message, which names it and says what forbids it. */
struct call {
    const char *name;
    long number;
    bool needed;
};

static unsigned errors;
static char last_error[512];

static void keep_error(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    if (level == NI_LOG_ERROR) {
        errors++;
        snprintf(last_error, sizeof(last_error), "%s", text);
    }
}

static int opens_without(void *arg)
{
    const struct call *call = arg;
    struct mock mock = {0};
    int error = forbid(call->number, call->number);

    if (error != 0) {
        fprintf(stderr, "no %s: not tested here: %s\n", call->name, strerror(error));
        return 0;
    }
    ni_log_set_sink(keep_error, NULL);
    if (!call->needed) {
        mock_open(&mock, 1, NULL);
        mock_close(&mock);
        CHECK(errors == 0);
        return 0;
    }
    CHECK(mock_try_open(&mock, 1, NULL) == NI_ERR_SYSTEM);
    CHECK(errors == 1);
    CHECK(strstr(last_error, call->name) != NULL && strstr(last_error, "seccomp") != NULL);
    CHECK(strstr(last_error, "free memory") == NULL);
    return 0;
}

static void test_calls(void)
{
    static struct call calls[] = {
        {"memfd_create", SYS_memfd_create, true},
        {"fchmod", SYS_fchmod, true},
        {"ftruncate", SYS_ftruncate, true},
        {"fallocate", SYS_fallocate, true},
        {"fcntl", SYS_fcntl, true},
        {"mbind", SYS_mbind, false},
        {"socket", SYS_socket, false},
        {"prctl", SYS_prctl, false},
        {"kill", SYS_kill, false},
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        mock_join(mock_fork(opens_without, &calls[i]));
    }
}

/* A process that knows the socket's name but not the key gets nothing; the right one still does. */
static void test_wrong_key(void)
{
    struct mock a, b;
    struct ni_shm_blob blob;
    uint8_t bytes[MOCK_BLOB];
    struct ni_peer *peer;

    mock_open(&a, 0, NULL);
    mock_open(&b, 1, NULL);
    CHECK(mock_blob(&b, bytes) == sizeof(blob));
    memcpy(&blob, bytes, sizeof(blob));
    blob.key ^= 1;
    blob.pid_ns ^= 1; /* so that it asks */
    peer = mock_connect(&a, &blob, sizeof(blob));
    for (int i = 0; i < 2000; i++) {
        CHECK(mock_send(peer, 16) == NI_AGAIN);
        mock_progress(&a);
        mock_progress(&b);
        usleep(20);
    }
    CHECK(b.accepted == 0);
    mock_disconnect(&a, peer);
    peer = mock_connect(&a, bytes, sizeof(blob));
    mock_send_all(peer, 16);
    while (b.received == 0) {
        mock_progress(&b);
    }
    mock_close(&a);
    mock_close(&b);
}

/* ---- descriptors that must not be closed, files that must not be trusted --------------------- */

/* Has an NI, closes it and opens another, which gets the same descriptor number. */
static int reborn(void *arg)
{
    struct mock b;

    (void)arg;
    mock_open(&b, 2, NULL);
    (void)mock_blob(&b, board->blob[0]);
    mock_close(&b);
    mock_open(&b, 3, NULL);
    board->len = mock_blob(&b, board->blob[1]);
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->ready) == 1) {
        mock_relax(&b);
        for (const struct ni_peer *peer = b.peers; peer != NULL; peer = peer->next) {
            CHECK(peer->down == NI_OK || peer->received == 2);
        }
    }
    CHECK(b.accepted == 2);
    mock_close(&b);
    return 0;
}

static void let_pass(struct mock *mock, int ms)
{
    for (int i = 0; i < ms; i++) {
        usleep(1000);
        for (int n = 0; n < 70; n++) {
            mock_progress(mock);
        }
    }
}

/* Two NIs of this process ask for the same segment; then one comes with an address that is out of
 * date and leads to the same file. Closing either descriptor that is too many would make both of
 * them seem dead. */
static void test_many_descriptors(void)
{
    struct mock a, b;
    struct ni_peer *from_a, *from_b, *stale;
    struct ni_shm_blob blob;
    pid_t pid;

    atomic_store(&board->ready, 0);
    pid = mock_fork(reborn, NULL);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    mock_open(&a, 10, NULL);
    mock_open(&b, 11, NULL);
    memcpy(&blob, board->blob[1], sizeof(blob));
    blob.pid_ns ^= 1;
    from_a = mock_connect(&a, &blob, sizeof(blob));
    from_b = mock_connect(&b, &blob, sizeof(blob));
    CHECK(mock_send(from_a, 16) == NI_AGAIN && mock_send(from_b, 16) == NI_AGAIN);
    mock_send_all(from_a, 16);
    mock_send_all(from_b, 16);
    CHECK(mock_try_connect(&a, board->blob[0], board->len, &stale) == NI_ERR_UNREACHABLE);
    let_pass(&a, 50);
    mock_send_all(from_a, 16);
    mock_close(&a);
    let_pass(&b, 50);
    CHECK(from_b->down == NI_OK);
    mock_send_all(from_b, 16);
    let_pass(&b, 50);
    atomic_store(&board->ready, 2);
    mock_join(pid);
    mock_close(&b);
}

/* Whose file could shrink under our hands, or is not what the address says. */
static void test_impostors(void)
{
    struct mock a, b;
    struct ni_shm_blob blob, bad;
    struct ni_peer *peer;
    struct stat st;
    uint8_t bytes[MOCK_BLOB];
    int fd = memfd_create("apelink", MFD_CLOEXEC | MFD_ALLOW_SEALING);

    mock_open(&a, 10, NULL);
    mock_open(&b, 11, NULL);
    CHECK(mock_blob(&b, bytes) == sizeof(blob));
    memcpy(&blob, bytes, sizeof(blob));
    CHECK(fstat((int)blob.fd, &st) == 0);
    CHECK(fd >= 0 && ftruncate(fd, st.st_size) == 0);
    CHECK(sendfile(fd, (int)blob.fd, &(off_t){0}, 4096) == 4096);
    bad = blob;
    bad.fd = (uint32_t)fd;
    bad.key ^= 1; /* or the process would know it already */
    CHECK(pwrite(fd, &bad.key, 8, offsetof(struct ni_shm_header, key)) == 8);
    bad.socket ^= 1; /* nobody to ask */
    CHECK(mock_try_connect(&a, &bad, sizeof(bad), &peer) == NI_ERR_UNREACHABLE);
    CHECK(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0);
    CHECK(mock_try_connect(&a, &bad, sizeof(bad), &peer) == NI_OK);
    mock_disconnect(&a, peer);
    bad.address++;
    CHECK(mock_try_connect(&a, &bad, sizeof(bad), &peer) == NI_ERR_UNREACHABLE);
    bad.address--;
    CHECK(pwrite(fd, "\xff\xff\xff\xff", 4, offsetof(struct ni_shm_header, counts) + 4) == 4);
    CHECK(mock_try_connect(&a, &bad, sizeof(bad), &peer) == NI_ERR_PROTOCOL);
    close(fd);
    /* A descriptor that is no segment at all: standard error, as it happens. */
    bad.fd = 2;
    CHECK(mock_try_connect(&a, &bad, sizeof(bad), &peer) == NI_ERR_UNREACHABLE);
    mock_close(&a);
    mock_close(&b);
}

/* The owner is gone before it has answered. */
static int short_lived(void *arg)
{
    struct mock b;

    (void)arg;
    mock_open(&b, 2, NULL);
    board->len = mock_blob(&b, board->blob[0]);
    atomic_store(&board->ready, 1);
    while (atomic_load(&board->ready) == 1) {
        usleep(100);
    }
    return 0;
}

static void test_no_answer(void)
{
    struct mock a;
    struct ni_shm_blob blob;
    struct ni_peer *peer;
    pid_t pid;

    atomic_store(&board->ready, 0);
    pid = mock_fork(short_lived, NULL);
    while (atomic_load(&board->ready) == 0) {
        usleep(100);
    }
    memcpy(&blob, board->blob[0], sizeof(blob));
    blob.pid_ns ^= 1;
    mock_open(&a, 0, NULL);
    peer = mock_connect(&a, &blob, sizeof(blob));
    CHECK(mock_send(peer, 16) == NI_AGAIN);
    atomic_store(&board->ready, 2);
    mock_join(pid);
    while (peer->down == NI_OK) {
        mock_relax(&a);
    }
    CHECK(peer->down == NI_ERR_UNREACHABLE && peer->downs == 1);
    CHECK(mock_send(peer, 16) == NI_ERR_UNREACHABLE);
    CHECK(mock_try_connect(&a, &blob, sizeof(blob), &peer) == NI_ERR_UNREACHABLE);
    mock_close(&a);
}

int main(void)
{
    /* A kernel may forbid copies altogether, so nobody must be able to. */
    static const struct side plain = {"plain", nothing, false, MAY_COPY, MAY_OPEN};
    static const struct side no_copy = {"seccomp", seccomp_both, false, CANNOT_COPY, MAY_OPEN};
    static const struct side no_write = {"seccomp, writes", seccomp_write, false, CANNOT_COPY,
                                         MAY_OPEN};
    static const struct side user = {"user namespace", user_namespace, false, CANNOT_COPY,
                                     MUST_ASK};
    static const struct side hidden = {"untraceable", untraceable, false, CANNOT_COPY, MUST_ASK};
    static const struct side net = {"network namespace", net_namespace, false, MAY_COPY, MAY_OPEN};
    static const struct side pid = {"pid namespace", pid_namespace, true, MAY_COPY, MUST_ASK};
    static const struct side to_pid = {"to a pid namespace", nothing, false, MAY_COPY, MUST_ASK};
    unsigned fds;

    board = mock_shared(sizeof(*board));
    mock_param("peer_check_ms", "10");
    fds = mock_count_fds();
    test(&plain, &plain);
    test(&plain, &no_copy);
    test(&no_write, &plain);
    test(&plain, &user);
    test(&user, &user);
    test(&hidden, &user);
    test(&plain, &net);
    test(&pid, &to_pid);
    test(&pid, &pid);
    test_cut_off();
    test_calls();
    test_wrong_key();
    test_no_answer();
    test_many_descriptors();
    test_impostors();
    CHECK(mock_count_fds() == fds);
    return 0;
}
