/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_WINDOW_H
#define PML_HOOKS_WINDOW_H

/* The windows of this process, by Open MPI's, and the locks that it holds in them. Thread-safe. */

#include "ompi_glue/pml.h"

#include "ompi_glue/osc.h"
#include "pml_hooks/pml_hooks_follow.h"

#pragma GCC visibility push(hidden)

struct pml_hooks_window {
    struct pml_hooks_window *next;
    ompi_win_t *win;
    ompi_osc_base_module_t below;   /* the functions as they were */
    uint32_t context;               /* of the communicator that it was made of */
    uint32_t number;                /* among the windows of that, from 1 */
    struct pml_hooks_follow *locks; /* those that this process holds, by next_free */
};

/* The window of ours, which stays until it is forgotten; NULL if there is none. */
struct pml_hooks_window *pml_hooks_window_find(const ompi_win_t *win);

/* The number of the next window of a communicator: the same in all of its processes. */
uint32_t pml_hooks_window_number(uint32_t context);

/* One that has just been made, with its functions as they are now; NULL without memory. */
struct pml_hooks_window *pml_hooks_window_add(ompi_win_t *win, uint32_t context, uint32_t number);
void pml_hooks_window_forget(struct pml_hooks_window *window);

/* The record says who holds a lock, as of an operation under way. */
void pml_hooks_window_hold(struct pml_hooks_window *window, const struct record_peer *peer,
                           int type, uint64_t since);
/* It is held no longer: that of a process, or of all if `peer` is NULL. */
void pml_hooks_window_release(struct pml_hooks_window *window, const struct record_peer *peer);

#pragma GCC visibility pop

#endif
