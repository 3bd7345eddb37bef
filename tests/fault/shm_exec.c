/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes that are not what they were: those that execute another program, which has memory of
 * its own where the buffers were, and children that are forked. Nothing is copied from or to them
 * any more, and who has executed something is dead for all others, for as long as that runs. */

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

enum { LENGTH = 64 << 10, PAGE = 4096 };

/* Where neither programs nor sanitizers have anything. */
#define PLACE ((uint8_t *)UINT64_C(0x551000000000))

/* How a process becomes another. */
enum become {
    AS_IT_IS,
    BESIDE_THREADS, /* by a thread that is not the first */
    WITH_ITS_PAGE,  /* the program has a page of zero where the old one's identity was */
    WITH_A_LINK,    /* the program has a link */
    BECOMES,
};

struct board {
    uint8_t blob[MOCK_BLOB];
    size_t len;
};

static struct board *board;

/* ---- the other program ----------------------------------------------------------------------- */

static void answer(int talk)
{
    CHECK(write(talk, "", 1) == 1);
}

static void listen_to(int talk)
{
    char byte;

    CHECK(read(talk, &byte, 1) == 1);
}

static uint8_t *have(void *place, size_t size, int what)
{
    uint8_t *memory = mmap(place, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    CHECK(memory == place);
    memset(memory, what, size);
    return memory;
}

static int another_program(char **argv)
{
    int talk = atoi(argv[1]);
    enum become how = (enum become)atoi(argv[2]);
    void *page = (void *)(uintptr_t)(strtoull(argv[3], NULL, 0) & ~(uint64_t)(PAGE - 1));
    uint8_t *memory = have(PLACE, LENGTH, 'B');
    struct mock own;

    if (how == WITH_ITS_PAGE) {
        (void)have(page, PAGE, 0);
    }
    if (how == WITH_A_LINK) {
        mock_open(&own, 9, NULL);
    }
    answer(talk);
    listen_to(talk);
    for (size_t i = 0; how != WITH_ITS_PAGE && i < LENGTH; i++) {
        CHECK(memory[i] == 'B');
    }
    if (how == WITH_A_LINK) {
        mock_close(&own);
    }
    return 0;
}

/* ---- who executes it ------------------------------------------------------------------------- */

struct actor {
    int talk[2];
    enum become how;
};

static void *become_another(void *arg)
{
    const struct actor *actor = arg;
    struct ni_shm_blob blob;
    char talk[16], how[16], address[24];
    char *argv[] = {(char *)"shm_exec", talk, how, address, NULL};

    memcpy(&blob, board->blob, sizeof(blob));
    snprintf(talk, sizeof(talk), "%d", actor->talk[1]);
    snprintf(how, sizeof(how), "%d", (int)actor->how);
    snprintf(address, sizeof(address), "%llu", (unsigned long long)blob.identity_address);
    execv("/proc/self/exe", argv);
    _exit(2);
}

/* Has a link and does nothing, as one that computes; then it is another program. */
static int acts(void *arg)
{
    const struct actor *actor = arg;
    struct mock b;
    pthread_t thread;

    (void)have(PLACE, LENGTH, 'A');
    mock_open(&b, 2, NULL);
    board->len = mock_blob(&b, board->blob);
    answer(actor->talk[1]);
    listen_to(actor->talk[1]);
    if (actor->how == BESIDE_THREADS) {
        CHECK(pthread_create(&thread, NULL, become_another, arg) == 0);
        pause();
    }
    (void)become_another(arg);
    return 1;
}

static pid_t begin(struct actor *actor)
{
    pid_t pid;

    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, actor->talk) == 0);
    pid = mock_fork(acts, actor);
    close(actor->talk[1]);
    listen_to(actor->talk[0]);
    return pid;
}

static void change(const struct actor *actor)
{
    answer(actor->talk[0]);
    listen_to(actor->talk[0]);
}

static void end(const struct actor *actor, pid_t pid)
{
    answer(actor->talk[0]);
    mock_join(pid);
    close(actor->talk[0]);
}

/* ---- cases ----------------------------------------------------------------------------------- */

static ni_status copy(const struct ni_peer *peer, enum ni_copy_direction direction, uint8_t *local)
{
    return ni_link_shm.copy(peer->ep, direction, local, (uintptr_t)PLACE, LENGTH);
}

static void test_copy(enum become how, enum ni_copy_direction direction)
{
    struct actor actor = {.how = how};
    pid_t pid = begin(&actor);
    uint8_t *local = malloc(LENGTH);
    struct mock a;
    struct ni_peer *peer;

    CHECK(local != NULL);
    mock_open(&a, 1, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    if (peer->ep->copy) {
        memset(local, 'C', LENGTH);
        CHECK(copy(peer, NI_COPY_TO_PEER, local) == NI_OK);
        memset(local, 0, LENGTH);
        CHECK(copy(peer, NI_COPY_FROM_PEER, local) == NI_OK && local[LENGTH - 1] == 'C');
        change(&actor);
        CHECK(copy(peer, direction, local) == NI_ERR_PEER_DEAD);
    } else {
        change(&actor);
    }
    while (peer->down == NI_OK) {
        mock_progress(&a);
    }
    CHECK(peer->down == NI_ERR_PEER_DEAD && peer->downs == 1);
    mock_close(&a);
    free(local);
    end(&actor, pid);
}

/* Nothing is copied, and the program runs on: the clock tells. */
static void test_watch(void)
{
    struct actor actor = {.how = AS_IT_IS};
    pid_t pid = begin(&actor);
    struct mock a;
    struct ni_peer *peer;

    mock_open(&a, 1, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    mock_send_all(peer, 16);
    change(&actor);
    while (peer->down == NI_OK) {
        mock_relax(&a);
    }
    CHECK(peer->down == NI_ERR_PEER_DEAD && peer->downs == 1);
    mock_close(&a);
    end(&actor, pid);
}

/* Where nobody has spoken to it before. Without the kernel's copies nobody can know. */
static void test_connect(enum become how, bool copies)
{
    struct actor actor = {.how = how};
    pid_t pid = begin(&actor);
    struct mock a;
    struct ni_peer *peer;

    mock_open(&a, 1, NULL);
    change(&actor);
    CHECK(mock_try_connect(&a, board->blob, board->len, &peer) ==
          (copies ? NI_ERR_PEER_DEAD : NI_ERR_UNREACHABLE));
    mock_close(&a);
    end(&actor, pid);
}

/* While it is asked for its segment, as nothing was found where its address says. */
static void test_connecting(bool copies)
{
    struct actor actor = {.how = AS_IT_IS};
    pid_t pid = begin(&actor);
    struct ni_shm_blob blob;
    struct mock a;
    struct ni_peer *peer;

    mock_open(&a, 1, NULL);
    memcpy(&blob, board->blob, sizeof(blob));
    blob.fd = INT32_MAX;
    peer = mock_connect(&a, &blob, sizeof(blob));
    CHECK(mock_send(peer, 16) == NI_AGAIN);
    change(&actor);
    while (peer->down == NI_OK) {
        mock_relax(&a);
    }
    CHECK(peer->down == (copies ? NI_ERR_PEER_DEAD : NI_ERR_UNREACHABLE) && peer->downs == 1);
    mock_close(&a);
    end(&actor, pid);
}

/* ---- children -------------------------------------------------------------------------------- */

static int child(void *arg)
{
    const int *talk = arg;
    struct ni_shm_blob inherited;
    struct mock own;

    memcpy(&inherited, board->blob, sizeof(inherited));
    mock_open(&own, 3, NULL);
    board->len = mock_blob(&own, board->blob);
    CHECK(memcmp(&((struct ni_shm_blob *)(void *)board->blob)->identity, &inherited.identity, 8) !=
          0);
    answer(talk[1]);
    listen_to(talk[1]);
    mock_close(&own);
    return 0;
}

/* Where ThreadSanitizer does not let the pages lie where they should, the child's may take the
 * place of its parent's: then only what is read tells them apart. */
static bool is_it(const struct ni_shm_blob *blob, pid_t pid, bool same_place)
{
    ssize_t from = ni_shm_identity_copy(blob, NULL, pid, NI_COPY_FROM_PEER, NULL, 0, 0);
    ssize_t to = ni_shm_identity_copy(blob, NULL, pid, NI_COPY_TO_PEER, NULL, 0, 0);

    CHECK(from == to || (same_place && to == 0));
    return from == 0;
}

/* With its parent's memory, and its parent's number one day, a child is not its parent. Whether the
 * kernel copies here. */
static bool test_fork(void)
{
    int talk[2];
    struct mock a;
    struct ni_peer *peer;
    struct ni_shm_blob parent, own;
    bool copies;
    pid_t pid;

    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, talk) == 0);
    mock_open(&a, 1, NULL);
    board->len = mock_blob(&a, board->blob);
    memcpy(&parent, board->blob, sizeof(parent));
    pid = mock_fork(child, talk);
    close(talk[1]);
    listen_to(talk[0]);
    memcpy(&own, board->blob, sizeof(own));
    peer = mock_connect(&a, board->blob, board->len);
    copies = peer->ep->copy;
    if (copies) {
        bool same = own.identity_address == parent.identity_address;

#ifndef __SANITIZE_THREAD__
        CHECK(!same);
#endif
        CHECK(is_it(&parent, getpid(), same) && !is_it(&parent, pid, same));
        CHECK(is_it(&own, pid, same) && !is_it(&own, getpid(), same));
        CHECK(!ni_shm_identity_lost(&own));
        own.pid = (uint32_t)getpid();
        CHECK(ni_shm_identity_lost(&own));
    }
    answer(talk[0]);
    mock_join(pid);
    mock_close(&a);
    close(talk[0]);
    return copies;
}

int main(int argc, char **argv)
{
    unsigned fds;
    bool copies;

    if (argc == 4) {
        return another_program(argv);
    }
    board = mock_shared(sizeof(*board));
    mock_param("peer_check_ms", "10");
    fds = mock_count_fds();
    for (int how = 0; how < BECOMES; how++) {
        test_copy((enum become)how, NI_COPY_FROM_PEER);
        if (how != WITH_ITS_PAGE) { /* see identity.c */
            test_copy((enum become)how, NI_COPY_TO_PEER);
        }
    }
    test_watch();
    copies = test_fork();
    test_connect(AS_IT_IS, copies);
    test_connect(WITH_A_LINK, copies);
    test_connecting(copies);
    CHECK(mock_count_fds() == fds);
    return 0;
}
