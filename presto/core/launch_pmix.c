/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A process started by a PMIx launcher, such as Open MPI's mpirun. libpmix is loaded only then:
 * with what it needs itself it takes longer to load than everything else of a short program.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apelink_config.h"
#include "core/launch.h"

static bool applies(void)
{
    return getenv("PMIX_NAMESPACE") != NULL && getenv("PMIX_RANK") != NULL;
}

#ifdef NI_HAVE_PMIX

#include <dlfcn.h>
#include <pmix.h>

#define KEY "presto.addr"

/* libpmix, and what is used of it. */
struct library {
    void *handle;
    pmix_status_t (*init)(pmix_proc_t *, pmix_info_t *, size_t);
    pmix_status_t (*finalize)(const pmix_info_t *, size_t);
    pmix_status_t (*put)(pmix_scope_t, const char *, pmix_value_t *);
    pmix_status_t (*commit)(void);
    pmix_status_t (*fence)(const pmix_proc_t *, size_t, const pmix_info_t *, size_t);
    pmix_status_t (*get)(const pmix_proc_t *, const char *, const pmix_info_t *, size_t,
                         pmix_value_t **);
    pmix_status_t (*abort)(int, const char *, pmix_proc_t *, size_t);
    void (*value_destruct)(pmix_value_t *);
    const char *(*error_string)(pmix_status_t);
};

/* cold->launch. */
struct pmix_job {
    struct library library;
    pmix_proc_t me;
    uint32_t on_host, hosts;
};

/* ---- the library ----------------------------------------------------------------------------- */

static bool find(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);

    /* What POSIX says of dlsym, without a cast that ISO C does not know. */
    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool load(struct library *library)
{
    void *handle = dlopen(PRI_PMIX_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL) {
        handle = dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL);
    }
    if (handle == NULL) {
        fprintf(stderr, "presto: the PMIx library cannot be loaded: %s\n", dlerror());
        return false;
    }
    library->handle = handle;
    if (find(handle, "PMIx_Init", &library->init) &&
        find(handle, "PMIx_Finalize", &library->finalize) &&
        find(handle, "PMIx_Put", &library->put) && find(handle, "PMIx_Commit", &library->commit) &&
        find(handle, "PMIx_Fence", &library->fence) && find(handle, "PMIx_Get", &library->get) &&
        find(handle, "PMIx_Abort", &library->abort) &&
        find(handle, "PMIx_Value_destruct", &library->value_destruct) &&
        find(handle, "PMIx_Error_string", &library->error_string)) {
        return true;
    }
    fprintf(stderr, "presto: the PMIx library lacks a function: %s\n", dlerror());
    dlclose(handle);
    return false;
}

static int complain(const struct pmix_job *job, const char *what, pmix_status_t status)
{
    fprintf(stderr, "presto: %s failed: %s\n", what, job->library.error_string(status));
    return PRI_ERR_START;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void free_value(const struct pmix_job *job, pmix_value_t *value)
{
    job->library.value_destruct(value);
    free(value);
}

/* True under this key. */
static void load_flag(pmix_info_t *info, const char *key)
{
    memset(info, 0, sizeof(*info));
    strncpy(info->key, key, PMIX_MAX_KEYLEN);
    info->value.type = PMIX_BOOL;
    info->value.data.flag = true;
}

/* A 32-bit fact about a rank, or about the whole job, that the launcher has told in advance. */
static pmix_status_t get_number(const struct pmix_job *job, pmix_rank_t rank, const char *key,
                                uint32_t *number)
{
    pmix_proc_t whose = job->me;
    pmix_value_t *value;
    pmix_status_t status;
    pmix_info_t optional;

    whose.rank = rank;
    load_flag(&optional, PMIX_OPTIONAL);
    status = job->library.get(&whose, key, &optional, 1, &value);
    if (status != PMIX_SUCCESS) {
        return status;
    }
    if (value->type == PMIX_UINT32) {
        *number = value->data.uint32;
    } else {
        status = PMIX_ERR_TYPE_MISMATCH;
    }
    free_value(job, value);
    return status;
}

/* ---- join ------------------------------------------------------------------------------------ */

static int look_around(struct pri_rank *self, struct pmix_job *job)
{
    uint32_t size, app = 0;
    pmix_status_t status = get_number(job, PMIX_RANK_WILDCARD, PMIX_JOB_SIZE, &size);

    if (status != PMIX_SUCCESS) {
        return complain(job, "PMIx_Get of the job's size", status);
    }
    if (size == 0 || size > PRI_MAX_RANKS || job->me.rank >= size) {
        fprintf(stderr, "presto: rank %u of %u: a job has 1 to %d ranks\n", job->me.rank, size,
                PRI_MAX_RANKS);
        return PRI_ERR_START;
    }
    if (get_number(job, PMIX_RANK_WILDCARD, PMIX_LOCAL_SIZE, &job->on_host) != PMIX_SUCCESS) {
        job->on_host = size;
    }
    if (get_number(job, PMIX_RANK_WILDCARD, PMIX_NUM_NODES, &job->hosts) != PMIX_SUCCESS) {
        job->hosts = job->on_host < size ? 2 : 1;
    }
    (void)get_number(job, job->me.rank, PMIX_APPNUM, &app); /* 0 unless it says so */
    self->rank = (int)job->me.rank;
    self->size = (int)size;
    self->app = (int)app;
    self->cold->launch = job;
    return PRI_OK;
}

/* Which ranks are on this host, from a list such as "0,2"; on one host nobody asks. */
static int find_near(struct pri_rank *self, const struct pmix_job *job)
{
    pmix_proc_t all = job->me;
    pmix_value_t *value;
    pmix_status_t status;
    bool *near;

    if (job->hosts <= 1) {
        return PRI_OK;
    }
    near = calloc((size_t)self->size, sizeof(*near));
    if (near == NULL) {
        return PRI_ERR_NOMEM;
    }
    self->cold->near = near;
    near[self->rank] = true;
    all.rank = PMIX_RANK_WILDCARD;
    status = job->library.get(&all, PMIX_LOCAL_PEERS, NULL, 0, &value);
    if (status != PMIX_SUCCESS) {
        return complain(job, "PMIx_Get of the ranks of this host", status);
    }
    for (const char *at = value->type == PMIX_STRING ? value->data.string : ""; *at != '\0';) {
        char *end;
        long rank = strtol(at, &end, 10);

        if (end == at) {
            break;
        }
        if (rank >= 0 && rank < self->size) {
            near[rank] = true;
        }
        at = *end == ',' ? end + 1 : end;
    }
    free_value(job, value);
    return PRI_OK;
}

static int join(struct pri_rank *self)
{
    struct pmix_job *job = calloc(1, sizeof(*job));
    pmix_status_t status;
    int error;

    if (job == NULL || !load(&job->library)) {
        free(job);
        return PRI_ERR_START;
    }
    status = job->library.init(&job->me, NULL, 0);
    if (status != PMIX_SUCCESS) {
        error = complain(job, "PMIx_Init", status);
        free(job);
        return error;
    }
    error = look_around(self, job);
    if (error == PRI_OK) {
        error = find_near(self, job);
    }
    if (error != PRI_OK) {
        free(self->cold->near);
        self->cold->near = NULL;
        (void)job->library.finalize(NULL, 0);
        free(job);
    }
    return error;
}

static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    const struct pmix_job *job = self->cold->launch;

    attr->host_processes = job->on_host;
    attr->hosts = job->hosts;
    attr->job_key = pri_launch_key(job->me.nspace);
}

/* ---- exchange -------------------------------------------------------------------------------- */

static pmix_status_t publish(const struct pmix_job *job, const struct pri_blob *mine)
{
    char bytes[NI_BLOB_MAX];
    pmix_value_t value = {.type = PMIX_BYTE_OBJECT};
    pmix_status_t status;

    memcpy(bytes, mine->bytes, mine->length);
    value.data.bo.bytes = bytes;
    value.data.bo.size = mine->length;
    status = job->library.put(PMIX_GLOBAL, KEY, &value);
    return status == PMIX_SUCCESS ? job->library.commit() : status;
}

/* With all data, so that no rank is asked for its own afterwards. */
static pmix_status_t fence(const struct pmix_job *job)
{
    pmix_info_t collect;

    load_flag(&collect, PMIX_COLLECT_DATA);
    return job->library.fence(NULL, 0, &collect, 1);
}

static pmix_status_t look_up(const struct pmix_job *job, int rank, struct pri_blob *blob)
{
    pmix_proc_t proc = job->me;
    pmix_value_t *value;
    pmix_status_t status;

    proc.rank = (pmix_rank_t)rank;
    status = job->library.get(&proc, KEY, NULL, 0, &value);
    if (status != PMIX_SUCCESS) {
        return status;
    }
    if (value->type != PMIX_BYTE_OBJECT || value->data.bo.size > NI_BLOB_MAX) {
        status = PMIX_ERR_TYPE_MISMATCH;
    } else {
        blob->length = (uint32_t)value->data.bo.size;
        memcpy(blob->bytes, value->data.bo.bytes, blob->length);
    }
    free_value(job, value);
    return status;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    const struct pmix_job *job = self->cold->launch;
    pmix_status_t status = publish(job, mine);

    if (status == PMIX_SUCCESS) {
        status = fence(job);
    }
    for (int rank = 0; rank < self->size && status == PMIX_SUCCESS; rank++) {
        status = look_up(job, rank, &all[rank]);
    }
    return status == PMIX_SUCCESS ? PRI_OK : complain(job, "PMIx's exchange of addresses", status);
}

/* ---- end ------------------------------------------------------------------------------------- */

/* The library stays loaded: its threads may still be on their way out. */
static void leave(struct pri_rank *self, bool orderly)
{
    struct pmix_job *job = self->cold->launch;

    (void)orderly;
    (void)job->library.finalize(NULL, 0);
    free(job);
}

static void end(struct pri_rank *self, int status)
{
    const struct pmix_job *job = self->cold->launch;

    (void)job->library.abort(status, "pr_abort", NULL, 0);
}

#else

static int join(struct pri_rank *self)
{
    (void)self;
    fprintf(stderr, "presto: started by a PMIx launcher (mpirun?), but built without PMIx: "
                    "use prestorun, or build with libpmix-dev installed\n");
    return PRI_ERR_START;
}

/* Never called: nobody joins. */
static void describe(struct pri_rank *self, struct ni_open_attr *attr)
{
    (void)self;
    (void)attr;
}

static int exchange(struct pri_rank *self, const struct pri_blob *mine, struct pri_blob *all)
{
    (void)self;
    (void)mine;
    (void)all;
    return PRI_ERR_START;
}

static void leave(struct pri_rank *self, bool orderly)
{
    (void)self;
    (void)orderly;
}

static void end(struct pri_rank *self, int status)
{
    (void)self;
    (void)status;
}

#endif

const struct pri_launcher pri_launch_pmix = {
    .launch = PRI_LAUNCH_PMIX,
    .applies = applies,
    .join = join,
    .describe = describe,
    .exchange = exchange,
    .leave = leave,
    .abort = end,
};
