/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: pml_hooks/pml_hooks_under.c
 *
 * Operations under way that cannot be ended, however many, keep no other one from its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "ompi_glue/mtl.h"
#include "pml_hooks/pml_hooks_survive.h"

enum { REQUESTS = 1000, AT_ONCE = 256 };

static mca_pml_base_request_t *requests;
static unsigned ended[REQUESTS], each_time;

static int free_below(ompi_request_t **request)
{
    *request = NULL;
    return 0;
}

static bool selects(const struct pml_hooks_under_way *what)
{
    (void)what;
    return true;
}

static void end(const struct pml_hooks_under_way *what)
{
    ended[what->peer]++;
    each_time++;
}

static int fail(const char *text, unsigned number)
{
    printf("FAILED: %s: %u\n", text, number);
    return 1;
}

int main(void)
{
    requests = calloc(REQUESTS, sizeof(*requests));
    for (int i = 0; requests != NULL && i < REQUESTS; i++) {
        requests[i].req_type = MCA_PML_REQUEST_RECV;
        requests[i].req_ompi.req_free = free_below;
        pml_hooks_under_way_add(&(struct pml_hooks_under_way){
            .request = &requests[i].req_ompi,
            .peer = i,
        });
    }
    for (int round = 0; round <= REQUESTS / AT_ONCE; round++) {
        each_time = 0;
        pml_hooks_under_way_each(selects, end);
        if (each_time == 0 || each_time > REQUESTS) {
            return fail("looked at in one round", each_time);
        }
    }
    for (unsigned i = 0; i < REQUESTS; i++) {
        ompi_request_t *request = &requests[i].req_ompi;

        if (ended[i] == 0) {
            return fail("was never looked at", i);
        }
        if (request->req_free(&request) != 0 || request != NULL) {
            return fail("cannot be freed", i);
        }
    }
    each_time = 0;
    pml_hooks_under_way_each(selects, end);
    free(requests);
    return each_time == 0 ? 0 : fail("left in the end", each_time);
}
