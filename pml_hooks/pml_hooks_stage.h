/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_STAGE_H
#define PML_HOOKS_STAGE_H

#include "pml_hooks/pml_hooks.h"

#pragma GCC visibility push(hidden)

/*
 * A buffer in the host's memory that stands for one of a GPU while a message goes. It has the
 * message's bytes and, where the type leaves gaps, those between them.
 */
struct pml_hooks_stage;

/* Find what copies in the library libcuda; false if it is not there. */
bool pml_hooks_stage_open(void *library);

/* A stage for `count` of a type at a GPU's `buffer`; NULL without memory. */
struct pml_hooks_stage *pml_hooks_stage_new(const void *buffer, size_t count,
                                            const struct ompi_datatype_t *type, bool is_send);
void pml_hooks_stage_free(struct pml_hooks_stage *stage);

/* What the PML gets in place of the GPU's buffer. */
void *pml_hooks_stage_buffer(const struct pml_hooks_stage *stage);

/* Before an operation begins: bring into the stage what it needs of the GPU. When it has ended with
 * this status and error: bring what has come to the GPU. OMPI_SUCCESS, or MPI_ERR_BUFFER if the GPU
 * cannot be read or written. */
int pml_hooks_stage_begin(const struct pml_hooks_stage *stage);
int pml_hooks_stage_end(const struct pml_hooks_stage *stage, const ompi_status_public_t *status,
                        int error);

/* A nonblocking operation that has begun with `rc` has this request: from now on the stage is the
 * request's, and ends with it. Returns rc, or an error. */
int pml_hooks_stage_follow(struct pml_hooks_stage *stage, int rc, ompi_request_t *request);

/* The same for a request that is used again: the stage stays for all of its operations. */
int pml_hooks_stage_keep(struct pml_hooks_stage *stage, int rc, ompi_request_t *request);

/* Start such a request by `start`; any other is passed on. */
int pml_hooks_stage_start(mca_pml_base_module_start_fn_t start, ompi_request_t **request);

/* Have the ends of such requests seen: put our functions before those of the table. */
void pml_hooks_stage_install(ompi_request_fns_t *functions);

#pragma GCC visibility pop

#endif
