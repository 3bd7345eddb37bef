/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_COMMAND_H
#define APENI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef __cplusplus
#include <stdatomic.h>
#endif

#include <apeni/region.h>
#include <apeni/status.h>
#include <apeni/transfer.h>

/*
 * Command regions (FORTH-CC 2.2, 3.2): transfers that are asked for by stores instead of calls.
 *
 * A process registers some of its memory as a COMMAND region: an array of lines. A line takes one
 * descriptor, composed by storing its words, in any order, by any thread, with any interruption.
 * The first word holds the descriptor's size. The NI's completion monitor, which runs in
 * ni_progress and ni_command_poke, notices when all words that the size implies are there, takes
 * the descriptor and posts it to the job list. There it waits for room in the network; a job that
 * finds none goes to the end of the list, so that a peer which takes nothing holds up nobody else.
 * When the operation has completed, the line is given back, with the result in it, for the next
 * descriptor.
 *
 *   owner                                         NI
 *   ni_region_command, ni_command_target
 *   ni_command_begin      mark of the line
 *   ni_command_store      word by word            the monitor sees the last one: job list
 *         .                                       write, read or message; then its ack
 *   ni_command_poll       result            <--   the line is given back, with a new mark
 *   ni_command_begin ...
 *
 * Any number of regions, one for each thread or phase of a program, say: they share nothing but the
 * job list.
 *
 * Words. How does the monitor know that a word was stored, when it may hold any value? Each 64-bit
 * word of a line carries 32 bits of the descriptor below and the line's mark above. The NI changes
 * the mark each time it gives the line back, so that a word which is left from an earlier
 * descriptor is not taken for a new one, and no line has to be cleared.
 *
 * Descriptors, in 32-bit words:
 *
 *   word   copy (32 bytes)               message (12 to 60 bytes)
 *     0    head                          head
 *    1,2   ack, low and high half        ack
 *     3    length in bytes               payload ...
 *    4,5   local address                 ...
 *    6,7   remote address                ... to word 14
 *
 *   A write with notification (notify.h; 52 bytes) is a copy with five words more:
 *
 *     8    bits 0-15 target of the note, bit 16 there is one, bit 17 the descriptor ends with the
 *          departure of its source instead of the arrival of its bytes; others 0
 *    9,10  note: address (MEMORY), otherwise 0
 *   11,12  note: value
 *
 *   head: bits 0-7    size of the descriptor in bytes, this word included
 *         bits 8-11   enum ni_command_op
 *         bits 12-13  enum ni_command_ack: what the ack is
 *         bit  14     start flag
 *         bit  15     0
 *         bits 16-31  target, as ni_command_target numbers them
 *
 * Protection. A descriptor can name only what its owner may: local memory that is in one MEMORY
 * region of this NI (as ni_region_search finds it; with READ access as the source of a write, with
 * WRITE access as the destination of a read or of an ack), a counter or interrupt of this NI, and
 * as remote side a target that the owner has given to this very command region. The remote NI
 * judges key, bounds and access as for any transfer. Anything else, and any malformed descriptor,
 * is given back with a reason; the NI reads nothing from the line that it does not check.
 *
 * Batches (FORTH-PCI III-A). In a region with NI_COMMAND_QUEUE the lines are a circular queue and
 * leave in their order. A descriptor without the start flag is held back; one with it starts all up
 * to itself. So a batch is written ahead, in any order, and released by one store: that of any word
 * of its last descriptor. Without NI_COMMAND_QUEUE each descriptor starts when it is complete, and
 * the flag means nothing.
 *
 * Order of memory. A store of a word is a release and the monitor's load of it an acquire (M1, M2):
 * what a thread wrote before it stored any word of the descriptor, such as the data to be sent, is
 * seen by the NI, whichever word came last, and also when several threads have stored some words
 * each. It is every word, not the last, that releases, as in any order no word knows that it is the
 * last; where the processor keeps stores in order this costs nothing. Words of one descriptor may
 * become visible in any order, each speaks for itself. The other way, a line is given back by a
 * release (G1) that ni_command_poll and ni_command_begin acquire (G2): they see the data that was
 * read, and no store of the next descriptor can be overtaken by the NI's use of the last one.
 *
 * Threads. The words of a line may be stored by any thread, of an NI with NI_THREADS or without.
 * What a line's composer must know is that the line is his. All other functions are as in ni.h. A
 * thread that waits in ni_wait looks for descriptors of others every 50 us at the latest. The
 * monitor does not look in calls of ni_progress from within callbacks: one that waits for a
 * descriptor there has to call ni_command_poke, and cannot wait in the notification of a counter to
 * which a descriptor's ack went.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;

enum {
    NI_COMMAND_WORDS = 15, /* of a line */
    NI_COMMAND_COPY_BYTES = 32,
    NI_COMMAND_NOTIFY_BYTES = 52,  /* the same with notification */
    NI_COMMAND_MESSAGE_BYTES = 12, /* without payload */
    NI_COMMAND_PAYLOAD = 48,       /* most, bytes */
    NI_COMMAND_LINES = 65536,      /* most, in one region */
    NI_COMMAND_TARGETS = 65536,    /* most, of one region */
};

enum ni_command_op {
    NI_COMMAND_WRITE = 1,        /* as ni_write */
    NI_COMMAND_READ = 2,         /* as ni_read; of a MULTI_QUEUE as ni_dequeue */
    NI_COMMAND_MESSAGE = 3,      /* the payload to a QUEUE or COUNTER: with an ack as ni_enqueue,
                               without one as ni_message with tag 0, to a QUEUE only: what is
                               refused is then counted (tx_refused), the descriptor does not tell */
    NI_COMMAND_WRITE_NOTIFY = 4, /* as ni_write_notify: a note behind the bytes, at the same peer (a
                                    remote flag, counter, queue or interrupt), and departure */
};

enum ni_command_ack {
    NI_COMMAND_ACK_NONE = 0,
    NI_COMMAND_ACK_WORD = 1,      /* address of an ni_word, aligned */
    NI_COMMAND_ACK_COUNTER = 2,   /* handle */
    NI_COMMAND_ACK_INTERRUPT = 3, /* handle of an INTERRUPT of this NI (notify.h), which is raised
                                     however the descriptor ended */
};

/* Word 8 of a write with notification. */
enum ni_command_notice {
    NI_COMMAND_NOTE = 1 << 16,     /* bits 0-15 and words 9 to 12 are a note */
    NI_COMMAND_DEPARTED = 1 << 17, /* what becomes of the transfer afterwards is told to nobody */
};

enum ni_command_flags {
    NI_COMMAND_QUEUE = 1, /* lines leave in order, in batches */
};

/* Two cache lines. The owner provides the memory; words and state begin at 0 (the NI sees to it).
 *    0  120  word: value | mark << 32
 *  120    8  state, written by the NI: bits 0-31 mark of the next descriptor, 32-47 status of the
 *            last one, 48-63 its reason */
struct ni_command_line {
    ni_word word[NI_COMMAND_WORDS];
    ni_word state;
} __attribute__((aligned(128)));

/* Why a descriptor was given back undone, or NI_COMMAND_DONE. X(name, text) */
#define NI_COMMAND_REASON_LIST(X)                                                                  \
    X(DONE, "done")                                                                                \
    X(BAD_SIZE, "its size is not one that its operation has")                                      \
    X(BAD_HEAD, "its head names no operation or no kind of ack, or has bits that mean nothing")    \
    X(BAD_ACK, "its ack is not an aligned word that the owner may write, nor one of its counters") \
    X(BAD_TARGET, "its target was not given to this command region")                               \
    X(BAD_LOCAL, "its local range is not in a region whose access allows it")                      \
    X(FAILED, "the operation failed, as the status says")                                          \
    X(BAD_NOTE, "its note has bits that mean nothing, or names no target of the same peer's")

enum ni_command_reason {
#define NI_COMMAND_ENUM(name, text) NI_COMMAND_##name,
    NI_COMMAND_REASON_LIST(NI_COMMAND_ENUM)
#undef NI_COMMAND_ENUM
};

struct ni_command_result {
    ni_status status;              /* NI_ERR_INVALID, NI_ERR_BOUNDS ... with all reasons but DONE */
    enum ni_command_reason reason; /* FAILED: the status came from the operation */
};

/* ---- the NI's side --------------------------------------------------------------------------- */

/* Register count lines (1 to NI_COMMAND_LINES) as a COMMAND region; flags are enum
 * ni_command_flags. The memory stays the caller's, and the NI's to write state to, until
 * ni_region_deregister; what was taken before that completes, but for jobs that still waited: those
 * are dropped. Errors: INVALID (lines not aligned, count, flags), NOMEM, LIMIT. */
ni_status ni_region_command(struct ni *ni, struct ni_command_line *lines, size_t count,
                            unsigned flags, ni_handle *command);

/* Let descriptors of this region name a region of a peer: as target number *target, counted from 0.
 * Errors: REGION (stale, or no COMMAND region), INVALID, NOMEM, LIMIT. Takes the progress lock. */
ni_status ni_command_target(struct ni *ni, ni_handle command, struct ni_peer *peer,
                            const struct ni_rkey *rkey, uint16_t *target);

/* Take it back: descriptors that name it and were not served yet are refused. NI_ERR_NOTFOUND. */
ni_status ni_command_untarget(struct ni *ni, ni_handle command, uint16_t target);

/* Look at this region now, and serve the job list, instead of at the next ni_progress: the doorbell
 * of those who have one descriptor and want it on its way. NI_AGAIN from within a callback that the
 * job list itself has caused: it goes on when that returns. NI_ERR_REGION. Takes the progress lock.
 */
ni_status ni_command_poke(struct ni *ni, ni_handle command);

/* A static English sentence's end for a reason; never NULL, also for values out of range. */
const char *ni_command_reason_text(enum ni_command_reason reason);

/* ---- composing: no call into the library ----------------------------------------------------- */

/* A line as its composer knows it. Begin with {line, 0}. */
struct ni_command {
    struct ni_command_line *line;
    uint32_t mark; /* of the descriptor that is being composed or under way; 0: none yet */
};

/* A descriptor in plain memory, for who wants to prepare one and then store its words. */
struct ni_descriptor {
    unsigned words;
    uint32_t word[NI_COMMAND_WORDS];
};

static inline uint64_t ni_command_load(const ni_word *word) /* M2, G2 */
{
#ifdef __cplusplus
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#else
    return atomic_load_explicit(word, memory_order_acquire);
#endif
}

static inline void ni_command_publish(ni_word *word, uint64_t value) /* M1, G1 */
{
#ifdef __cplusplus
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#else
    atomic_store_explicit(word, value, memory_order_release);
#endif
}

/* Whether the line's last descriptor has come to its end, also if there was none yet; then what
 * became of it, unless result is NULL. */
static inline bool ni_command_poll(const struct ni_command *command,
                                   struct ni_command_result *result)
{
    uint64_t state = ni_command_load(&command->line->state);

    if ((uint32_t)state == command->mark) {
        return false;
    }
    if (result != NULL) {
        result->status = (ni_status)(int16_t)(state >> 32);
        result->reason = (enum ni_command_reason)(state >> 48);
    }
    return true;
}

/* Begin a descriptor. False: the last one is not at its end yet. */
static inline bool ni_command_begin(struct ni_command *command)
{
    uint64_t state = ni_command_load(&command->line->state);

    if ((uint32_t)state == command->mark) {
        return false;
    }
    command->mark = (uint32_t)state;
    return true;
}

/* Store word i, 0 to NI_COMMAND_WORDS - 1. Each word once, in any order. */
static inline void ni_command_store(const struct ni_command *command, unsigned i, uint32_t value)
{
    ni_command_publish(&command->line->word[i], (uint64_t)command->mark << 32 | value);
}

/* All words of a descriptor. */
static inline void ni_command_compose(const struct ni_command *command,
                                      const struct ni_descriptor *descriptor)
{
    for (unsigned i = 0; i < descriptor->words; i++) {
        ni_command_store(command, i, descriptor->word[i]);
    }
}

static inline uint32_t ni_command_head(enum ni_command_op op, uint32_t size, uint16_t target)
{
    return size | (uint32_t)op << 8 | (uint32_t)target << 16;
}

/* A copy, op WRITE or READ. */
static inline void ni_command_copy(struct ni_descriptor *descriptor, enum ni_command_op op,
                                   uint16_t target, const void *local, uint64_t remote,
                                   uint32_t len)
{
    uint64_t address = (uintptr_t)local;

    descriptor->words = NI_COMMAND_COPY_BYTES / 4;
    descriptor->word[0] = ni_command_head(op, NI_COMMAND_COPY_BYTES, target);
    descriptor->word[1] = 0;
    descriptor->word[2] = 0;
    descriptor->word[3] = len;
    descriptor->word[4] = (uint32_t)address;
    descriptor->word[5] = (uint32_t)(address >> 32);
    descriptor->word[6] = (uint32_t)remote;
    descriptor->word[7] = (uint32_t)(remote >> 32);
}

/* A message of len bytes, NI_COMMAND_PAYLOAD at most. */
static inline void ni_command_message(struct ni_descriptor *descriptor, uint16_t target,
                                      const void *payload, uint32_t len)
{
    descriptor->words = (NI_COMMAND_MESSAGE_BYTES + len + 3) / 4;
    descriptor->word[0] =
        ni_command_head(NI_COMMAND_MESSAGE, NI_COMMAND_MESSAGE_BYTES + len, target);
    descriptor->word[1] = 0;
    descriptor->word[2] = 0;
    if (len != 0) {
        descriptor->word[descriptor->words - 1] = 0;
        memcpy(&descriptor->word[NI_COMMAND_MESSAGE_BYTES / 4], payload, len);
    }
}

/* Have the completion written to a word: the bytes moved, or ni_ack_failure(status). */
static inline void ni_command_ack_word(struct ni_descriptor *descriptor, const ni_word *word)
{
    uint64_t address = (uintptr_t)word;

    descriptor->word[0] |= (uint32_t)NI_COMMAND_ACK_WORD << 12;
    descriptor->word[1] = (uint32_t)address;
    descriptor->word[2] = (uint32_t)(address >> 32);
}

/* Have the bytes moved added to a counter of this NI. */
static inline void ni_command_ack_counter(struct ni_descriptor *descriptor, ni_handle counter)
{
    descriptor->word[0] |= (uint32_t)NI_COMMAND_ACK_COUNTER << 12;
    descriptor->word[1] = counter;
    descriptor->word[2] = 0;
}

/* Have an INTERRUPT of this NI raised at the end. */
static inline void ni_command_ack_interrupt(struct ni_descriptor *descriptor, ni_handle interrupt)
{
    descriptor->word[0] |= (uint32_t)NI_COMMAND_ACK_INTERRUPT << 12;
    descriptor->word[1] = interrupt;
    descriptor->word[2] = 0;
}

/* A copy of op WRITE becomes a write with notification, if it is none yet. */
static inline void ni_command_notify(struct ni_descriptor *descriptor)
{
    if (descriptor->words < NI_COMMAND_NOTIFY_BYTES / 4) {
        descriptor->words = NI_COMMAND_NOTIFY_BYTES / 4;
        descriptor->word[0] &= ~(uint32_t)0xfff;
        descriptor->word[0] |= NI_COMMAND_NOTIFY_BYTES | (uint32_t)NI_COMMAND_WRITE_NOTIFY << 8;
        for (unsigned i = NI_COMMAND_COPY_BYTES / 4; i < descriptor->words; i++) {
            descriptor->word[i] = 0;
        }
    }
}

/* Tell a region of the peer's, target `target` of the same command region, behind the bytes. addr
 * and value as in struct ni_note. Of a copy, op WRITE. */
static inline void ni_command_note(struct ni_descriptor *descriptor, uint16_t target, uint64_t addr,
                                   uint64_t value)
{
    ni_command_notify(descriptor);
    descriptor->word[8] = (descriptor->word[8] & ~(uint32_t)0xffff) | NI_COMMAND_NOTE | target;
    descriptor->word[9] = (uint32_t)addr;
    descriptor->word[10] = (uint32_t)(addr >> 32);
    descriptor->word[11] = (uint32_t)value;
    descriptor->word[12] = (uint32_t)(value >> 32);
}

/* Let the descriptor end, and its line be given back, when its source may be used again. Of a copy,
 * op WRITE. */
static inline void ni_command_departed(struct ni_descriptor *descriptor)
{
    ni_command_notify(descriptor);
    descriptor->word[8] |= NI_COMMAND_DEPARTED;
}

/* Set the start flag. */
static inline void ni_command_start(struct ni_descriptor *descriptor)
{
    descriptor->word[0] |= (uint32_t)1 << 14;
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
