/* SPDX-License-Identifier: BSD-3-Clause */
/* Packing in the representation that does not depend on the machine. */
#include "mpi/state.h"

#include <stdlib.h>
#include <string.h>

#include "type/external.h"

static int check(const char *representation, pri_count count, const struct pri_type *type)
{
    if (representation == NULL || strcmp(representation, "external32") != 0) {
        return MPI_ERR_ARG;
    }
    if (count < 0) {
        return MPI_ERR_COUNT;
    }
    return type == NULL || !type->committed || !pri_external_possible(type) ? MPI_ERR_TYPE
                                                                            : MPI_SUCCESS;
}

/* The same, and whether so many elements fit behind *position; what they take. */
static int check_room(const char *representation, pri_count count, const struct pri_type *type,
                      pri_distance room, pri_distance position, size_t *bytes)
{
    int code = check(representation, count, type);
    if (code != MPI_SUCCESS) {
        return code;
    }
    if (position < 0 || room < 0) {
        return MPI_ERR_ARG;
    }
    if (__builtin_mul_overflow((size_t)count, pri_external_size(type), bytes)) {
        return MPI_ERR_TRUNCATE;
    }
    return position > room || *bytes > (size_t)(room - position) ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

/* The same, and memory for the data as this machine packs it, which the caller frees. */
static int begin(const char *representation, pri_count count, MPI_Datatype type, pri_distance room,
                 pri_distance position, size_t *bytes, void **packed, size_t *packed_bytes)
{
    int code = check_room(representation, count, type, room, position, bytes);
    if (code != MPI_SUCCESS) {
        return code;
    }
    *packed_bytes = (size_t)count * type->size;
    *packed = malloc(*packed_bytes + 1);
    return *packed != NULL ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int MPI_Pack_external(const char representation[], const void *in, pri_count count,
                      MPI_Datatype type, void *out, pri_distance size, pri_distance *position)
{
    size_t bytes, packed_bytes;
    void *packed;
    int code = begin(representation, count, type, size, *position, &bytes, &packed, &packed_bytes);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    pri_type_pack(type, (size_t)count, in, 0, packed, packed_bytes);
    pri_external_from(type, (size_t)count, packed, (char *)out + *position);
    free(packed);
    *position += (pri_distance)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack_external);

int MPI_Unpack_external(const char representation[], const void *in, pri_distance size,
                        pri_distance *position, void *out, pri_count count, MPI_Datatype type)
{
    size_t bytes, packed_bytes;
    void *packed;
    int code = begin(representation, count, type, size, *position, &bytes, &packed, &packed_bytes);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    pri_external_to(type, (size_t)count, (const char *)in + *position, packed);
    pri_type_unpack(type, (size_t)count, out, 0, packed, packed_bytes);
    free(packed);
    *position += (pri_distance)bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Unpack_external);

int MPI_Pack_external_size(const char representation[], pri_count count, MPI_Datatype type,
                           pri_distance *size)
{
    int code = check(representation, count, type);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    pri_distance bytes;
    *size = __builtin_mul_overflow(count, pri_external_size(type), &bytes) ? MPI_UNDEFINED : bytes;
    return MPI_SUCCESS;
}
PRI_ALIAS(Pack_external_size);
