/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PML_HOOKS_INJECT_H
#define PML_HOOKS_INJECT_H

#include "pml_hooks/pml_hooks.h"

/*
 * Faults that the parameter pml_hooks_inject asks for. They are a layer of their own between the
 * recorder and the PML: where nothing is injected there is no layer, and nothing is asked.
 *
 *   rules.c   the schedule
 *   inject.c  the layer: what is done before a send or receive is passed on
 *   hold.c    messages that others overtake
 */

/* Read the schedule. False if it is wrong, which has been said. */
bool pml_hooks_inject_read(void);

/* Stand between the functions of `module` and the one who calls them. */
void pml_hooks_inject_install(mca_pml_base_module_t *module);

/* Send what is held back; say what was injected. Called when the functions of the PML are its own
 * again. */
void pml_hooks_inject_end(void);

/* Add a fault to the record. */
void pml_hooks_note_fault(const struct record_fault *fault);

/* ---- messages that are held back --------------------------------------------------------------
 */

/* The functions that held messages are sent by. */
void pml_hooks_hold_begin(const mca_pml_base_module_t *below);

/* Hold a standard send back until `overtaking` messages to other peers have gone, or the process
 * waits in MPI. False if it must be sent as it is: too long, too many, or there is no memory. */
bool pml_hooks_hold(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                    int tag, struct ompi_communicator_t *comm, uint64_t overtaking,
                    const struct record_fault *fault);

/* A message to a peer is about to go. What is held back for that peer goes first. */
void pml_hooks_hold_before(struct ompi_communicator_t *comm, int peer);

/* It has gone: those to others have been overtaken. */
void pml_hooks_hold_after(struct ompi_communicator_t *comm, int peer);

/* Send all that is held back. */
void pml_hooks_hold_release(void);

/* The same, and wait until it has gone; what nobody receives for five seconds is given up, and
 * said. From then on no function of ours is called by Open MPI's progress. */
void pml_hooks_hold_end(void);

#endif
