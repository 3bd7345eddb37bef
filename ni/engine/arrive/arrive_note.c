/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <apeni/counter.h>

#include "engine/core/engine_thread.h"
#include "engine/object/notify/note.h"
#include "engine/object/queue/queue.h"
#include "engine/core/regions.h"

/* A note at its target: behind the last bytes of a Write, in the same packet. */

/* The word, if it may be written. The lock of memory is held. */
static ni_status store_word(const struct ni_arrival *a, const struct ni_packet_note *note)
{
    ni_status status = ni_table_check(&a->ni->table, note->handle, note->key, note->addr,
                                      sizeof(ni_word), NI_ACCESS_WRITE, NULL);

    if (status == NI_OK && note->addr % sizeof(ni_word) != 0) {
        status = NI_ERR_ALIGN;
    }
    if (status == NI_OK) {
        /* Pairs with the acquire load of whoever polls the word. */
        atomic_store_explicit((ni_word *)(uintptr_t)note->addr, note->value, memory_order_release);
    }
    return status;
}

/* The data, and a note that is a word behind it. */
static ni_status write_memory(const struct ni_arrival *a, const struct ni_packet_remote *fields,
                              const struct ni_packet_note *note, bool is_word)
{
    uint32_t len = a->len - (uint32_t)sizeof(*note);
    ni_status status;

    ni_lock_take(&a->ni->memory, a->ni->threads);
    status = ni_table_check(&a->ni->table, a->region, fields->key, fields->addr, fields->compare,
                            NI_ACCESS_WRITE, NULL);
    if (status == NI_OK && len != 0) {
        memcpy((void *)(uintptr_t)(fields->addr + fields->operand), a->payload + sizeof(*note),
               len);
    }
    if (status == NI_OK && is_word) {
        status = store_word(a, note);
    }
    ni_lock_give(&a->ni->memory, a->ni->threads);
    return status;
}

static ni_status enqueue(const struct ni_arrival *a, const struct ni_packet_note *note,
                         const struct ni_region_view *view)
{
    ni_consumer_fn consumer = (ni_consumer_fn)(uintptr_t)view->object[NI_OBJECT_CONSUMER];
    struct ni_message_info info = {
        .source = a->peer, .data = &note->value, .len = sizeof(note->value)};

    if (consumer != NULL) {
        consumer((void *)(uintptr_t)view->object[NI_OBJECT_ARGUMENT], &info);
        return NI_OK;
    }
    return ni_queue_body_push((struct ni_queue *)(uintptr_t)view->object[NI_OBJECT_BODY],
                              &note->value, sizeof(note->value));
}

static bool may_call(const struct ni_region_view *view)
{
    return view->type == NI_REGION_COUNTER ||
           (view->type == NI_REGION_QUEUE && view->object[NI_OBJECT_CONSUMER] != 0);
}

/* A note that is no word. NI_AGAIN: its queue is full, or it is a caller's to tell (thread.h). */
static ni_status tell_object(const struct ni_arrival *a, const struct ni_packet_note *note,
                             const struct ni_region_view *view)
{
    if (view->key != note->key) {
        return NI_ERR_KEY;
    }
    if (ni_engine_defers(a->ni) && may_call(view)) {
        ni_engine_leave(a->ni->engine);
        return NI_AGAIN;
    }
    switch (view->type) {
    case NI_REGION_COUNTER:
        return ni_counter_add(a->ni, note->handle, (int64_t)note->value);
    case NI_REGION_QUEUE:
        return enqueue(a, note, view);
    case NI_REGION_INTERRUPT:
        return ni_interrupt_fire(a->ni, note->handle);
    default:
        return NI_ERR_ACCESS;
    }
}

/* Whether there is a region for the note, so that nothing is written where it would be refused. */
static bool find(const struct ni_arrival *a, const struct ni_packet_note *note,
                 struct ni_region_view *view)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, note->handle);

    return entry != NULL && ni_entry_read(entry, note->handle, view);
}

ni_status ni_note_carry_out(const struct ni_arrival *a, const struct ni_packet_note *note)
{
    struct ni_region_view view;
    ni_status status;

    if (!find(a, note, &view)) {
        return NI_ERR_REGION;
    }
    if (view.type != NI_REGION_MEMORY) {
        return tell_object(a, note, &view);
    }
    ni_lock_take(&a->ni->memory, a->ni->threads);
    status = store_word(a, note);
    ni_lock_give(&a->ni->memory, a->ni->threads);
    return status;
}

ni_status ni_on_noted(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    struct ni_packet_note note;
    struct ni_region_view view;
    ni_status status = NI_ERR_REGION;

    if (a->len < sizeof(note) || fields->operand > fields->compare ||
        a->len - sizeof(note) != fields->compare - fields->operand) {
        return NI_ERR_PROTOCOL; /* notes come with the last packet */
    }
    memcpy(&note, a->payload, sizeof(note));
    if (find(a, &note, &view)) {
        bool is_word = view.type == NI_REGION_MEMORY;

        status =
            is_word || view.key == note.key ? write_memory(a, fields, &note, is_word) : NI_ERR_KEY;
        if (status == NI_OK && !is_word) {
            status = tell_object(a, &note, &view);
        }
    }
    if (status == NI_AGAIN) {
        return NI_AGAIN; /* the same packet again, when its queue has room */
    }
    if (status != NI_OK) {
        (void)ni_arrival_refuse(a, status);
    }
    return ni_arrival_answer(a, fields->token, status, fields->compare);
}
