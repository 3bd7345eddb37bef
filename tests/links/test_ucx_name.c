/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/ucx/link.c. */
/*
 * A host whose name is longer than UCX can take, as Linux allows: there is a sentence, with the
 * name and what to do, where UCX would end the process, and who does not need the link goes on
 * without it. Names that UCX can take are none of that.
 *
 * Covers: ni/link/ucx/library.c
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/bits.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

enum { SKIPPED = 77 };

#define EIGHT   "node001-"
#define FORTY   EIGHT EIGHT EIGHT EIGHT EIGHT
#define LONGEST FORTY EIGHT EIGHT EIGHT /* 64 */

static const struct one {
    const char *name;
    bool fits;
} names[] = {
    {"short", true},
    {FORTY EIGHT EIGHT "sixty-3", true},
    {FORTY "." EIGHT EIGHT "sixty-4", true},
    {LONGEST, false},
};

static const char *own;
static unsigned told;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_name.c:%d: %s: %s\n", line, own, what);
    exit(1);
}

static void on_log(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    told += level == NI_LOG_ERROR && strstr(text, own) != NULL && strstr(text, "64") != NULL &&
            strstr(text, "Give the host a shorter name") != NULL;
}

static ni_status try_open(const char *links, unsigned hosts)
{
    struct ni_open_attr attr = {.job_key = 77, .hosts = hosts};
    char error[256];
    ni_status status;
    struct ni *ni;

    CHECK(ni_param_set("links", links, "test", error, sizeof(error)) == NI_OK);
    status = ni_open(&attr, &ni);
    if (status == NI_OK) {
        ni_close(ni);
    }
    return status;
}

/* In a process of its own: UCX asks for the name once. */
static void run(const struct one *one)
{
    own = one->name;
    CHECK(sethostname(own, strlen(own)) == 0);
    ni_log_set_sink(on_log, NULL);
    CHECK(try_open("auto", 1) == NI_OK && told == 0);
    CHECK(try_open("auto", 2) == NI_OK && told == !one->fits);
    CHECK(try_open("ucx", 2) == (one->fits ? NI_OK : NI_ERR_UNSUPPORTED));
    CHECK(told == (one->fits ? 0 : 2));
    exit(0);
}

int main(void)
{
    if (unshare(CLONE_NEWUTS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWUTS) != 0) {
        printf("skipped: this process may not have a host name of its own: %s\n", strerror(errno));
        return SKIPPED;
    }
    for (size_t i = 0; i < NI_ARRAY_LENGTH(names); i++) {
        int status;
        pid_t pid;

        own = names[i].name;
        pid = fork();
        CHECK(pid >= 0);
        if (pid == 0) {
            run(&names[i]);
        }
        CHECK(waitpid(pid, &status, 0) == pid);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return 0;
}
