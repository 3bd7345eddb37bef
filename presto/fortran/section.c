/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of arrays that do not lie in one piece, as datatypes, for operations that go on behind the
 * call: x(1:9:2) of MPI_REAL is 5 reals, 8 bytes from each to the next. */
#include "fortran/convert.h"

/* Whether the bytes lie one behind the other. What has no rank may be the first element of more. */
static bool in_one_piece(const CFI_cdesc_t *data)
{
    CFI_index_t step = (CFI_index_t)data->elem_len;
    bool dense = true;
    for (int d = 0; d < data->rank; d++) {
        CFI_index_t extent = data->dim[d].extent;
        if (extent <= 0) {
            return true; /* without elements, or, as the last one of an array without a size, -1 */
        }
        dense = dense && (extent == 1 || data->dim[d].sm == step);
        step *= extent;
    }
    return dense;
}

/* An element of the array in the given type, which fills it without gaps; false: it does not. */
static bool element_type(MPI_Datatype type, size_t bytes, MPI_Datatype *element)
{
    int size = 0;
    MPI_Aint lb = 0, extent = 0;
    if (type == MPI_DATATYPE_NULL || MPI_Type_size(type, &size) != MPI_SUCCESS ||
        MPI_Type_get_true_extent(type, &lb, &extent) != MPI_SUCCESS) {
        return false;
    }
    if (size <= 0 || lb != 0 || extent != size || bytes % (size_t)size != 0) {
        return false;
    }
    return MPI_Type_contiguous((int)(bytes / (size_t)size), type, element) == MPI_SUCCESS;
}

/* Where the first `n` elements lie, in Fortran's order. */
static void places(const CFI_cdesc_t *data, long n, MPI_Count *place)
{
    CFI_index_t at[CFI_MAX_RANK] = {0};
    for (long i = 0; i < n; i++) {
        place[i] = 0;
        for (int d = 0; d < data->rank; d++) {
            place[i] += at[d] * data->dim[d].sm;
        }
        for (int d = 0; d < data->rank && ++at[d] == data->dim[d].extent; d++) {
            at[d] = 0;
        }
    }
}

/* A type of the first `n` elements: vectors of vectors, if these are all. */
static MPI_Datatype type_of(const CFI_cdesc_t *data, long n, long all, MPI_Datatype element)
{
    MPI_Datatype type = element, outer;
    if (n != all) {
        MPI_Count *place = prf_room(n, sizeof(*place));
        places(data, n, place);
        MPI_Type_create_hindexed_block_c(n, 1, place, element, &outer);
        free(place);
        MPI_Type_free(&element);
        return outer;
    }
    for (int d = 0; d < data->rank; d++) {
        MPI_Type_create_hvector_c(data->dim[d].extent, 1, data->dim[d].sm, type, &outer);
        MPI_Type_free(&type);
        type = outer;
    }
    return type;
}

int prf_section(struct prf_section *section, const CFI_cdesc_t *data, MPI_Count count,
                const MPI_Fint *type)
{
    *section = (struct prf_section){data->base_addr, count, (MPI_Fint)count, *type, false};
    if (count <= 0 || in_one_piece(data)) {
        return MPI_SUCCESS;
    }
    int size = 0;
    long all = 1;
    MPI_Datatype given = type_in(type), element, whole;
    for (int d = 0; d < data->rank; d++) {
        all *= data->dim[d].extent;
    }
    if (!element_type(given, data->elem_len, &element)) {
        return MPI_ERR_TYPE;
    }
    MPI_Type_size(given, &size);
    size_t bytes = (size_t)count * (size_t)size;
    if (bytes % data->elem_len != 0 || bytes / data->elem_len > (size_t)all) {
        MPI_Type_free(&element);
        return MPI_ERR_TYPE;
    }
    whole = type_of(data, (long)(bytes / data->elem_len), all, element);
    MPI_Type_commit(&whole);
    section->count = section->short_count = 1;
    section->type = MPI_Type_c2f(whole);
    section->made = true;
    return MPI_SUCCESS;
}

void prf_section_end(struct prf_section *section)
{
    if (section->made) {
        MPI_Datatype type = type_in(&section->type);
        MPI_Type_free(&type);
    }
}
