/* SPDX-License-Identifier: BSD-3-Clause */
/* What waits are for, in words. */
#include <stdio.h>
#include <string.h>

#include "core/rank.h"

/* Of a list so many are named. */
enum { MOST_NAMED = 4 };

void pri_context_namer(struct pri_rank *self,
                       void (*name)(const struct pri_rank *self, uint32_t context, char *text,
                                    size_t size))
{
    self->cold->name_context = name;
}

void pri_context_tell(const struct pri_rank *self, uint32_t context, char *text, size_t size)
{
    context &= ~(uint32_t)PRI_COLL;
    snprintf(text, size, "communicator %u", (unsigned)context / 2);
    if (self->cold->name_context != NULL) {
        self->cold->name_context(self, context, text, size);
    }
}

/* One end of a message. */
static void tell_peer(int peer, const char *way, char *text, size_t size)
{
    if (peer == PRI_ANY_SOURCE) {
        snprintf(text, size, "%s any rank", way);
    } else {
        snprintf(text, size, "%s rank %d of the job", way, peer);
    }
}

void pri_message_tell(const struct pri_rank *self, const char *what, struct pri_where from,
                      char *text, size_t size)
{
    char peer[48], name[128], tag[32] = "any tag";

    tell_peer(from.peer, "from", peer, sizeof(peer));
    if (from.tag != PRI_ANY_TAG) {
        snprintf(tag, sizeof(tag), "tag %d", from.tag);
    }
    pri_context_tell(self, from.context, name, sizeof(name));
    snprintf(text, size, "%s %s, %s, %s", what, peer, tag, name);
}

/* A message of the core's own: the steps of leaving together, or of an operation. */
static bool tell_inner(const struct pri_request *request, int peer, uint32_t context, int tag,
                       char *text, size_t size)
{
    const struct pri_rank *self = request->rank;
    char name[128];

    if (context == pri_context_core(self)) {
        snprintf(text, size, "rank %d of the job to leave it, too", peer);
        return true;
    }
    if ((context & PRI_COLL) == 0) {
        return false;
    }
    pri_context_tell(self, context, name, sizeof(name));
    if (request->kind == PRI_REQUEST_COLLECTIVE) {
        snprintf(text, size, "collective operation %d of %s", tag >> PRI_KIND_BITS, name);
    } else {
        snprintf(text, size, "rank %d of the job in collective operation %d of %s", peer,
                 tag >> PRI_KIND_BITS, name);
    }
    return true;
}

static void tell_send(const struct pri_request *request, char *text, size_t size)
{
    static const char *const what[] = {[PRI_REQUEST_SEND] = "its send",
                                       [PRI_REQUEST_SYNCHRONOUS] = "its synchronous send",
                                       [PRI_REQUEST_BUFFERED] = "its buffered send"};
    uint32_t context = (uint32_t)(request->bits >> 32);
    int tag = (int)(uint32_t)request->bits;
    char name[128];

    if (tell_inner(request, request->peer, context, tag, text, size)) {
        return;
    }
    pri_context_tell(request->rank, context, name, sizeof(name));
    snprintf(text, size, "%s of %llu bytes to rank %d of the job, tag %d, %s", what[request->kind],
             (unsigned long long)request->status.bytes, request->peer, tag, name);
}

void pri_request_tell(const void *object, char *text, size_t size)
{
    const struct pri_request *request = object;
    int state = atomic_load_explicit(&request->state, memory_order_relaxed);
    char what[64];

    if ((state & (PRI_REQ_PENDING | PRI_REQ_ASKED)) == PRI_REQ_ASKED) {
        snprintf(text, size, "rank %d of the job to say whether a send to it is cancelled",
                 request->peer);
    } else if (request->kind == PRI_REQUEST_OTHER) {
        snprintf(text, size, "a request");
    } else if (!request->is_recv) {
        tell_send(request, text, size);
    } else if (!tell_inner(request, request->peer, request->context, request->status.tag, text,
                           size)) {
        struct pri_where from = {
            .peer = request->peer, .tag = request->status.tag, .context = request->context};

        snprintf(what, sizeof(what), "a message of up to %llu bytes",
                 (unsigned long long)request->status.bytes);
        pri_message_tell(request->rank, what, from, text, size);
    }
}

static void add(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s", more);
}

/* Under the lock none of them ends meanwhile. */
void pri_detached_tell(const void *object, char *text, size_t size)
{
    struct pri_rank *self = (struct pri_rank *)object;
    char one[256], more[48];
    int count = 0;

    snprintf(text, size, "what was freed before it had ended: ");
    pri_lock(self);
    for (NI_LIST_EACH(node, &self->cold->unwaited)) {
        if (count++ < MOST_NAMED) {
            add(text, size, count > 1 ? "; " : "");
            pri_request_tell(ni_container_of(node, struct pri_request, detached), one, sizeof(one));
            add(text, size, one);
        }
    }
    pri_unlock(self);
    if (count > MOST_NAMED) {
        snprintf(more, sizeof(more), "; and %d more", count - MOST_NAMED);
        add(text, size, more);
    }
}
