/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRF_CONVERT_H
#define PRF_CONVERT_H

/* What arguments of Fortran are in C: calls.h, which is made, uses these around each call. An
 * `ierror` of NULL was left out. */

#include <ISO_Fortran_binding.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/number.h"

/* mpif.h's common block: places whose addresses mean something. */
struct prf_places {
    MPI_Fint bottom, in_place, unweighted, weights_empty, errcodes_ignore;
    MPI_Fint status_ignore[MPI_F_STATUS_SIZE], statuses_ignore[MPI_F_STATUS_SIZE];
};
struct prf_texts {
    char argv_null[1], argvs_null[1];
};
#pragma GCC visibility push(default)
extern struct prf_places presto_fortran_places_;
extern struct prf_texts presto_fortran_texts_;
#pragma GCC visibility pop

/* What Fortran gives to MPI. */
typedef void (*prf_function)(void);

/* One more than the number of the last predefined handle. */
enum {
    PRF_PREDEFINED = 1
#define PRESTO_PREDEFINED(kind, name) +1
#include "mpi/predefined.h"
#undef PRESTO_PREDEFINED
};

/* Most arrays are short; longer ones are allocated. */
enum { PRF_FEW = 32 };

/* Memory for `count` elements; without it the process ends, with a message. */
void *prf_room(long count, size_t size);
/* A string without the blanks at its end, or at both ends; to be freed. */
char *prf_string(const char *text, size_t length, bool front);
/* Strings that lie `step` elements from each other, without the blanks at both ends, and NULL: so
 * many, or, if count is negative, up to an empty one. All to be freed by prf_strings_end. */
char **prf_strings(const char *text, size_t length, long count, long step);
void prf_strings_end(char **strings);
/* Lists of such strings, each up to an empty one, whose elements take turns; NULL behind them. */
char ***prf_argvs(const char *text, size_t length, long count);
void prf_argvs_end(char ***lists);
/* Back into Fortran's, which is filled up with blanks. */
void prf_string_out(char *text, size_t length, const char *from);
/* Data for C: that of a descriptor, or, where it does not lie in one piece, a type for all of it.
 */
struct prf_section {
    void *base;
    MPI_Count count;
    MPI_Fint short_count; /* the same, for what has no larger one */
    MPI_Fint type;
    bool made; /* the type is this section's */
};
/* MPI_SUCCESS, or MPI_ERR_TYPE: a part of an array whose elements the type does not divide. Data
 * that lies in one piece is passed on whatever it is. */
int prf_section(struct prf_section *section, const CFI_cdesc_t *data, MPI_Count count,
                const MPI_Fint *type);
void prf_section_end(struct prf_section *section);
/* How many types MPI_Alltoallw and its like read. */
int prf_peers(MPI_Comm comm);
int prf_sources(MPI_Comm comm);
int prf_dests(MPI_Comm comm);
bool prf_is_root(MPI_Comm comm, int root);

#define peers_of   prf_peers
#define sources_of prf_sources
#define dests_of   prf_dests

#define HANDLE_IN(which, name, type)                                                           \
    static inline type which##_in(const MPI_Fint *number)                                      \
    {                                                                                          \
        const struct presto_number *known = &presto_predefined[0];                             \
        if (*number > 0 && *number < PRF_PREDEFINED) {                                         \
            known += *number;                                                                  \
            return known->kind == PRESTO_KIND_##which ? (type)(uintptr_t)known->handle : NULL; \
        }                                                                                      \
        return *number == 0 ? NULL : MPI_##name##_f2c(*number);                                \
    }
HANDLE_IN(comm, Comm, MPI_Comm)
HANDLE_IN(group, Group, MPI_Group)
HANDLE_IN(type, Type, MPI_Datatype)
HANDLE_IN(op, Op, MPI_Op)
HANDLE_IN(request, Request, MPI_Request)
HANDLE_IN(message, Message, MPI_Message)
HANDLE_IN(errhandler, Errhandler, MPI_Errhandler)
HANDLE_IN(info, Info, MPI_Info)
HANDLE_IN(win, Win, MPI_Win)
HANDLE_IN(file, File, MPI_File)
#undef HANDLE_IN

/* What goes with such a buffer is not there to be read. */
static inline bool is_in_place(const void *buffer)
{
    return buffer == &presto_fortran_places_.in_place;
}

static inline void *place_of(void *buffer)
{
    return buffer == &presto_fortran_places_.bottom ? MPI_BOTTOM
           : is_in_place(buffer)                    ? MPI_IN_PLACE
                                                    : buffer;
}

static inline int *weights_of(MPI_Fint *weights)
{
    return weights == &presto_fortran_places_.unweighted      ? MPI_UNWEIGHTED
           : weights == &presto_fortran_places_.weights_empty ? MPI_WEIGHTS_EMPTY
                                                              : weights;
}

static inline bool ignored(const MPI_Fint *status)
{
    return status == presto_fortran_places_.status_ignore ||
           status == presto_fortran_places_.statuses_ignore;
}

static inline char *string_in(const char *text, size_t length)
{
    return prf_string(text, length, false);
}

static inline char *key_in(const char *text, size_t length)
{
    return prf_string(text, length, true);
}

static inline char **keys_in(const char *text, size_t length, MPI_Fint count)
{
    return prf_strings(text, length, count < 0 ? 0 : count, 1);
}

/* many: 0, no string is read, or -1. */
static inline char **argv_in(const char *text, size_t length, long many)
{
    return text == presto_fortran_texts_.argv_null ? MPI_ARGV_NULL
                                                   : prf_strings(text, length, many, 1);
}

static inline char ***argvs_in(const char *text, size_t length, MPI_Fint count)
{
    return text == presto_fortran_texts_.argvs_null ? MPI_ARGVS_NULL
                                                    : prf_argvs(text, length, count);
}

/* What only the root of comm has. */
#define ROOTS(count) (prf_is_root(comm_in(comm), *root) ? (count) : 0)

static inline int *errcodes_of(MPI_Fint *codes)
{
    return codes == &presto_fortran_places_.errcodes_ignore ? MPI_ERRCODES_IGNORE : codes;
}

#define END(code)             \
    do {                      \
        if (ierror != NULL) { \
            *ierror = code;   \
        }                     \
    } while (0)

#define HANDLE_OUT(name, a)                 \
    do {                                    \
        if (code == MPI_SUCCESS) {          \
            *(a) = MPI_##name##_c2f(a##_c); \
        }                                   \
    } while (0)
/* One that may have become null, or another; mostly it has not. */
#define HANDLE_CHANGED(name, a) *(a) = a##_c == NULL ? 0 : MPI_##name##_c2f(a##_c)

/* Only as much is written as is used: what follows fills or clears that. To clear all of it would
 * take longer than the rest of a call, and the compiler is told that it is written so that it does
 * not warn of what it cannot follow. */
#define ARRAY_OF(type, a, n)            \
    long a##_count = (n) < 0 ? 0 : (n); \
    type a##_few[PRF_FEW];              \
    __asm__("" : "=m"(a##_few));        \
    type *a##_c = a##_count <= PRF_FEW ? a##_few : prf_room(a##_count, sizeof(type))
#define ARRAY_END(a)            \
    do {                        \
        if (a##_c != a##_few) { \
            free(a##_c);        \
        }                       \
    } while (0)
#define EACH(a) for (long i = 0; i < a##_count; i++)
#define HANDLES_IN(kind, a)            \
    EACH(a)                            \
    {                                  \
        a##_c[i] = kind##_in(&(a)[i]); \
    }
/* Requests: each is what it was, or null. */
#define HANDLES_CHANGED(a)      \
    EACH(a)                     \
    {                           \
        if (a##_c[i] == NULL) { \
            (a)[i] = 0;         \
        }                       \
    }
#define HANDLES_OUT(name, a)                                      \
    for (long i = 0; code == MPI_SUCCESS && i < a##_count; i++) { \
        if (a##_c[i] != NULL) {                                   \
            (a)[i] = MPI_##name##_c2f(a##_c[i]);                  \
        }                                                         \
    }
#define CUTS_IN(a)         \
    EACH(a)                \
    {                      \
        a##_c[i] = (a)[i]; \
    }
#define CUT_OUT(a) *(a) = (MPI_Fint)a##_wide

/* Fortran's status has C's words, and mostly its alignment too. */
#define STATUS_IN(a)                                                       \
    MPI_Status a##_c, *a##_at = MPI_STATUS_IGNORE;                         \
    if (!ignored(a)) {                                                     \
        bool aligned = (uintptr_t)(a) % _Alignof(MPI_Status) == 0;         \
        a##_at = aligned ? (void *)(a) : memcpy(&a##_c, a, sizeof(a##_c)); \
    }
#define STATUS_OUT(a)                     \
    if (a##_at == &a##_c) {               \
        memcpy(a, &a##_c, sizeof(a##_c)); \
    }
#define STATUSES_IN(a, n)                                         \
    ARRAY_OF(MPI_Status, a, ignored(a) ? 0 : (n));                \
    MPI_Status *a##_all = a##_c;                                  \
    if (ignored(a)) {                                             \
        a##_c = MPI_STATUSES_IGNORE;                              \
    } else {                                                      \
        memcpy(a##_c, a, (size_t)a##_count * sizeof(MPI_Status)); \
    }
#define STATUSES_OUT(a)                                           \
    if (a##_c != MPI_STATUSES_IGNORE) {                           \
        memcpy(a, a##_c, (size_t)a##_count * sizeof(MPI_Status)); \
    }
#define STATUSES_END(a)       \
    if (a##_all != a##_few) { \
        free(a##_all);        \
    }

#define LOGICAL_OUT(a) *(a) = code == MPI_SUCCESS ? *(a) != 0 : *(a)
#define PLACE_OUT(a)                                    \
    if (code == MPI_SUCCESS && *(a) != MPI_UNDEFINED) { \
        ++*(a);                                         \
    }
#define PLACES_OUT(a, n)                                                                  \
    for (int i = 0; (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS) && i < (n); i++) { \
        ++(a)[i];                                                                         \
    }
#define STRING_OUT(a)                           \
    if (code == MPI_SUCCESS) {                  \
        prf_string_out(a, a##_length, a##_out); \
    }

/* Given to MPI_Register_datarep, which knows it by its address; never called. */
#define PRF_NULL_CONVERSION(name) \
    void name(void);              \
    void name(void)               \
    {                             \
    }

#endif
