/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PRESTO_MPI_LATER_H
#define TESTS_PRESTO_MPI_LATER_H

#include <mpi.h>

/* What both sources of mpi_later have: ranks that come later, and how it goes wrong. */

extern int later_rank, later_size; /* in MPI_COMM_WORLD */

#define CHECK(what) ((what) ? (void)0 : later_fail(#what, __LINE__))
void later_fail(const char *what, int line);

/* The class of an error code. */
int later_class(int code);
/* n children with this first word, of the ranks of `who`. */
MPI_Comm later_spawn(char *program, const char *role, int n, MPI_Comm who);
/* Both groups, one way and the other, and merged. */
void later_talk(MPI_Comm inter, int high);

/* Modes of mpi_later_wrong.c. */
void later_rush(char *program);
void later_gone(char *program);
void later_slow(char *program);
void later_errors(char *program);
void later_early(char *program);
void later_fatal(char *program);
void later_alone(char *program);
void later_again(char *program);
void later_killed(char *program);
void later_revoked(char *program);
/* What children do in them. */
void later_child(const char *role, MPI_Comm parent);

#endif
