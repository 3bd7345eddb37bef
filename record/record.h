/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process has recorded, in a file in memory that outlives it. One process writes it; anyone
 * may read it at any time, and takes it that a number may be one event older than its neighbour.
 *
 * The file begins with the head, behind it a description of all parts as text, so that a reader
 * needs no knowledge of this header:
 *
 *     part NAME PLURAL OFFSET STRIDE
 *     field NAME TYPE OFFSET COUNT      within the part's entry
 *
 * The parts: head (one entry), call (a thread each), class (of tags), slice (of time), pending
 * (operations under way), fault (what was injected, or happened), peer. How many entries are in use
 * is in the head, as PART_count.
 */

enum {
    RECORD_ANY = -2, /* any rank or tag, or it is not known which */
    RECORD_VERSION = 1,
    RECORD_MODES = 5,
    RECORD_SIZES = 48,
    RECORD_LAST = 8, /* a power of two */
    RECORD_CALLS = 16,
    RECORD_SLICES = 200,
    RECORD_PENDING = 2048,
    RECORD_FAULTS = 256
};

#define RECORD_MAGIC UINT64_C(0x534b4f4f484c5041) /* "APLHOOKS" */

/* Where calls and classes begin in a record: an address that is near the head's needs no pointer.
 */
#define RECORD_PAGE_UP(size) (((size) + 4095) / 4096 * 4096)
enum { RECORD_CALLS_AT = 3 * 4096 };
#define RECORD_CLASSES_AT \
    (RECORD_CALLS_AT + RECORD_PAGE_UP(RECORD_CALLS * sizeof(struct record_call_entry)))

enum record_state { RECORD_RUNNING = 1, RECORD_FINALIZING, RECORD_FINALIZED };

/* What ended a process, beside signals. */
enum record_ended { RECORD_ENDED_EXIT = 1000, RECORD_ENDED_ABORT };

/* What a thread does in MPI. The names are in names.c. */
enum record_call {
    RECORD_NOTHING,
    RECORD_SEND,
    RECORD_RECV,
    RECORD_PROBE,
    RECORD_MPROBE,
    RECORD_MRECV,
    RECORD_WAIT,
    RECORD_WAITANY,
    RECORD_WAITALL,
    RECORD_WAITSOME,
    RECORD_FINALIZE,
    RECORD_WIN_CREATE, /* those from here on are of a window */
    RECORD_WIN_FREE,
    RECORD_WIN_FENCE,
    RECORD_WIN_START,
    RECORD_WIN_COMPLETE,
    RECORD_WIN_POST,
    RECORD_WIN_WAIT,
    RECORD_WIN_LOCK,
    RECORD_WIN_UNLOCK,
    RECORD_WIN_LOCK_ALL,
    RECORD_WIN_UNLOCK_ALL,
    RECORD_WIN_FLUSH,
    RECORD_WIN_FLUSH_ALL,
    RECORD_WIN_FLUSH_LOCAL,
    RECORD_WIN_FLUSH_LOCAL_ALL,
    RECORD_CALL_KINDS
};

/* A lock is one of a window that is held: its tag is the type, its bytes the window's number. */
enum record_pending_kind {
    RECORD_FREE,
    RECORD_PENDING_SEND,
    RECORD_PENDING_RECV,
    RECORD_PENDING_LOCK
};

/* Faults. The first are those that can be injected, see pml_hooks/pml_hooks_rules.h. */
enum record_fault_kind {
    RECORD_FAULT_DELAY,
    RECORD_FAULT_ERROR,
    RECORD_FAULT_REORDER,
    RECORD_FAULT_TRUNCATE,
    RECORD_FAULT_STOP,
    RECORD_FAULT_DIE,
    RECORD_FAULT_KINDS
};

typedef uint64_t RECORD_U64, RECORD_TICKS, RECORD_STAMP;
typedef uint32_t RECORD_U32;
typedef int32_t RECORD_I32;
typedef char RECORD_TEXT;

#define FIELD(name, type)        RECORD_##type name;
#define ARRAY(name, type, count) RECORD_##type name[count];

struct record_head {
#define HEAD_FIELDS
#include "record/fields.def"
#undef HEAD_FIELDS
};

struct record_call_entry {
#define CALL_FIELDS
#include "record/fields.def"
#undef CALL_FIELDS
};

struct record_class {
#define CLASS_FIELDS
#include "record/fields.def"
#undef CLASS_FIELDS
};

struct record_slice {
#define SLICE_FIELDS
#include "record/fields.def"
#undef SLICE_FIELDS
};

struct record_pending {
#define PENDING_FIELDS
#include "record/fields.def"
#undef PENDING_FIELDS
};

struct record_fault {
#define FAULT_FIELDS
#include "record/fields.def"
#undef FAULT_FIELDS
};

/* What others read of it lies in as few cache lines as can be. */
struct record_peer {
#define PEER_FIELDS
#include "record/fields.def"
#undef PEER_FIELDS
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct record_peer, sent_stamps) % 64 == 0 &&
                   offsetof(struct record_peer, receive_stamps) % 64 == 0,
               "the stamps of the last messages lie in one line");

#undef FIELD
#undef ARRAY

/*
 * The record of this process. All parts are in one mapping of the file, which is as long as the
 * process may ever need and takes memory only where it has been written.
 */
struct record {
    struct record_head *head;
    struct record_call_entry *calls;
    struct record_class *classes;
    struct record_slice *slices;
    struct record_pending *pending;
    struct record_fault *faults;
    struct record_peer *peers;
    size_t size; /* of the mapping, in bytes */
    char path[256];
};

/* The record; its pointers are NULL until record_open. */
extern struct record record_own __attribute__((visibility("hidden")));

/*
 * Make and map the record of process `rank` of `job` in the folder `directory`, for up to `peers`
 * peers. Returns NULL, or what went wrong, a text that is valid until the next call. If there is
 * room for fewer peers, for as many as that.
 */
const char *record_open(const char *directory, uint32_t job, uint32_t rank, uint32_t peers);

/* Unmap it; remove the file if `remove`. */
void record_close(bool remove);

/* The file name of the record of a process, without its folder. */
void record_file_name(char *name, size_t size, uint32_t job, uint32_t rank);

/* The folder of this process's record. */
void record_folder(char *folder, size_t size);

/* Map the record of another process of this job and host for reading: its head, and how long the
 * mapping is. NULL if there is none of this version. Of its peers those are there for which it has
 * room. Thread-safe. */
const struct record_head *record_map(uint32_t job, uint32_t rank, size_t *size);

/* The types of fields, see fields.def. */
enum record_type {
    RECORD_TYPE_U64,
    RECORD_TYPE_U32,
    RECORD_TYPE_I32,
    RECORD_TYPE_TICKS,
    RECORD_TYPE_STAMP,
    RECORD_TYPE_TEXT
};

struct record_field {
    const char *name; /* NULL behind the last one */
    enum record_type type;
    const char *type_name;
    size_t offset, count;
};

struct record_part {
    const char *name, *plural; /* NULL behind the last one */
    const struct record_field *fields;
    size_t stride, room, offset;
};

/* The parts of a record in their order, the head first. */
const struct record_part *record_parts(void);

/* The entries of a part that a head says are in use. */
size_t record_part_count(const struct record_head *head, const struct record_part *part);

/* Where the peers begin in the file of any record of this version. */
size_t record_peers_at(void);

/* How much of this process's record is in use, in bytes. */
size_t record_used(void);

/* Set the memory of another peer's entry aside in the file system. False if there is none. */
bool record_grow(uint32_t peers);

#endif
