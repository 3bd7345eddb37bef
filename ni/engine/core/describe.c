/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <apeni/ni.h>

#include "engine/core/peer.h"

/* Which peers are reached by which link, how long messages go there, and why, for people. */

/* Text that grows, and is cut where there is no more room. */
struct text {
    char *at;
    size_t size;
    size_t len; /* with all the room in the world */
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
    size_t used = text->len < text->size ? text->len : text->size;
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(text->size != 0 ? text->at + used : NULL, text->size - used, format, args);
    va_end(args);
    text->len += len > 0 ? (size_t)len : 0;
}

const char *ni_peer_link(const struct ni_peer *peer)
{
    return peer->link->ops->name;
}

/* How a peer is reached. */
struct reached {
    const struct ni_link *link; /* NULL: there is no such peer */
    struct ni_long_way way;
};

static struct reached reached_how(const struct ni_peer *peer)
{
    struct reached by = {NULL, {NULL, NULL}};
    struct ni_lock *lock;

    if (peer != NULL) {
        lock = (struct ni_lock *)(uintptr_t)&peer->lock;
        by.link = peer->link;
        ni_lock_take(lock, peer->threads);
        by.way = peer->ep != NULL ? peer->link->ops->way(peer->ep) : peer->core.way;
        ni_lock_give(lock, peer->threads);
    }
    return by;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool is_alike(const struct reached *a, const struct reached *b)
{
    return a->link == b->link && same_text(a->way.text, b->way.text) &&
           same_text(a->way.rest, b->way.rest);
}

static bool is_by(struct ni_peer *const *peers, size_t count, size_t i, const struct reached *by)
{
    struct reached other = reached_how(i < count ? peers[i] : NULL);

    return other.link != NULL && is_alike(&other, by);
}

/* Why it is this link. */
static const char *choice(const struct ni *ni, const struct ni_link *link)
{
    if (ni->life.link_count == 1) {
        return "the only link";
    }
    return link == ni->life.links[0] ? "the first link that reaches them"
                                     : "out of reach of the first";
}

/* Numbers and ranges of those that are reached alike, and why so. */
static void put_alike(struct text *text, struct ni_peer *const *peers, size_t count, size_t first)
{
    const struct reached by = reached_how(peers[first]);
    const char *before = " ";

    put(text, "%s%s", text->len == 0 ? "" : "; ", by.link->ops->name);
    for (size_t i = first; i < count; i++) {
        size_t last = i;

        if (!is_by(peers, count, i, &by)) {
            continue;
        }
        while (is_by(peers, count, last + 1, &by)) {
            last++;
        }
        put(text, "%s%zu", before, i);
        if (last != i) {
            put(text, "-%zu", last);
        }
        before = ", ";
        i = last;
    }
    put(text, " (%s", choice(peers[first]->ni, by.link));
    if (by.way.text != NULL) {
        put(text, "; long messages go %s%s%s", by.way.text, by.way.rest != NULL ? " " : "",
            by.way.rest != NULL ? by.way.rest : "");
    }
    put(text, ")");
}

int ni_map_describe(struct ni_peer *const *peers, size_t count, char *buffer, size_t size)
{
    enum { KINDS_MAX = 16 }; /* links times ways: what is beyond is left out */
    struct text text = {.at = buffer, .size = size};
    struct reached seen[KINDS_MAX];
    unsigned kinds = 0;

    if (size != 0) {
        buffer[0] = '\0';
    }
    for (size_t i = 0; i < count; i++) {
        struct reached by = reached_how(peers[i]);
        bool is_new = by.link != NULL && kinds < KINDS_MAX;

        for (unsigned k = 0; is_new && k < kinds; k++) {
            is_new = !is_alike(&seen[k], &by);
        }
        if (is_new) {
            seen[kinds++] = by;
            put_alike(&text, peers, count, i);
        }
    }
    return (int)text.len;
}
