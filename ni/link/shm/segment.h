/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_SHM_SEGMENT_H
#define NI_LINK_SHM_SEGMENT_H

#include <sys/types.h>

#include <apeni/status.h>

#include "base/list.h"
#include "link/shm/layout.h"

/*
 * Segments as this process has them: one object, one descriptor and one mapping per segment, shared
 * by all NIs of the process and counted.
 *
 * There is only one descriptor because record locks belong to a process and a file: closing any
 * descriptor of a file releases all locks that the process holds on it. For the same reason a
 * descriptor of a file that is known already is never closed before the last user of the segment
 * has gone (ni_shm_discard), and an NI of this process is reached through the object that it made
 * itself. A fork child inherits descriptors and mappings but no locks, and closing them there takes
 * none from the parent.
 *
 * All functions may be called from any thread; none calls back.
 */

/* An area that is mapped here: lane page, rings (each twice in a row) and bulk. */
struct ni_shm_area {
    struct ni_list list; /* in segment->areas */
    uint32_t number;
    unsigned references;
    struct ni_lane_page *page;
    uint8_t *first;     /* ring */
    uint8_t *ring;      /* the larger one, or the first again where there is none */
    bool ring_held;     /* it is allocated */
    uint8_t *bulk;      /* or NULL */
    uint32_t bulk_held; /* of it, bytes that are allocated */
    size_t mapped;      /* bytes from page on */
};

struct ni_shm_segment {
    struct ni_list list; /* in the registry */
    unsigned references;
    pid_t pid; /* of the process that made this object: another after fork */
    int fd;
    bool own; /* made by an NI of this process */
    dev_t dev;
    ino_t ino;
    uint64_t key;
    uint64_t socket; /* name of its owner's */
    struct ni_shm_geometry geometry;
    struct ni_shm_header *header; /* start of the mapping of everything but the areas */
    _Atomic uint64_t *seat_words;
    _Atomic uint64_t *slot_words;
    uint8_t *slots;
    void *exports;
    struct ni_shm_seat_blob *blobs;
    struct ni_list areas;
    struct ni_list spares; /* descriptors that must stay open as long as this one */
    uint8_t *local;        /* per seat, 1 if an NI of ours has it; NULL of others */
    uint8_t *blobs_made;   /* per page of blobs: 1 if known to be allocated */
};

/* Make the segment of an NI: allocated, sealed, locked, header complete but for the state, which is
 * NI_SHM_MAKING. Errors are logged. */
ni_status ni_shm_segment_create(const struct ni_shm_counts *counts, uint64_t address,
                                struct ni_shm_segment **segment);

/* The segment with this key if the process has it, with a reference; or NULL. */
struct ni_shm_segment *ni_shm_segment_find(uint64_t key);

/* Take a descriptor of what should be the segment that the blob names: check it, map it, register
 * it. Consumes the descriptor in any case. NI_ERR_UNREACHABLE: it is something else;
 * NI_ERR_PEER_CLOSED; NI_ERR_NOMEM. */
ni_status ni_shm_segment_adopt(int fd, const struct ni_shm_blob *blob,
                               struct ni_shm_segment **segment);

/* Whether a file is one that the process has as a segment: then it must not be opened again. */
bool ni_shm_file_known(dev_t dev, ino_t ino);

/* Close a descriptor that came from elsewhere, unless that would release locks of ours. */
void ni_shm_discard(int fd);

void ni_shm_segment_put(struct ni_shm_segment *segment);

/* No more a living owner (after the state was set to NI_SHM_CLOSED). */
void ni_shm_segment_unlock(struct ni_shm_segment *segment);

/* ---- its parts (counts.c) -------------------------------------------------------------------- */

struct ni_config;

/* How much of each part a segment has: by parameters, and the processes of the host; 0: not known.
 * NI_ERR_LIMIT, which is logged, if not all of those can send to this one: a process that found no
 * seat would wait for one for ever. */
ni_status ni_shm_counts_choose(const struct ni_config *config, unsigned processes, unsigned rails,
                               struct ni_shm_counts *counts);
/* A limit on the size of files leaves room for fewer senders than the parameter allows. All of the
 * host have to fit; ni_shm_file_make refuses if they do not. */
void ni_shm_counts_fit(struct ni_shm_counts *counts, unsigned processes);

/* ---- the file (file.c) ----------------------------------------------------------------------- */

#define NI_SHM_FILE_NAME "apelink"

/* A memfd of this name that can be sealed and is none of standard input, output and error; -1 with
 * errno. */
int ni_shm_file_begin(const char *name);
/* Whether a link in /proc leads to a memfd of this name, without opening it: opening a device or a
 * pipe has effects. */
bool ni_shm_file_named(const char *path, const char *name);
/* The size in bytes beyond which this process may make no file. */
uint64_t ni_shm_file_limit(void);

/* Make the file of an own segment whose geometry is set: allocated but for blobs and areas, sealed,
 * locked. Errors are logged. */
ni_status ni_shm_file_make(struct ni_shm_segment *segment);
/* Whether a file can be trusted not to shrink and is what the blob says; then its geometry. */
ni_status ni_shm_file_check(int fd, const struct ni_shm_blob *blob,
                            struct ni_shm_geometry *geometry);
/* Bytes of it that are allocated; 0: the kernel does not say. */
uint64_t ni_shm_file_held(const struct ni_shm_segment *segment);
/* Allocate a part of the file; NI_OK or NI_ERR_NOMEM with errno. */
ni_status ni_shm_allocate(struct ni_shm_segment *segment, uint64_t offset, uint64_t len);

/* ---- seats (seat.c) -------------------------------------------------------------------------- */

/* Take a seat as a sender. NI_AGAIN: all are taken. */
ni_status ni_shm_seat_take(struct ni_shm_segment *segment, const void *blob, size_t len,
                           uint32_t *seat, uint32_t *generation);
/* Whether no seat will get free soon: all are held by senders that live and have not left. Asks the
 * kernel for each. */
bool ni_shm_seats_held(struct ni_shm_segment *segment);
/* Leave it: the last packet has been written. */
void ni_shm_seat_leave(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation);
/* Whether the sender that has the seat lives; asks the kernel. */
bool ni_shm_seat_alive(struct ni_shm_segment *segment, uint32_t seat);
/* Whether the owner lives; asks the kernel. */
bool ni_shm_owner_alive(struct ni_shm_segment *segment);
/* Owner: copy a seat's blob. *len is 0 if what is there is none. NI_ERR_NOMEM. */
ni_status ni_shm_seat_blob(struct ni_shm_segment *segment, uint32_t seat, void *blob, size_t size,
                           size_t *len);
/* Owner: empty the seat's area and let others have the seat. */
void ni_shm_seat_free(struct ni_shm_segment *segment, uint32_t seat, uint32_t generation);
/* Make the owner look at seats and peers soon. */
void ni_shm_attention(struct ni_shm_segment *segment);
/* Wake the owner if it sleeps. */
void ni_shm_segment_wake(struct ni_shm_segment *segment);

/* ---- areas (area.c) -------------------------------------------------------------------------- */

/* Allocate and map an area (ni_shm_area_of). Its larger ring and its bulk area are mapped, but not
 * allocated; it is without bulk area if address space does not suffice, or with_bulk is false;
 * *with_bulk tells. One ni_shm_area_put each. */
ni_status ni_shm_area_get(struct ni_shm_segment *segment, uint32_t number, bool *with_bulk,
                          struct ni_shm_area **area);
void ni_shm_area_put(struct ni_shm_area *area);
/* Allocate the larger ring. The receiver does that as well as the sender. */
ni_status ni_shm_area_widen(struct ni_shm_segment *segment, struct ni_shm_area *area);
/* Whether the receiver lets the areas of its senders have so many bytes more. Asks the kernel what
 * they have: several senders that ask at once may all get them. */
bool ni_shm_areas_may_have(const struct ni_shm_segment *segment, uint64_t more);
/* Allocate the bulk area's first size bytes at least, which are no more than it has. Who reads what
 * another allocates does that, too, so that it never touches a hole. */
ni_status ni_shm_area_grow(struct ni_shm_segment *segment, struct ni_shm_area *area, uint32_t size);

/* The sender: give the larger ring, or all of the bulk area, back to the kernel. What was the ring
 * is zero when it is allocated again. Nobody may look there any more. */
void ni_shm_area_narrow(struct ni_shm_segment *segment, struct ni_shm_area *area);
void ni_shm_area_shrink(struct ni_shm_segment *segment, struct ni_shm_area *area);
/* The receiver: have it allocated before it is read again. */
void ni_shm_area_forget_ring(struct ni_shm_area *area);
void ni_shm_area_forget_bulk(struct ni_shm_area *area);

/* Give the memory of a seat's areas back; they read as zero from now on. */
void ni_shm_areas_empty(struct ni_shm_segment *segment, uint32_t seat);

/* The lock of the registry, for seat.c and area.c. */
void ni_shm_registry_lock(void);
void ni_shm_registry_unlock(void);

#endif
