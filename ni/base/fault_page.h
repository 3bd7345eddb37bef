/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_FAULT_PAGE_H
#define NI_BASE_FAULT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * What a host's fault manager knows of the nodes of its cluster, as a file that all processes of
 * the host map to read. One process writes it.
 *
 *   head       64 bytes: magic, version, nodes, torus, this node, the master, beat, changes, layout
 *   entry 0   448 bytes: sequence, state, word, via, when, for how long unseen, since when parted,
 *                        host, what, how, parted
 *   entry 1 ...
 *
 * An entry is read between two looks at its sequence, which is odd while it is written and larger
 * afterwards; so a reader needs no lock and waits for nobody. The writer sets the beat to the time
 * (CLOCK_MONOTONIC, ns) at least each tenth of a second; a page without a beat for longer is old. A
 * new writer makes a new file under the same name. Changes are counted, so that a reader who has
 * seen all has one line to look at.
 *
 * A file is taken only if root or the reader itself owns it, and only as far as it is long. What it
 * says is copied and bounded, never trusted.
 */

#define NI_FAULT_PAGE_PATH "/dev/shm/apelink-faults"

enum {
    NI_FAULT_HOST = 64,
    NI_FAULT_WHAT = 96,
    NI_FAULT_HOW = 128,
    NI_FAULT_PARTED = 120,
    NI_FAULT_NODES_MAX = 4096,
};
enum { NI_FAULT_BEAT_NS = 1000000000 /* a page without a beat for so long is old */ };

enum ni_fault_state {
    NI_FAULT_NORMAL,
    NI_FAULT_SICK,   /* works, but worse than it should */
    NI_FAULT_BROKEN, /* a part does not work */
    NI_FAULT_LOST,   /* the host does not work any more: its processes are lost */
    NI_FAULT_STATES,
};

/* Of a node. */
struct ni_fault_entry {
    uint32_t state;     /* enum ni_fault_state */
    uint32_t word;      /* the fault word of the card's registers, and the fault manager's bits */
    uint32_t via;       /* the node that reported it */
    uint32_t unseen_us; /* when it became known it had been seen otherwise so long before */
    uint64_t at_ns;     /* when it became known here, CLOCK_MONOTONIC; 0: never anything */
    uint64_t parted_ns; /* since when cards have no way between this node and it; 0: there is one */
    char host[NI_FAULT_HOST];
    char what[NI_FAULT_WHAT]; /* such as "host lost, link X+ broken" */
    char how[NI_FAULT_HOW];   /* by which register and way, such as "node 2 by its link X+: ..." */
    char parted[NI_FAULT_PARTED]; /* by which cables, such as "cables are broken at X+ of node 1 and
                                   * at X- of node 0" */
};

/* What in a word makes a node lost: nothing of it is heard, or all three fields of its host say so.
 * But not if it was never heard since the master began: then it may only be late. */
#define NI_FAULT_UNHEARD    UINT32_C(0x04000000)
#define NI_FAULT_GONE       UINT32_C(0x10000000)
#define NI_FAULT_HOST_FIELD UINT32_C(0x0000003f)
#define NI_FAULT_HOST_LOST  UINT32_C(0x0000002a)

struct ni_fault_about {
    uint32_t nodes;
    uint32_t torus[3];
    uint32_t self;
    uint32_t master; /* UINT32_MAX: none is heard, and what is known may be old */
    uint64_t beat_ns;
    uint64_t changes; /* of entries, so far */
    uint64_t layout;  /* of the numbers of nodes: another one, other numbers */
};

struct ni_fault_page;

/* The writer's side: a new file, complete before it has its name. NULL: errno. */
struct ni_fault_page *ni_fault_page_create(const char *path, const struct ni_fault_about *about);
void ni_fault_page_set(struct ni_fault_page *page, uint32_t node,
                       const struct ni_fault_entry *entry);
void ni_fault_page_beat(struct ni_fault_page *page, uint32_t master, uint64_t now);

/* The reader's side. NI_ERR_NOTFOUND: there is none; NI_ERR_SYSTEM: errno; NI_ERR_ACCESS: somebody
 * else's; NI_ERR_PROTOCOL: no such page, or of another version. */
ni_status ni_fault_page_open(const char *path, struct ni_fault_page **page);
void ni_fault_page_about(const struct ni_fault_page *page, struct ni_fault_about *about);
/* false: there is no such node, or its writer has died over it. Thread-safe. */
bool ni_fault_page_read(const struct ni_fault_page *page, uint32_t node,
                        struct ni_fault_entry *entry);

/* Whether it may be acted on at a time: its writer lives, and hears a master. */
bool ni_fault_page_is_current(const struct ni_fault_about *about, uint64_t now);
/* Whether an entry says that the processes of its host are lost, with all that belongs to it: a
 * field that lies has the others against it. Pure. */
bool ni_fault_entry_is_lost(const struct ni_fault_entry *entry, const struct ni_fault_about *about,
                            uint64_t now);
/* Whether it says that broken cables leave the cards no way between this node and that. Pure. */
bool ni_fault_entry_is_parted(const struct ni_fault_entry *entry, uint64_t now);
/* Whether two names are those of one host: the same, or one is the other's without its domain. */
bool ni_fault_same_host(const char *a, const char *b);

/* Both sides; NULL does nothing. The file stays, but when its writer closes it. */
void ni_fault_page_close(struct ni_fault_page *page);

/* "normal", "sick", "broken", "lost"; "unknown" of other numbers. */
const char *ni_fault_state_name(uint32_t state);

#endif
