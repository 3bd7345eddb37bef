/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_TYPE_H
#define PRI_TYPE_H

/* Datatypes: which bytes of memory an element of a message consists of, and in which order they
 * travel.
 *
 * A type is made by one of the pri_type_new_ functions from other types, whose layouts it refers to
 * and therefore holds; it goes when its last reference does. Its data is described by a short list
 * of loops, nested where types are: a vector of a million blocks is one loop. Packing and unpacking
 * begin at any byte of the data, so that a message may be cut anywhere.
 *
 * A finished type is never changed except for its name and attributes; any thread may use it at any
 * time. */

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one basic element is, for operations. Those from CFLOAT on have real parts, those from PAIR
 * on an index. */
enum pri_kind {
    PRI_KIND_NONE, /* no basic element, or several kinds of them */
    PRI_KIND_INT8,
    PRI_KIND_UINT8,
    PRI_KIND_INT16,
    PRI_KIND_UINT16,
    PRI_KIND_INT32,
    PRI_KIND_UINT32,
    PRI_KIND_INT64,
    PRI_KIND_UINT64,
    PRI_KIND_FLOAT,
    PRI_KIND_DOUBLE,
    PRI_KIND_LDOUBLE,
    PRI_KIND_CFLOAT,
    PRI_KIND_CDOUBLE,
    PRI_KIND_CLDOUBLE,
    PRI_KIND_BOOL,    /* C's _Bool: logical operations */
    PRI_KIND_LOGICAL, /* Fortran's: 4 bytes, logical operations */
    PRI_KIND_BYTE,    /* bitwise operations */
    PRI_KIND_OPAQUE,  /* no operation but replace */
    PRI_KIND_FLOAT_INT,
    PRI_KIND_DOUBLE_INT,
    PRI_KIND_LONG_INT,
    PRI_KIND_2INT,
    PRI_KIND_SHORT_INT,
    PRI_KIND_LDOUBLE_INT,
    PRI_KIND_2FLOAT,
    PRI_KIND_2DOUBLE,
    PRI_KINDS
};

/* `count` repetitions, `stride` bytes apart, the first `disp` bytes behind where the list that this
 * loop is in begins. A repetition is a block of `size` bytes, or, with a body, a list of loops with
 * `size` bytes of data. */
struct pri_loop {
    ptrdiff_t disp;
    ptrdiff_t stride;
    size_t count; /* at least 1 */
    size_t size;  /* at least 1 */
    size_t at;    /* bytes of data in the loops before this one in its list */
    const struct pri_loop *body;
    size_t parts; /* loops in the body */
};

/* How a type was made, the combiner of MPI's envelopes. */
enum pri_combiner {
    PRI_COMBINER_NAMED,
    PRI_COMBINER_DUP,
    PRI_COMBINER_CONTIGUOUS,
    PRI_COMBINER_VECTOR,
    PRI_COMBINER_HVECTOR,
    PRI_COMBINER_INDEXED,
    PRI_COMBINER_HINDEXED,
    PRI_COMBINER_INDEXED_BLOCK,
    PRI_COMBINER_HINDEXED_BLOCK,
    PRI_COMBINER_STRUCT,
    PRI_COMBINER_SUBARRAY,
    PRI_COMBINER_DARRAY,
    PRI_COMBINER_RESIZED,
    PRI_COMBINER_F90_REAL,
    PRI_COMBINER_F90_COMPLEX,
    PRI_COMBINER_F90_INTEGER
};

/* Which dimension of an array is next to each other in memory; the values of MPI_ORDER_
 * constants. */
enum { PRI_ORDER_C = 56, PRI_ORDER_FORTRAN = 57 };

/* How one of an array's dimensions is dealt out; the values of MPI_DISTRIBUTE_ constants. */
enum {
    PRI_DISTRIBUTE_BLOCK = 121,
    PRI_DISTRIBUTE_CYCLIC = 122,
    PRI_DISTRIBUTE_NONE = 123,
    PRI_DISTRIBUTE_DFLT_DARG = -49767,
};

struct pri_recipe;

struct pri_type {
    size_t size;           /* bytes of data in one element */
    ptrdiff_t extent;      /* bytes from one element to the next */
    ptrdiff_t lb;          /* where an element begins, relative to the buffer's address */
    ptrdiff_t true_lb;     /* where its first byte of data is */
    ptrdiff_t true_extent; /* bytes from its first byte of data to behind its last one */
    bool contiguous; /* the data of any number of elements is one block, which begins at true_lb */
    bool predefined;
    bool committed;
    bool lb_marked,
        ub_marked;   /* a bound was set by the application, and holds in types made of this one */
    uint8_t kind;    /* enum pri_kind of all basic elements */
    uint8_t align;   /* bytes: the largest alignment among the basic elements */
    uint8_t unit;    /* bytes of each basic element; 0 if they differ */
    size_t elements; /* basic elements in one element */
    size_t parts, room; /* loops of one element; how many `part` has room for */
    const struct pri_loop *part;
    const char *name;          /* of a predefined type, or what the application gave */
    struct pri_recipe *recipe; /* how it was made; NULL in predefined types that have a name */
    /* Of the layer that has a use for it; the layer above frees it before the last release. */
    void *attributes;
    atomic_uint refs; /* not counted in predefined types */
};

/* One more and one less user. */
void pri_type_retain(struct pri_type *type);
void pri_type_release(struct pri_type *type);

/* Copies up to `bytes` bytes of the data of `count` elements at `buf`, from byte `offset` of the
 * data on, to `out`. Returns how many were there. */
size_t pri_type_pack(const struct pri_type *type, size_t count, const void *buf, size_t offset,
                     void *out, size_t bytes);

/* The other way: `in` holds the bytes from `offset` on. Returns how many had a place. */
size_t pri_type_unpack(const struct pri_type *type, size_t count, void *buf, size_t offset,
                       const void *in, size_t bytes);

/* Copies elements from one buffer to another that does not overlap it, as a message would, without
 * sending one: as many bytes as both have. Returns that number. */
size_t pri_type_copy(void *to, size_t to_count, const struct pri_type *to_type, const void *from,
                     size_t from_count, const struct pri_type *from_type);

/* Memory for `count` elements: bytes from the first byte of data to behind the last one. The
 * buffer's address is the memory's minus *gap. Example: char *mem = malloc(span), *buf = mem -
 * gap. */
size_t pri_type_span(const struct pri_type *type, size_t count, ptrdiff_t *gap);

/* Where byte `offset` of the data of a row of elements without end is: at *at, relative to the
 * row's address, with *length - 1 more behind it without a gap, and maybe others there. The type
 * has data. */
void pri_type_run(const struct pri_type *type, size_t offset, ptrdiff_t *at, size_t *length);

/* How the data of a row of elements lies, whose first byte is not before the row's address. */
enum pri_type_order {
    PRI_UNORDERED,    /* some element before one that it follows, or there is no data */
    PRI_OVERLAPPING,  /* basic elements begin in order, and overlap */
    PRI_ORDERED_ONCE, /* each byte behind those before it, within each element of the row */
    PRI_ORDERED,      /* the same in the whole row */
};
enum pri_type_order pri_type_order(const struct pri_type *type);

/* `bytes` bytes of data in whole elements; SIZE_MAX if they are not whole ones. */
static inline size_t pri_type_whole(const struct pri_type *type, size_t bytes)
{
    if (type->size == 0) {
        return bytes == 0 ? 0 : SIZE_MAX;
    }
    return bytes % type->size == 0 ? bytes / type->size : SIZE_MAX;
}

/* Basic elements in the first `bytes` bytes of any number of elements; SIZE_MAX if the last one is
 * not whole. */
size_t pri_type_elements(const struct pri_type *type, size_t bytes);

/* Bytes of the first `elements` basic elements of any number of elements; 0 of a type without
 * data. */
size_t pri_type_bytes(const struct pri_type *type, size_t elements);

enum { PRI_TYPE_ENTRIES = INT_MAX / 4 - 4 }; /* in an array that a type is made of */

/* New types, with one reference and uncommitted. They hold what they are made of. All sizes are the
 * element's unless a name has `h` in it, which means bytes. They return NULL when memory is short.
 * Arguments are checked by callers: counts and block lengths are not negative, arrays have at most
 * PRI_TYPE_ENTRIES elements, types are no null pointers. */
struct pri_type *pri_type_new_contiguous(long long count, struct pri_type *old);
struct pri_type *pri_type_new_vector(long long count, long long length, long long stride,
                                     struct pri_type *old);
struct pri_type *pri_type_new_hvector(long long count, long long length, ptrdiff_t stride,
                                      struct pri_type *old);
struct pri_type *pri_type_new_indexed(long long count, const long long *length,
                                      const long long *disp, struct pri_type *old);
struct pri_type *pri_type_new_hindexed(long long count, const long long *length,
                                       const ptrdiff_t *disp, struct pri_type *old);
struct pri_type *pri_type_new_indexed_block(long long count, long long length,
                                            const long long *disp, struct pri_type *old);
struct pri_type *pri_type_new_hindexed_block(long long count, long long length,
                                             const ptrdiff_t *disp, struct pri_type *old);
struct pri_type *pri_type_new_struct(long long count, const long long *length,
                                     const ptrdiff_t *disp, struct pri_type *const *old);
struct pri_type *pri_type_new_resized(struct pri_type *old, ptrdiff_t lb, ptrdiff_t extent);
struct pri_type *pri_type_new_dup(struct pri_type *old);

/* A part of an array of `dims` dimensions: in dimension i of sizes[i] elements, subsizes[i] from
 * starts[i] on. The last dimension is the one next to each other in memory, the first one with
 * `fortran`. The extent is the array's. */
struct pri_type *pri_type_new_subarray(int dims, const long long *sizes, const long long *subsizes,
                                       const long long *starts, bool fortran, struct pri_type *old);

/* The part of process `rank` of `size` of an array that is dealt out. Arrays of [dims]: the array's
 * lengths; how each dimension is dealt out, with which argument, to how many processes. */
struct pri_darray {
    int size, rank, dims;
    const long long *lengths, *kinds, *arguments, *processes;
    bool fortran;
};
struct pri_type *pri_type_new_darray(const struct pri_darray *darray, struct pri_type *old);

/* The predefined type of Fortran's real, complex or integer numbers (a PRI_COMBINER_F90_) of at
 * least so many decimal digits and such a range; absent: the value of what is not said. Integers
 * have a range alone. The same numbers give the same type. False: there are no such numbers, or
 * nothing is said; NULL in *type: memory is short. Thread-safe. */
bool pri_type_f90(enum pri_combiner combiner, int precision, int range, int absent,
                  struct pri_type **type);

/* How a type was made: the arguments of its constructor, as MPI_Type_get_contents orders them, also
 * if its counts were large ones. */
struct pri_recipe {
    enum pri_combiner combiner;
    int ints, addrs, types;
    long long *integer;
    ptrdiff_t *addr;
    struct pri_type **type; /* held */
    struct pri_type **held; /* others that the layout refers to */
    int helds;
    bool large;              /* by a function with large counts */
    bool lb_known, ub_known; /* while the type is being made: it has a bound already */
};

/* A type with no data yet, which remembers how it was made: callers fill the arrays. NULL when
 * memory is short. */
struct pri_type *pri_type_begin(enum pri_combiner combiner, int ints, int addrs, int types);

/* Adds `count` blocks, `stride` bytes apart, of `length` elements each, to the data of a type that
 * is being made. `old` must be one that the recipe holds. False when memory is short. */
bool pri_type_add(struct pri_type *type, ptrdiff_t disp, size_t count, ptrdiff_t stride,
                  size_t length, struct pri_type *old);

/* Gives the caller's reference of `part` to the type, which holds it from now on. False when memory
 * is short. */
bool pri_type_hold(struct pri_type *type, struct pri_type *part);

/* Ends the making: the type, or NULL (and all is freed) if something failed on the way. */
struct pri_type *pri_type_finish(struct pri_type *type, bool ok);

#endif
