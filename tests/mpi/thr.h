/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for the programs that ask for MPI_THREAD_MULTIPLE. */
#ifndef TESTS_MPI_THR_H
#define TESTS_MPI_THR_H

#include "mt.h"

#include <pthread.h>

/* Runs fn(0 .. n-1, arg) in n threads at once and waits for all of them. */
void thr_run(int n, void (*fn)(int thread, void *arg), void *arg);

#endif
