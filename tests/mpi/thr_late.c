/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress thread of Open MPI's runtime is late: what was queued for it in MPI_Init has not run
 * when MPI_Finalize begins, as on a busy host. When it runs, the PMIx component, whose code such
 * callbacks are, must still be there. Covers: ompi_glue/drain.c
 */
#include "mt.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

/* libevent's, of the system or within Open MPI, by the name that this Open MPI has for it. */
typedef int once_t(void *queue, int fd, short flags, void (*callback)(int, short, void *),
                   void *arg, const struct timeval *after);

enum { IS_TIMEOUT = 1 };

static int is_pmix(struct dl_phdr_info *object, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    return strstr(object->dlpi_name, "/mca_pmix_") != NULL;
}

static void run_late(int fd, short flags, void *arg)
{
    (void)fd;
    (void)flags;
    (void)arg;
    mt_sleep(500);
    if (!dl_iterate_phdr(is_pmix, NULL)) {
        fprintf(stderr, "rank %d: the PMIx component is gone, and a callback still runs\n",
                mt_rank);
        _exit(1);
    }
}

static void be_late(void *queue)
{
    union {
        void *symbol;
        once_t *call;
    } once = {.symbol = dlsym(RTLD_DEFAULT, "event_base_once")};

    if (once.symbol == NULL) {
        once.symbol = dlsym(RTLD_DEFAULT, "opal_libevent2022_event_base_once");
    }
    mt_check(once.symbol != NULL, "this Open MPI names libevent's event_base_once otherwise");
    mt_equal(once.call(queue, -1, IS_TIMEOUT, run_late, NULL, NULL), 0, "queueing a callback");
}

int main(int argc, char **argv)
{
    void **queue;

    mt_init(&argc, &argv);
    /* Open MPI 5.0 has no such thread, and a PMIx component that is part of the library stays. */
    queue = dlsym(RTLD_DEFAULT, "orte_event_base");
    if (queue != NULL && dl_iterate_phdr(is_pmix, NULL)) {
        be_late(*queue);
    }
    return mt_finish();
}
