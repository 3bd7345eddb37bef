/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/drive/faults.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <apeni/log.h>
#include <apeni/ni.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/fault_page.h"
#include "base/log.h"
#include "engine/core/address.h"

/* What the fault manager says of the hosts of peers. All but ni_faults_meet: of the holder of the
 * progress lock. */

#define OPEN_NS UINT64_C(500000000) /* from one try to open the page to the next */
enum { NOWHERE = UINT32_MAX };

enum health { UNKNOWN, LIVES, LOST };

/* A host on which there are peers. */
struct ni_fault_host {
    struct ni_list list; /* in hosts; under the NI's lock */
    struct ni_host_name name;
    uint32_t node; /* in the page, NOWHERE: in none */
    uint32_t told; /* the worst that was told since it was well, enum ni_fault_state */
    enum health health;
    uint64_t parted_ns; /* since when no way is left to its card; 0: there is one */
    struct ni_fault_entry entry;
};

struct ni_faults {
    uint64_t interval, due, open_due; /* ns */
    uint64_t again;                   /* when to look although nothing changes; UINT64_MAX: not */
    uint64_t current_ns; /* when the page was last looked at and was current; 0: it was not */
    uint64_t sure_ns;    /* since when it was, all the time */
    struct ni_fault_page *page; /* NULL: there is none, or none that is current */
    uint64_t changes;           /* of the page, that were looked at */
    uint64_t layout;            /* of the first page: what numbers of hosts mean */
    bool has_layout;
    struct ni_list hosts;
    _Atomic bool met; /* a peer that the last look has not seen */
};

/* ---- which host this is ---------------------------------------------------------------------- */

static struct ni_fault_page *open_fault_page(const struct ni *ni, struct ni_fault_about *about)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct ni_fault_page *page;
    ni_status status = ni_fault_page_open(ni->config->fault_page, &page);

    if (status != NI_OK && status != NI_ERR_NOTFOUND) {
        ni_log_limited(
            &limit, NI_LOG_INFO, "the fault page %s is not heeded: %s", ni->config->fault_page,
            status == NI_ERR_ACCESS     ? "it belongs neither to root nor to this user"
            : status == NI_ERR_PROTOCOL ? "it is none of this version; install one version of all"
                                        : "it cannot be mapped");
    }
    if (status == NI_OK) {
        ni_fault_page_about(page, about);
        if (!ni->drive.faults->has_layout) {
            ni->drive.faults->layout = about->layout;
            ni->drive.faults->has_layout = true;
        }
    }
    return page;
}

/* The name that the system gives the host, and the number that the page does, if it knows it by the
 * same name. */
static void name_own_host(struct ni *ni)
{
    struct ni_host_name *host = &ni->life.host;
    struct ni_fault_about about;
    struct ni_fault_entry entry;
    struct ni_fault_page *page;

    if (gethostname(host->name, sizeof(host->name) - 1) != 0) {
        host->name[0] = '\0';
        return;
    }
    page = open_fault_page(ni, &about);
    if (page != NULL && ni_fault_page_read(page, about.self, &entry) &&
        ni_fault_same_host(entry.host, host->name)) {
        host->number = about.self;
    }
    ni_fault_page_close(page);
}

ni_status ni_faults_open(struct ni *ni, bool fabric)
{
    struct ni_faults *faults;

    ni->life.host.number = NI_HOST_UNNUMBERED;
    if (ni->config->fault_check_ms == 0) {
        return NI_OK;
    }
    faults = ni_calloc(1, sizeof(*faults));
    if (faults == NULL) {
        return NI_ERR_NOMEM;
    }
    faults->interval = ni->config->fault_check_ms * UINT64_C(1000000);
    faults->again = UINT64_MAX;
    ni_list_init(&faults->hosts);
    ni->drive.faults = faults;
    if (!fabric) {
        name_own_host(ni);
    }
    return NI_OK;
}

void ni_faults_close(struct ni *ni)
{
    struct ni_faults *faults = ni->drive.faults;
    struct ni_list *node;

    if (faults == NULL) {
        return;
    }
    while ((node = ni_list_pop_front(&faults->hosts)) != NULL) {
        ni_free(ni_container_of(node, struct ni_fault_host, list));
    }
    ni_fault_page_close(faults->page);
    ni_free(faults);
    ni->drive.faults = NULL;
}

/* ---- whose host it is ------------------------------------------------------------------------ */

/* The NI's lock is held. NULL: no memory. */
static struct ni_fault_host *fault_host_named(struct ni_faults *faults,
                                              const struct ni_host_name *name)
{
    struct ni_fault_host *host;

    for (NI_LIST_EACH(node, &faults->hosts)) {
        host = ni_container_of(node, struct ni_fault_host, list);
        if (host->name.number == name->number && strcmp(host->name.name, name->name) == 0) {
            return host;
        }
    }
    host = ni_calloc(1, sizeof(*host));
    if (host != NULL) {
        host->name = *name;
        host->node = NOWHERE;
        ni_list_push_back(&faults->hosts, &host->list);
    }
    return host;
}

void ni_faults_meet(struct ni *ni, struct ni_peer *peer, const void *blob, size_t len)
{
    struct ni_faults *faults = ni->drive.faults;
    const struct ni_host_name *own = &ni->life.host;
    struct ni_host_name name;

    if (faults == NULL || peer->link->ops->lose == NULL || !ni_address_host(blob, len, &name) ||
        (name.number == own->number && strcmp(name.name, own->name) == 0)) {
        return;
    }
    ni_lock_take(&ni->lock, ni->threads);
    if (peer->drive.host == NULL) {
        peer->drive.met_ns = ni_now_ns();
        /* Release: pairs with the load in heed_host_of_peer, under another lock. */
        __atomic_store_n(&peer->drive.host, fault_host_named(faults, &name), __ATOMIC_RELEASE);
        /* Pairs with the exchange in ni_faults_tick. */
        atomic_store_explicit(&faults->met, true, memory_order_release);
    }
    ni_lock_give(&ni->lock, ni->threads);
}

void ni_faults_forget(struct ni_peer *peer)
{
    ni_free(peer->drive.why);
    peer->drive.why = NULL;
}

/* The node with the host's name: that of its number, or else, also when nodes have other numbers
 * since, the only one. */
static uint32_t find_host_in_page(const struct ni_faults *faults,
                                  const struct ni_fault_about *about,
                                  const struct ni_host_name *host)
{
    const struct ni_fault_page *page = faults->page;
    struct ni_fault_entry entry;
    uint32_t found = NOWHERE;

    if (host->number != NI_HOST_UNNUMBERED && about->layout == faults->layout) {
        return ni_fault_page_read(page, host->number, &entry) &&
                       ni_fault_same_host(entry.host, host->name)
                   ? host->number
                   : NOWHERE;
    }
    for (uint32_t i = 0; i < about->nodes; i++) {
        if (ni_fault_page_read(page, i, &entry) && ni_fault_same_host(entry.host, host->name)) {
            if (found != NOWHERE) {
                return NOWHERE;
            }
            found = i;
        }
    }
    return found;
}

/* The host behind another one (NULL: the first), or NULL. They stay until the NI closes. */
static struct ni_fault_host *fault_host_after(struct ni *ni, const struct ni_fault_host *host)
{
    struct ni_faults *faults = ni->drive.faults;
    struct ni_list *node;

    ni_lock_take(&ni->lock, ni->threads);
    node = host != NULL ? host->list.next : faults->hosts.next;
    ni_lock_give(&ni->lock, ni->threads);
    return node != &faults->hosts ? ni_container_of(node, struct ni_fault_host, list) : NULL;
}

/* ---- the look -------------------------------------------------------------------------------- */

static void look_at_fault_host(const struct ni_faults *faults, const struct ni_fault_about *about,
                               struct ni_fault_host *host, uint64_t now)
{
    struct ni_fault_entry *entry = &host->entry;

    host->health = UNKNOWN;
    host->parted_ns = 0;
    if (host->node == NOWHERE) {
        host->node = find_host_in_page(faults, about, &host->name);
    }
    if (host->node == NOWHERE || host->node == about->self ||
        !ni_fault_page_read(faults->page, host->node, entry) ||
        !ni_fault_same_host(entry->host, host->name.name) || entry->state >= NI_FAULT_STATES) {
        return;
    }
    if (entry->state == NI_FAULT_NORMAL) {
        host->told = NI_FAULT_NORMAL;
    }
    if (ni_fault_entry_is_lost(entry, about, now)) {
        host->health = LOST;
    } else if (entry->state != NI_FAULT_LOST) {
        host->health = LIVES;
    }
    if (ni_fault_entry_is_parted(entry, now)) {
        host->parted_ns = entry->parted_ns;
    }
}

/* Have the link end it, with what the page says as the reason. The peer's lock is held. */
static void lose_peer(struct ni_peer *peer, ni_status status, const struct ni_fault_host *host)
{
    const struct ni_fault_entry *entry = &host->entry;
    struct ni_peer_why *why = ni_malloc(sizeof(*why));

    peer->drive.armed = false;
    if (why != NULL) {
        why->status = status;
        if (status == NI_ERR_CABLE) {
            snprintf(why->text, sizeof(why->text), "no way is left to its card, node %u (%s): %s",
                     host->node, entry->host, entry->parted);
        } else {
            snprintf(why->text, sizeof(why->text),
                     "its host has failed, node %u (%s): %s; known by %s", host->node, entry->host,
                     entry->what, entry->how);
        }
        ni_free(peer->drive.why); /* of an earlier failure of its host: nobody was told */
        /* Pairs with the load in ni_peer_reason. */
        __atomic_store_n(&peer->drive.why, why, __ATOMIC_RELEASE);
    }
    peer->link->ops->lose(peer->ep, status);
}

/* Whether a peer is missed to whose card there was no way for too long. Else it is looked at again
 * in time: a cable may heal, and whom nobody has said anything to yet may be greeted. */
static bool is_out_of_reach(const struct ni *ni, const struct ni_peer *peer,
                            const struct ni_fault_host *host, uint64_t now)
{
    struct ni_faults *faults = ni->drive.faults;
    uint64_t since = ni_max_u64(ni_max_u64(host->parted_ns, faults->sure_ns), peer->drive.met_ns);
    uint64_t due = since + ni->config->fault_parted_ms * UINT64_C(1000000);
    bool met = atomic_load_explicit(&peer->ep->met, memory_order_relaxed);

    if (!peer->link->ops->torus || host->parted_ns == 0 || ni->config->fault_parted_ms == 0) {
        return false;
    }
    if (now < due || !met) {
        faults->again = ni_min_u64(faults->again, ni_max_u64(due, now + faults->interval));
    }
    return now >= due && met;
}

/* Once for each state that is worse than those told before, until the host is well again. */
static void warn_of_host(struct ni *ni, struct ni_fault_host *host)
{
    const struct ni_fault_entry *entry = &host->entry;

    if (entry->state <= host->told) {
        return;
    }
    for (struct ni_fault_host *other = fault_host_after(ni, NULL); other != NULL;
         other = fault_host_after(ni, other)) {
        other->told = other->node == host->node ? entry->state : other->told;
    }
    ni_log(NI_LOG_WARN, "node %u (%s), where peers of this process are, is %s: %s; known by %s",
           host->node, entry->host, ni_fault_state_name(entry->state), entry->what, entry->how);
}

static void heed_host_of_peer(struct ni *ni, struct ni_peer *peer, uint64_t now)
{
    struct ni_fault_host *host;
    bool lives = false;

    ni_lock_take(&peer->lock, ni->threads);
    host = __atomic_load_n(&peer->drive.host, __ATOMIC_ACQUIRE); /* pairs with ni_faults_meet */
    if (host != NULL && ni_peer_state(peer) == NI_OK && peer->ep != NULL && !peer->drive.parted) {
        lives = host->health == LIVES;
        peer->drive.armed = peer->drive.armed || lives;
        if (host->health == LOST && peer->drive.armed) {
            lose_peer(peer, NI_ERR_PEER_DEAD, host);
        } else if (is_out_of_reach(ni, peer, host, now)) {
            peer->drive.parted = true;
            lose_peer(peer, NI_ERR_CABLE, host);
        }
    }
    ni_lock_give(&peer->lock, ni->threads);
    if (lives) {
        warn_of_host(ni, host);
    }
}

static void look_at_fault_page(struct ni *ni, const struct ni_fault_about *about, uint64_t now)
{
    struct ni_faults *faults = ni->drive.faults;

    faults->changes = about->changes;
    faults->again = UINT64_MAX;
    for (struct ni_fault_host *host = fault_host_after(ni, NULL); host != NULL;
         host = fault_host_after(ni, host)) {
        look_at_fault_host(faults, about, host, now);
    }
    for (struct ni_peer *peer = ni_peer_after(ni, NULL); peer != NULL;
         peer = ni_peer_after(ni, peer)) {
        heed_host_of_peer(ni, peer, now);
    }
}

/* A page that has no beat any more has ended with its writer; the next one is another file. */
static void open_page_again(struct ni *ni, struct ni_fault_about *about, uint64_t now)
{
    struct ni_faults *faults = ni->drive.faults;

    faults->open_due = now + OPEN_NS;
    ni_fault_page_close(faults->page);
    faults->page = open_fault_page(ni, about);
    faults->changes = UINT64_MAX;
    for (struct ni_fault_host *host = fault_host_after(ni, NULL); host != NULL;
         host = fault_host_after(ni, host)) {
        host->node = NOWHERE;
    }
}

void ni_faults_tick(void *core, uint64_t now)
{
    struct ni *ni = core;
    struct ni_faults *faults = ni->drive.faults;
    struct ni_fault_about about = {.beat_ns = 0};

    if (faults == NULL || now < faults->due) {
        return;
    }
    faults->due = now + faults->interval;
    if (faults->page != NULL) {
        ni_fault_page_about(faults->page, &about);
        now = ni_now_ns(); /* no earlier than the beat */
    }
    if (faults->page == NULL || now - about.beat_ns > NI_FAULT_BEAT_NS) {
        if (now < faults->open_due || fault_host_after(ni, NULL) == NULL) {
            return;
        }
        open_page_again(ni, &about, now);
        now = ni_now_ns();
    }
    if (faults->page == NULL || !ni_fault_page_is_current(&about, now)) {
        faults->current_ns = 0;
        return;
    }
    if (now - faults->current_ns > NI_FAULT_BEAT_NS) {
        faults->sure_ns = now; /* what it says may be older news than it seems */
    }
    faults->current_ns = now;
    if (about.changes != faults->changes || now >= faults->again ||
        atomic_exchange_explicit(&faults->met, false, memory_order_acquire)) {
        look_at_fault_page(ni, &about, now);
    }
}
