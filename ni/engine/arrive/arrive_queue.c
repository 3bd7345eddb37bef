/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/arrive/arrival.h"
#include "engine/send/control.h"
#include "engine/object/queue/multi.h"
#include "engine/object/queue/queue.h"

/* Packets for queues: messages, Writes with an ack, Reads of multi-reader queues. */

/* Follow a number of the translation table; key NULL: the packet has none. */
static ni_status translate(const struct ni_arrival *a, const uint64_t *key, unsigned access,
                           ni_handle *handle)
{
    const struct ni_queue_name *name =
        ni_queue_named(a->ni, a->region - (ni_handle)NI_QUEUE_FIRST_HANDLE);

    if (name == NULL || name->peer != NULL) {
        return NI_ERR_REGION; /* what others may call by numbers of ours is ours */
    }
    if (name->key != 0 && (key == NULL || *key != name->key)) {
        return NI_ERR_KEY;
    }
    *handle = name->queue.handle;
    return (name->access & access) != 0 ? NI_OK : NI_ERR_ACCESS;
}

/* The queue that a packet names, if it may use it so. */
static ni_status find_named_queue(const struct ni_arrival *a, const uint64_t *key, unsigned access,
                                  struct ni_region_view *view)
{
    const struct ni_table_entry *entry;
    ni_handle handle = a->region;
    bool named = ni_queue_is_number(handle);
    ni_status status = named ? translate(a, key, access, &handle) : NI_OK;

    if (status != NI_OK) {
        return status;
    }
    entry = ni_table_get(&a->ni->table, handle);
    if (entry == NULL || !ni_entry_read(entry, handle, view) ||
        (view->type != NI_REGION_QUEUE && view->type != NI_REGION_MULTI_QUEUE)) {
        return NI_ERR_REGION;
    }
    if (!named && key != NULL && *key != view->key) {
        return NI_ERR_KEY;
    }
    /* A consumer was registered without access, and takes Writes alone. */
    return (view->type == NI_REGION_MULTI_QUEUE ? view->access : (unsigned)NI_ACCESS_WRITE) & access
               ? NI_OK
               : NI_ERR_ACCESS;
}

static struct ni_multi *multi_of(const struct ni_region_view *view)
{
    return (struct ni_multi *)(uintptr_t)view->object[NI_OBJECT_BODY];
}

/* NI_AGAIN: full. */
static ni_status put_item(const struct ni_arrival *a, const struct ni_region_view *view)
{
    ni_consumer_fn consumer = (ni_consumer_fn)(uintptr_t)view->object[NI_OBJECT_CONSUMER];

    if (view->type == NI_REGION_MULTI_QUEUE) {
        return ni_multi_push(multi_of(view), a->payload, a->len);
    }
    if (consumer != NULL) {
        struct ni_message_info info = {
            .source = a->peer, .data = a->payload, .len = a->len, .tag = a->tag};

        consumer((void *)(uintptr_t)view->object[NI_OBJECT_ARGUMENT], &info);
        return NI_OK;
    }
    return ni_queue_body_push((struct ni_queue *)(uintptr_t)view->object[NI_OBJECT_BODY],
                              a->payload, a->len);
}

static ni_status hold_packet(const struct ni_arrival *a)
{
    ni_stat_add(&a->ni->stats.queue_held, 1);
    return NI_AGAIN;
}

/* Nobody waits for the end of a message: its sender counts what is refused, under the token of no
 * operation. */
static ni_status refuse_message(const struct ni_arrival *a, ni_status status)
{
    struct ni_packet_ack fields = {.value = a->region};

    (void)ni_send_control(a->peer, NI_PACKET_ACK, NI_LINE, (uint16_t)ni_arrival_refuse(a, status),
                          0, 0, &fields, sizeof(fields));
    return NI_OK;
}

ni_status ni_on_queue_message(const struct ni_arrival *a)
{
    struct ni_region_view view;
    ni_status status = find_named_queue(a, NULL, NI_ACCESS_WRITE, &view);

    if (status == NI_OK) {
        status = put_item(a, &view);
    }
    if (status == NI_AGAIN) {
        return hold_packet(a);
    }
    return status == NI_OK ? NI_OK : refuse_message(a, status);
}

static bool is_held(const struct ni_arrival *a, const struct ni_region_view *view)
{
    if ((a->tag & NI_WRITE_HOLD) != 0) {
        return true;
    }
    return view->type == NI_REGION_MULTI_QUEUE
               ? multi_of(view)->queue.push_back
               : ((const struct ni_queue *)(uintptr_t)view->object[NI_OBJECT_BODY])->push_back;
}

/* One packet, whole. */
ni_status ni_on_enqueue(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_region_view view;
    ni_status status = find_named_queue(a, &fields->key, NI_ACCESS_WRITE, &view);

    if (status == NI_OK && fields->compare != a->len) {
        status = NI_ERR_BOUNDS;
    }
    if (status == NI_OK) {
        status = put_item(a, &view);
    }
    if (status == NI_AGAIN && is_held(a, &view)) {
        return hold_packet(a);
    }
    if (status == NI_AGAIN) {
        ni_stat_add(&a->ni->stats.queue_refused, 1);
    } else if (status != NI_OK) {
        (void)ni_arrival_refuse(a, status);
    }
    return ni_arrival_answer(a, fields->token, status, a->len);
}

/* The queue is there, or its requests have been told otherwise. */
static ni_status cancel(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_region_view view;
    struct ni_ack unused;

    if (find_named_queue(a, &fields->key, NI_ACCESS_READ, &view) == NI_OK &&
        ni_multi_forget(multi_of(&view), a->peer, fields->token, &unused)) {
        return ni_arrival_answer(a, fields->token, NI_ERR_CANCELED, 0);
    }
    return NI_OK;
}

/* Many items, to a queue of the reader's. */
static bool read_many(const struct ni_packet_remote *fields, struct ni_multi_request *request)
{
    request->to = (ni_handle)fields->addr;
    request->left = (uint32_t)(fields->addr >> 32);
    return request->to != 0 && request->left != 0;
}

bool ni_arrival_reads_queue(const struct ni_arrival *a)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, a->region);
    struct ni_region_view view;

    return ni_queue_is_number(a->region) ||
           (entry != NULL && ni_entry_read(entry, a->region, &view) &&
            (view.type == NI_REGION_MULTI_QUEUE || view.type == NI_REGION_QUEUE));
}

ni_status ni_on_dequeue(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_multi_request request = {.peer = a->peer, .token = fields->token};
    struct ni_region_view view;
    ni_status status;

    if (a->tag == NI_READ_CANCEL) {
        return cancel(a, fields);
    }
    request.read = a->tag == NI_READ_MEMORY;
    if (a->tag > NI_READ_DEQUEUE_TO ||
        (a->tag == NI_READ_DEQUEUE_TO && !read_many(fields, &request))) {
        return NI_ERR_PROTOCOL;
    }
    status = find_named_queue(a, &fields->key, NI_ACCESS_READ, &view);
    if (status == NI_OK && fields->operand != multi_of(&view)->queue.item) {
        status = NI_ERR_BOUNDS;
    }
    if (status != NI_OK) {
        return ni_arrival_answer(a, fields->token, ni_arrival_refuse(a, status), 0);
    }
    status = ni_multi_ask(multi_of(&view), &request);
    return ni_arrival_answer_refusal(a, fields->token, status);
}
