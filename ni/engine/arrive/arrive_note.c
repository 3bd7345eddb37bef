/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/arrive/arrival.h"
#include "engine/core/engine_thread.h"
#include "engine/core/memory.h"
#include "engine/object/notify/note.h"
#include "engine/core/regions.h"

/* A note at its target: behind the last bytes of a Write, in the same packet. */

/* A note that is no word. NI_AGAIN: its queue is full, or it is a caller's to tell (thread.h). */
static ni_status tell_object(const struct ni_arrival *a, const struct ni_packet_note *note,
                             const struct ni_region_view *view)
{
    const struct ni_region_ops *ops = ni_region_ops_of(a->ni, view);

    if (view->key != note->key) {
        return NI_ERR_KEY;
    }
    if (ni_engine_defers(a->ni) && ops->may_call(view)) {
        ni_engine_leave(a->ni->drive.engine);
        return NI_AGAIN;
    }
    return ops->notify(a->ni, a->peer, note->handle, view, note->value);
}

/* Whether there is a region for the note, so that nothing is written where it would be refused. */
static bool find_note_region(const struct ni_arrival *a, const struct ni_packet_note *note,
                             struct ni_region_view *view)
{
    const struct ni_table_entry *entry = ni_table_get(&a->ni->table, note->handle);

    return entry != NULL && ni_entry_read(entry, note->handle, view);
}

static ni_status carry_out(const struct ni_arrival *a, const struct ni_packet_note *note,
                           const struct ni_region_view *view)
{
    const struct ni_remote where = {.addr = note->addr, .key = note->key, .handle = note->handle};

    return view->type == NI_REGION_MEMORY
               ? ni_memory_store(a->ni, &where, note->value, sizeof(ni_word))
               : tell_object(a, note, view);
}

ni_status ni_note_carry_out(const struct ni_arrival *a, const struct ni_packet_note *note)
{
    struct ni_region_view view;

    return find_note_region(a, note, &view) ? carry_out(a, note, &view) : NI_ERR_REGION;
}

ni_status ni_on_noted(const struct ni_arrival *a, const struct ni_packet_remote *fields)
{
    const struct ni_remote where = ni_arrival_remote(a, fields);
    struct ni_packet_note note;
    struct ni_region_view view;
    ni_status status = NI_ERR_REGION;

    if (a->len < sizeof(note) || fields->operand > fields->compare ||
        a->len - sizeof(note) != fields->compare - fields->operand) {
        return NI_ERR_PROTOCOL; /* notes come with the last packet */
    }
    memcpy(&note, a->payload, sizeof(note));
    if (find_note_region(a, &note, &view)) {
        status = view.type == NI_REGION_MEMORY || view.key == note.key
                     ? ni_memory_write(a->ni, &where, fields->compare, fields->operand,
                                       a->payload + sizeof(note), a->len - (uint32_t)sizeof(note),
                                       a->ni->threads)
                     : NI_ERR_KEY;
        if (status == NI_OK) {
            status = carry_out(a, &note, &view);
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
