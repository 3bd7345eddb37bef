/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_NOTE_H
#define NI_ENGINE_NOTE_H

/*
 * The folder object/notify: words that tell of a Write or of an interrupt. It knows core, send and
 * bulk. Called by the program and by what delivers Writes.
 */

#include <stdbool.h>

#include <apeni/notify.h>

#include "engine/core/noting.h"

/* INTERRUPT is a type of regions. The NI opens. */
void ni_interrupts_register(struct ni *ni);

#endif
