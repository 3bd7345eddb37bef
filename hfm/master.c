/* SPDX-License-Identifier: BSD-3-Clause */
/* The master: what is known about all nodes. */
#include "hfm/master.h"

#include <stdlib.h>

#include "base/alloc.h"

ni_status hfm_master_init(struct hfm_master *master, uint32_t node, uint32_t nodes,
                          uint64_t session)
{
    *master = (struct hfm_master){.session = session, .node = node, .nodes = nodes};
    master->member = ni_calloc(nodes, sizeof *master->member);
    return master->member != NULL ? NI_OK : NI_ERR_NOMEM;
}

void hfm_master_fini(struct hfm_master *master)
{
    free(master->member);
    master->member = NULL;
}

/* What all who know it say about a node. */
static uint32_t look(const struct hfm_master *master, uint32_t node)
{
    uint32_t fault = 0;

    for (uint32_t from = 0; from < master->nodes; from++) {
        for (unsigned i = 0; i < HFM_SUBJECTS && !master->member[from].gone; i++) {
            const struct hfm_source *source = &master->member[from].source[i];

            if (source->about == node && source->fault != 0) {
                fault = hfm_fault_worst(fault, source->fault);
            }
        }
    }
    return fault;
}

/* Something may have changed about a node. */
static void look_again(struct hfm_master *master, uint32_t node,
                       const struct hfm_observer *observer)
{
    struct hfm_member *member = &master->member[node];
    uint32_t before = member->fault;

    member->fault = look(master, node);
    if (member->fault != before) {
        observer->changed(observer->arg, node, member->fault, before);
    }
}

/* A source says this now. */
static void hear(struct hfm_master *master, struct hfm_source *source, uint32_t fault,
                 const struct hfm_observer *observer)
{
    if (source->fault != fault) {
        source->fault = fault;
        look_again(master, source->about, observer);
    }
}

static bool take_report(struct hfm_master *master, const struct hfm_message *message,
                        const struct hfm_observer *observer)
{
    struct hfm_source *source;

    if (message->subject >= HFM_SUBJECTS || message->about >= master->nodes) {
        return false;
    }
    source = &master->member[message->from].source[message->subject];
    if (message->number < source->number) {
        return false;
    }
    if (message->number > source->number) {
        if (source->about != message->about) {
            hear(master, source, 0, observer);
            source->about = message->about;
        }
        source->number = message->number;
        hear(master, source, message->worst, observer);
        hear(master, source, message->fault, observer);
    }
    return true; /* one that comes again is acknowledged again */
}

/* A daemon has begun anew: it will number from 1, and tell again what is so. */
static void begin_session(struct hfm_member *member, uint64_t session)
{
    member->session = session;
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        member->source[i].number = 0;
    }
}

void hfm_master_gone(struct hfm_master *master, uint32_t node, bool gone,
                     const struct hfm_observer *observer)
{
    struct hfm_member *member = &master->member[node];

    if (member->gone != gone) {
        member->gone = gone;
        for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
            look_again(master, member->source[i].about, observer);
        }
    }
}

bool hfm_master_take(struct hfm_master *master, const struct hfm_message *message,
                     const struct hfm_observer *observer, struct hfm_message *answer)
{
    struct hfm_member *member;

    if (message->from >= master->nodes ||
        (message->kind != HFM_PING && message->kind != HFM_REPORT)) {
        return false;
    }
    member = &master->member[message->from];
    if (message->session < member->session) {
        return false;
    }
    if (message->kind == HFM_REPORT && message->answers != master->session) {
        return false; /* it has not heard of us yet */
    }
    if (message->session > member->session) {
        begin_session(member, message->session);
    }
    if (message->kind == HFM_REPORT && !take_report(master, message, observer)) {
        return false;
    }
    *answer = (struct hfm_message){.kind = message->kind == HFM_PING ? HFM_PONG : HFM_ACK,
                                   .from = master->node,
                                   .session = master->session,
                                   .answers = message->session,
                                   .number = message->number};
    return true;
}
