/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/inproc/hooks.h"
#include "suite_private.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "rounds.h"

/*
 * Runs the cases of a topic over all links, each in a process of its own.
 */

enum { CHANNELS = 4 }; /* of a card: so many NIs use it at most */

/* Words of SUITE_DEVICES. */
static unsigned devices(void)
{
    const char *text = getenv("SUITE_DEVICES");
    unsigned count = text != NULL && text[0] != '\0';

    while (text != NULL && (text = strchr(text, ' ')) != NULL) {
        text++;
        count++;
    }
    return count;
}

/* Killing leaves other threads of the process alone only where the fabric does it. */
static bool can_run(const struct suite_link *link, const struct suite_case *test)
{
    if ((test->needs & SUITE_NEEDS_KILL) != 0 && link->mode != SUITE_PROCESSES &&
        !(link->inproc && link->mode == SUITE_HERE)) {
        return false;
    }
    if ((test->needs & SUITE_NEEDS_EXEC) != 0 && link->mode != SUITE_PROCESSES) {
        return false;
    }
    if ((test->needs & SUITE_NEEDS_LOSS) != 0 && ((!link->inproc && !link->far) || link->card)) {
        return false;
    }
    if (link->card && test->n > CHANNELS * devices()) {
        return false;
    }
    if ((test->needs & SUITE_NEEDS_ENGINE) != 0 && link->placement == NI_PLACEMENT_DEFAULT) {
        return false;
    }
    if ((test->needs & SUITE_NEEDS_READERS) != 0 && link->far && link->mode == SUITE_HERE) {
        return false;
    }
    if ((test->needs & SUITE_NEEDS_RAILS) != 0 && link->far) {
        return false;
    }
    return (test->needs & (link->mode == SUITE_HERE ? SUITE_NEEDS_APART : SUITE_NEEDS_HERE)) == 0;
}

static void *shared(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(memory != MAP_FAILED);
    return memory;
}

/* In a process of its own, so that parameters do not stay and leaks are seen for each case. */
static void run_case(const struct suite_link *link, const struct suite_case *test, uint64_t seed)
{
    struct suite *suite = shared(sizeof(*suite));

    suite->link = link;
    suite->case_name = test->name;
    suite->n = test->n;
    suite->seed = seed;
    suite->nis = shared(SUITE_NIS * sizeof(*suite->nis));
    suite->private = shared(sizeof(*suite->private));
    suite->private->arena = shared(SUITE_ARENA);
    suite_watch(suite);
    suite_start(suite);
    test->run(suite);
    suite_stop(suite);
}

static bool run_apart(const struct suite_link *link, const struct suite_case *test, uint64_t seed)
{
    int status = 0;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    CHECK(pid >= 0);
    if (pid == 0) {
        run_case(link, test, seed);
        exit(0);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "link %s, case %s: signal %d\n", link->name, test->name, WTERMSIG(status));
    }
    return status == 0;
}

/* Not where time is short: AddressSanitizer sees no more there than elsewhere. */
static bool beside_engines;

void suite_beside_engines(void)
{
#ifndef __SANITIZE_ADDRESS__
    beside_engines = true;
#endif
}

static bool between_hosts;

void suite_between_hosts(void)
{
    between_hosts = true;
}

static bool on_several_hosts;

void suite_on_several_hosts(void)
{
    on_several_hosts = true;
}

/* What a sanitizer sees in this row it sees in others, too. */
static bool seen_elsewhere(const struct suite_link *link)
{
    if (!test_time_is_short()) {
        return false;
    }
    if (NI_TSAN) {
        /* NIs of one thread race with nothing but the thread that the link between hosts has. */
        return link->mode != SUITE_THREADS && link->placement == NI_PLACEMENT_DEFAULT &&
               (link->again || !link->far);
    }
    return link->again;
}

/* Rows with engine threads or between hosts are for those that ask, and for who names them. */
static bool is_for_us(const struct suite_link *link, const struct suite_case *test, int argc)
{
    if (argc <= 1 && seen_elsewhere(link)) {
        return false;
    }
    if (link->card) {
        return devices() != 0 && (argc > 1 || between_hosts);
    }
    if (link->far) {
        return (link->hosts == 0 ? between_hosts : on_several_hosts) || argc > 1;
    }
    if (suite_is_over_rails() && link->inproc && link->copy != NI_FABRIC_SAME_MEMORY &&
        link->placement == NI_PLACEMENT_DEFAULT && argc <= 1) {
        return false; /* it is what the row without copies is, too */
    }
    return link->placement == NI_PLACEMENT_DEFAULT || beside_engines || argc > 1 ||
           (test->needs & SUITE_NEEDS_ENGINE) != 0;
}

static bool wanted(int argc, char **argv, int arg, const char *name)
{
    return argc <= arg || strcmp(argv[arg], name) == 0 || strcmp(argv[arg], "-") == 0;
}

/* One case over one link with one seed. */
static bool run_one(const struct suite_link *link, const struct suite_case *test, uint64_t seed)
{
    uint64_t begin = ni_now_ns();
    bool ok = run_apart(link, test, seed);

    printf("%s %s %s %llu (%u ms)\n", ok ? "ok  " : "FAIL", link->name, test->name,
           (unsigned long long)seed, (unsigned)((ni_now_ns() - begin) / 1000000));
    fflush(stdout);
    return ok;
}

int suite_main_seeds(int argc, char **argv, const struct suite_case *cases, size_t count,
                     uint64_t seeds)
{
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
    uint64_t last = argc > 3 || (test_time_is_short() && argc <= 1) ? first : seeds;
    unsigned ran = 0, failed = 0;

    suite_exec_main(argc, argv);

    for (size_t l = 0; l < suite_link_count; l++) {
        for (size_t c = 0; c < count; c++) {
            if (!wanted(argc, argv, 1, suite_links[l].name) ||
                !wanted(argc, argv, 2, cases[c].name) ||
                !is_for_us(&suite_links[l], &cases[c], argc) ||
                !can_run(&suite_links[l], &cases[c])) {
                continue;
            }
            /* The engine thread's pace repeats with no seed. */
            uint64_t end = suite_links[l].placement != NI_PLACEMENT_DEFAULT ? first : last;

            for (uint64_t seed = first; seed <= end; seed++) {
                failed += !run_one(&suite_links[l], &cases[c], seed);
                ran++;
            }
        }
    }
    printf("%u cases run, %u failed; repeat one with: %s LINK CASE SEED\n", ran, failed, argv[0]);
    if (ran == 0 && argc <= 1 && test_time_is_short()) {
        printf("skipped: no row shows this sanitizer more than others (APELINK_TEST_ALL=yes)\n");
        return 77;
    }
    return ran == 0 || failed != 0;
}

int suite_main(int argc, char **argv, const struct suite_case *cases, size_t count)
{
    return suite_main_seeds(argc, argv, cases, count, 1);
}
