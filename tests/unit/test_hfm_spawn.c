/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/daemon/spawn.c, hfm/daemon/spawn.h. */
#include "unit.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dnp/board/realtime.h"
#include "hfm/daemon/spawn.h"

/* In place of those of realtime.c: with no thread to be had, or a plain one. */
static int no_thread;

int board_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, bool ordinary)
{
    assert_true(ordinary);
    return no_thread != 0 ? no_thread : pthread_create(thread, NULL, run, arg);
}

bool board_thread_end(pthread_t thread)
{
    return pthread_join(thread, NULL) == 0;
}

static unsigned descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void assert_no_start(const char *why)
{
    struct hfm_spawn spawn;
    struct unit_log log;
    unsigned before = descriptors();

    unit_log_start(&log);
    assert_false(hfm_spawn_start(&spawn));
    unit_log_stop();
    assert_int_equal(log.count, 1);
    unit_assert_contains(log.text, why);
    assert_true(hfm_spawn_stop(&spawn));
    assert_int_equal(descriptors(), before);
}

static void test_without_a_thread_nothing_stays_open(void **state)
{
    (void)state;
    no_thread = EAGAIN;
    assert_no_start("no thread for hooks: Resource temporarily unavailable");
    no_thread = 0;
}

/* Descriptors for reading the folder of descriptors, or for one of the two that are wanted. */
static void test_without_descriptors_nothing_stays_open(void **state)
{
    int lowest = dup(0);
    struct rlimit usual, few;

    (void)state;
    assert_true(lowest >= 0);
    close(lowest);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &usual), 0);
    few = usual;
    few.rlim_cur = (rlim_t)lowest + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    assert_no_start("no thread for hooks: Too many open files");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &usual), 0);
}

/* Ask for a program, and wait until it has been started, or not. */
static int begin(struct hfm_spawn *spawn, char *const argv[], pid_t *pid)
{
    struct pollfd done = {.fd = spawn->done, .events = POLLIN};
    int error;

    assert_false(hfm_spawn_take(spawn, pid, &error));
    hfm_spawn_ask(spawn, argv);
    while (!hfm_spawn_take(spawn, pid, &error)) {
        (void)poll(&done, 1, -1);
    }
    return error;
}

static void test_programs_are_started(void **state)
{
    char *const good[] = {"/bin/sh", "-c", "exit 3", NULL}, *const bad[] = {"/no/such", NULL};
    unsigned before = descriptors();
    struct hfm_spawn spawn;
    int status;
    pid_t pid;

    (void)state;
    assert_true(hfm_spawn_start(&spawn));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(begin(&spawn, bad, &pid), ENOENT);
        assert_int_equal(pid, 0);
        assert_int_equal(begin(&spawn, good, &pid), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    }
    assert_true(hfm_spawn_stop(&spawn));
    assert_true(hfm_spawn_stop(&spawn)); /* there is none any more */
    assert_int_equal(descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_a_thread_nothing_stays_open),
        cmocka_unit_test(test_without_descriptors_nothing_stays_open),
        cmocka_unit_test(test_programs_are_started),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
