/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing in the representation that does not depend on the machine. */
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

#include "type/external.h"

static int check(const char *representation, int count, const struct pri_type *type)
{
    if (representation == NULL || strcmp(representation, "external32") != 0)
        return MPI_ERR_ARG;
    if (count < 0)
        return MPI_ERR_COUNT;
    return type == NULL || !type->committed || !pri_external_possible(type) ? MPI_ERR_TYPE
                                                                            : MPI_SUCCESS;
}

/* The same, and whether so many elements fit behind *position; what they take. */
static int check_room(const char *representation, int count, const struct pri_type *type,
                      MPI_Aint room, MPI_Aint position, size_t *bytes)
{
    int code = check(representation, count, type);
    if (code != MPI_SUCCESS)
        return code;
    *bytes = (size_t)count * pri_external_size(type);
    if (position < 0 || room < 0)
        return MPI_ERR_ARG;
    return position > room || *bytes > (size_t)(room - position) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

int MPI_Pack_external(const char representation[], const void *in, int count, MPI_Datatype type,
                      void *out, MPI_Aint size, MPI_Aint *position)
{
    size_t bytes;
    int code = check_room(representation, count, type, size, *position, &bytes);
    if (code != MPI_SUCCESS)
        return pri_fail(NULL, __func__, code);
    size_t packed_bytes = (size_t)count * type->size;
    void *packed = malloc(packed_bytes + 1);
    if (packed == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    pri_type_pack(type, (size_t)count, in, 0, packed, packed_bytes);
    pri_external_from(type, (size_t)count, packed, (char *)out + *position);
    free(packed);
    *position += (MPI_Aint)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack_external);

int MPI_Unpack_external(const char representation[], const void *in, MPI_Aint size,
                        MPI_Aint *position, void *out, int count, MPI_Datatype type)
{
    size_t bytes;
    int code = check_room(representation, count, type, size, *position, &bytes);
    if (code != MPI_SUCCESS)
        return pri_fail(NULL, __func__, code);
    size_t packed_bytes = (size_t)count * type->size;
    void *packed = malloc(packed_bytes + 1);
    if (packed == NULL)
        return pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
    pri_external_to(type, (size_t)count, (const char *)in + *position, packed);
    pri_type_unpack(type, (size_t)count, out, 0, packed, packed_bytes);
    free(packed);
    *position += (MPI_Aint)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Unpack_external);

int MPI_Pack_external_size(const char representation[], int count, MPI_Datatype type,
                           MPI_Aint *size)
{
    int code = check(representation, count, type);
    if (code != MPI_SUCCESS)
        return pri_fail(NULL, __func__, code);
    *size = (MPI_Aint)((size_t)count * pri_external_size(type));
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack_external_size);
