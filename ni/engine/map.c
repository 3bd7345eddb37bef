/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>

#include <apeni/ni.h>

#include "engine/peer.h"

/* Which peers are reached by which link, for people. */

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

static bool is_by(struct ni_peer *const *peers, size_t count, size_t i, const struct ni_link *link)
{
    return i < count && peers[i] != NULL && peers[i]->link == link;
}

/* Numbers and ranges of those that a link reaches. */
static void put_link(struct text *text, struct ni_peer *const *peers, size_t count,
                     const struct ni_link *link)
{
    const char *before = " ";

    put(text, "%s%s", text->len == 0 ? "" : "; ", link->ops->name);
    for (size_t i = 0; i < count; i++) {
        size_t last = i;

        if (!is_by(peers, count, i, link)) {
            continue;
        }
        while (is_by(peers, count, last + 1, link)) {
            last++;
        }
        put(text, "%s%zu", before, i);
        if (last != i) {
            put(text, "-%zu", last);
        }
        before = ", ";
        i = last;
    }
}

int ni_map_describe(struct ni_peer *const *peers, size_t count, char *buffer, size_t size)
{
    struct text text = {.at = buffer, .size = size};
    const struct ni_link *seen[NI_LINKS_MAX];
    unsigned links = 0;

    if (size != 0) {
        buffer[0] = '\0';
    }
    for (size_t i = 0; i < count; i++) {
        bool is_new = peers[i] != NULL && links < NI_LINKS_MAX;

        for (unsigned k = 0; is_new && k < links; k++) {
            is_new = seen[k] != peers[i]->link;
        }
        if (is_new) {
            seen[links++] = peers[i]->link;
            put_link(&text, peers, count, peers[i]->link);
        }
    }
    return (int)text.len;
}
