/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_FAULT_H
#define APENI_FAULT_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * Fault injection, a normal interface: tests, the fault parameter and users who study failure use
 * the same. Named points are asked at the place where the fault would strike. When nothing is
 * armed, a point costs one load of a global that is false.
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

enum ni_fault_point {
    NI_FAULT_ALLOC,    /* the allocation fails */
    NI_FAULT_DROP,     /* the packet disappears (inproc, ucx) */
    NI_FAULT_DELAY,    /* the packet arrives later: order between peers changes (inproc, ucx) */
    NI_FAULT_DUP,      /* the packet arrives twice (inproc, ucx) */
    NI_FAULT_TRUNCATE, /* the packet arrives short (inproc, ucx) */
    NI_FAULT_FULL,     /* the ring reports that it is full (any link) */
    NI_FAULT_SYSCALL,  /* a bulk copy by the kernel fails with EPERM (shm) */
    NI_FAULT_CORRUPT,  /* the packet arrives with a header that no correct peer sends (any link) */
    NI_FAULT_POINTS
};

/* Arm a point: it strikes at the nth time it is asked (1 = next), and from then on every
 * `every`-th time (0 = only once). Thread-safe. */
void ni_fault_arm(enum ni_fault_point point, uint64_t nth, uint64_t every);

/* Arm a point to strike with probability per_million/1e6 (0 to 1000000), from a seeded generator:
 * equal seeds strike at the same questions. Thread-safe. */
void ni_fault_arm_random(enum ni_fault_point point, uint32_t per_million, uint64_t seed);

/* Disarm all points and forget all counts. Thread-safe. */
void ni_fault_reset(void);

/* Arm from text, as in the parameter fault: "drop:nth=3,every=10;alloc:nth=1;full:ppm=1000,seed=7".
 * nth counts from 1; every and seed may be left out. NI_ERR_PARAM: nothing is armed, and a sentence
 * (what is wrong, what is accepted) is written to error, which may be NULL if error_size is 0.
 * Thread-safe. */
ni_status ni_fault_parse(const char *text, char *error, size_t error_size);

/* How often a point was asked and how often it struck since the last reset. Questions are counted
 * only while any point is armed; ni_fault_arm(point, UINT64_MAX, 0) counts without striking.
 * Thread-safe. */
uint64_t ni_fault_asked(enum ni_fault_point point);
uint64_t ni_fault_struck(enum ni_fault_point point);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
