/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_NI_H
#define APENI_NI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

/*
 * A network interface: an address, a buffer table, links to peers and the engine that gives packets
 * their meaning.
 *
 * Life: ni_open; ni_address gives a blob that peers need; ni_connect to their blobs; transfers;
 * ni_progress, or ni_wait, so that anything happens; ni_close. Nothing outlives the process: no
 * file, no shared memory, whatever ends it.
 *
 * Threads: an NI opened without NI_THREADS belongs to one thread at a time. With it, all functions
 * may be called from any thread, but for ni_close. Callbacks run in the thread that makes progress,
 * without locks held. One may wait for a lock of the program's, if nobody who holds that makes a
 * call that waits for callbacks to return: ni_disconnect, ni_forget, ni_on_peer_down,
 * ni_portals_open, and those for queues, command regions and queue pairs of this NI.
 *
 * After fork(), the child may not use the NI: calls return NI_ERR_FORKED; nothing of the parent's
 * is disturbed.
 */

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct ni;
struct ni_peer;
struct ni_fabric; /* inproc.h */

enum ni_open_flags {
    NI_THREADS = 1, /* any thread may call */
    /* Most processes of the host will talk: the first packet to one makes what all later ones need,
     * as if the parameter shm_ring_after were 0. */
    NI_LANES_EARLY = 2,
    /* Peers of this host often have no core when they are needed: Reads and Writes of 128 bytes and
     * more are copied by the kernel, where it copies, which does not need them. */
    NI_PEERS_AWAY = 4,
};

/*
 * Where the engine runs (soNUMA-NI 3 and 4). With EDGE and SPLIT ni_open starts an engine thread,
 * with TILE the first long put to a peer that cannot fetch it by itself does. It ends with
 * ni_close; a forked child has none. It blocks all signals, and sleeps while there is nothing to
 * do.
 *
 *   TILE   in the calls of the program: nothing moves while it makes none, but for the data of its
 *          long puts, which a thread sends when the program has been away for the parameter away_us
 *   EDGE   in the engine thread alone: ni_progress only hands out what is the caller's, see below
 *   SPLIT  front end in the calls of the program: small packets, events. Back end in the engine
 *          thread: long copies, long transfers in packets, retries, answers to peers; the rest too
 *          while the program makes no calls
 *
 * Callbacks run in the engine thread as well if NI_THREADS is given. Without, they run in the
 * program's calls only, and so do messages to consumers and all of the portals; what the engine
 * thread completes meanwhile is told by the next ni_progress, but for acks that are words
 * (NI_ACK_WORD), which it writes itself.
 */
enum ni_placement {
    NI_PLACEMENT_DEFAULT, /* as the parameter `placement` says */
    NI_PLACEMENT_AUTO,    /* SPLIT if a core is free for the engine thread, otherwise TILE */
    NI_PLACEMENT_TILE,
    NI_PLACEMENT_EDGE,
    NI_PLACEMENT_SPLIT,
};

/* How a transfer that is spread over rails is completed: see multipath.h. */
enum ni_multipath {
    NI_MULTIPATH_DEFAULT, /* as the NI was opened; there: as the parameter `multipath` says */
    NI_MULTIPATH_COUNTERS,
    NI_MULTIPATH_RESEQUENCE,
    NI_MULTIPATH_NONE, /* not spread */
};

struct ni_open_attr {
    unsigned flags;           /* enum ni_open_flags */
    unsigned host_processes;  /* processes expected on this host, 0 if unknown: sizes buffers */
    unsigned host_cores;      /* processors they share, 0 = as found: decides how waiting behaves */
    struct ni_fabric *fabric; /* use the inproc link on this fabric, instead of shared memory */
    uint64_t job_key; /* processes with other keys are refused; 0 accepts any of the same user */
    enum ni_placement placement;
    /* Processors to which the other processes of the job on this host are bound, a list such as
     * "0-3,8"; "": there are no others; NULL, or what is no such list: unknown. */
    const char *taken_cpus;
    /* Hosts on which the job runs, 0 if unknown. With the parameter links = auto an interface has
     * what reaches other hosts, which takes some 20 ms to open, from 2 on. */
    unsigned hosts;
    /* Interfaces with different keys share no memory, as if they were on different hosts: for
     * tests, and to have a part of a host count as a host. 0 is a key like any other. */
    uint64_t host_key;
    /* Rails to each peer, and from each at most, 1 to 8; 0: as the parameter `rails` says. */
    unsigned rails;
    enum ni_multipath multipath;
};

/* The largest address blob, bytes. */
enum { NI_BLOB_MAX = 1024 };

/* Open an interface; attr NULL is all zero. Thread-safe. Errors, which are logged: INVALID (a field
 * of attr is out of range), PARAM (a variable of the environment, see param.h), LIMIT
 * (host_processes is above the parameter shm_max_peers), UNSUPPORTED (the parameter links asks for
 * what this build does not have), SYSTEM, NOMEM. */
ni_status ni_open(const struct ni_open_attr *attr, struct ni **ni);

/* Close: peers see NI_ERR_PEER_CLOSED, operations under way complete with NI_ERR_CLOSED, peers are
 * freed. Callbacks may still call the NI, which refuses new peers and, step by step, transfers. No
 * other thread may be in a call of this NI. In a forked child it does nothing. NULL is allowed. */
void ni_close(struct ni *ni);

/* The placement that the interface got: TILE, EDGE or SPLIT. */
enum ni_placement ni_placement(const struct ni *ni);

/* One line for people: placement, core of the engine thread, and why. Returns the length as
 * snprintf does. */
int ni_placement_describe(const struct ni *ni, char *text, size_t size);

/* The address blob, plain bytes for ni_connect elsewhere; returns its length (<= NI_BLOB_MAX), 0
 * if size is too small. It stays the same as long as the NI. */
size_t ni_address(const struct ni *ni, void *blob, size_t size);

/* Whether one of the interface's links goes between hosts. Any thread. */
bool ni_reaches_hosts(const struct ni *ni);

/* Whether a blob names an interface that a link of this NI can reach; says why not in reason
 * (may be NULL). */
bool ni_reachable(const struct ni *ni, const void *blob, size_t len, char *reason,
                  size_t reason_size);

/* Whether a blob names an interface of another host, whatever the hosts' names: of a system that
 * was booted apart, or with another host_key. False where that is not known, as between interfaces
 * that do without shared memory. */
bool ni_elsewhere(const struct ni *ni, const void *blob, size_t len);

/* Connect to a peer; the same blob gives the same peer again (and counts: one ni_disconnect each).
 * Returns at once; transfers may be started. NI_ERR_UNREACHABLE, NI_ERR_PROTOCOL (not a blob of
 * ours), NI_ERR_NOMEM. NI_ERR_PEER_DEAD: it has died already, where the link knows that; *peer is
 * set, too, for those who go on without it: one that is down, with which all operations end so. */
ni_status ni_connect(struct ni *ni, const void *blob, size_t len, struct ni_peer **peer);

/* Give up a peer. After as many calls as there were ni_connect, operations under way complete with
 * NI_ERR_CANCELED; whether they had an effect is open. The peer may go on: its messages are taken,
 * its requests answered. When it returns, no other thread is in a callback: it waits for that, so
 * the caller holds no lock that a callback may wait for. */
void ni_disconnect(struct ni *ni, struct ni_peer *peer);

/* The same for who may hold such a lock: returns at once. `gone` (NULL: nothing) is called when the
 * operations are completed and no other thread is in a callback: within this call if that is so, or
 * else by a later ni_progress or by ni_close. NI_ERR_NOMEM, NI_ERR_FORKED: nothing was done. */
typedef void (*ni_gone_fn)(void *arg);
ni_status ni_leave(struct ni *ni, struct ni_peer *peer, ni_gone_fn gone, void *arg);

/* ni_disconnect for a peer that the program names no more, in no call, no map, target, name or
 * setting, and whose events it does not look at any more. After the last one the peer stays only as
 * long as something goes on: once it has died or closed, and all of it has ended, its memory is
 * given back by this call or a later one, or by ni_progress. Others stay until ni_close: who broke
 * the protocol, and who was ever in a map, a target, a name, a triggered operation or a setting of
 * a counter. ni_connect to the same blob before that has it stay, and gives the same peer. */
void ni_forget(struct ni *ni, struct ni_peer *peer);

/* NI_OK, or why nothing more can be exchanged with it: one of the errors of the peer in status.h,
 * for good. */
ni_status ni_peer_status(const struct ni_peer *peer);

/* Why nothing more can be exchanged with it, for people: the text of its status; or, if it was lost
 * with its host, which node of the torus that is, what failed there and how it became known
 * (parameter fault_page), such as "its host has failed, node 3 (red): host lost; known by node 2 by
 * its link X+: remote_fault[0], service network"; or which cables leave no way to its card, such as
 * "no way is left to its card, node 2 (blue): cables are broken at X+ of node 1 and at X- of node
 * 0". Stays valid as long as the peer. Thread-safe. */
const char *ni_peer_reason(const struct ni_peer *peer);

/* A word of the user's, for its own book-keeping. */
void ni_peer_set_user(struct ni_peer *peer, void *user);
void *ni_peer_user(const struct ni_peer *peer);

/* One line for people: link, mechanism of long transfers, state. Returns the length as snprintf
 * does. */
int ni_peer_describe(const struct ni_peer *peer, char *text, size_t size);

/* The link that leads to a peer: "shm", "ucx", "inproc". It stays the same as long as the peer. */
const char *ni_peer_link(const struct ni_peer *peer);

/* One line for people: by which link each of `count` peers of one NI is reached, how long messages
 * go there, and why; peers are numbered from 0 as in the array, for example by rank; NULLs, such as
 * for oneself, are left out. "shm 0-3, 8 (the first link that reaches them; long messages go by
 * process_vm_readv); ucx 4-7 (out of reach of the first; long messages go by packets)". Returns the
 * length as snprintf does. Thread-safe. */
int ni_map_describe(struct ni_peer *const *peers, size_t count, char *text, size_t size);

/* Called once for each peer that is found dead, closed or broken, as a callback; status as
 * ni_peer_status. An operation that ends with such a status does so in the same poll, or a later
 * one. Not for those that ni_close ends. The function given last is the one; NULL: none. Takes the
 * progress lock. */
typedef void (*ni_peer_down_fn)(void *arg, struct ni_peer *peer, ni_status status);
void ni_on_peer_down(struct ni *ni, ni_peer_down_fn fn, void *arg);

/* Move everything that can move without waiting; returns the number of events (packets,
 * completions). */
unsigned ni_progress(struct ni *ni);

/* Progress until there was an event or timeout_us have passed: spins, then yields, then sleeps.
 * Returns events. Of several threads that wait one finds what has come for all, so that each
 * should look at what it waits for before long. Thread-safe with NI_THREADS. */
unsigned ni_wait(struct ni *ni, uint64_t timeout_us);

/* ni_progress for those who wait, but cannot call ni_wait because they look at other things, too:
 * once it has been called in vain for the parameter idle_us, it sleeps each time until something
 * comes, for block_us at most. With idle_us 0, or in a callback, it is ni_progress. Thread-safe
 * with NI_THREADS. */
unsigned ni_progress_or_sleep(struct ni *ni);

/* Whether the two differ: whether idle_us is not 0. */
bool ni_may_sleep(const struct ni *ni);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
