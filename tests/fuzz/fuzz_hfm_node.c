/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/message.c, hfm/node_take.c, hfm/node_master.c, hfm/node.c, hfm/master.c. */
#include "base/bits.h"
#include "fuzz_input.h"
#include "hfm/node.h"

/*
 * A peer that has the key, or has not, sends anything to a daemon, at any time, which is a master
 * or is not. What the daemon knows makes sense all the time, what it sends is to nodes that there
 * are, and one peer makes it send no more than a bounded number of messages for each of its own.
 */

enum { NODES = 6, MS = 1000000 };

static const struct dnp_key key = {{0x0123456789abcdef, 0x0fedcba987654321}};
static struct hfm_node node;
static unsigned sent;

static void send_message(void *arg, uint32_t to, const struct hfm_message *message)
{
    uint8_t bytes[HFM_MESSAGE_SIZE];
    struct hfm_message again;

    (void)arg;
    must(to < NODES && to != node.cluster.self && message->from == node.cluster.self, "a receiver");
    hfm_message_pack(message, &key, bytes);
    must(hfm_message_unpack(&again, &key, bytes, sizeof bytes), "a message that is refused");
    sent++;
}

static void on_event(void *arg, const struct hfm_event *event)
{
    (void)arg;
    must(event->about < NODES && event->via < NODES, "an event of no node");
    must(event->kind != HFM_EVENT_STATE || event->fault != event->before, "no change");
}

static const struct hfm_node_ops ops = {.send = send_message, .event = on_event};

/* A message of the input's, with sessions and terms that are often right. */
static void make(struct input *in, struct hfm_message *message)
{
    uint8_t choice[4];

    take(in, choice, sizeof choice);
    take(in, message, sizeof *message);
    message->kind = (enum hfm_kind)(choice[0] % (HFM_KINDS + 1));
    message->from %= choice[1] % 8 == 0 ? UINT32_MAX : NODES;
    message->about %= choice[1] % 16 == 1 ? UINT32_MAX : NODES;
    message->via %= choice[1] % 16 == 2 ? UINT32_MAX : NODES;
    message->subject %= choice[2] % 8 == 0 ? 255 : HFM_SILENCE + 1;
    message->flags &= choice[2] % 16 == 1 ? 0xff : HFM_FLAGS;
    message->session = choice[3] % 4 == 0 ? message->session : 1U + choice[3] / 4 % 4;
    message->number = choice[3] % 8 == 1 ? message->number : message->number % 64;
    message->answers = choice[3] % 3 == 0   ? node.session
                       : choice[3] % 3 == 1 ? node.term
                                            : message->answers;
    message->term = choice[2] % 3 == 0 ? node.term : message->term;
}

static void check(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        must(dnp_fault_makes_sense(node.known[i].fault), "a fault of 3");
        must(node.known[i].via < NODES && node.known[i].subject <= HFM_SILENCE, "a way");
    }
    must(node.follows == UINT32_MAX || node.follows < NODES, "a master");
    must(!node.acts || node.cluster.self == 0, "it acts, and may not");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct hfm_cluster cluster = {.torus = {{3, 2, 1}},
                                  .nodes = NODES,
                                  .masters = 2,
                                  .voters = 3,
                                  .quorum = 2,
                                  .voter = {0, 3, 5},
                                  .period = 10 * MS,
                                  .silent = 40 * MS,
                                  .gone = 80 * MS,
                                  .lease = 30 * MS,
                                  .grace = 50 * MS,
                                  .news = 16};
    struct input in = {data, size};
    uint64_t now = 1000 * (uint64_t)MS;
    uint8_t first;

    take(&in, &first, 1);
    cluster.self = first % 2 == 0 ? 0 : 4;
    cluster.quorum = first % 4 == 0 ? 1 : 2; /* one acts at once */
    cluster.cards = first % 3 == 0;
    must(hfm_node_init(&node, &cluster, &ops, 100, now) == NI_OK, "no memory");
    while (in.left > 0) {
        uint8_t bytes[HFM_MESSAGE_SIZE], step;
        struct hfm_message message;

        take(&in, &step, 1);
        if (step % 8 == 0) {
            take(&in, bytes, sizeof bytes);
            must(!hfm_message_unpack(&message, &key, bytes, step % 3 == 0 ? step : sizeof bytes),
                 "bytes without the key are a message");
        } else if (step % 8 == 1) {
            hfm_node_card(&node, step / 8 % HFM_SUBJECTS, 2U << (6 + 2 * (step / 64)), now, now);
        }
        make(&in, &message);
        hfm_message_pack(&message, &key, bytes);
        sent = 0;
        if (hfm_message_unpack(&message, &key, bytes, sizeof bytes) &&
            message.from != cluster.self) {
            hfm_node_take(&node, &message, now);
        }
        must(sent <= 8 + cluster.news, "too much is sent for one message");
        now += (uint64_t)(step / 8) * MS / 4;
        if (hfm_node_due(&node) <= now) {
            hfm_node_step(&node, now);
        }
        check();
    }
    hfm_node_fini(&node);
    return 0;
}
