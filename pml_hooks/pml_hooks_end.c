/* SPDX-License-Identifier: BSD-3-Clause */
/* What ends this process, and the job: it is noted, and who has died before is said first. */
#include "pml_hooks/pml_hooks.h"

#include "ompi_glue/abort.h"
#include "opal/runtime/opal_progress.h"
#include "record/deaths.h"
#include "record/ended.h"

static ompi_glue_abort_fn_t abort_below;

static void end_job(int status, bool report)
{
    if (pml_hooks_installed()) {
        record_deaths_last_look("pml_hooks");
        __atomic_store_n(&record_own.head->ended_by, RECORD_ENDED_ABORT, __ATOMIC_RELAXED);
    }
    abort_below(status, report);
}

void pml_hooks_ending_watch(void)
{
    record_ended_begin(opal_progress);
    abort_below = ompi_glue_exchange_abort(end_job);
}

void pml_hooks_ending_ignore(void)
{
    (void)ompi_glue_exchange_abort(abort_below);
    record_ended_end();
}
