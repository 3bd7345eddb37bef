/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PRI_RMA_CONTROL_H
#define PRI_RMA_CONTROL_H

/*
 * What the files of this folder share: the control block of each rank and its words, which all
 * ranks update, by atomic instructions of the CPU where the block is mapped and by the NI's
 * otherwise.
 */

#include <stddef.h>

#include "rma/rma.h"

/* A piece of memory in a dynamic window. Readers look at `seq` before and after: it is odd while
 * the piece changes. */
struct pri_rma_piece {
    _Atomic uint64_t seq;
    _Atomic uint64_t base;
    _Atomic uint64_t bytes; /* PRI_RMA_NO_PIECE: none */
    _Atomic uint64_t key;
    _Atomic uint64_t handle;
    _Atomic uint64_t entry; /* the owner's: of pri_rma_entry_open */
};

#define PRI_RMA_NO_PIECE UINT64_MAX

enum { PRI_RMA_ROUNDS = 16 }; /* of a meeting: 2^16 ranks */

struct pri_rma_control {
    _Alignas(64) _Atomic uint64_t lock; /* this and the next two: lock_word.c */
    _Atomic uint64_t queued;
    _Atomic uint64_t served;
    _Atomic uint64_t accumulator;          /* 0, or 1 + the rank that accumulates */
    _Atomic uint64_t updaters;             /* of words: alone.c */
    _Alignas(64) _Atomic uint64_t arrived; /* of rank 0: at meetings, since the window was opened */
    _Atomic uint64_t met[PRI_RMA_ROUNDS]; /* without a segment: signals of each round of meetings */
    _Alignas(64) _Atomic uint64_t completed; /* by origins, of this rank's exposures */
    _Atomic uint64_t pieces;                 /* those in use have smaller numbers */
    _Alignas(
        64) _Atomic uint64_t posted[]; /* exposures of each rank to this one; then the pieces */
};

#define PRI_RMA_WORD(name) offsetof(struct pri_rma_control, name)

static inline size_t pri_rma_pieces_at(int size)
{
    return sizeof(struct pri_rma_control) + ((size_t)size * sizeof(uint64_t) + 63) / 64 * 64;
}

static inline struct pri_rma_piece *pri_rma_pieces(struct pri_rma_control *control, int size)
{
    return (struct pri_rma_piece *)((char *)control + pri_rma_pieces_at(size));
}

/* ---- word.c ---------------------------------------------------------------------------------- */

/* An operation of the NI that is waited for. */
struct pri_rma_await {
    _Atomic bool done;
    ni_status status;
    uint64_t value;
};

/* The completion that sets it, and waiting for it: 0 or an enum pri_error. */
struct ni_ack pri_rma_ack(struct pri_rma_await *await);
int pri_rma_await(struct pri_rma_target *t, struct pri_rma_await *await);
/* The error for a result of the NI. */
int pri_rma_error_of(ni_status status);

/* One word of a target's control block: old value before it was changed (may be NULL). acquire and
 * release. */
int pri_rma_word_add(struct pri_rma_target *t, size_t word, uint64_t value, uint64_t *old);
int pri_rma_word_load(struct pri_rma_target *t, size_t word, uint64_t *value);
/* Becomes `to` if it is `from`; *old is what it was. */
int pri_rma_word_cswap(struct pri_rma_target *t, size_t word, uint64_t from, uint64_t to,
                       uint64_t *old);

/* lock_word.c: have the lock of a target, alone or with other readers; give it back. */
int pri_rma_enter(struct pri_rma_target *t, bool exclusive);
int pri_rma_leave(struct pri_rma_target *t, bool exclusive);

/* An atomic operation of the NI that is waited for. */
int pri_rma_fetch(struct pri_rma_target *t, enum ni_atomic_op op, unsigned width, uint64_t operand,
                  uint64_t compare, const struct ni_remote *at, uint64_t *old);
/* The same of a copy. */
int pri_rma_read(struct pri_rma_target *t, void *to, size_t bytes, const struct ni_remote *from);

/* Whether a rank of the window has died, so that waiting for others may be in vain. */
bool pri_rma_lost(const struct pri_rma *rma);

/* Makes progress; now and then gives others the core if there are too few. */
void pri_rma_let_in(struct pri_rma *rma, bool give);

/* Nothing before it can be seen after what follows it, by anybody. A rank that waits for others by
 * looking at windows alone has to let them in as well: progress is made now and then, and each time
 * if others need it for this window. */
static inline void pri_rma_order(struct pri_rma *rma)
{
    uint64_t before = atomic_fetch_add_explicit(&rma->order, 1, memory_order_seq_cst);

    if (NI_UNLIKELY(rma->registers || before % 16 == 0)) {
        pri_rma_let_in(rma, before % 16 == 0);
    }
}

/* ---- segment.c ------------------------------------------------------------------------------- */

/* How it went, for all ranks: the least of what they found. */
enum pri_rma_segment_state {
    PRI_RMA_SEGMENT_NO_MEMORY, /* the machine lacks it */
    PRI_RMA_SEGMENT_NO_ROOM,   /* an address space does */
    PRI_RMA_SEGMENT_APART,     /* they cannot share memory */
    PRI_RMA_SEGMENT_OPEN
};

/* Memory that all ranks map, of which this one has the bytes from `from` to `to` allocated.
 * Collective, with the same answer: if it is open rma->segment is zero-filled, else there is
 * none. */
enum pri_rma_segment_state pri_rma_segment_open(struct pri_rma *rma, size_t bytes, size_t from,
                                                size_t to);
void pri_rma_segment_close(struct pri_rma *rma);
/* Collective: whether all say so. */
bool pri_rma_agree(struct pri_rma *rma, bool yes);

/* ---- place.c --------------------------------------------------------------------------------- */

/* Where elements of a target are. */
struct pri_rma_place {
    struct pri_rma_target *t;
    uintptr_t local;         /* direct: the address of displacement 0 of the first element */
    struct ni_remote remote; /* otherwise */
    uint64_t first, behind;  /* the addresses at which what was registered begins and ends */
    /* Of a dynamic window, several: all but remote.addr is that of the one that pri_rma_walk has
     * come to. */
    bool pieces;
};

/* Checks the epoch, the range, and with a request that the epoch is a passive one. */
int pri_rma_locate(struct pri_rma *rma, const struct pri_rma_at *at, bool request,
                   struct pri_rma_place *place);

/* Calls fn for each block of the elements' data in turn, `disp` bytes behind their address, until
 * one does not return 0: that is the result. */
typedef int pri_rma_block_fn(void *arg, ptrdiff_t disp, size_t bytes);
int pri_rma_blocks(const struct pri_type *type, size_t count, pri_rma_block_fn *fn, void *arg);
/* The same of elements at a place, where a block that lies in several attached pieces is as many
 * blocks. */
int pri_rma_walk(struct pri_rma_place *place, const struct pri_rma_at *at, pri_rma_block_fn *fn,
                 void *arg);

/* The attached piece of a dynamic window in which all these bytes lie. */
int pri_rma_piece_find(struct pri_rma_target *t, uint64_t first, uint64_t bytes,
                       struct pri_rma_place *place);

/* ---- transfer.c ------------------------------------------------------------------------------ */

/* An operation that consists of several of the NI. */
struct pri_rma_op {
    struct pri_rma_target *t;
    struct pri_request *request; /* NULL: nobody waits for it alone */
    _Atomic unsigned left;       /* parts under way, and one while more are being started */
    _Atomic int error;
    void *packed;             /* NULL, or the data on its way; freed with the operation */
    struct pri_rma_data into; /* with packed: where it goes in the end, if buf is not NULL */
    struct pri_rma_old *old;  /* of fetching atomics */
};

/* A new one, with one part. NULL: no memory. */
struct pri_rma_op *pri_rma_op_begin(struct pri_rma_target *t, struct pri_request *request,
                                    size_t packed);
/* One more part. */
void pri_rma_op_more(struct pri_rma_op *op);
/* One part is done. */
void pri_rma_op_done(struct pri_rma_op *op, ni_status status);
/* The completion of a part. */
struct ni_ack pri_rma_op_ack(struct pri_rma_op *op);
/* Each of these keeps trying while there is no room. */
ni_status pri_rma_start_write(struct pri_rma_target *t, const void *from, size_t bytes,
                              const struct ni_remote *to, const struct ni_ack *ack);
ni_status pri_rma_start_read(struct pri_rma_target *t, void *to, size_t bytes,
                             const struct ni_remote *from, const struct ni_ack *ack);
ni_status pri_rma_start_fetch(struct pri_rma_target *t, enum ni_atomic_op op, unsigned width,
                              uint64_t operand, uint64_t compare, const struct ni_remote *at,
                              const struct ni_ack *ack);
/* The request of an operation that is complete already. */
void pri_rma_request_done(struct pri_rma *rma, struct pri_request *request, int error);
/* Raises a word of a target's control block by one, and does not wait for it. */
int pri_rma_raise(struct pri_rma_target *t, size_t word);
/* Waits for what is under way to a target; tells of, and forgets, what has failed. */
int pri_rma_drain(struct pri_rma_target *t);

/* Copies the data of a target's elements to or from a packed block, and waits for it. */
int pri_rma_copy(struct pri_rma_place *place, void *packed, const struct pri_rma_at *there,
                 bool put);

/* ---- words.c --------------------------------------------------------------------------------- */

/* An update: what accumulate.c has checked. */
struct pri_rma_update {
    struct pri_rma_place *place;
    const struct pri_rma_at *at;
    enum pri_op_id op;
    enum pri_kind kind;
    size_t unit;                 /* bytes of one basic element; of a pair without its holes */
    size_t bytes;                /* of all */
    const char *from;            /* packed; NULL with PRI_OP_NO_OP */
    struct pri_rma_data result;  /* type NULL: not wanted */
    struct pri_request *request; /* or NULL */
    bool goes;                   /* `from` may be gone when the function returns */
};

/* Whether it goes by atomic instructions: integers of 4 or 8 bytes, all of them aligned. */
bool pri_rma_is_words(const struct pri_rma_update *u);
int pri_rma_words(const struct pri_rma_update *u);
/* The same of one word, which becomes *from if it is *compare. */
int pri_rma_word_swap(const struct pri_rma_update *u, const void *compare);
/* One word of memory that is reached directly: the old value, zero-extended. */
uint64_t pri_rma_cpu(uintptr_t at, size_t width, enum pri_op_id op, enum pri_kind kind,
                     const void *from);

/* ---- tell.c ---------------------------------------------------------------------------------- */

/* Each is a pri_tell_fn: of a struct pri_rma, what its ranks meet for, and what they complete; of a
 * target, its lock, its exposure, an answer, and what is under way to it. */
void pri_rma_tell_meet(const void *rma, char *text, size_t size);
void pri_rma_tell_completes(const void *rma, char *text, size_t size);
void pri_rma_tell_lock(const void *target, char *text, size_t size);
void pri_rma_tell_post(const void *target, char *text, size_t size);
void pri_rma_tell_answer(const void *target, char *text, size_t size);
void pri_rma_tell_pending(const void *target, char *text, size_t size);

/* Where a waiter for a word of the target's begins to count: one that has to ask for it moves
 * something each time. */
static inline unsigned pri_rma_spins(const struct pri_rma_target *t)
{
    return t->control == NULL ? PRI_SPINS_ASKS : 0;
}

/* ---- combine.c ------------------------------------------------------------------------------- */

/* Let others combine words of this rank's memory, which is a region with this key. */
int pri_rma_entry_open(struct pri_rank *self, void *base, size_t bytes, uint64_t key,
                       ni_me_handle *entry);
void pri_rma_entry_close(struct pri_rank *self, ni_me_handle entry); /* 0 is allowed */
/* What this rank needs to combine words of others. */
int pri_rma_combines_open(struct pri_rma *rma);
void pri_rma_combines_close(struct pri_rma *rma);

/* Starts an update of words that lie in one piece, `disp` behind the element's address, with parts
 * of the operation. from: NULL with PRI_OP_NO_OP; to: for the old words, NULL: not wanted (but with
 * PRI_OP_REPLACE they always come). */
int pri_rma_combine(const struct pri_rma_update *u, struct pri_rma_op *op, ptrdiff_t disp,
                    const char *from, char *to, size_t bytes);
/* Waits until all of a target have been applied: what does not go the same way would overtake
 * them. */
void pri_rma_combined(struct pri_rma_target *t);

/* ---- alone.c --------------------------------------------------------------------------------- */

/* Whether a window has long runs of words that one rank updates alone. */
bool pri_rma_has_runs(const struct pri_rma *rma);
/* Count this rank among those that update single words of the target; waits for a run. */
int pri_rma_updates_count(struct pri_rma_target *t);
/* It has none under way any more. */
void pri_rma_updates_forget(struct pri_rma_target *t);
/* Whether a run has been made of single words because others were counted. */
bool pri_rma_run_wanted(struct pri_rma_target *t);
/* Nobody else updates words of the target until the end; *begun false: others do, so this rank has
 * to do as they. */
int pri_rma_run_begin(struct pri_rma_target *t, bool *begun);
void pri_rma_run_end(struct pri_rma_target *t);

/* Before each update of words one by one. */
static inline int pri_rma_updates_begin(struct pri_rma_target *t)
{
    /* Relaxed: the word that counts orders. */
    return NI_LIKELY(atomic_load_explicit(&t->updates, memory_order_relaxed) != PRI_RMA_NOT_COUNTED)
               ? 0
               : pri_rma_updates_count(t);
}

/* At the end of an epoch, or at a flush, when none is under way. */
static inline void pri_rma_updates_end(struct pri_rma_target *t, bool epoch)
{
    if (NI_UNLIKELY(atomic_load_explicit(&t->updates, memory_order_relaxed) == PRI_RMA_COUNTED) &&
        (epoch || pri_rma_run_wanted(t))) {
        pri_rma_updates_forget(t);
    }
}

/* ---- locked.c -------------------------------------------------------------------------------- */

/* Everything else: under the target's lock. compare: NULL, or it is done only if the one element is
 * this. */
int pri_rma_locked(const struct pri_rma_update *u, const void *compare);
/* Whether words are a long run; such an update while nobody else updates words of the target. */
bool pri_rma_is_run(const struct pri_rma_update *u);
int pri_rma_run(const struct pri_rma_update *u);
/* The predefined type of a kind. */
const struct pri_type *pri_rma_basic(enum pri_kind kind);

/* ---- locks.c --------------------------------------------------------------------------------- */

/* The lock of accumulates of a target. */
int pri_rma_accumulate_lock(struct pri_rma_target *t);
void pri_rma_accumulate_unlock(struct pri_rma_target *t);

#endif
