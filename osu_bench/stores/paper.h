/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_STORES_PAPER_H
#define OSU_STORES_PAPER_H

#include <stddef.h>

/* RAW: a line of shared memory, which the paper does not have. */
enum way { STORE, MESSAGE, WRITE, LOAD, READ, RAW };

/* FORTH-CC Fig. 7: cycles; 0: the paper has no such operation of that size. */
unsigned paper_cycles(enum way way, size_t size);

#endif
