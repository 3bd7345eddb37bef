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
    PML_HOOKS_ANY = -2, /* any rank or tag, or it is not known which */
    PML_HOOKS_VERSION = 1,
    PML_HOOKS_MODES = 5,
    PML_HOOKS_SIZES = 48,
    PML_HOOKS_LAST = 8, /* a power of two */
    PML_HOOKS_CALLS = 16,
    PML_HOOKS_SLICES = 200,
    PML_HOOKS_PENDING = 2048,
    PML_HOOKS_FAULTS = 256
};

#define PML_HOOKS_MAGIC UINT64_C(0x534b4f4f484c5041) /* "APLHOOKS" */

enum pml_hooks_state { PML_HOOKS_RUNNING = 1, PML_HOOKS_FINALIZING, PML_HOOKS_FINALIZED };

/* What a thread does in MPI. The names are in names.c. */
enum pml_hooks_call {
    PML_HOOKS_NOTHING,
    PML_HOOKS_SEND,
    PML_HOOKS_RECV,
    PML_HOOKS_PROBE,
    PML_HOOKS_MPROBE,
    PML_HOOKS_MRECV,
    PML_HOOKS_WAIT,
    PML_HOOKS_WAITANY,
    PML_HOOKS_WAITALL,
    PML_HOOKS_WAITSOME,
    PML_HOOKS_FINALIZE,
    PML_HOOKS_CALL_KINDS
};

enum pml_hooks_pending_kind { PML_HOOKS_FREE, PML_HOOKS_PENDING_SEND, PML_HOOKS_PENDING_RECV };

/* Faults. The first are those that can be injected, see pml_hooks/pml_hooks_rules.h. */
enum pml_hooks_fault_kind {
    PML_HOOKS_FAULT_DELAY,
    PML_HOOKS_FAULT_ERROR,
    PML_HOOKS_FAULT_REORDER,
    PML_HOOKS_FAULT_TRUNCATE,
    PML_HOOKS_FAULT_STOP,
    PML_HOOKS_FAULT_DIE,
    PML_HOOKS_FAULT_KINDS
};

typedef uint64_t PML_HOOKS_U64, PML_HOOKS_TICKS, PML_HOOKS_STAMP;
typedef uint32_t PML_HOOKS_U32;
typedef int32_t PML_HOOKS_I32;
typedef char PML_HOOKS_TEXT;

#define FIELD(name, type)        PML_HOOKS_##type name;
#define ARRAY(name, type, count) PML_HOOKS_##type name[count];

struct pml_hooks_head {
#define HEAD_FIELDS
#include "record/fields.def"
#undef HEAD_FIELDS
};

struct pml_hooks_call_entry {
#define CALL_FIELDS
#include "record/fields.def"
#undef CALL_FIELDS
};

struct pml_hooks_class {
#define CLASS_FIELDS
#include "record/fields.def"
#undef CLASS_FIELDS
};

struct pml_hooks_slice {
#define SLICE_FIELDS
#include "record/fields.def"
#undef SLICE_FIELDS
};

struct pml_hooks_pending {
#define PENDING_FIELDS
#include "record/fields.def"
#undef PENDING_FIELDS
};

struct pml_hooks_fault {
#define FAULT_FIELDS
#include "record/fields.def"
#undef FAULT_FIELDS
};

struct pml_hooks_peer {
#define PEER_FIELDS
#include "record/fields.def"
#undef PEER_FIELDS
};

#undef FIELD
#undef ARRAY

/*
 * The record of this process. All parts are in one mapping of the file, which is as long as the
 * process may ever need and takes memory only where it has been written.
 */
struct pml_hooks_record {
    struct pml_hooks_head *head;
    struct pml_hooks_call_entry *calls;
    struct pml_hooks_class *classes;
    struct pml_hooks_slice *slices;
    struct pml_hooks_pending *pending;
    struct pml_hooks_fault *faults;
    struct pml_hooks_peer *peers;
    size_t size; /* of the mapping, in bytes */
    char path[256];
};

/* The record; its pointers are NULL until pml_hooks_record_open. */
extern struct pml_hooks_record pml_hooks_record __attribute__((visibility("hidden")));

/*
 * Make and map the record of process `rank` of `job` in the folder `directory`, for up to `peers`
 * peers. Returns NULL, or what went wrong, a text that is valid until the next call. If there is
 * room for fewer peers, for as many as that.
 */
const char *pml_hooks_record_open(const char *directory, uint32_t job, uint32_t rank,
                                  uint32_t peers);

/* Unmap it; remove the file if `remove`. */
void pml_hooks_record_close(bool remove);

/* The file name of the record of a process, without its folder. */
void pml_hooks_record_name(char *name, size_t size, uint32_t job, uint32_t rank);

/* The folder of this process's record. */
void record_folder(char *folder, size_t size);

/* Map the record of another process of this job and host for reading: its head, and how long the
 * mapping is. NULL if there is none of this version. Of its peers those are there for which it has
 * room. Thread-safe. */
const struct pml_hooks_head *record_map(uint32_t job, uint32_t rank, size_t *size);

/* The types of fields, see fields.def. */
enum pml_hooks_type {
    PML_HOOKS_TYPE_U64,
    PML_HOOKS_TYPE_U32,
    PML_HOOKS_TYPE_I32,
    PML_HOOKS_TYPE_TICKS,
    PML_HOOKS_TYPE_STAMP,
    PML_HOOKS_TYPE_TEXT
};

struct pml_hooks_field {
    const char *name; /* NULL behind the last one */
    enum pml_hooks_type type;
    const char *type_name;
    size_t offset, count;
};

struct pml_hooks_part {
    const char *name, *plural; /* NULL behind the last one */
    const struct pml_hooks_field *fields;
    size_t stride, room, offset;
};

/* The parts of a record in their order, the head first. */
const struct pml_hooks_part *pml_hooks_parts(void);

/* The entries of a part that a head says are in use. */
size_t pml_hooks_part_count(const struct pml_hooks_head *head, const struct pml_hooks_part *part);

/* Where the peers begin in the file of any record of this version. */
size_t pml_hooks_record_peers_at(void);

/* How much of this process's record is in use, in bytes. */
size_t record_used(void);

/* Set the memory of another peer's entry aside in the file system. False if there is none. */
bool pml_hooks_record_grow(uint32_t peers);

#endif
