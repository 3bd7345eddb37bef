/* SPDX-License-Identifier: BSD-3-Clause */
/* Wait for the progress thread of Open MPI's runtime. */
#include "ompi_glue/drain.h"

#include "ompi_glue/ompi_glue.h"

#if BTL_VERSION >= 330

/* PMIx itself, which is never unloaded, runs the callbacks there. */
void ompi_glue_drain(void)
{
}

#else

#include <errno.h>
#include <semaphore.h>

#include "opal/mca/pmix/base/base.h"

static void reached(int fd, short flags, void *done)
{
    (void)fd;
    (void)flags;
    (void)sem_post(done);
}

/* Events of one priority run in the order in which they became active. */
void ompi_glue_drain(void)
{
    opal_event_base_t *queue = opal_pmix_base.evbase;
    opal_event_t last;
    sem_t done;

    /* The other queue is run by opal_progress, in this thread. */
    if (queue == NULL || queue == opal_sync_event_base || sem_init(&done, 0, 0) != 0) {
        return;
    }
    if (opal_event_set(queue, &last, -1, OPAL_EV_WRITE, reached, &done) == 0) {
        opal_event_active(&last, OPAL_EV_WRITE, 1);
        while (sem_wait(&done) != 0 && errno == EINTR) {
        }
        /* Waits until the callback has returned: its code may be unloaded next. */
        (void)opal_event_del(&last);
    }
    (void)sem_destroy(&done);
}

#endif
