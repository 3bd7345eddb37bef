/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles as integers. 0 is the null handle; those of the predefined objects are the same
 * everywhere, in the order of mpi/types.h, and mpif.h has them as constants. Each rank has a table
 * of the others that it was asked for, with the kind that each had last, and finds the number of an
 * address by hashing. */
#include "mpi/number.h"
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint), "MPI_F_STATUS_SIZE");
_Static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status), "MPI_F08_status");

const struct presto_number presto_predefined[] = {
    {NULL, PRESTO_KIND_none},
#define PRESTO_PREDEFINED(kind, name) {&name, PRESTO_KIND_##kind},
#include "mpi/predefined.h"
#undef PRESTO_PREDEFINED
};

#define PREDEFINED ((int)(sizeof(presto_predefined) / sizeof(presto_predefined[0])))

struct pri_numbers {
    int used, room; /* entries; room is a power of two */
    struct presto_number *entry;
    int *slot; /* 2 * room places in `entry` + 1, by hash; 0: none */
};

static size_t slot_of(const struct pri_numbers *numbers, const void *handle)
{
    size_t mask = 2 * (size_t)numbers->room - 1;
    size_t at = (size_t)(((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;
    while (numbers->slot[at] != 0 && numbers->entry[numbers->slot[at] - 1].handle != handle) {
        at = (at + 1) & mask;
    }
    return at;
}

/* Room for one more entry. */
static bool grow(struct pri_numbers *numbers)
{
    if (numbers->used < numbers->room) {
        return true;
    }
    int room = numbers->room == 0 ? 64 : 2 * numbers->room;
    struct presto_number *entry = realloc(numbers->entry, (size_t)room * sizeof(*entry));
    if (entry == NULL) {
        return false;
    }
    numbers->entry = entry;
    int *slot = calloc(2 * (size_t)room, sizeof(*slot));
    if (slot == NULL) {
        return false;
    }
    free(numbers->slot);
    numbers->slot = slot;
    numbers->room = room;
    for (int i = 0; i < numbers->used; i++) {
        slot[slot_of(numbers, entry[i].handle)] = i + 1;
    }
    return true;
}

void pri_numbers_free(struct pri_mpi *mpi)
{
    if (mpi->numbers != NULL) {
        free(mpi->numbers->entry);
        free(mpi->numbers->slot);
        free(mpi->numbers);
    }
}

static int enter(struct pri_numbers *numbers, const void *handle)
{
    if (!grow(numbers)) {
        return 0;
    }
    size_t at = slot_of(numbers, handle);
    if (numbers->slot[at] == 0) {
        numbers->entry[numbers->used++].handle = handle;
        numbers->slot[at] = numbers->used;
    }
    return numbers->slot[at];
}

/* The mutex is held if there are threads. 0: memory is short. The predefined ones come first. */
static MPI_Fint number_in(struct pri_mpi *mpi, const void *handle, enum presto_kind kind)
{
    struct pri_numbers *numbers = mpi->numbers;
    if (numbers == NULL && (mpi->numbers = numbers = calloc(1, sizeof(*numbers))) == NULL) {
        return 0;
    }
    while (numbers->used < PREDEFINED - 1) {
        int i = numbers->used + 1;
        if (enter(numbers, presto_predefined[i].handle) == 0) {
            return 0;
        }
    }
    int number = enter(numbers, handle);
    if (number != 0) {
        numbers->entry[number - 1].kind = kind;
    }
    return number;
}

/* An address keeps its number when the object is gone and another takes its place. */
static MPI_Fint number_of(const char *function, const void *handle, enum presto_kind kind)
{
    if (handle == NULL) {
        return 0;
    }
    struct pri_mpi *mpi = pri_mpi_need(function);
    if (mpi->self->threads) {
        pthread_mutex_lock(&mpi->lock);
    }
    MPI_Fint number = number_in(mpi, handle, kind);
    if (mpi->self->threads) {
        pthread_mutex_unlock(&mpi->lock);
    }
    if (number == 0) {
        pri_fail(NULL, function, MPI_ERR_NO_MEM);
    }
    return number;
}

/* NULL: no such number, or one of another kind. */
static void *handle_of(const char *function, MPI_Fint number, enum presto_kind kind)
{
    if (number <= 0) {
        return NULL;
    }
    if (number < PREDEFINED) {
        return presto_predefined[number].kind == kind ? (void *)presto_predefined[number].handle
                                                      : NULL;
    }
    struct pri_mpi *mpi = pri_mpi_need(function);
    if (mpi->self->threads) {
        pthread_mutex_lock(&mpi->lock);
    }
    const void *handle = NULL;
    struct pri_numbers *numbers = mpi->numbers;
    if (numbers != NULL && number <= numbers->used && numbers->entry[number - 1].kind == kind) {
        handle = numbers->entry[number - 1].handle;
    }
    if (mpi->self->threads) {
        pthread_mutex_unlock(&mpi->lock);
    }
    return (void *)handle;
}

#define CONVERTS(kind, name, type)                                         \
    MPI_Fint MPI_##name##_c2f(type handle)                                 \
    {                                                                      \
        return number_of("MPI_" #name "_c2f", handle, PRESTO_KIND_##kind); \
    }                                                                      \
    PRI_ALIAS(name##_c2f);                                                 \
    type MPI_##name##_f2c(MPI_Fint number)                                 \
    {                                                                      \
        return handle_of("MPI_" #name "_f2c", number, PRESTO_KIND_##kind); \
    }                                                                      \
    PRI_ALIAS(name##_f2c)

CONVERTS(comm, Comm, MPI_Comm);
CONVERTS(errhandler, Errhandler, MPI_Errhandler);
CONVERTS(file, File, MPI_File);
CONVERTS(group, Group, MPI_Group);
CONVERTS(info, Info, MPI_Info);
CONVERTS(message, Message, MPI_Message);
CONVERTS(op, Op, MPI_Op);
CONVERTS(request, Request, MPI_Request);
CONVERTS(type, Type, MPI_Datatype);
CONVERTS(win, Win, MPI_Win);

/* Without Fortran's library nothing has these addresses. */
static MPI_Fint nowhere[2];
MPI_Fint *presto_f_status_ignore = &nowhere[0], *presto_f_statuses_ignore = &nowhere[1];

static bool is_no_status(const void *status)
{
    return status == NULL || status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE;
}

/* A status is the same words in C and in both Fortrans. */
static int copy_status(const char *function, const void *from, void *to)
{
    if (is_no_status(from) || is_no_status(to)) {
        return pri_fail(NULL, function, MPI_ERR_ARG);
    }
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

int MPI_Status_c2f(const MPI_Status *status, MPI_Fint *numbers)
{
    return copy_status(__func__, status, numbers);
}
PRI_ALIAS(Status_c2f);

int MPI_Status_f2c(const MPI_Fint *numbers, MPI_Status *status)
{
    return copy_status(__func__, numbers, status);
}
PRI_ALIAS(Status_f2c);

int MPI_Status_c2f08(const MPI_Status *status, MPI_F08_status *f08)
{
    return copy_status(__func__, status, f08);
}
PRI_ALIAS(Status_c2f08);

int MPI_Status_f082c(const MPI_F08_status *f08, MPI_Status *status)
{
    return copy_status(__func__, f08, status);
}
PRI_ALIAS(Status_f082c);

int MPI_Status_f082f(const MPI_F08_status *f08, MPI_Fint *numbers)
{
    return copy_status(__func__, f08, numbers);
}
PRI_ALIAS(Status_f082f);

int MPI_Status_f2f08(const MPI_Fint *numbers, MPI_F08_status *f08)
{
    return copy_status(__func__, numbers, f08);
}
PRI_ALIAS(Status_f2f08);
