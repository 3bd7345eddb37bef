/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective functions: arguments checked, names translated. */
#include "native/native.h"
#include "type/named.h"

/* ---- arguments ------------------------------------------------------------------------------- */

static int check_root(const struct pr_mgr *m, pr_rank_t root)
{
    if (m == NULL) {
        return PR_ERR_COMM;
    }
    return (unsigned)root < (unsigned)m->size ? PR_OK : PR_ERR_RANK;
}

/* Blocks of so many bytes, `blocks` of them. */
static int check_blocks(const void *buf, size_t bytes, int blocks)
{
    if (bytes > PTRDIFF_MAX / (size_t)blocks) {
        return PR_ERR_COUNT;
    }
    return pr_buffer_check(buf, bytes);
}

static struct pri_some bytes_at(const void *buf, size_t bytes)
{
    return (struct pri_some){
        .buf = (void *)(uintptr_t)buf, .count = bytes, .type = &presto_type_byte};
}

static struct pri_type *type_of(enum pr_type type)
{
    static struct pri_type *const types[] = {
        [PR_INT8] = &presto_type_int8,   [PR_UINT8] = &presto_type_uint8,
        [PR_INT16] = &presto_type_int16, [PR_UINT16] = &presto_type_uint16,
        [PR_INT32] = &presto_type_int32, [PR_UINT32] = &presto_type_uint32,
        [PR_INT64] = &presto_type_int64, [PR_UINT64] = &presto_type_uint64,
        [PR_FLOAT] = &presto_type_float, [PR_DOUBLE] = &presto_type_double,
    };

    return (unsigned)type < sizeof(types) / sizeof(types[0]) ? types[type] : NULL;
}

static struct pri_op *op_of(enum pr_op op)
{
    static struct pri_op *const ops[] = {
        [PR_SUM] = &presto_op_sum,   [PR_PROD] = &presto_op_prod, [PR_MIN] = &presto_op_min,
        [PR_MAX] = &presto_op_max,   [PR_LAND] = &presto_op_land, [PR_LOR] = &presto_op_lor,
        [PR_LXOR] = &presto_op_lxor, [PR_BAND] = &presto_op_band, [PR_BOR] = &presto_op_bor,
        [PR_BXOR] = &presto_op_bxor,
    };

    return (unsigned)op < sizeof(ops) / sizeof(ops[0]) ? ops[op] : NULL;
}

/* A reduction's. out matters where `has_out`. */
static int check_reduction(const void *in, const void *out, bool has_out, size_t count,
                           enum pr_type type, enum pr_op op)
{
    const struct pri_type *t = type_of(type);
    const struct pri_op *o = op_of(op);

    if (t == NULL || o == NULL || !pri_op_accepts(o, t)) {
        return PR_ERR_OP;
    }
    if (count > PTRDIFF_MAX / t->size) {
        return PR_ERR_COUNT;
    }
    return count == 0 || (in != NULL && (out != NULL || !has_out)) ? PR_OK : PR_ERR_BUFFER;
}

/* ---- barrier, broadcast ---------------------------------------------------------------------- */

int pr_group_barrier(pr_mgr_t m)
{
    return m == NULL ? PR_ERR_COMM : pri_coll_barrier(&m->team, NULL);
}

int pr_barrier(void)
{
    struct pri_rank *self = pri_self();

    if (self == NULL || pr_state_of(self) == NULL) {
        return PR_ERR_STATE;
    }
    return pri_coll_barrier(&pr_state_of(self)->world.team, NULL);
}

int pr_bcast_bytes(pr_mgr_t m, pr_rank_t root, void *buf, size_t bytes)
{
    int error = check_root(m, root);

    error = error != PR_OK ? error : check_blocks(buf, bytes, 1);
    return error != PR_OK ? error
                          : pri_coll_bcast(&m->team, buf, bytes, &presto_type_byte, root, NULL);
}

int pr_bcst(pr_mgr_t m, pr_rank_t orig, pr_word_t *buf, size_t nwords)
{
    size_t bytes;
    int error = pr_bytes(nwords, &bytes);

    return error != PR_OK ? error : pr_bcast_bytes(m, orig, buf, bytes);
}

/* ---- reductions ------------------------------------------------------------------------------ */

int pr_reduce(pr_mgr_t m, pr_rank_t root, const void *in, void *out, size_t count,
              enum pr_type type, enum pr_op op)
{
    int error = check_root(m, root);
    bool is_root;

    if (error != PR_OK) {
        return error;
    }
    is_root = root == m->self;
    error = check_reduction(in, out, is_root, count, type, op);
    return error != PR_OK ? error
                          : pri_coll_reduce(&m->team, is_root && in == out ? PRI_IN_PLACE : in, out,
                                            count, type_of(type), op_of(op), root, NULL);
}

int pr_allreduce(pr_mgr_t m, const void *in, void *out, size_t count, enum pr_type type,
                 enum pr_op op)
{
    int error = m == NULL ? (int)PR_ERR_COMM : check_reduction(in, out, true, count, type, op);

    return error != PR_OK ? error
                          : pri_coll_allreduce(&m->team, in == out ? PRI_IN_PLACE : in, out, count,
                                               type_of(type), op_of(op), NULL);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

int pr_gather(pr_mgr_t m, pr_rank_t root, const void *in, size_t bytes, void *out)
{
    int error = check_root(m, root);

    error = error != PR_OK ? error : check_blocks(in, bytes, m->size);
    error = error != PR_OK || m->self != root ? error : check_blocks(out, bytes, m->size);
    return error != PR_OK
               ? error
               : pri_coll_gather(&m->team, bytes_at(in, bytes), bytes_at(out, bytes), root, NULL);
}

int pr_scatter(pr_mgr_t m, pr_rank_t root, const void *in, void *out, size_t bytes)
{
    int error = check_root(m, root);

    error = error != PR_OK ? error : check_blocks(out, bytes, m->size);
    error = error != PR_OK || m->self != root ? error : check_blocks(in, bytes, m->size);
    return error != PR_OK
               ? error
               : pri_coll_scatter(&m->team, bytes_at(in, bytes), bytes_at(out, bytes), root, NULL);
}

int pr_allgather(pr_mgr_t m, const void *in, size_t bytes, void *out)
{
    int error = m == NULL ? (int)PR_ERR_COMM : check_blocks(in, bytes, m->size);

    error = error != PR_OK ? error : check_blocks(out, bytes, m->size);
    return error != PR_OK
               ? error
               : pri_coll_allgather(&m->team, bytes_at(in, bytes), bytes_at(out, bytes), NULL);
}

int pr_alltoall(pr_mgr_t m, const void *in, size_t bytes, void *out)
{
    int error = m == NULL ? (int)PR_ERR_COMM : check_blocks(in, bytes, m->size);

    error = error != PR_OK ? error : check_blocks(out, bytes, m->size);
    return error != PR_OK
               ? error
               : pri_coll_alltoall(&m->team, bytes_at(in, bytes), bytes_at(out, bytes), NULL);
}
