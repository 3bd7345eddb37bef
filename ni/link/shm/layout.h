/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_SHM_LAYOUT_H
#define NI_LINK_SHM_LAYOUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/lane.h"

/*
 * The segment: what an NI shares with its senders. One memfd per NI, owned by the receiver; a
 * process that sends to it maps it.
 *
 *   header        one page: identity, geometry, state, doorbell, sleep word
 *   seat words    8 bytes per seat
 *   slot words    8 bytes per slot
 *   export        the owner's exported buffer table, 32 bytes per entry
 *   slots         2 KiB each: packets of senders that have no lane yet; the first are used first,
 *                 so that a process with few peers touches what lies near the header only
 *   blobs         one per seat: the sender's address; allocated by the senders, page by page
 *   areas         one per seat: lane page, rings, bulk; allocated by the senders with their lane
 *   rails         rails - 1 more areas per seat, for those that spread packets over several lanes
 *
 * All but blobs and areas is allocated by the owner. The file is sparse, so what nobody uses costs
 * nothing, and sealed against changes of its size, so no access within it can raise SIGBUS.
 *
 * Seats. A sender needs a seat in the receiver's segment: a word, a blob and an area of the same
 * number. It takes a record lock on byte 1 + number of the file (the kernel releases it when the
 * sender dies, in whatever way), then changes the word by compare-and-swap. Byte 0 is locked by the
 * owner in the same way. Who wants to know whether the other side lives asks the kernel for the
 * lock.
 *
 *   FREE ----> CLAIMED ----> OPEN -----------> CLOSED ---> FREE      sender, sender, sender, owner
 *                                \-> KICKED -> CLOSED                owner, sender
 *   any of the right, and the lock is gone: the sender died ---> FREE
 *
 * Only the owner frees a seat, after it has taken everything that the sender left, emptied the area
 * and raised the generation.
 *
 * Slots. A sender claims any free slot by compare-and-swap, naming its seat and the number of the
 * packet among those that it sends through slots; writes the packet; changes the state; and sets
 * the slot's bit in the doorbell. The owner looks at the doorbell alone. It takes each sender's
 * packets in the order of their numbers. So a sender that stops or dies between claim and
 * publication occupies its one slot and delays nobody else.
 *
 * Lane. The last packet that a sender puts into a slot is a record that says that its area holds a
 * lane. Records for further lanes, its rails, may follow, one for each, in their order. A lane
 * begins in the first ring of its area, and its sender has it go on in the larger one when it is
 * busy (grow.c), and back in the first when it has said nothing for long (shrink.c); rails begin in
 * the larger one, and stay in it.
 *
 * The word `unpolled` of a lane says that the owner may not look at it, because it sleeps or
 * because nothing has come for long. A sender that finds it set behind its packet resets it and
 * rings: it sets the bit of its seat in `bells` (park.c).
 *
 * Edges between processes:
 *   S1 seat word to OPEN, release (blob written)          -> acquire load by the owner
 *   S2 seat word to FREE, release (area emptied)          -> acquire CAS to CLAIMED
 *   S3 seat word to CLOSED, release (last packet written) -> acquire load by the owner, who drains
 *   Q1 slot word to PACKET or LANE, release               -> acquire load by the owner
 *   Q2 slot word to FREE, release (packet read)           -> acquire CAS to CLAIMED
 *   Q3 doorbell bit, release                              -> acquire exchange by the owner
 *   B1 lane's unpolled to 0, acq_rel (packet written)     -> acquire load by the owner
 *   B2 bit of bells, release (after B1)                   -> acquire exchange by the owner
 *   H1 header state, release                              -> acquire load by those who attach
 */

enum {
    NI_SHM_VERSION = 7,
    NI_SHM_SLOT_SIZE = 2048,
    NI_SHM_SLOT_LINES = NI_SHM_SLOT_SIZE / NI_LINE,
    NI_SHM_BLOB_STRIDE = 128,
    NI_SHM_EXPORT_ENTRY = 32,
    NI_SHM_SEATS_MAX = 16384,
    NI_SHM_SLOTS_MAX = 4096,
    NI_SHM_EXPORT_MAX = 1 << 20,
    NI_SHM_RING_MIN = 4096,
    NI_SHM_RING_FIRST = 8192,
    NI_SHM_RING_MAX = 1 << 20,
    NI_SHM_BULK_MAX = 64 << 20,
    NI_SHM_BULK_STEP = 16 << 10,
};

#define NI_SHM_MAGIC UINT64_C(0x313067657345696e) /* "niEseg01" */

/* How many of everything: chosen by the owner, checked by those who attach. */
struct ni_shm_counts {
    uint32_t page;    /* bytes of a memory page */
    uint32_t seats;   /* 1..NI_SHM_SEATS_MAX */
    uint32_t slots;   /* 1..NI_SHM_SLOTS_MAX */
    uint32_t exports; /* 0..NI_SHM_EXPORT_MAX */
    uint32_t ring;    /* bytes, power of two, whole pages: of a lane that is busy */
    uint32_t bulk;    /* bytes, whole pages, may be 0 */
    uint32_t rails;   /* lanes of a sender, up to NI_RAILS_MAX; 0 is 1 */
    uint32_t first;   /* as ring, and no more than that: of a lane at its beginning */
};
_Static_assert(sizeof(struct ni_shm_counts) == 32, "shared");

/* Offsets in the file that follow from the counts. All are multiples of the page size. */
struct ni_shm_geometry {
    struct ni_shm_counts counts;
    uint64_t seat_words, slot_words, exports, slots;
    uint64_t blobs; /* what is before is allocated by the owner */
    uint64_t areas; /* what is before is mapped as a whole */
    uint64_t area_size;
    uint64_t size; /* of the file */
};

/* How a sleeper is woken. */
enum ni_shm_sleep {
    NI_SHM_SLEEPS = 1,           /* on the futex */
    NI_SHM_SLEEPS_ON_SOCKET = 2, /* on that socket, among other descriptors */
};

enum ni_shm_state { NI_SHM_MAKING = 0, NI_SHM_OPEN = 1, NI_SHM_CLOSED = 2 };

struct ni_shm_header {
    /* Line 0: constant. */
    uint64_t magic;
    uint32_t version;
    uint32_t pid; /* in the owner's pid namespace; for people */
    uint64_t key; /* random: who knows it was told by the owner */
    uint64_t address;
    struct ni_shm_counts counts;
    /* Line 1: state, enum ni_shm_state (H1). */
    _Alignas(64) _Atomic uint32_t state;
    uint64_t lanes_size; /* constant: bytes of areas from which on their senders get no more */
    /* Line 2: how often senders were refused more, who need it; read when lanes are reviewed. Who
     * writes nonsense makes lanes give back sooner what they do not use. */
    _Alignas(64) _Atomic uint64_t wanted;
    uint8_t unused[56];
    /* Line 3: the doorbell, the only line that the owner looks at in each poll. */
    _Alignas(
        64) _Atomic uint64_t posted; /* bit n: look at the slots whose number is n modulo 64 (Q3) */
    _Atomic uint32_t attention;      /* not 0: look at the seats and the peers' headers */
    _Atomic uint64_t bells; /* bit n: look at the lanes of seats whose number is n modulo 64 (B2) */
    /* Line 4: a futex. While the owner sleeps, enum ni_shm_sleep. */
    _Alignas(64) _Atomic uint32_t sleeping;
    _Atomic uint32_t wishes; /* enum ni_wish */
};
_Static_assert(offsetof(struct ni_shm_header, counts) == 32, "shared");
_Static_assert(offsetof(struct ni_shm_header, state) == 64, "shared");
_Static_assert(offsetof(struct ni_shm_header, lanes_size) == 72, "shared");
_Static_assert(offsetof(struct ni_shm_header, wanted) == 128, "shared");
_Static_assert(offsetof(struct ni_shm_header, posted) == 192, "shared");
_Static_assert(offsetof(struct ni_shm_header, attention) == 200, "shared");
_Static_assert(offsetof(struct ni_shm_header, bells) == 208, "shared");
_Static_assert(offsetof(struct ni_shm_header, sleeping) == 256, "shared");
_Static_assert(offsetof(struct ni_shm_header, wishes) == 260, "shared");
_Static_assert(sizeof(struct ni_shm_header) == 320, "shared");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "used between processes");

/* ---- seat words: bits 0-7 state, 32-63 generation -------------------------------------------- */

enum ni_shm_seat_state {
    NI_SHM_SEAT_FREE = 0,
    NI_SHM_SEAT_CLAIMED = 1,
    NI_SHM_SEAT_OPEN = 2,
    NI_SHM_SEAT_CLOSED = 3,
    NI_SHM_SEAT_KICKED = 4,  /* the owner has given the sender up */
    NI_SHM_SEAT_REFUSED = 5, /* the owner never wanted it; otherwise as KICKED */
    NI_SHM_SEAT_BROKEN = 6,  /* likewise: what the sender sent broke the protocol */
};

static inline uint64_t ni_shm_seat_word(enum ni_shm_seat_state state, uint32_t generation)
{
    return (uint64_t)generation << 32 | (uint64_t)state;
}

static inline enum ni_shm_seat_state ni_shm_seat_state(uint64_t word)
{
    return (enum ni_shm_seat_state)(word & 0xff);
}

static inline uint32_t ni_shm_seat_generation(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* ---- slot words: bits 0-7 state, 8-31 seat, 32-63 number of the packet among the sender's ---- */

enum ni_shm_slot_state {
    NI_SHM_SLOT_FREE = 0,
    NI_SHM_SLOT_CLAIMED = 1,
    NI_SHM_SLOT_PACKET = 2,
    NI_SHM_SLOT_LANE = 3,      /* no packet: the sender's lane is ready, with ring and bulk area */
    NI_SHM_SLOT_LANE_ONLY = 4, /* the same without bulk area */
    NI_SHM_SLOT_RAIL = 5,      /* no packet: the sender's next rail is ready, with a bulk area */
};

static inline uint64_t ni_shm_slot_word(enum ni_shm_slot_state state, uint32_t seat,
                                        uint32_t number)
{
    return (uint64_t)state | (uint64_t)seat << 8 | (uint64_t)number << 32;
}

static inline enum ni_shm_slot_state ni_shm_slot_state(uint64_t word)
{
    return (enum ni_shm_slot_state)(word & 0xff);
}

static inline uint32_t ni_shm_slot_seat(uint64_t word)
{
    return (uint32_t)(word >> 8) & 0xffffff;
}

static inline uint32_t ni_shm_slot_number(uint64_t word)
{
    return (uint32_t)(word >> 32);
}

/* ---- blobs ----------------------------------------------------------------------------------- */

#define NI_SHM_BLOB_MAGIC UINT32_C(0x4d48536e) /* "nSHM" */

/* How to reach an NI, handed out by its user and, to receivers, in the seat. Untrusted. */
struct ni_shm_blob {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    uint64_t host; /* this boot of this kernel */
    uint64_t address;
    uint64_t key; /* of the segment */
    uint64_t job_key;
    uint64_t socket; /* name of the socket that hands the segment out */
    uint64_t pid_ns; /* inode numbers of the owner's namespaces; 0 if unknown */
    uint64_t net_ns;
    uint64_t user_ns;
    uint32_t pid;  /* in pid_ns */
    uint32_t fd;   /* of the segment in the owner */
    uint32_t uid;  /* in user_ns */
    uint32_t life; /* 1 + the number, in the owner, of the descriptor of struct ni_shm_life, or 0 */
    uint64_t identity_address; /* of struct ni_shm_identity in the owner's address space */
    uint64_t identity;         /* its word */
};
_Static_assert(sizeof(struct ni_shm_blob) == 104, "shared");
_Static_assert(sizeof(struct ni_shm_blob) + 8 <= NI_SHM_BLOB_STRIDE, "shared");

/* A page of the owner's private memory, by which others know it while the kernel copies between
 * them. See identity.c. */
struct ni_shm_identity {
    uint64_t word;    /* random, constant */
    uint64_t scratch; /* written by anybody who copies to the owner, read by nobody */
};
_Static_assert(sizeof(struct ni_shm_identity) == 16, "read and written by others");

/* A page that others map to see whether a process still has its memory. See life.c. */
struct ni_shm_life {
    union {
        pthread_mutex_t mutex;   /* robust; the owner's */
        _Atomic uint32_t holder; /* its word, which the kernel changes */
    };
    _Alignas(64) uint64_t word; /* as in struct ni_shm_identity */
};
_Static_assert(sizeof(struct ni_shm_life) == 128, "mapped by others");

/* A seat's blob in the segment. */
struct ni_shm_seat_blob {
    _Atomic uint32_t len;
    uint32_t reserved;
    uint8_t bytes[NI_SHM_BLOB_STRIDE - 8];
};
_Static_assert(sizeof(struct ni_shm_seat_blob) == NI_SHM_BLOB_STRIDE, "shared");

/* The offsets for these counts; false if the counts are impossible, wherever they come from. */
bool ni_shm_geometry_make(const struct ni_shm_counts *counts, struct ni_shm_geometry *geometry);

/* The most seats, up to those counted, of a segment of no more than size bytes; 0: not even one. */
uint32_t ni_shm_seats_within(const struct ni_shm_counts *counts, uint64_t size);

/* Lanes that a sender may have. */
static inline uint32_t ni_shm_rails(const struct ni_shm_geometry *geometry)
{
    return geometry->counts.rails == 0 ? 1 : geometry->counts.rails;
}

/* Number of the area of a seat's rail, which is 0 for the lane that every sender has: those have
 * the numbers of their seats. seat and rail must be less than the counts. */
static inline uint32_t ni_shm_area_of(const struct ni_shm_geometry *geometry, uint32_t seat,
                                      uint32_t rail)
{
    return rail == 0 ? seat
                     : geometry->counts.seats + seat * (ni_shm_rails(geometry) - 1) + rail - 1;
}

/* Offset of an area in the file: lane page, first ring, larger ring, bulk area. */
static inline uint64_t ni_shm_area_at(const struct ni_shm_geometry *geometry, uint32_t area)
{
    return geometry->areas + area * geometry->area_size;
}

/* Bytes of an area that each lane has: its page and the first ring. */
static inline uint64_t ni_shm_area_least(const struct ni_shm_geometry *geometry)
{
    return (uint64_t)geometry->counts.page + geometry->counts.first;
}

/* Bytes of the larger ring behind that; 0: the first is as large. */
static inline uint32_t ni_shm_larger_ring(const struct ni_shm_geometry *geometry)
{
    return geometry->counts.ring > geometry->counts.first ? geometry->counts.ring : 0;
}

/* Bytes of an area before its bulk area. */
static inline uint64_t ni_shm_area_rings(const struct ni_shm_geometry *geometry)
{
    return ni_shm_area_least(geometry) + ni_shm_larger_ring(geometry);
}

#endif
