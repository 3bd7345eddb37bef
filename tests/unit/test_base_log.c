/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/log.c. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config.h"
#include "base/log.h"

/* Standard error as a pipe in packet mode, where each read returns what one write has written. */
struct redirect {
    int saved;
    int read_end;
};

static void redirect_start(struct redirect *redirect)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_DIRECT | O_NONBLOCK), 0);
    fflush(stderr);
    redirect->saved = dup(STDERR_FILENO);
    assert_true(redirect->saved >= 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
    redirect->read_end = ends[0];
}

/* What one write has written, or "" if there was none. */
static size_t redirect_read(const struct redirect *redirect, char *text, size_t size)
{
    ssize_t n = read(redirect->read_end, text, size - 1);

    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static void redirect_stop(const struct redirect *redirect)
{
    dup2(redirect->saved, STDERR_FILENO);
    close(redirect->saved);
    close(redirect->read_end);
}

static void expected_line(char *line, size_t size, pid_t pid, const char *rest)
{
    char host[HOST_NAME_MAX + 1] = "";

    gethostname(host, sizeof host);
    host[strcspn(host, ".")] = '\0';
    snprintf(line, size, "[apelink %s:%d] %s\n", host, (int)pid, rest);
}

static int set_up(void **state)
{
    (void)state;
    ni_log_set_level(NI_LOG_WARN);
    return 0;
}

static void test_a_message_is_one_write_with_prefix(void **state)
{
    struct redirect redirect;
    char line[PIPE_BUF + 1], more[16], expected[512];

    (void)state;
    redirect_start(&redirect);
    ni_log(NI_LOG_WARN, "ring %d of %s", 7, "peer");
    redirect_read(&redirect, line, sizeof line);
    redirect_read(&redirect, more, sizeof more);
    redirect_stop(&redirect);
    expected_line(expected, sizeof expected, getpid(), "warning: ring 7 of peer");
    assert_string_equal(line, expected);
    assert_string_equal(more, "");
}

static void test_levels_filter(void **state)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};
    struct unit_log log;

    (void)state;
    for (int most = NI_LOG_ERROR; most <= NI_LOG_DEBUG; most++) {
        ni_log_set_level((enum ni_log_level)most);
        for (int level = NI_LOG_ERROR; level <= NI_LOG_DEBUG; level++) {
            unit_log_start(&log);
            ni_log((enum ni_log_level)level, "%s", names[level]);
            unit_log_stop();
            assert_int_equal(log.count, level <= most);
            assert_int_equal(ni_log_enabled((enum ni_log_level)level), level <= most);
            if (log.count == 1) {
                assert_int_equal(log.level, level);
                assert_string_equal(log.text, names[level]);
            }
        }
    }
}

static void test_every_level_has_a_name_in_the_line(void **state)
{
    static const char *const names[] = {"error: x", "warning: x", "info: x", "debug: x"};
    char line[PIPE_BUF + 1], expected[512];
    struct redirect redirect;

    (void)state;
    ni_log_set_level(NI_LOG_DEBUG);
    for (int level = NI_LOG_ERROR; level <= NI_LOG_DEBUG; level++) {
        redirect_start(&redirect);
        ni_log((enum ni_log_level)level, "x");
        redirect_read(&redirect, line, sizeof line);
        redirect_stop(&redirect);
        expected_line(expected, sizeof expected, getpid(), names[level]);
        assert_string_equal(line, expected);
    }
}

static void test_errno_is_preserved(void **state)
{
    struct redirect redirect;

    (void)state;
    redirect_start(&redirect);
    errno = EXDEV;
    ni_log(NI_LOG_ERROR, "text");
    assert_int_equal(errno, EXDEV);
    redirect_stop(&redirect);

    int saved = dup(STDERR_FILENO);

    close(STDERR_FILENO); /* a write that fails sets errno */
    errno = EXDEV;
    ni_log(NI_LOG_ERROR, "text");
    int after = errno;

    dup2(saved, STDERR_FILENO);
    close(saved);
    assert_int_equal(after, EXDEV);
}

static void test_control_characters_do_not_break_the_line(void **state)
{
    struct unit_log log;

    (void)state;
    unit_log_start(&log);
    ni_log(NI_LOG_ERROR, "value \"%s\"", "a\nb\tc\x1b[31m\x7f");
    unit_log_stop();
    assert_string_equal(log.text, "value \"a b c [31m \"");
}

static void test_a_long_message_is_cut_to_one_atomic_write(void **state)
{
    struct redirect redirect;
    char line[PIPE_BUF + 1], more[16];
    char *text = malloc(3 * PIPE_BUF);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', 3 * PIPE_BUF);
    text[3 * PIPE_BUF - 1] = '\0';
    redirect_start(&redirect);
    ni_log(NI_LOG_ERROR, "%s", text);
    size_t length = redirect_read(&redirect, line, sizeof line);

    redirect_read(&redirect, more, sizeof more);
    redirect_stop(&redirect);
    free(text);
    assert_true(length <= PIPE_BUF && length > PIPE_BUF - 8);
    assert_string_equal(line + length - 5, "x...\n");
    assert_string_equal(more, "");
}

static void test_the_prefix_after_fork_is_the_childs(void **state)
{
    struct redirect redirect;
    char line[PIPE_BUF + 1], expected[512];
    int status = -1;

    (void)state;
    redirect_start(&redirect);
    ni_log(NI_LOG_ERROR, "parent"); /* whatever is computed lazily has been computed */
    redirect_read(&redirect, line, sizeof line);

    pid_t child = fork();

    if (child == 0) {
        ni_log(NI_LOG_ERROR, "child");
        _exit(0);
    }
    waitpid(child, &status, 0);
    redirect_read(&redirect, line, sizeof line);
    redirect_stop(&redirect);
    assert_int_equal(status, 0);
    expected_line(expected, sizeof expected, child, "error: child");
    assert_string_equal(line, expected);
}

static void test_what_a_sink_passes_on_is_the_same_line(void **state)
{
    struct redirect redirect;
    char line[PIPE_BUF + 1], more[16], expected[512], *text = malloc(PIPE_BUF);
    struct unit_log log;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', PIPE_BUF - 1);
    text[PIPE_BUF - 1] = '\0';
    redirect_start(&redirect);
    unit_log_start(&log); /* a sink is not called for it */
    ni_log_write(NI_LOG_INFO, "all is well");
    redirect_read(&redirect, line, sizeof line);
    ni_log_write(NI_LOG_ERROR, text);
    unit_log_stop();
    expected_line(expected, sizeof expected, getpid(), "info: all is well");
    assert_string_equal(line, expected);

    size_t length = redirect_read(&redirect, line, sizeof line);

    redirect_read(&redirect, more, sizeof more);
    redirect_stop(&redirect);
    free(text);
    assert_int_equal(log.count, 0);
    assert_true(length <= PIPE_BUF && length > PIPE_BUF - 8);
    assert_string_equal(line + length - 5, "x...\n");
    assert_string_equal(more, "");
}

static void test_limited_messages_stop_and_say_so(void **state)
{
    struct ni_log_limit once = NI_LOG_LIMIT(1);
    struct ni_log_limit three = NI_LOG_LIMIT(3);
    struct unit_log log;

    (void)state;
    unit_log_start(&log);
    for (int i = 0; i < 5; i++) {
        ni_log_limited(&once, NI_LOG_WARN, "once");
    }
    assert_int_equal(log.count, 1);
    assert_string_equal(log.text, "once");
    for (int i = 0; i < 5; i++) {
        ni_log_limited(&three, NI_LOG_WARN, "three %d", i);
    }
    unit_log_stop();
    assert_int_equal(log.count, 4);
    assert_string_equal(log.all, "once\nthree 0\nthree 1\n"
                                 "three 2 (further messages like this are not shown)\n");
}

static void test_messages_below_the_level_do_not_use_up_the_limit(void **state)
{
    struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct unit_log log;

    (void)state;
    unit_log_start(&log);
    ni_log_limited(&limit, NI_LOG_DEBUG, "quiet");
    ni_log_set_level(NI_LOG_DEBUG);
    ni_log_limited(&limit, NI_LOG_DEBUG, "loud");
    unit_log_stop();
    assert_string_equal(log.all, "loud\n");
}

static _Atomic unsigned shared_count;

static void count_message(enum ni_log_level level, const char *text, void *arg)
{
    (void)level;
    (void)text;
    (void)arg;
    atomic_fetch_add(&shared_count, 1);
}

static void *log_many(void *arg)
{
    for (int i = 0; i < 1000; i++) {
        ni_log_limited(arg, NI_LOG_ERROR, "message %d", i);
    }
    return NULL;
}

static void test_the_limit_holds_among_threads(void **state)
{
    struct ni_log_limit limit = NI_LOG_LIMIT(10);
    pthread_t threads[4];

    (void)state;
    ni_log_set_sink(count_message, NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, log_many, &limit), 0);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    ni_log_set_sink(NULL, NULL);
    assert_int_equal(atomic_load(&shared_count), 10);
}

/* Runs in a child, where nobody has set a level yet. */
static void expect_parameter_level(const char *text, enum ni_log_level most)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        struct unit_log log;

        setenv("APENI_LOG_LEVEL", text, 1);
        unit_log_start(&log);
        for (int level = NI_LOG_ERROR; level <= NI_LOG_DEBUG; level++) {
            ni_log((enum ni_log_level)level, "x");
        }
        _exit((int)log.count);
    }
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), (int)most + 1);
}

/* The first test: nothing before it may have set the level or read the configuration. */
static void test_the_level_comes_from_the_parameter(void **state)
{
    (void)state;
    expect_parameter_level("error", NI_LOG_ERROR);
    expect_parameter_level("info", NI_LOG_INFO);
    expect_parameter_level("debug", NI_LOG_DEBUG);
    expect_parameter_level("nonsense", NI_LOG_WARN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_level_comes_from_the_parameter),
        cmocka_unit_test_setup(test_a_message_is_one_write_with_prefix, set_up),
        cmocka_unit_test_setup(test_levels_filter, set_up),
        cmocka_unit_test_setup(test_every_level_has_a_name_in_the_line, set_up),
        cmocka_unit_test_setup(test_errno_is_preserved, set_up),
        cmocka_unit_test_setup(test_control_characters_do_not_break_the_line, set_up),
        cmocka_unit_test_setup(test_a_long_message_is_cut_to_one_atomic_write, set_up),
        cmocka_unit_test_setup(test_the_prefix_after_fork_is_the_childs, set_up),
        cmocka_unit_test_setup(test_what_a_sink_passes_on_is_the_same_line, set_up),
        cmocka_unit_test_setup(test_limited_messages_stop_and_say_so, set_up),
        cmocka_unit_test_setup(test_messages_below_the_level_do_not_use_up_the_limit, set_up),
        cmocka_unit_test_setup(test_the_limit_holds_among_threads, set_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
