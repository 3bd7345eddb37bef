/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/dev/card.c, ni/link/dev/watch.c, ni/engine/drive/faults.c. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fault_page.h"
#include "suite_work.h"

/*
 * Cards that end and cables that break, with work under way: NIs 0 and 2 use one card, 1 and 3 the
 * other. dev_ends.sh names the processes to stop or end: SUITE_BOARD, the first card's, and
 * SUITE_CABLE, all cables', which loses what comes within a second of SIGUSR1.
 *
 * Or each of the four uses a card of its own, of a ring, with the page of its fault manager:
 * dev_parted.sh, which names in SUITE_CABLE and SUITE_CABLE_2 the processes of the cables from card
 * 0 to 1 and from 2 to 3.
 */

enum { NIS = 4, PAUSE_US = 500000 };

static pid_t process(const char *variable)
{
    const char *text = getenv(variable);
    long pid = text != NULL ? atol(text) : 0;

    CHECK(pid > 1);
    return (pid_t)pid;
}

static bool is_down(void *arg)
{
    return atomic_load((_Atomic uint32_t *)arg) != 0;
}

/* NI i has lost NI k, once. */
static void check_lost(struct suite *suite, unsigned i, unsigned k, ni_status expected)
{
    suite_until(suite, is_down, (void *)&suite->nis[i].downs[k]);
    CHECK(atomic_load(&suite->nis[i].down[k]) == (int)expected);
    CHECK(atomic_load(&suite->nis[i].downs[k]) == 1);
}

/* All operations from one NI to another are done, and none has failed. */
static void check_works(struct suite *suite, unsigned from, unsigned to)
{
    struct work *work = work_new(suite, to);

    suite_call(suite, from, work_start, work);
    CHECK(work_check(suite, work, NI_ERR_CABLE) == 0);
    CHECK(atomic_load(&suite->nis[from].downs[to]) == 0);
}

/* ---- a card ends ----------------------------------------------------------------------------- */

struct newcomer {
    struct ni *ni;
    uint8_t blob[NI_BLOB_MAX];
    size_t len;
};

static void open_another(struct suite_ni *ni, void *arg)
{
    struct newcomer *newcomer = arg;
    struct ni_open_attr attr = {
        .host_processes = NIS, .hosts = SUITE_NIS, .host_key = NIS, .placement = NI_PLACEMENT_TILE};

    (void)ni;
    CHECK(ni_open(&attr, &newcomer->ni) == NI_OK);
    newcomer->len = ni_address(newcomer->ni, newcomer->blob, sizeof(newcomer->blob));
    CHECK(newcomer->len > 0);
}

static void close_another(struct suite_ni *ni, void *arg)
{
    (void)ni;
    ni_close(((struct newcomer *)arg)->ni);
}

static void check_unreachable(struct suite_ni *ni, void *arg)
{
    const struct newcomer *newcomer = arg;
    struct ni_open_attr attr = {
        .host_processes = NIS, .hosts = SUITE_NIS, .host_key = NIS, .placement = NI_PLACEMENT_TILE};
    struct ni_peer *peer;
    struct ni *another;
    char reason[256] = "";

    CHECK(!ni_reachable(ni->ni, newcomer->blob, newcomer->len, reason, sizeof(reason)));
    CHECK(strstr(reason, "the card of this process has gone; see what became of apelink-board") !=
          NULL);
    CHECK(ni_connect(ni->ni, newcomer->blob, newcomer->len, &peer) == NI_ERR_UNREACHABLE);
    if (ni->suite->link->mode == SUITE_PROCESSES) { /* otherwise dev_device is the other card's */
        CHECK(ni_open(&attr, &another) == NI_ERR_UNSUPPORTED);
    }
}

/* A process that uses the card loses all others by it; they lose its processes alone. */
static void card_ends(struct suite *suite)
{
    struct newcomer *newcomer = suite_alloc(suite, sizeof(*newcomer));
    struct work *there = work_new(suite, 1), *beside = work_new(suite, 2),
                *back = work_new(suite, 0);

    suite_call(suite, 1, open_another, newcomer);
    suite_call(suite, 0, work_start, there);
    suite_call(suite, 2, work_start, back);
    CHECK(kill(process("SUITE_BOARD"), SIGKILL) == 0);
    suite_call(suite, 0, work_start, beside);
    for (unsigned i = 1; i < NIS; i++) {
        check_lost(suite, 0, i, NI_ERR_CARD);
        check_lost(suite, 2, i == 2 ? 0 : i, NI_ERR_CARD);
    }
    (void)work_check(suite, there, NI_ERR_CARD);
    (void)work_check(suite, beside, NI_ERR_CARD);
    (void)work_check(suite, back, NI_ERR_CARD);
    suite_call(suite, 0, check_unreachable, newcomer);
    check_lost(suite, 1, 0, NI_ERR_CABLE);
    check_lost(suite, 1, 2, NI_ERR_CABLE);
    check_works(suite, 1, 3);
    check_works(suite, 3, 1);
    suite_call(suite, 1, close_another, newcomer);
}

/* ---- polls that find nothing ----------------------------------------------------------------- */

static void poll_in_vain(struct suite_ni *ni, void *arg)
{
    uint64_t before = suite_stat(ni, "yields");

    (void)arg;
    for (int i = 0; i < 1000; i++) {
        (void)ni_progress(ni->ni);
    }
    CHECK(suite_stat(ni, "yields") > before);
}

/* The card is a program of this host, which may have to run on the core that waits for it. */
static void polls_lend_the_core(struct suite *suite)
{
    suite_call(suite, 0, poll_in_vain, NULL);
}

/* ---- a bye is lost --------------------------------------------------------------------------- */

/* It is said again: who closes is not taken for dead. */
static void bye_is_lost(struct suite *suite)
{
    check_works(suite, 0, 1);
    check_works(suite, 2, 1);
    CHECK(kill(process("SUITE_CABLE"), SIGUSR1) == 0);
    suite_close(suite, 1);
    check_lost(suite, 0, 1, NI_ERR_PEER_CLOSED);
    check_lost(suite, 2, 1, NI_ERR_PEER_CLOSED);
}

/* ---- cables break ---------------------------------------------------------------------------- */

/* For a while: all that was under way comes. For longer than dev_timeout_s: what is behind them is
 * lost. */
static void cables_break(struct suite *suite)
{
    struct work *there = work_new(suite, 1), *back = work_new(suite, 2);
    pid_t cables = process("SUITE_CABLE");

    suite_call(suite, 0, work_start, there);
    suite_call(suite, 3, work_start, back);
    CHECK(kill(cables, SIGSTOP) == 0);
    usleep(PAUSE_US);
    CHECK(kill(cables, SIGCONT) == 0);
    CHECK(work_check(suite, there, NI_ERR_CABLE) == 0);
    CHECK(work_check(suite, back, NI_ERR_CABLE) == 0);

    there = work_new(suite, 1);
    suite_call(suite, 0, work_start, there);
    CHECK(kill(cables, SIGKILL) == 0);
    for (unsigned i = 0; i < NIS; i++) {
        check_lost(suite, i, (i + 1) % NIS, NI_ERR_CABLE);
        check_lost(suite, i, (i + 3) % NIS, NI_ERR_CABLE);
    }
    (void)work_check(suite, there, NI_ERR_CABLE);
    check_works(suite, 0, 2);
    check_works(suite, 3, 1);
}

/* ---- two cables of a ring break -------------------------------------------------------------- */

static void signal_cables(int number)
{
    CHECK(kill(process("SUITE_CABLE"), number) == 0);
    CHECK(kill(process("SUITE_CABLE_2"), number) == 0);
}

/* Until the page of NI 0 says that there is no way to a node, or that there is one. */
static void await_page(uint32_t node, bool parted)
{
    const char *pages = getenv("SUITE_PAGES");
    char path[256];
    struct ni_fault_page *page;
    struct ni_fault_entry entry = {.parted_ns = 0};

    CHECK(pages != NULL && sscanf(pages, "%255s", path) == 1);
    CHECK(ni_fault_page_open(path, &page) == NI_OK);
    do {
        usleep(1000);
        CHECK(ni_fault_page_read(page, node, &entry));
    } while ((entry.parted_ns != 0) != parted);
    ni_fault_page_close(page);
}

/* For less than fault_parted_ms: nobody is lost, and all that was under way comes. */
static void cables_heal(struct suite *suite)
{
    struct work *before = work_new(suite, 2), *meanwhile = work_new(suite, 1);

    suite_call(suite, 0, work_start, before);
    signal_cables(SIGSTOP);
    await_page(2, true);
    suite_call(suite, 3, work_start, meanwhile);
    signal_cables(SIGCONT);
    await_page(2, false);
    CHECK(work_check(suite, before, NI_ERR_CABLE) == 0);
    CHECK(work_check(suite, meanwhile, NI_ERR_CABLE) == 0);
    for (unsigned i = 0; i < NIS; i++) {
        for (unsigned k = 0; k < NIS; k++) {
            CHECK(atomic_load(&suite->nis[i].downs[k]) == 0);
        }
    }
}

/* The reason that an NI has for the loss of another names the cables that it meets first. */
static void check_cables(struct suite_ni *ni, void *arg)
{
    const unsigned *other = arg;
    bool low = ni->index == 0 || ni->index == 3;
    const char *reason = ni_peer_reason(ni->peers[*other]);
    char text[64];

    printf("NI %u: %s\n", ni->index, reason);
    snprintf(text, sizeof(text), "no way is left to its card, node %u (", *other);
    CHECK(strncmp(reason, text, strlen(text)) == 0);
    CHECK(strstr(reason, low ? "): cables are broken at X+ of node 0 and at X- of node 3"
                             : "): cables are broken at X+ of node 2 and at X- of node 1") != NULL);
}

/* A peer out of reach to whom nothing is said is not lost, until something is. */
static void meet_late(struct suite_ni *ni, void *arg)
{
    struct ni_open_attr attr = {
        .host_processes = NIS, .hosts = SUITE_NIS, .host_key = NIS, .placement = NI_PLACEMENT_TILE};
    const struct suite_ni *other = &ni->suite->nis[2];
    ni_status status = NI_AGAIN;
    struct ni_peer *peer;
    struct ni *late;
    char error[256];

    (void)arg;
    CHECK(ni_param_set("dev_early", "no", "test", error, sizeof(error)) == NI_OK);
    CHECK(ni_open(&attr, &late) == NI_OK);
    CHECK(ni_connect(late, other->blob, other->blob_len, &peer) == NI_OK);
    for (int i = 0; i < 400; i++) {
        (void)ni_progress(late);
        usleep(1000);
    }
    CHECK(ni_peer_status(peer) == NI_OK);
    while (ni_peer_status(peer) == NI_OK) {
        if (status == NI_AGAIN) {
            status = ni_message(late, peer, 0, 0, "x", 1, NULL, 0);
        }
        (void)ni_progress(late);
    }
    CHECK(ni_peer_status(peer) == NI_ERR_CABLE);
    ni_close(late);
}

/* For longer: those that have no way to each other are lost for that reason, though dev_timeout_s
 * is for ever. Others go on. */
static void cables_part(struct suite *suite)
{
    struct work *across = work_new(suite, 2), *along = work_new(suite, 3);
    unsigned *other = suite_alloc(suite, sizeof(*other));

    suite_call(suite, 0, work_start, across);
    suite_call(suite, 0, work_start, along);
    signal_cables(SIGKILL);
    for (unsigned i = 0; i < NIS; i++) {
        for (unsigned k = 0; k < NIS; k++) {
            if ((i == 0 || i == 3) != (k == 0 || k == 3)) {
                check_lost(suite, i, k, NI_ERR_CABLE);
                *other = k;
                suite_call(suite, i, check_cables, other);
            }
        }
    }
    (void)work_check(suite, across, NI_ERR_CABLE);
    CHECK(work_check(suite, along, NI_ERR_CABLE) == 0);
    for (unsigned i = 0; i < NIS; i++) {
        check_works(suite, i, 3 - i);
    }
    suite_call(suite, 0, meet_late, NULL);
}

int main(int argc, char **argv)
{
    static const struct suite_case cases[] = {
        {"card_ends", NIS, SUITE_NEEDS_APART, card_ends},
        {"polls_lend_the_core", NIS, SUITE_NEEDS_APART, polls_lend_the_core},
        {"bye_is_lost", NIS, SUITE_NEEDS_APART, bye_is_lost},
        {"cables_break", NIS, SUITE_NEEDS_APART, cables_break},
        {"cables_heal", NIS, SUITE_NEEDS_APART, cables_heal},
        {"cables_part", NIS, SUITE_NEEDS_APART, cables_part},
    };

    return suite_main(argc, argv, cases, sizeof(cases) / sizeof(cases[0]));
}
