/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/launch_pmix.c. */
/*
 * A PMIx launcher that is not Open MPI's: pmix_launcher N PROGRAM [ARGUMENT...] starts N processes
 * on this host as one job. It tells them what the standard demands of a launcher and no more,
 * serves their fence, and ends the job when a process fails or calls PMIx_Abort. The exit status is
 * that of the first that failed, 128 + N for signal N.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pmix.h>
#include <pmix_server.h>

enum { MOST = 64 };

static const pmix_nspace_t job = "pmix_launcher";
static pid_t pids[MOST];
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over all below */
static int first_failure;                                /* exit status; 0: none */

static _Noreturn void give_up(const char *what, const char *why)
{
    fprintf(stderr, "pmix_launcher: %s: %s\n", what, why);
    exit(99);
}

static void demand(const char *what, pmix_status_t status)
{
    if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
        give_up(what, PMIx_Error_string(status));
    }
}

/* The first failure counts; all others are ended. */
static void fail(int code)
{
    pthread_mutex_lock(&lock);
    if (first_failure == 0) {
        first_failure = code;
        for (int i = 0; i < count; i++) {
            if (pids[i] != 0) {
                (void)kill(pids[i], SIGKILL);
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

/* ---- what processes ask for ------------------------------------------------------------------ */

static pmix_status_t on_process(const pmix_proc_t *proc, void *object, pmix_op_cbfunc_t done,
                                void *arg)
{
    (void)proc;
    (void)object;
    if (done != NULL) { /* of those who connect nobody wants to know when it is over */
        done(PMIX_SUCCESS, arg);
    }
    return PMIX_SUCCESS;
}

static pmix_status_t on_abort(const pmix_proc_t *proc, void *object, int status, const char *text,
                              pmix_proc_t *procs, size_t n, pmix_op_cbfunc_t done, void *arg)
{
    (void)object;
    (void)procs;
    (void)n;
    fprintf(stderr, "pmix_launcher: rank %u aborts with code %d: %s\n", proc->rank, status, text);
    fail(status);
    done(PMIX_SUCCESS, arg);
    return PMIX_SUCCESS;
}

/* All are on this host, so that the data of all is here when the last has come. */
static pmix_status_t on_fence(const pmix_proc_t *procs, size_t n, const pmix_info_t *info,
                              size_t infos, char *data, size_t bytes, pmix_modex_cbfunc_t done,
                              void *arg)
{
    (void)procs;
    (void)n;
    (void)info;
    (void)infos;
    done(PMIX_SUCCESS, data, bytes, arg, NULL, NULL);
    return PMIX_SUCCESS;
}

static pmix_server_module_t module = {
    .client_connected = on_process,
    .client_finalized = on_process,
    .abort = on_abort,
    .fence_nb = on_fence,
};

/* ---- the job --------------------------------------------------------------------------------- */

/* Host and ranks as PMIx wants them: its own short form of lists. */
static void describe_job(void)
{
    char host[256], ranks[MOST * 4], *nodes, *procs;
    size_t used = 0;
    uint32_t size = (uint32_t)count;
    pmix_info_t *info;

    if (gethostname(host, sizeof(host)) != 0) {
        give_up("gethostname", strerror(errno));
    }
    for (int i = 0; i < count; i++) {
        used += (size_t)snprintf(ranks + used, sizeof(ranks) - used, i == 0 ? "%d" : ",%d", i);
    }
    demand("PMIx_generate_regex", PMIx_generate_regex(host, &nodes));
    demand("PMIx_generate_ppn", PMIx_generate_ppn(ranks, &procs));
    PMIX_INFO_CREATE(info, 4);
    PMIX_INFO_LOAD(&info[0], PMIX_NODE_MAP, nodes, PMIX_STRING);
    PMIX_INFO_LOAD(&info[1], PMIX_PROC_MAP, procs, PMIX_STRING);
    PMIX_INFO_LOAD(&info[2], PMIX_JOB_SIZE, &size, PMIX_UINT32);
    PMIX_INFO_LOAD(&info[3], PMIX_UNIV_SIZE, &size, PMIX_UINT32);
    demand("PMIx_server_register_nspace",
           PMIx_server_register_nspace(job, count, info, 4, NULL, NULL));
    PMIX_INFO_FREE(info, 4);
    free(nodes);
    free(procs);
}

static char **copy_environment(void)
{
    extern char **environ;
    char **copy;
    size_t n = 0;

    while (environ[n] != NULL) {
        n++;
    }
    copy = calloc(n + 1, sizeof(*copy));
    for (size_t i = 0; copy != NULL && i < n; i++) {
        copy[i] = strdup(environ[i]);
    }
    if (copy == NULL) {
        give_up("the environment", strerror(errno));
    }
    return copy;
}

static void start_process(int rank, char **command)
{
    pmix_proc_t proc;
    char **environment = copy_environment();
    pid_t pid;

    PMIX_PROC_LOAD(&proc, job, (pmix_rank_t)rank);
    demand("PMIx_server_register_client",
           PMIx_server_register_client(&proc, getuid(), getgid(), NULL, NULL, NULL));
    demand("PMIx_server_setup_fork", PMIx_server_setup_fork(&proc, &environment));
    pid = fork();
    if (pid < 0) {
        give_up("fork", strerror(errno));
    }
    if (pid == 0) {
        (void)execvpe(command[0], command, environment);
        _exit(127);
    }
    pthread_mutex_lock(&lock);
    pids[rank] = pid;
    if (first_failure != 0) {
        (void)kill(pid, SIGKILL);
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; environment[i] != NULL; i++) {
        free(environment[i]);
    }
    free(environment);
}

static void forget(pid_t pid)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < count; i++) {
        pids[i] = pids[i] == pid ? 0 : pids[i];
    }
    pthread_mutex_unlock(&lock);
}

static void wait_for_all(void)
{
    for (int left = count; left > 0; left--) {
        int status;
        pid_t pid = waitpid(-1, &status, 0);

        if (pid < 0) {
            give_up("waitpid", strerror(errno));
        }
        forget(pid);
        if (WIFSIGNALED(status)) {
            fail(128 + WTERMSIG(status));
        } else if (WEXITSTATUS(status) != 0) {
            fail(WEXITSTATUS(status));
        }
    }
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/pmix_launcher.XXXXXX";
    pmix_info_t *info;

    count = argc > 2 ? atoi(argv[1]) : 0;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "usage: pmix_launcher N PROGRAM [ARGUMENT...], N 1 to %d\n", MOST);
        return 99;
    }
    if (mkdtemp(folder) == NULL) {
        give_up(folder, strerror(errno));
    }
    PMIX_INFO_CREATE(info, 1);
    PMIX_INFO_LOAD(&info[0], PMIX_SERVER_TMPDIR, folder, PMIX_STRING);
    demand("PMIx_server_init", PMIx_server_init(&module, info, 1));
    PMIX_INFO_FREE(info, 1);
    describe_job();
    for (int rank = 0; rank < count; rank++) {
        start_process(rank, argv + 2);
    }
    wait_for_all();
    PMIx_server_deregister_nspace(job, NULL, NULL);
    demand("PMIx_server_finalize", PMIx_server_finalize());
    (void)rmdir(folder);
    return first_failure;
}
