/* SPDX-License-Identifier: BSD-3-Clause */
#include "request_model.h"

#include <stdlib.h>
#include <string.h>

#include "portal_model.h"

/* ---- buffers --------------------------------------------------------------------------------- */

enum { GAP_BYTE = 0xa5 };

static uint64_t room_of(uint64_t length)
{
    return length + (BUFFER_PIECES + 1) * BUFFER_GAP;
}

void buffer_make(struct buffer *buffer, uint64_t length, bool vector, struct ni_rng *rng)
{
    uint64_t left = length, place = room_of(length);

    *buffer = (struct buffer){.length = length};
    buffer->memory = malloc(room_of(length));
    if (buffer->memory == NULL) {
        abort();
    }
    memset(buffer->memory, GAP_BYTE, room_of(length));
    buffer->pieces = vector ? 1 + (unsigned)ni_rng_below(rng, BUFFER_PIECES) : 0;
    /* The first piece lies last. */
    for (unsigned i = 0; i < buffer->pieces; i++) {
        uint64_t len = i + 1 == buffer->pieces ? left : ni_rng_below(rng, left + 1);

        len = i + 1 != buffer->pieces && ni_rng_below(rng, 4) == 0 ? 0 : len;
        place -= len + BUFFER_GAP;
        buffer->piece[i] = (struct ni_iovec){buffer->memory + place, len};
        left -= len;
    }
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->memory);
    buffer->memory = NULL;
}

uint8_t *buffer_at(const struct buffer *buffer, uint64_t offset)
{
    for (unsigned i = 0; i < buffer->pieces; i++) {
        if (offset < buffer->piece[i].iov_len) {
            return (uint8_t *)buffer->piece[i].iov_base + offset;
        }
        offset -= buffer->piece[i].iov_len;
    }
    return buffer->memory + BUFFER_GAP + offset;
}

void buffer_write(struct buffer *buffer, uint64_t offset, const uint8_t *from, uint64_t length)
{
    for (uint64_t i = 0; i < length; i++) {
        *buffer_at(buffer, offset + i) = from[i];
    }
}

bool buffer_holds(const struct buffer *buffer, const uint8_t *bytes)
{
    uint64_t others = 0;

    for (uint64_t i = 0; i < buffer->length; i++) {
        if (*buffer_at(buffer, i) != bytes[i]) {
            return false;
        }
        others += bytes[i] == GAP_BYTE;
    }
    for (uint64_t i = 0; i < room_of(buffer->length); i++) {
        others -= buffer->memory[i] == GAP_BYTE;
    }
    return others + room_of(buffer->length) - buffer->length == 0;
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool accepts(const struct model_entry *entry, const struct model_op *op)
{
    uint64_t offset = (entry->options & NI_ME_MANAGE_LOCAL) != 0 ? entry->used : op->offset;

    return (entry->options & NI_ME_NO_TRUNCATE) == 0 ||
           (offset <= entry->length && op->length <= entry->length - offset);
}

static bool allows(const struct model_entry *entry, enum model_verb verb)
{
    unsigned needs = verb == MODEL_GET ? NI_ME_OP_GET : NI_ME_OP_PUT;

    needs |= verb == MODEL_FETCH || verb == MODEL_SWAP ? NI_ME_OP_GET : 0U;
    return (entry->options & needs) == needs;
}

static bool is_atomic(enum model_verb verb)
{
    return verb >= MODEL_ATOMIC;
}

/* What it does to the bytes. */
static void apply(struct model_entry *entry, const struct model_op *op, uint64_t offset,
                  uint64_t length, uint8_t *old)
{
    size_t size = is_atomic(op->verb) ? model_size(op->type) : 1;
    uint8_t *at = entry->bytes + offset;

    if (length == 0) {
        return;
    }
    if (old != NULL) {
        memcpy(old, at, length);
    }
    if (op->verb == MODEL_PUT) {
        memcpy(at, op->data, length);
    }
    for (uint64_t i = 0; is_atomic(op->verb) && i < length; i += size) {
        model_combine(op->op, op->type, at + i, op->data + i, op->operand);
    }
}

static struct model_outcome use(struct model_entry *entry, const struct model_op *op, uint8_t *old)
{
    bool manages = (entry->options & NI_ME_MANAGE_LOCAL) != 0;
    uint64_t offset = manages ? entry->used : op->offset;
    uint64_t left = offset < entry->length ? entry->length - offset : 0;
    uint64_t fits = op->length < left ? op->length : left;
    struct model_outcome outcome = {.number = op->who.number,
                                    .entry = entry->what.number,
                                    .options = entry->options,
                                    .mlength = fits,
                                    .offset = offset};

    if (is_atomic(op->verb)) {
        outcome.mlength -= fits % model_size(op->type);
    }
    apply(entry, op, offset, outcome.mlength, old);
    entry->used += manages ? fits : 0;
    outcome.unlinks = (entry->options & NI_ME_USE_ONCE) != 0 ||
                      (manages && entry->length - entry->used < entry->min_free);
    return outcome;
}

struct model_entry model_unpost(struct model_target *target, unsigned place)
{
    struct model_entry entry = target->entry[place];

    target->entries--;
    memmove(&target->entry[place], &target->entry[place + 1],
            (target->entries - place) * sizeof(target->entry[0]));
    return entry;
}

struct model_outcome model_arrive(struct model_target *target, const struct model_op *op,
                                  uint8_t *old)
{
    struct model_outcome outcome = {.fail = NI_NI_DROPPED, .number = op->who.number};

    for (unsigned i = 0; i < target->entries; i++) {
        struct model_entry *entry = &target->entry[i];

        if (!model_matches(&entry->what, &op->who) || !accepts(entry, op)) {
            continue;
        }
        if (!allows(entry, op->verb)) {
            outcome.fail = NI_NI_OP_VIOLATION;
            return outcome;
        }
        outcome = use(entry, op, old);
        if (outcome.unlinks) {
            target->gone[target->gone_count++] = model_unpost(target, i);
        }
        return outcome;
    }
    if (target->keeps && op->verb == MODEL_PUT) {
        target->kept[target->kept_count++] = *op;
        outcome.kept = true;
    }
    return outcome;
}

/* The place of the first kept message that an entry matches; kept_count: none. */
static unsigned first_kept(const struct model_target *target, const struct model_entry *entry)
{
    unsigned i = 0;

    while (i < target->kept_count && (!model_matches(&entry->what, &target->kept[i].who) ||
                                      !accepts(entry, &target->kept[i]))) {
        i++;
    }
    return i;
}

unsigned model_post(struct model_target *target, struct model_entry *entry,
                    struct model_outcome *outcomes)
{
    unsigned count = 0, place;
    bool unlinks = false;

    while (!unlinks && (place = first_kept(target, entry)) < target->kept_count &&
           allows(entry, MODEL_PUT)) {
        outcomes[count] = use(entry, &target->kept[place], NULL);
        unlinks = outcomes[count++].unlinks;
        target->kept_count--;
        memmove(&target->kept[place], &target->kept[place + 1],
                (target->kept_count - place) * sizeof(target->kept[0]));
    }
    if (unlinks) {
        target->gone[target->gone_count++] = *entry;
    } else {
        target->entry[target->entries++] = *entry;
    }
    return count;
}
