/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of datatypes. The predefined types are there once in the process: what a rank calls one of
 * them is the rank's. */
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

struct pri_type_name {
    struct pri_type_name *next;
    const struct pri_type *type;
    char name[MPI_MAX_OBJECT_NAME];
};

/* The name that the application has given to a predefined type; NULL: none. */
static struct pri_type_name *find(struct pri_mpi *mpi, const struct pri_type *type)
{
    struct pri_type_name *entry = mpi->type_names;
    while (entry != NULL && entry->type != type) {
        entry = entry->next;
    }
    return entry;
}

static int name_predefined(struct pri_mpi *mpi, const struct pri_type *type, const char *name)
{
    pthread_mutex_lock(&mpi->lock);
    struct pri_type_name *entry = find(mpi, type);
    if (entry == NULL && (entry = calloc(1, sizeof(*entry))) != NULL) {
        entry->type = type;
        entry->next = mpi->type_names;
        mpi->type_names = entry;
    }
    if (entry != NULL) {
        strncpy(entry->name, name, MPI_MAX_OBJECT_NAME - 1);
    }
    pthread_mutex_unlock(&mpi->lock);
    return entry != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void pri_type_names_free(struct pri_mpi *mpi)
{
    while (mpi->type_names != NULL) {
        struct pri_type_name *entry = mpi->type_names;
        mpi->type_names = entry->next;
        free(entry);
    }
}

int MPI_Type_get_name(MPI_Datatype type, char *name, int *length)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    pthread_mutex_lock(&mpi->lock);
    const struct pri_type_name *given = type->predefined ? find(mpi, type) : NULL;
    const char *own = type->name == NULL ? "" : type->name;
    strcpy(name, given != NULL ? given->name : own);
    pthread_mutex_unlock(&mpi->lock);
    *length = (int)strlen(name);
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_get_name);

int MPI_Type_set_name(MPI_Datatype type, const char *name)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    if (type == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_TYPE);
    }
    if (type->predefined) {
        int code = name_predefined(mpi, type, name);
        return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
    }
    char *copy = strndup(name, MPI_MAX_OBJECT_NAME - 1);
    if (copy == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    }
    free((void *)type->name);
    type->name = copy;
    return MPI_SUCCESS;
}
PRI_ALIAS(Type_set_name);
