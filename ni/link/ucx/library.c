/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/bits.h"
#include "base/log.h"
#include "link/ucx/ucx.h"

/*
 * UCX is loaded when a peer on another host is first expected, not linked: a job on one host should
 * start as fast as without it, and UCX's constructors take signal handlers. All NIs of a process
 * share one context.
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static ucp_context_h shared;
static unsigned users;
static bool kept; /* it stays when they are gone */

struct ni_ucx_calls ni_ucx;

/* What we want otherwise than UCX does by itself, and the user did not say: no handlers of signals,
 * which are the program's, and no messages of its own about what we report as the end of a peer. */
static const struct setting {
    const char *name, *value;
} quiet[] = {
    {"UCX_HANDLE_ERRORS", "none"},
    {"UCX_LOG_LEVEL", "fatal"},
};

/* UCX reads these once, while it is loaded. Programs that we start must not inherit them. */
static void *load_quietly(void)
{
    bool ours[NI_ARRAY_LENGTH(quiet)];
    void *found;

    for (size_t i = 0; i < NI_ARRAY_LENGTH(quiet); i++) {
        ours[i] = getenv(quiet[i].name) == NULL && setenv(quiet[i].name, quiet[i].value, 1) == 0;
    }
    found = dlopen("libucp.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; i < NI_ARRAY_LENGTH(quiet); i++) {
        if (ours[i]) {
            (void)unsetenv(quiet[i].name);
        }
    }
    return found;
}

static bool find_symbol(void **where, const char *name)
{
    *where = dlsym(library, name);
    if (*where == NULL) {
        ni_log(NI_LOG_ERROR, "UCX has no function %s: install UCX 1.10 or newer", name);
    }
    return *where != NULL;
}

/* UCX keeps the host's name up to the first dot, with its end, in 64 bytes. Where it is longer, as
 * Linux allows, UCX's constructors write beyond them, which the C library ends the process for. */
static bool name_fits(void)
{
    enum { MOST = 63 };
    struct utsname system;
    size_t len;

    if (uname(&system) != 0) {
        return true;
    }
    len = strcspn(system.nodename, ".");
    if (len > MOST) {
        ni_log(NI_LOG_ERROR,
               "no link to other hosts: the name of this host, %s, has %zu characters, and UCX "
               "ends each process of a host whose name has more than %d before its first dot. Give "
               "the host a shorter name (hostname, or hostnamectl set-hostname)",
               system.nodename, len, MOST);
    }
    return len <= MOST;
}

static ni_status load_library(void)
{
    bool complete = true;

    if (library != NULL) {
        return NI_OK;
    }
    if (!name_fits()) {
        return NI_ERR_UNSUPPORTED;
    }
    library = load_quietly();
    if (library == NULL) {
        ni_log(NI_LOG_ERROR,
               "no link to other hosts: %s; install libucx0, or set the parameter links to shm",
               dlerror());
        return NI_ERR_UNSUPPORTED;
    }
#define NI_UCX_FIND(name) complete = complete && find_symbol((void **)(void *)&ni_ucx.name, #name);
    NI_UCX_CALLS(NI_UCX_FIND)
#undef NI_UCX_FIND
    if (!complete) {
        (void)dlclose(library);
        library = NULL;
    } else {
        ni_ucx_watch_for_strangers(library);
    }
    return complete ? NI_OK : NI_ERR_UNSUPPORTED;
}

/* Have it otherwise than UCX by itself, where the user did not say. */
static void prefer(ucp_config_t *config, const char *variable, const char *name, const char *value)
{
    if (getenv(variable) == NULL) {
        (void)ni_ucx.ucp_config_modify(config, name, value); /* it works without, slower */
    }
}

/* Before 1.17 the options of a transport are known without its name, others are passed over. */
static void prefer_tcp(ucp_config_t *config, const char *variable, const char *value)
{
    const char *name = variable + strlen("UCX_");
    unsigned major, minor, release;

    ni_ucx.ucp_get_version(&major, &minor, &release);
    prefer(config, variable, major > 1 || minor >= 17 ? name : name + strlen("TCP_"), value);
}

/* Without a device for RDMA, what goes to other hosts goes by TCP. */
static bool has_rdma(void)
{
    DIR *devices = opendir("/sys/class/infiniband");
    const struct dirent *device = NULL;

    while (devices != NULL && (device = readdir(devices)) != NULL && device->d_name[0] == '.') {
    }
    if (devices != NULL) {
        (void)closedir(devices);
    }
    return device != NULL;
}

static void configure(ucp_config_t *config)
{
    /* Peers with whom we share memory are the other link's: hosts that are namespaces of one kernel
     * look to UCX as if they were one. */
    prefer(config, "UCX_TLS", "TLS", "^shm");
    /* A sender goes by its own size, so it is the same in all processes, whatever their devices. */
    prefer_tcp(config, "UCX_TCP_RX_SEG_SIZE", NI_UCX_TCP_SEGMENT);
    /* UCX has its locks while it connects: where a peer lets nobody in for now, or is not there,
     * nothing else would go on until TCP gives up. */
    prefer_tcp(config, "UCX_TCP_CONN_NB", "y");
    /* Where the bytes are copied anyway, a question and an answer before each segment cost more
     * than one more copy. */
    if (!has_rdma()) {
        prefer(config, "UCX_RNDV_THRESH", "RNDV_THRESH", NI_UCX_TCP_EAGER);
    }
}

static ucs_status_t make_context(ucp_context_h *context)
{
    ucp_params_t params = {
        .field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED,
        .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP,
        .mt_workers_shared = 1,
    };
    ucp_config_t *config;
    ucs_status_t status = ni_ucx.ucp_config_read(NULL, NULL, &config);

    if (status != UCS_OK) {
        return status;
    }
    configure(config);
    status = ni_ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, context);
    ni_ucx.ucp_config_release(config);
    return status;
}

ni_status ni_ucx_library_get(ucp_context_h *context)
{
    ni_status status;
    ucs_status_t made = UCS_OK;

    pthread_mutex_lock(&lock);
    status = load_library();
    if (status == NI_OK && users == 0) {
        made = make_context(&shared);
    }
    if (status == NI_OK && made != UCS_OK) {
        ni_log(NI_LOG_ERROR,
               "no link to other hosts: UCX says \"%s\"; see ucx_info -d, and the environment "
               "variables UCX_TLS and UCX_NET_DEVICES",
               ni_ucx.ucs_status_string(made));
        status = NI_ERR_UNSUPPORTED;
    }
    if (status == NI_OK) {
        users++;
        *context = shared;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

unsigned ni_ucx_library_users(void)
{
    unsigned found;

    pthread_mutex_lock(&lock);
    found = users;
    pthread_mutex_unlock(&lock);
    return found;
}

void ni_ucx_library_put(void)
{
    pthread_mutex_lock(&lock);
    if (--users == 0 && !kept) {
        ni_ucx.ucp_cleanup(shared);
    }
    kept = kept && users != 0; /* the next user makes another */
    pthread_mutex_unlock(&lock);
}

void ni_ucx_library_keep(void)
{
    pthread_mutex_lock(&lock);
    kept = --users != 0;
    pthread_mutex_unlock(&lock);
}
