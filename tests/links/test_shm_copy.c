/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/shm/copy.c. */
/* Copies between address spaces, by the kernel: all sizes, both directions, what is not there, what
 * is refused. */

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <apeni/fault.h>

#include "base/random.h"
#include "shm_mock.h"

enum { AREA = 40 << 20 };

struct board {
    _Atomic uint32_t step;
    uint8_t blob[MOCK_BLOB];
    size_t len;
    uint64_t area; /* in the owner */
    uint64_t edge; /* last page before one that nobody may touch */
};

static struct board *board;

static uint8_t byte_at(uint64_t at)
{
    return (uint8_t)(at * 167 >> 3);
}

static int owner(void *arg)
{
    struct mock b;
    uint8_t *area = malloc(AREA);
    uint8_t *edge = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)arg;
    /* A page without rights: an unmapped one might be given to another mapping. */
    CHECK(area != NULL && edge != MAP_FAILED && mprotect(edge + 4096, 4096, PROT_NONE) == 0);
    for (uint64_t i = 0; i < AREA; i++) {
        area[i] = byte_at(i);
    }
    mock_open(&b, 2, NULL);
    board->len = mock_blob(&b, board->blob);
    board->area = (uintptr_t)area;
    board->edge = (uintptr_t)edge;
    atomic_store(&board->step, 1);
    while (atomic_load(&board->step) < 2) {
        mock_relax(&b);
    }
    /* The other side has written the complement everywhere. */
    for (uint64_t i = 0; i < AREA; i++) {
        CHECK((area[i] ^ byte_at(i)) == 0xff);
    }
    mock_close(&b);
    free(area);
    return 0;
}

static void read_all(struct ni_ep *ep, uint8_t *mine)
{
    struct ni_rng rng;

    ni_rng_seed(&rng, 1);
    for (int i = 0; i < 2000; i++) {
        uint64_t at = ni_rng_below(&rng, AREA);
        uint64_t len = ni_rng_below(&rng, i % 100 == 0 ? AREA : 5000);

        len = len < AREA - at ? len : AREA - at;
        memset(mine, 0, len);
        CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, board->area + at, len) == NI_OK);
        for (uint64_t j = 0; j < len; j++) {
            CHECK(mine[j] == byte_at(at + j));
        }
    }
}

static void write_all(struct ni_ep *ep, uint8_t *mine)
{
    for (uint64_t i = 0; i < AREA; i++) {
        mine[i] = (uint8_t)~byte_at(i);
    }
    CHECK(ni_link_shm.copy(ep, NI_COPY_TO_PEER, mine, board->area, AREA - 4097) == NI_OK);
    CHECK(ni_link_shm.copy(ep, NI_COPY_TO_PEER, mine + AREA - 4097, board->area + AREA - 4097,
                           4097) == NI_OK);
}

static void outside(struct ni_ep *ep, uint8_t *mine)
{
    CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, 16, 8) == NI_ERR_BOUNDS);
    CHECK(ni_link_shm.copy(ep, NI_COPY_TO_PEER, mine, UINT64_MAX - 4, 8) == NI_ERR_BOUNDS);
    CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, board->edge, 4096) == NI_OK);
    CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, board->edge, 4097) == NI_ERR_BOUNDS);
    CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, board->edge + 4096, 1) == NI_ERR_BOUNDS);
    CHECK(ep->copy);
}

/* The kernel changes its mind. */
static void refused(struct ni_ep *ep, uint8_t *mine)
{
    char text[300];

    ni_fault_arm(NI_FAULT_SYSCALL, 1, 0);
    CHECK(ni_link_shm.copy(ep, NI_COPY_FROM_PEER, mine, board->area, 100) == NI_ERR_UNSUPPORTED);
    ni_fault_reset();
    CHECK(!ep->copy);
    CHECK(ni_link_shm.describe(ep, text, sizeof(text)) > 0);
    CHECK(strstr(text, "not permitted") != NULL);
}

/* From the start: by parameter, or because the probe fails. */
static void never(const char *what, enum ni_fault_point fault)
{
    struct mock a;
    struct ni_peer *peer;

    mock_param("shm_copy", what);
    if (fault != NI_FAULT_POINTS) {
        ni_fault_arm(fault, 1, 1);
    }
    mock_open(&a, 3, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    CHECK(!peer->ep->copy && !peer->ep->same_memory);
    for (int i = 0; i < 100; i++) {
        mock_send_all(peer, 16 + (uint32_t)i * 50);
    }
    ni_fault_reset();
    mock_close(&a);
    mock_param("shm_copy", "auto");
}

static char message[512];

static void keep(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    CHECK(level == NI_LOG_ERROR);
    snprintf(message, sizeof(message), "%s", text);
}

static void demanded(void)
{
    struct mock a;
    struct ni_peer *peer;

    mock_param("shm_copy", "process_vm");
    mock_open(&a, 4, NULL);
    CHECK(mock_try_connect(&a, board->blob, board->len, &peer) == NI_OK && peer->ep->copy);
    mock_close(&a);
    ni_fault_arm(NI_FAULT_SYSCALL, 1, 1);
    ni_log_set_sink(keep, NULL);
    mock_open(&a, 5, NULL);
    CHECK(mock_try_connect(&a, board->blob, board->len, &peer) == NI_ERR_UNREACHABLE);
    ni_log_set_sink(NULL, NULL);
    CHECK(strstr(message, "shm_copy") != NULL);
    ni_fault_reset();
    mock_close(&a);
    mock_param("shm_copy", "auto");
}

int main(void)
{
    struct mock a;
    struct ni_peer *peer;
    uint8_t *mine = malloc(AREA);
    pid_t pid;

    CHECK(mine != NULL);
    board = mock_shared(sizeof(*board));
    pid = mock_fork(owner, NULL);
    while (atomic_load(&board->step) == 0) {
        usleep(100);
    }
    mock_open(&a, 1, NULL);
    peer = mock_connect(&a, board->blob, board->len);
    if (!peer->ep->copy) {
        char text[300];

        ni_link_shm.describe(peer->ep, text, sizeof(text));
        printf("not tested, the kernel refuses here: %s\n", text);
        kill(pid, SIGKILL);
        return 77;
    }
    CHECK(!peer->ep->same_memory);
    read_all(peer->ep, mine);
    outside(peer->ep, mine);
    never("copy", NI_FAULT_POINTS);
    never("auto", NI_FAULT_SYSCALL);
    demanded();
    write_all(peer->ep, mine);
    refused(peer->ep, mine);
    atomic_store(&board->step, 2);
    mock_join(pid);
    mock_close(&a);
    free(mine);
    return 0;
}
