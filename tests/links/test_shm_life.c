/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/life.c ni/link/shm/identity.c. */
/* What the kernel says in the page of a process that ends, executes a program, or loses its first
 * thread; what is copied then; who has no such page; that nobody else can write to it. */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

enum { LENGTH = 16384 };

/* What a process does when it is told to. */
enum act {
    STAYS,
    EXECUTES,        /* by its first thread */
    EXECUTES_BESIDE, /* by another one */
    ENDS_A_THREAD,   /* that is not the first */
    ENDS_ITS_FIRST,
    OPENS_BESIDE, /* its link is opened by a thread that is not the first */
};

static uint8_t memory[LENGTH];

struct actor {
    enum act act;
    int talk[2];
    pid_t pid;
    struct ni_shm_blob blob;
};

/* ---- the other process ----------------------------------------------------------------------- */

static struct mock own;

static void *open_link(void *arg)
{
    mock_open(&own, 2, NULL);
    return arg;
}

static void *execute(void *arg)
{
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(2);
    return arg;
}

static void *stay(void *arg)
{
    const struct actor *actor = arg;
    char byte;

    /* The first thread's state is not told of here: it is a moment before it has ended. */
    CHECK(write(actor->talk[1], "", 1) == 1);
    (void)!read(actor->talk[1], &byte, 1);
    _exit(0);
    return NULL;
}

static void *end(void *arg)
{
    return arg;
}

static void run_beside(void *(*what)(void *), void *arg)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, what, arg) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void act(struct actor *actor)
{
    pthread_t thread;

    switch (actor->act) {
    case EXECUTES:
        (void)execute(NULL);
        break;
    case EXECUTES_BESIDE:
        run_beside(execute, NULL);
        break;
    case ENDS_ITS_FIRST:
        CHECK(pthread_create(&thread, NULL, stay, actor) == 0);
        pthread_exit(NULL);
    case ENDS_A_THREAD:
        run_beside(end, NULL);
        break;
    case STAYS:
    case OPENS_BESIDE:
        break;
    }
    (void)stay(actor);
}

static int be(struct actor *actor)
{
    uint8_t blob[MOCK_BLOB];
    char byte;

    CHECK(fcntl(actor->talk[1], F_SETFD, FD_CLOEXEC) == 0);
    memset(memory, 'A', sizeof(memory));
    if (actor->act == OPENS_BESIDE) {
        run_beside(open_link, NULL);
    } else {
        (void)open_link(NULL);
    }
    CHECK(mock_blob(&own, blob) == sizeof(actor->blob));
    CHECK(write(actor->talk[1], blob, sizeof(actor->blob)) == (ssize_t)sizeof(actor->blob));
    CHECK(read(actor->talk[1], &byte, 1) == 1);
    act(actor);
    return 1;
}

/* ---- this one -------------------------------------------------------------------------------- */

static void begin(struct actor *actor, enum act act)
{
    actor->act = act;
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, actor->talk) == 0);
    actor->pid = fork();
    CHECK(actor->pid >= 0);
    if (actor->pid == 0) {
        close(actor->talk[0]);
        _exit(be(actor));
    }
    close(actor->talk[1]);
    CHECK(read(actor->talk[0], &actor->blob, sizeof(actor->blob)) == (ssize_t)sizeof(actor->blob));
}

/* It has done what it is there for: said so, or lost its end of the wire. */
static void have_it_act(struct actor *actor)
{
    char byte;

    CHECK(write(actor->talk[0], "", 1) == 1);
    CHECK(read(actor->talk[0], &byte, 1) >= 0);
}

static void finish(struct actor *actor)
{
    close(actor->talk[0]);
    CHECK(kill(actor->pid, SIGKILL) == 0);
    CHECK(waitpid(actor->pid, NULL, 0) == actor->pid);
}

static ssize_t copy(const struct actor *actor, const struct ni_shm_life *life,
                    enum ni_copy_direction direction, uint8_t what)
{
    uint8_t local[LENGTH];
    ssize_t n;

    memset(local, 'B', sizeof(local));
    errno = 0;
    n = ni_shm_identity_copy(&actor->blob, life, actor->pid, direction, local, (uintptr_t)memory,
                             sizeof(local));
    CHECK(n != (ssize_t)sizeof(local) || direction == NI_COPY_TO_PEER ||
          (local[0] == what && local[LENGTH - 1] == what));
    return n;
}

/* Both ways, with and without the page. */
static void check_copies(const struct actor *actor, const struct ni_shm_life *life)
{
    CHECK(copy(actor, life, NI_COPY_FROM_PEER, 'A') == LENGTH);
    CHECK(copy(actor, NULL, NI_COPY_FROM_PEER, 'A') == LENGTH);
    CHECK(copy(actor, life, NI_COPY_TO_PEER, 'B') == LENGTH);
    CHECK(copy(actor, life, NI_COPY_FROM_PEER, 'B') == LENGTH);
}

static void check_lost(const struct actor *actor, const struct ni_shm_life *life)
{
    CHECK(!ni_shm_life_lasts(life));
    CHECK(copy(actor, life, NI_COPY_FROM_PEER, 0) == -1 && (errno == ESRCH || errno == ENXIO));
    CHECK(copy(actor, life, NI_COPY_TO_PEER, 0) == -1 && (errno == ESRCH || errno == ENXIO));
}

static void test_lost(enum act act)
{
    struct actor actor;
    const struct ni_shm_life *life;

    begin(&actor, act);
    life = ni_shm_life_map(&actor.blob, actor.pid);
    CHECK(life != NULL && ni_shm_life_lasts(life));
    check_copies(&actor, life);
    have_it_act(&actor);
    check_lost(&actor, life);
    finish(&actor);
    check_lost(&actor, life);
    ni_shm_life_unmap(life);
}

static void test_killed(void)
{
    struct actor actor;
    const struct ni_shm_life *life;
    siginfo_t info;

    begin(&actor, STAYS);
    life = ni_shm_life_map(&actor.blob, actor.pid);
    CHECK(life != NULL && ni_shm_life_lasts(life));
    CHECK(kill(actor.pid, SIGKILL) == 0);
    /* Its number is still its own. */
    CHECK(waitid(P_PID, (id_t)actor.pid, &info, WEXITED | WNOWAIT) == 0);
    check_lost(&actor, life);
    finish(&actor);
    ni_shm_life_unmap(life);
}

static void test_lasts(enum act act)
{
    struct actor actor;
    const struct ni_shm_life *life;

    begin(&actor, act);
    life = ni_shm_life_map(&actor.blob, actor.pid);
    CHECK(life != NULL && ni_shm_life_lasts(life));
    have_it_act(&actor);
    CHECK(ni_shm_life_lasts(life));
    check_copies(&actor, life);
    finish(&actor);
    ni_shm_life_unmap(life);
}

/* The kernel says nothing of it any more, nor copies; but it lives. */
static void test_first_thread_ends(void)
{
    struct actor actor;
    const struct ni_shm_life *life;
    struct mock a;
    struct ni_peer *peer;
    uint8_t local[LENGTH];

    begin(&actor, ENDS_ITS_FIRST);
    mock_open(&a, 1, NULL);
    peer = mock_connect(&a, &actor.blob, sizeof(actor.blob));
    life = ni_shm_life_map(&actor.blob, actor.pid);
    CHECK(peer->ep->copy && life != NULL && ni_shm_life_lasts(life));
    have_it_act(&actor);
    while (ni_shm_life_lasts(life)) {
        sched_yield();
    }
    check_lost(&actor, life);
    for (int i = 0; i < 2; i++) {
        CHECK(ni_link_shm.copy(peer->ep, NI_COPY_FROM_PEER, local, (uintptr_t)memory, LENGTH) ==
              NI_ERR_UNSUPPORTED);
    }
    CHECK(peer->down == NI_OK);
    ni_shm_life_unmap(life);
    mock_close(&a);
    finish(&actor);
}

static void test_opened_beside(void)
{
    struct actor actor;

    begin(&actor, OPENS_BESIDE);
    CHECK(actor.blob.life == 0);
    CHECK(ni_shm_life_map(&actor.blob, actor.pid) == NULL);
    have_it_act(&actor);
    check_copies(&actor, NULL);
    finish(&actor);
}

static const struct ni_shm_life *life_at(struct ni_peer *peer)
{
    return atomic_load_explicit(&ni_shm_peer_of(peer->ep)->life, memory_order_relaxed);
}

/* It is mapped for the first bytes, and of who has none it is not looked for again. */
static void test_when_it_is_needed(enum act act, bool has)
{
    struct actor actor;
    struct mock a;
    struct ni_peer *peer;
    const struct ni_shm_life *life;
    uint8_t local[LENGTH];

    begin(&actor, act);
    mock_open(&a, 1, NULL);
    peer = mock_connect(&a, &actor.blob, sizeof(actor.blob));
    CHECK(peer->ep->copy && life_at(peer) == NULL);
    for (int i = 0; i < 2; i++) {
        CHECK(ni_link_shm.copy(peer->ep, NI_COPY_FROM_PEER, local, (uintptr_t)memory, LENGTH) ==
              NI_OK);
        CHECK(i == 0 || life_at(peer) == life);
        life = life_at(peer);
    }
    CHECK(has ? ni_shm_life_lasts(life) : life == &ni_shm_no_life);
    have_it_act(&actor);
    mock_close(&a);
    finish(&actor);
}

/* Children do not end what is their parent's, and have their own. */
static void test_children(void)
{
    struct mock a;
    struct ni_shm_blob blob;
    uint8_t bytes[MOCK_BLOB];
    const struct ni_shm_life *life;
    struct actor actor;

    mock_open(&a, 1, NULL);
    CHECK(mock_blob(&a, bytes) == sizeof(blob));
    memcpy(&blob, bytes, sizeof(blob));
    life = ni_shm_life_map(&blob, getpid());
    CHECK(life != NULL && ni_shm_life_lasts(life));
    begin(&actor, EXECUTES);
    CHECK(actor.blob.identity != blob.identity);
    have_it_act(&actor);
    finish(&actor);
    CHECK(ni_shm_life_lasts(life));
    ni_shm_life_unmap(life);
    mock_close(&a);
}

/* ---- who lies -------------------------------------------------------------------------------- */

static void test_not_written(void)
{
    struct actor actor;
    char path[64];
    int fd;

    begin(&actor, STAYS);
    CHECK(actor.blob.life != 0);
    snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)actor.pid, actor.blob.life - 1);
    fd = open(path, O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0 || errno == EACCES);
    if (fd >= 0) { /* as root */
        CHECK(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED);
        CHECK(write(fd, "", 1) == -1 && ftruncate(fd, 0) == -1);
        close(fd);
    }
    finish(&actor);
}

static int memfd_of(const char *name, size_t size, uint64_t word)
{
    int fd = memfd_create(name, MFD_ALLOW_SEALING);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
    CHECK(size < sizeof(struct ni_shm_life) ||
          pwrite(fd, &word, sizeof(word), offsetof(struct ni_shm_life, word)) == sizeof(word));
    return fd;
}

static void test_liars(void)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
    struct ni_shm_blob blob = {.identity = 4711};
    const struct ni_shm_life *life;
    int fds[6];

    fds[0] = memfd_of("apelink-life", 4096, 4711); /* can shrink */
    fds[1] = memfd_of("apelink-life", 4096, 4712); /* somebody else's */
    fds[2] = memfd_of("apelink", 4096, 4711);
    fds[3] = memfd_of("apelink-life", 0, 4711);
    fds[4] = open("/dev/null", O_RDONLY);
    fds[5] = memfd_of("apelink-life", 4096, 4711);
    CHECK(fcntl(fds[1], F_ADD_SEALS, seals) == 0 && fcntl(fds[2], F_ADD_SEALS, seals) == 0);
    CHECK(fcntl(fds[3], F_ADD_SEALS, seals) == 0 && fcntl(fds[5], F_ADD_SEALS, seals) == 0);
    for (int i = 0; i < 5; i++) {
        blob.life = (uint32_t)fds[i] + 1;
        CHECK(ni_shm_life_map(&blob, getpid()) == NULL);
    }
    blob.life = UINT32_MAX;
    CHECK(ni_shm_life_map(&blob, getpid()) == NULL);
    blob.life = 1000000;
    CHECK(ni_shm_life_map(&blob, getpid()) == NULL);
    /* Nobody holds its mutex. */
    blob.life = (uint32_t)fds[5] + 1;
    life = ni_shm_life_map(&blob, getpid());
    CHECK(life != NULL && !ni_shm_life_lasts(life));
    ni_shm_life_unmap(life);
    for (int i = 0; i < 6; i++) {
        close(fds[i]);
    }
}

/* Whether the kernel copies between processes here, and there is a page. */
static bool can_be_tested(void)
{
    struct actor actor;
    bool can;

    begin(&actor, STAYS);
    can = actor.blob.life != 0 && copy(&actor, NULL, NI_COPY_FROM_PEER, 'A') == LENGTH;
    finish(&actor);
    return can;
}

int main(void)
{
    CHECK(!ni_shm_life_lasts(NULL));
    test_liars();
    if (!can_be_tested()) {
        printf("SKIP: the kernel does not copy between processes here\n");
        return 77;
    }
    test_lost(EXECUTES);
    test_lost(EXECUTES_BESIDE);
    test_killed();
    test_lasts(STAYS);
    test_lasts(ENDS_A_THREAD);
    test_first_thread_ends();
    test_opened_beside();
    test_when_it_is_needed(STAYS, true);
    test_when_it_is_needed(OPENS_BESIDE, false);
    test_children();
    test_not_written();
    return 0;
}
