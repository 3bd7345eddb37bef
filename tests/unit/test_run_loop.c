/* SPDX-License-Identifier: BSD-3-Clause */
/* When prestorun ends, and what its notes carry. The poll below is called instead of the system's.
 */
#include "unit.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "tools/run.h"
#include "tools/run_note.h"

enum { TRIES = 500, FIRST = 200 };

static int vain; /* polls in which nothing came */

static bool all_ready(const struct pollfd *polls, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++) {
        if (polls[i].fd >= 0 && polls[i].revents == 0) {
            return false;
        }
    }
    return true;
}

int __wrap_poll(struct pollfd *polls, nfds_t n, int timeout_ms);

/* What the rank leaves comes at once: its end, and those of its outputs and its socket; where
 * something else is polled, too, as much as has come after so many tries. Elsewhere as the
 * system's. */
int __wrap_poll(struct pollfd *polls, nfds_t n, int timeout_ms)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int ready = 0;

    for (int tries = 0; tries < TRIES; tries++) {
        ready = ppoll(polls, n, &(struct timespec){0}, NULL);
        if ((ready > 0 && all_ready(polls, n)) || (timeout_ms >= 0 && tries >= timeout_ms)) {
            break;
        }
        (void)nanosleep(&pause, NULL);
    }
    vain += ready == 0 && timeout_ms != 0;
    return ready;
}

_Noreturn void run_no_memory(void)
{
    abort();
}

/* A rank that ends at once, of a job like prestorun's. */
static int run(char **command)
{
    struct run_app app = {.ranks = 1, .directory = -1, .command = command};
    struct run_rank rank = {
        .app = &app, .wire = -1, .out.fd = -1, .err = {.fd = -1, .is_error = true}};
    struct run_job job = {
        .options = {.app_count = 1, .apps = &app, .ranks = 1, .reader = RUN_NOBODY},
        .ranks = &rank};
    int signals = run_signals_open(false), code;

    assert_true(signals >= 0);
    rank.world = run_world_first(&job);
    assert_non_null(rank.world);
    run_output_open(&job);
    run_tree_begin(&job);
    assert_true(run_spawn_all(&job));
    code = run_loop(&job, signals);
    run_output_close(&job);
    free(job.strangers.pid);
    run_serve_free(&job);
    run_worlds_free(&job);
    assert_int_equal(close(signals), 0);
    return code;
}

static void nothing_is_waited_for(void **state)
{
    (void)state;
    vain = 0;
    assert_int_equal(run((char *[]){"true", NULL}), 0);
    assert_int_equal(vain, 0);
    assert_int_equal(run((char *[]){"sh", "-c", "exit 3", NULL}), 3);
    assert_int_equal(vain, 0);
}

/* Where the limit of open files leaves no room for all three ends, none is kept. */
static void ends_come_together(void **state)
{
    const struct run_ends sent = {0, 1, 2};
    struct run_note note = {.kind = RUN_NOTE_SPAWN, .rank = 7};
    struct run_ends got;
    struct rlimit limit, before;
    int fds[2], next;

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, fds), 0);
    do { /* from here on none is open, whatever was inherited */
        next = dup(0);
    } while (next < FIRST);
    assert_int_equal(close(next), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (int room = 0; room <= 3; room++) {
        limit = (struct rlimit){.rlim_cur = (rlim_t)(next + room), .rlim_max = before.rlim_max};
        assert_true(run_note_send(fds[0], note, &sent, 0) > 0);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
        assert_int_equal(run_note_receive(fds[1], &note, &got, 0), sizeof(note));
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(note.rank, 7);
        if (room == 3) {
            assert_true(got.wire >= 0 && got.out >= 0 && got.err >= 0);
            assert_true(close(got.wire) == 0 && close(got.out) == 0 && close(got.err) == 0);
        } else {
            assert_true(got.wire == -1 && got.out == -1 && got.err == -1);
        }
        assert_int_equal(dup(0), next);
        assert_int_equal(close(next), 0);
    }
    for (int fd = 3; fd < FIRST; fd++) {
        (void)close(fd);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_waited_for),
                                       cmocka_unit_test(ends_come_together)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
