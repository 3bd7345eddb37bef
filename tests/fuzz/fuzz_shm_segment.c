/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

/*
 * A receiver whose segment is written over: header, seats, slots, blobs, lane page, ring and bulk
 * area, in between the packets of an honest sender and the receiver's progress. Whatever happens to
 * packets, neither side may crash, hang, read outside of its mappings or tell the core twice that a
 * peer is gone.
 *
 * The input is a program: an opcode, its operands, and so on.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SENDERS = 2, STEPS_MAX = 400 };

struct input {
    const uint8_t *data;
    size_t size, at;
};

struct scene {
    struct input input;
    struct mock receiver;
    struct mock senders[SENDERS];
    struct ni_peer *to_receiver[SENDERS]; /* NULL: not connected */
    struct ni_shm_link *link;             /* of the receiver */
    uint8_t blob[MOCK_BLOB];
    size_t blob_len;
};

static uint8_t next(struct input *input)
{
    return input->at < input->size ? input->data[input->at++] : 0;
}

static uint32_t next32(struct input *input)
{
    uint32_t value = next(input);

    value |= (uint32_t)next(input) << 8;
    value |= (uint32_t)next(input) << 16;
    return value | (uint32_t)next(input) << 24;
}

/* ---- what the other side may do -------------------------------------------------------------- */

/* Bytes of the input, anywhere in a part of the segment. */
static void scribble(struct scene *scene)
{
    struct input *input = &scene->input;
    const struct ni_shm_geometry *geometry = &scene->link->segment->geometry;
    uint64_t page = geometry->counts.page;
    uint64_t area = ni_shm_area_at(geometry, next(input) % geometry->counts.seats);
    const uint64_t parts[] = {0,
                              geometry->seat_words,
                              geometry->slot_words,
                              geometry->slots,
                              geometry->blobs,
                              area,
                              area + page,
                              area + ni_shm_area_rings(geometry)};
    uint64_t at = parts[next(input) % 8] + next32(input) % 4096;
    uint8_t bytes[64];
    size_t len = 1 + next(input) % sizeof(bytes);

    for (size_t i = 0; i < len; i++) {
        bytes[i] = next(input);
    }
    /* A hole that is written to is no hole any more: as a process that maps it would do. */
    CHECK(pwrite(scene->link->segment->fd, bytes, len, (off_t)at) == (ssize_t)len);
}

/* A slot word that looks like one. */
static void forge_slot(struct scene *scene)
{
    struct input *input = &scene->input;
    uint32_t slot = next(input) % scene->link->segment->geometry.counts.slots;
    enum ni_shm_slot_state state = (enum ni_shm_slot_state)(next(input) % 6);
    uint32_t seat = next(input) % 6;
    uint32_t number = next(input) % 8;
    struct ni_packet packet = {
        .word0 = ni_packet_word0(next(input), next(input), next(input), next(input)),
        .word1 = ni_packet_word1(next32(input), next(input)),
    };

    memcpy(scene->link->segment->slots + (size_t)slot * NI_SHM_SLOT_SIZE, &packet, sizeof(packet));
    atomic_store(&scene->link->segment->slot_words[slot], ni_shm_slot_word(state, seat, number));
    atomic_fetch_or(&scene->link->header->posted, UINT64_C(1) << slot);
}

static void forge_seat(struct scene *scene)
{
    struct input *input = &scene->input;
    uint32_t seat = next(input) % scene->link->segment->geometry.counts.seats;
    uint64_t word = ni_shm_seat_word((enum ni_shm_seat_state)(next(input) % 7), next(input) % 4);

    atomic_store(&scene->link->segment->seat_words[seat], word);
    atomic_store(&scene->link->header->attention, next(input) % 2);
}

/* The blob of a sender, in any seat, with one byte changed. */
static void forge_blob(struct scene *scene)
{
    struct input *input = &scene->input;
    uint8_t seat = next(input) % scene->link->segment->geometry.counts.seats;
    uint8_t bytes[MOCK_BLOB];
    uint32_t len = (uint32_t)mock_blob(&scene->senders[next(input) % SENDERS], bytes);
    uint64_t at = scene->link->segment->geometry.blobs + seat * (uint64_t)NI_SHM_BLOB_STRIDE;

    bytes[next(input) % len] ^= next(input);
    CHECK(pwrite(scene->link->segment->fd, bytes, len, (off_t)at + 8) == (ssize_t)len);
    CHECK(pwrite(scene->link->segment->fd, &len, sizeof(len), (off_t)at) == sizeof(len));
}

/* A header of a packet in a ring of a lane, with any place and sequence number. */
static void forge_packet(struct scene *scene)
{
    struct input *input = &scene->input;
    const struct ni_shm_geometry *geometry = &scene->link->segment->geometry;
    uint64_t ring = ni_shm_area_at(geometry, next(input) % 2) + geometry->counts.page;
    uint64_t rings = ni_shm_area_rings(geometry) - geometry->counts.page;
    uint64_t line = next(input) % (rings / NI_LINE);
    struct ni_packet packet = {
        .word0 = ni_packet_word0(next(input), next(input), next(input), next(input)),
        .word1 = ni_packet_word1(next32(input), next(input)),
    };
    struct ni_packet_bulk bulk = {.offset = next32(input)};

    memcpy((uint8_t *)&packet + NI_PACKET_BULK_AT, &bulk, sizeof(bulk));
    CHECK(pwrite(scene->link->segment->fd, &packet, sizeof(packet),
                 (off_t)(ring + line * NI_LINE)) == sizeof(packet));
}

/* ---- what honest processes do ---------------------------------------------------------------- */

static void progress(struct scene *scene)
{
    uint8_t what = next(&scene->input);

    /* As if time had passed. */
    if (what & 0x80) {
        scene->link->next_tick = 0;
        scene->link->next_check = 0;
        scene->link->countdown = 1;
    }
    for (uint8_t i = 0; i < what % 8 + 1; i++) {
        mock_progress(&scene->receiver);
    }
}

static void progress_sender(struct scene *scene)
{
    struct mock *sender = &scene->senders[next(&scene->input) % SENDERS];
    struct ni_shm_link *link = (struct ni_shm_link *)(void *)sender->link;

    link->next_tick = 0;
    link->next_check = 0;
    link->countdown = 1;
    mock_progress(sender);
}

static void send_one(struct scene *scene)
{
    uint8_t number = next(&scene->input) % SENDERS;
    uint32_t len = 16 + next(&scene->input) * 8U;

    if (scene->to_receiver[number] != NULL) {
        (void)mock_send(scene->to_receiver[number], len);
    }
}

static void meet_or_part(struct scene *scene)
{
    uint8_t number = next(&scene->input) % SENDERS;
    struct ni_peer **peer = &scene->to_receiver[number];

    if (*peer != NULL) {
        mock_disconnect(&scene->senders[number], *peer);
        *peer = NULL;
    } else if (mock_try_connect(&scene->senders[number], scene->blob, scene->blob_len, peer) !=
               NI_OK) {
        *peer = NULL; /* the struct stays: the link may know it as one that sends to us */
    }
}

/* The receiver connects to its sender. */
static void answer(struct scene *scene)
{
    for (struct ni_peer *peer = scene->receiver.peers; peer != NULL; peer = peer->next) {
        if (peer->ep == NULL && peer->down == NI_OK) {
            (void)ni_link_shm.connect(scene->receiver.link, peer->blob, peer->blob_len, peer,
                                      &peer->ep);
        }
        if (peer->ep != NULL) {
            (void)mock_send(peer, 16);
        }
    }
}

static void check(const struct mock *mock)
{
    for (const struct ni_peer *peer = mock->peers; peer != NULL; peer = peer->next) {
        CHECK(peer->downs <= 1);
    }
}

static void open_scene(struct scene *scene)
{
    mock_open(&scene->receiver, 100, NULL);
    scene->receiver.any = true;
    scene->link = (struct ni_shm_link *)(void *)scene->receiver.link;
    scene->blob_len = mock_blob(&scene->receiver, scene->blob);
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_open(&scene->senders[i], i, NULL);
        scene->senders[i].any = true;
        scene->to_receiver[i] = mock_connect(&scene->senders[i], scene->blob, scene->blob_len);
    }
}

static void configure(void)
{
    static bool done;

    if (!done) {
        done = true;
        ni_log_set_level(NI_LOG_ERROR);
        mock_param("shm_max_peers", "4");
        mock_param("shm_queue_slots", "8");
        mock_param("shm_ring_size", "16K");
        mock_param("shm_bulk_size", "16K");
        mock_param("shm_exports", "16");
        mock_param("shm_ring_after", "2");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const ops[])(struct scene *) = {
        progress,   send_one,     scribble,     forge_slot,      forge_seat,
        forge_blob, forge_packet, meet_or_part, progress_sender, answer,
    };
    static struct scene scene;

    configure();
    memset(&scene, 0, sizeof(scene));
    scene.input = (struct input){.data = data, .size = size};
    open_scene(&scene);
    for (int i = 0; i < STEPS_MAX && scene.input.at < size; i++) {
        ops[next(&scene.input) % (sizeof(ops) / sizeof(ops[0]))](&scene);
    }
    for (int i = 0; i < 10; i++) {
        mock_progress(&scene.receiver);
    }
    check(&scene.receiver);
    for (unsigned i = 0; i < SENDERS; i++) {
        mock_progress(&scene.senders[i]);
        check(&scene.senders[i]);
        mock_close(&scene.senders[i]);
    }
    mock_close(&scene.receiver);
    return 0;
}
