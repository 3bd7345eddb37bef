/* SPDX-License-Identifier: BSD-3-Clause */
/* Cables of a board; wire_open.c opens them. */
#include "dnp/board/wire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "dnp/board/board.h"

enum { FRAMES = 64 /* taken at once */ };

const char *board_wire_name(const struct board_wire *wire)
{
    return ni_torus_direction_name((enum ni_torus_direction)wire->link);
}

/* ---- send ------------------------------------------------------------------------------------ */

uint32_t board_wire_room(struct board_wire *wire, uint64_t now)
{
    struct board_memory_frame *frame;
    bool full;

    if (wire->count == 0) {
        frame = wire->memory.map != NULL ? board_memory_room(&wire->memory) : NULL;
        wire->words = frame != NULL ? frame->words : wire->buffer;
        full = wire->tcp != NULL ? board_tcp_full(wire->tcp)
                                 : wire->memory.map != NULL && frame == NULL;
        /* What a neighbour does not take waits, as long as there is one. */
        if (full && !dnp_link_down(&wire->board->card.link[wire->link], now)) {
            return 0;
        }
    }
    return wire->most - wire->count;
}

static void send_datagram(const struct board_wire *wire)
{
    struct board *board = wire->board;
    const struct sockaddr_in *there = &board->config.cable[wire->link].there;
    uint8_t bytes[DNP_FRAME_MAX];
    size_t len = dnp_cable_pack(&board->cable[wire->link], &board->card.registers, wire->words,
                                wire->count, bytes);

    /* What the socket does not take is lost on the cable, which the link makes good. */
    (void)!sendto(wire->fd, bytes, len, 0, (const struct sockaddr *)there, sizeof *there);
}

/* Without a neighbour, or if it takes nothing any more, it is lost. */
static void send_by_tcp(const struct board_wire *wire)
{
    struct board *board = wire->board;
    size_t len;

    if (board_tcp_there(wire->tcp) && !board_tcp_full(wire->tcp)) {
        len = dnp_cable_pack(&board->cable[wire->link], &board->card.registers, wire->words,
                             wire->count, wire->tcp->cable->out);
        board_tcp_send(wire->tcp, len);
    }
}

static void send_by_memory(struct board_wire *wire)
{
    struct board *board = wire->board;
    struct board_memory_frame *frame;

    if (wire->words != wire->buffer) { /* else it finds no room, and nobody */
        frame = board_memory_room(&wire->memory);
        dnp_cable_pack_head(&board->cable[wire->link], &board->card.registers, wire->count,
                            frame->head);
        board_memory_send(&wire->memory);
    }
}

void board_wire_send(struct board_wire *wire)
{
    if (wire->count > 0 && wire->memory.map != NULL) {
        send_by_memory(wire);
    } else if (wire->count > 0 && wire->tcp != NULL) {
        send_by_tcp(wire);
    } else if (wire->count > 0 && wire->fd >= 0) {
        send_datagram(wire);
    }
    wire->count = 0;
}

/* ---- receive --------------------------------------------------------------------------------- */

/* Say once who is at the other end of a cable that should lead elsewhere. */
static void warn_misplaced(struct board_wire *wire)
{
    const struct apelink_place *place = &wire->board->cable[wire->link].peer_place;

    if (!wire->warned) {
        wire->warned = true;
        ni_log(NI_LOG_WARN,
               "apelink-board: the cable at %s leads to a card that says it is at %u %u %u, or of "
               "another torus; its frames are refused: look at \"place\", \"torus\" and \"cable\" "
               "of both",
               board_wire_name(wire), place->x, place->y, place->z);
    }
}

/* Say once that the card at the other end would drop what finds no room there. */
static void warn_misfit(struct board_wire *wire)
{
    const struct board *board = wire->board;

    if (!wire->warned) {
        wire->warned = true;
        ni_log(NI_LOG_ERROR,
               "apelink-board: the card at the other end of the cable at %s has FIFOs of %u words, "
               "and this one of %u: its frames are refused; give both the same \"fifo\"",
               board_wire_name(wire), board->cable[wire->link].peer_fifo, board->config.fifo);
    }
}

/* Words that arrive later. */
struct board_late {
    struct board_late *next;
    uint64_t due_ns;
    uint32_t n;
    struct apelink_word words[];
};

/* Without memory they are lost, as on a cable. */
static void hold(struct board_wire *wire, uint32_t delay_us, const struct apelink_word *words,
                 uint32_t n)
{
    struct board_late *late = ni_calloc(1, sizeof *late + n * sizeof *words);
    struct board_late **at = &wire->late;

    if (late == NULL) {
        return;
    }
    late->due_ns = ni_now_ns() + (uint64_t)delay_us * 1000;
    late->n = n;
    memcpy(late->words, words, n * sizeof *words);
    while (*at != NULL) {
        at = &(*at)->next;
    }
    *at = late;
}

uint64_t board_wire_late(struct board_wire *wire, uint64_t now)
{
    struct board_late *late;
    uint64_t time_ns;

    if (wire->late == NULL) {
        return UINT64_MAX;
    }
    time_ns = ni_now_ns();
    while ((late = wire->late) != NULL && late->due_ns <= time_ns) {
        wire->late = late->next;
        dnp_link_receive_burst(&wire->board->card.link[wire->link], now, late->words, late->n);
        free(late);
    }
    return late != NULL ? late->due_ns - time_ns : UINT64_MAX;
}

/* What a frame was, and what it had, arrives. */
static void arrive(struct board_wire *wire, uint64_t now, enum dnp_frame_verdict verdict,
                   const struct apelink_word *words, uint32_t n)
{
    const struct board_cable *cable = &wire->board->config.cable[wire->link];
    const struct dnp_cable_faults *faults = &cable->faults;
    struct apelink_word spoilt[DNP_FRAME_WORDS];

    if (verdict == DNP_FRAME_MISPLACED) {
        warn_misplaced(wire);
    } else if (verdict == DNP_FRAME_MISFIT) {
        warn_misfit(wire);
    }
    if (faults->broken || faults->lose_ppm != 0 || faults->corrupt_ppm != 0) {
        memcpy(spoilt, words, n * sizeof *words);
        words = spoilt;
        n = dnp_cable_spoil(faults, &wire->board->rng, spoilt, n);
    }
    if (cable->delay_us != 0 && n > 0) {
        hold(wire, cable->delay_us, words, n);
    } else {
        dnp_link_receive_burst(&wire->board->card.link[wire->link], now, words, n);
    }
}

static bool take_datagram(struct board_wire *wire, uint64_t now)
{
    struct board *board = wire->board;
    uint8_t bytes[DNP_FRAME_MAX + 1];
    struct apelink_word words[DNP_FRAME_WORDS];
    ssize_t len = recv(wire->fd, bytes, sizeof bytes, 0);
    enum dnp_frame_verdict verdict;
    uint32_t n;

    if (len < 0) {
        return false;
    }
    verdict = dnp_cable_take(&board->cable[wire->link], &board->card.registers, bytes, (size_t)len,
                             words, &n);
    arrive(wire, now, verdict, words, n);
    return true;
}

static bool take_by_tcp(struct board_wire *wire, uint64_t now)
{
    struct dnp_cable *cable = &wire->board->cable[wire->link];
    struct apelink_word words[DNP_FRAME_WORDS];
    uint64_t session = cable->peer_session;
    const uint8_t *bytes;
    size_t len;
    struct board_stream *from = board_tcp_next(wire->tcp, &bytes, &len);
    enum dnp_frame_verdict verdict;
    uint32_t n;

    if (from == NULL) {
        return false;
    }
    verdict = dnp_cable_take(cable, &wire->board->card.registers, bytes, len, words, &n);
    arrive(wire, now, verdict, words, n);
    board_tcp_judge(wire->tcp, from, verdict, cable->peer_session != session);
    return true;
}

/* Its head is judged in a copy that does not change. */
static bool take_by_memory(struct board_wire *wire, uint64_t now)
{
    struct board *board = wire->board;
    const struct board_memory_frame *frame = board_memory_next(&wire->memory);
    uint8_t head[DNP_FRAME_EMPTY];
    enum dnp_frame_verdict verdict;
    uint32_t n;

    if (frame == NULL) {
        return false;
    }
    memcpy(head, frame->head, sizeof head);
    verdict = dnp_cable_take_head(&board->cable[wire->link], &board->card.registers, head, &n);
    arrive(wire, now, verdict, frame->words, n);
    board_memory_done(&wire->memory);
    return true;
}

void board_wire_take(struct board_wire *wire, uint64_t now)
{
    bool more = wire->fd >= 0;

    for (int i = 0; i < FRAMES && more; i++) {
        more = wire->memory.map != NULL ? take_by_memory(wire, now)
               : wire->tcp != NULL      ? take_by_tcp(wire, now)
                                        : take_datagram(wire, now);
    }
}

/* ---- sleep ----------------------------------------------------------------------------------- */

bool board_wires_sleep(struct board *board)
{
    bool nothing = true;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        struct board_memory *memory = &board->wire[link].memory;

        nothing = (memory->map == NULL || board_memory_sleep(memory)) && nothing;
    }
    return nothing;
}

void board_wire_hear(struct board_wire *wire)
{
    if (wire->memory.map != NULL) {
        board_memory_hear(&wire->memory);
    } else if (wire->tcp != NULL) {
        board_tcp_hear(wire->tcp);
    }
}

void board_wires_awake(struct board *board)
{
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        struct board_memory *memory = &board->wire[link].memory;

        if (memory->map != NULL) {
            board_memory_awake(memory);
        }
    }
}

/* ---- begin and end --------------------------------------------------------------------------- */

void board_wire_init(struct board_wire *wire, struct board *board, unsigned link)
{
    *wire = (struct board_wire){.board = board,
                                .link = link,
                                .fd = -1,
                                .most = DNP_FRAME_ETHERNET,
                                .memory = {.file = -1, .bell = -1}};
}

void board_wire_close(struct board_wire *wire)
{
    struct board_late *late;

    while ((late = wire->late) != NULL) {
        wire->late = late->next;
        free(late);
    }
    if (wire->readable != NULL) {
        event_free(wire->readable);
    }
    if (wire->memory.map != NULL) {
        board_memory_close(&wire->memory);
    } else if (wire->tcp != NULL) {
        board_tcp_close(wire->tcp);
        free(wire->tcp);
    } else if (wire->fd >= 0) {
        close(wire->fd);
    }
}
