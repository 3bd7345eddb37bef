/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_SAID_H
#define TESTS_UNIT_SAID_H

/*
 * What a component tells its user: a function runs in a process of its own, because Open MPI reads
 * its settings once, and what it prints on standard error is kept.
 */

#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ompi_glue/ompi_glue.h"

struct said {
    char text[16384];
};

/* A runtime that knows one thing, on how many hosts the job runs (0: not even that), and keeps
 * nothing that it is told. */
static uint32_t said_hosts;

static inline int said_get(const opal_process_name_t *process, const char *key, opal_list_t *info,
                           opal_value_t **value)
{
    (void)process;
    (void)info;
    if (said_hosts == 0 || strcmp(key, OPAL_PMIX_NUM_NODES) != 0) {
        return OPAL_ERR_NOT_FOUND;
    }
    *value = OBJ_NEW(opal_value_t);
    (*value)->type = OPAL_UINT32;
    (*value)->data.uint32 = said_hosts;
    return OPAL_SUCCESS;
}

static inline int said_put(opal_pmix_scope_t scope, opal_value_t *value)
{
    (void)scope;
    (void)value;
    return OPAL_SUCCESS;
}

/* In the child: nothing is set but settings, names and values, then NULL. */
static inline void said_begin(const char *const *settings, int err)
{
    dup2(err, STDERR_FILENO);
    (void)signal(SIGSEGV, SIG_DFL); /* cmocka's handler would go on with the next test */
    clearenv();
    setenv("OMPI_MCA_mca_base_param_files", "none", 1);
    for (; *settings != NULL; settings += 2) {
        setenv(settings[0], settings[1], 1);
    }
    if (opal_init_util(NULL, NULL) != OPAL_SUCCESS) {
        _exit(2);
    }
    opal_pmix.get = said_get;
    opal_pmix.put = said_put;
}

/* fn has to return true. */
static inline struct said said_by(bool (*fn)(void), const char *const *settings)
{
    struct said said;
    size_t got = 0;
    int err[2], status;
    ssize_t n;
    pid_t pid;

    memset(&said, 0, sizeof(said));
    assert_int_equal(pipe(err), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        said_begin(settings, err[1]);
        _exit(fn() ? 0 : 1);
    }
    close(err[1]);
    while (got < sizeof(said.text) - 1 &&
           (n = read(err[0], said.text + got, sizeof(said.text) - 1 - got)) > 0) {
        got += (size_t)n;
    }
    close(err[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fail_msg("status %d, and said: %s", status, said.text);
    }
    return said;
}

#define SAID_BY(fn, ...) said_by(fn, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

#endif
