/* SPDX-License-Identifier: BSD-3-Clause */
/* A card on an event loop. */
#include "dnp/board/board.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/bits.h"
#include "base/clock.h"

enum {
    STEPS = 16,                  /* of the card before sockets are looked at again */
    ROUNDS = 32,                 /* of that, while there is none, before the event loop is asked */
    BUSY = 4,                    /* as many of them stand for one with work */
    BURST = DNP_PACKET_WORDS,    /* words that its parts move in one */
    FRAMES = 64,                 /* taken from a socket at once */
    IDLE_CREDITS = 1000,         /* while nothing changes: a credit each 35 ms */
    BUFFER = 4 << 20,            /* of a socket, in bytes */
    UDP_HEAD = 28,               /* of a datagram, in bytes */
    GET_TIMEOUT_NS = 2000000000, /* until a GET without an answer has failed */
    SPIN_NS = 100000,            /* doorbells are looked at all the time for so long */
    SLEEP_NS = 1000000,          /* and no less often than this */
};

static uint64_t board_now(const struct board *board)
{
    return (ni_now_ns() - board->start_ns) / board->config.cycle_ns;
}

static void send_frame(struct board_wire *wire)
{
    struct board *board = wire->board;
    const struct sockaddr_in *there = &board->config.cable[wire->link].there;
    uint8_t bytes[DNP_FRAME_MAX];
    size_t len;

    if (wire->count > 0 && wire->fd >= 0) {
        len = dnp_cable_pack(&board->cable[wire->link], &board->card.registers, wire->words,
                             wire->count, bytes);
        /* What the socket does not take is lost on the cable, which the link makes good. */
        (void)!sendto(wire->fd, bytes, len, 0, (const struct sockaddr *)there, sizeof *there);
    }
    wire->count = 0;
}

/* A link without a cable sends no credits; what the router gives it goes nowhere. */
static bool works(const struct board *board, unsigned link)
{
    return board->wire[link].fd >= 0 || dnp_link_busy(&board->card.link[link]);
}

/* What leaves a link now goes into frames, of which the full ones leave. Returns whether anything
 * did. */
static bool send_words(struct board *board, unsigned link, uint64_t now)
{
    struct board_wire *wire = &board->wire[link];
    uint32_t left = BURST, sent = 1;

    while (left > 0 && sent > 0) {
        uint32_t room = (uint32_t)ni_min_u64(left, wire->most - wire->count);

        sent = dnp_link_send_burst(&board->card.link[link], now, wire->words + wire->count, room);
        left -= sent;
        wire->count += sent;
        if (wire->count == wire->most) {
            send_frame(wire);
        }
    }
    return left < BURST;
}

/* Let the card work for some steps. */
static bool work(struct board *board, uint64_t now)
{
    bool active = true;

    for (int step = 0; step < STEPS && active; step++) {
        active = dnp_card_step(&board->card, now);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            active = (works(board, link) && send_words(board, link, now)) || active;
        }
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        send_frame(&board->wire[link]);
    }
    return active;
}

/* Nanoseconds until a credit or the fault manager is due, a second at most. */
static uint64_t until_due(const struct board *board, uint64_t now)
{
    uint64_t due = dnp_lofamo_due(&board->card.lofamo);

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        if (works(board, link)) {
            due = ni_min_u64(due, dnp_link_due(&board->card.link[link], now));
        }
    }
    due = due > now ? due - now : 0;
    return ni_min_u64(due, 1000000000U / board->config.cycle_ns) * board->config.cycle_ns;
}

/* Until doorbells are to be looked at again: an eighth of how long nothing has happened. */
static uint64_t until_look(const struct board *board)
{
    uint64_t quiet = ni_now_ns() - board->active_ns;

    if (!board_device_used(&board->device)) {
        return UINT64_MAX;
    }
    return quiet < SPIN_NS ? 0 : ni_min_u64(quiet / 8, SLEEP_NS);
}

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
               ni_torus_direction_name((enum ni_torus_direction)wire->link), place->x, place->y,
               place->z);
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
               ni_torus_direction_name((enum ni_torus_direction)wire->link),
               board->cable[wire->link].peer_fifo, board->config.fifo);
    }
}

/* Take what has come by a cable. */
static void take_frames(struct board_wire *wire, uint64_t now)
{
    struct board *board = wire->board;
    const struct dnp_cable_faults *faults = &board->config.cable[wire->link].faults;
    uint8_t bytes[DNP_FRAME_MAX + 1];

    for (int i = 0; i < FRAMES; i++) {
        struct apelink_word words[DNP_FRAME_WORDS];
        ssize_t len = recv(wire->fd, bytes, sizeof bytes, 0);
        enum dnp_frame_verdict verdict;
        uint32_t n;

        if (len < 0) {
            break;
        }
        verdict = dnp_cable_take(&board->cable[wire->link], &board->card.registers, bytes,
                                 (size_t)len, words, &n);
        if (verdict == DNP_FRAME_MISPLACED) {
            warn_misplaced(wire);
        } else if (verdict == DNP_FRAME_MISFIT) {
            warn_misfit(wire);
        }
        n = dnp_cable_spoil(faults, &board->rng, words, n);
        dnp_link_receive_burst(&board->card.link[wire->link], now, words, n);
    }
}

/* Work once. Returns nanoseconds until that is due again; active: whether the card had work. */
static uint64_t run_round(struct board *board, bool *active)
{
    uint64_t now = board_now(board);
    bool rung = board_device_look(&board->device);
    unsigned news;

    *active = work(board, now);
    news = board_device_tell(&board->device);
    if (news != 0) {
        board_fuse_wake(&board->fuse, news);
        board_ivshmem_wake(&board->ivshmem, news);
    }
    if (rung || news != 0) {
        board->active_ns = ni_now_ns();
    }
    return *active ? 0 : ni_min_u64(until_due(board, now), until_look(board));
}

/* Work, and come back when there is something to do: when a credit is due, or when a program may
 * have rung. While that is at once only the cables are looked at between, which takes a system call
 * each; the event loop, which takes several, now and then. */
static void board_run(void *arg)
{
    struct board *board = arg;
    struct timeval wait = {0, 0};
    uint64_t due = 0;
    bool active = false;

    for (int round = 0; round < ROUNDS && due == 0; round += active ? BUSY : 1) {
        due = run_round(board, &active);
        if (due == 0 && !active) {
            (void)sched_yield(); /* what is waited for may need this processor */
        }
        for (unsigned link = 0; due == 0 && link < DNP_LINKS; link++) {
            if (board->wire[link].fd >= 0) {
                take_frames(&board->wire[link], board_now(board));
            }
        }
    }
    if (due > 0) {
        wait.tv_sec = (time_t)(due / 1000000000U);
        wait.tv_usec = (suseconds_t)(due % 1000000000U / 1000 + 1);
    }
    event_add(board->timer, &wait);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    board_run(arg);
}

static void on_frame(evutil_socket_t fd, short what, void *arg)
{
    struct board_wire *wire = arg;

    (void)fd;
    (void)what;
    take_frames(wire, board_now(wire->board));
    board_run(wire->board);
}

/* Words of a frame that goes to the neighbour in one packet, as far as this host knows. */
static uint32_t words_of_frame(const struct sockaddr_in *there)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), mtu = 0;
    socklen_t len = sizeof mtu;
    uint32_t words = DNP_FRAME_ETHERNET;

    if (fd >= 0 && connect(fd, (const struct sockaddr *)there, sizeof *there) == 0 &&
        getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &len) == 0 &&
        mtu >= UDP_HEAD + DNP_FRAME_EMPTY + APELINK_WORD) {
        words = (uint32_t)(mtu - UDP_HEAD - DNP_FRAME_EMPTY) / APELINK_WORD;
    }
    if (fd >= 0) {
        close(fd);
    }
    return (uint32_t)ni_min_u64(words, DNP_FRAME_WORDS);
}

static ni_status open_wire(struct board *board, unsigned link)
{
    const struct board_cable *cable = &board->config.cable[link];
    struct board_wire *wire = &board->wire[link];
    int size = BUFFER;
    char text[INET_ADDRSTRLEN] = "";

    wire->most = DNP_FRAME_ETHERNET;
    if (!cable->used) {
        return NI_OK;
    }
    wire->most = words_of_frame(&cable->there);
    wire->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (wire->fd < 0 ||
        bind(wire->fd, (const struct sockaddr *)&cable->here, sizeof cable->here) != 0) {
        (void)inet_ntop(AF_INET, &cable->here.sin_addr, text, sizeof text);
        ni_log(NI_LOG_ERROR, "apelink-board: the cable at %s cannot have the address %s:%u: %s",
               ni_torus_direction_name((enum ni_torus_direction)link), text,
               ntohs(cable->here.sin_port), strerror(errno));
        return NI_ERR_SYSTEM;
    }
    if (setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
        (void)setsockopt(wire->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    }
    wire->readable = event_new(board->base, wire->fd, EV_READ | EV_PERSIST, on_frame, wire);
    return wire->readable != NULL && event_add(wire->readable, NULL) == 0 ? NI_OK : NI_ERR_NOMEM;
}

static void set_registers(struct board *board)
{
    struct dnp_register_file *registers = &board->card.registers;
    const uint32_t *size = board->config.torus.size, *at = board->config.place.at;
    uint32_t credit = dnp_get(registers, DNP_REG_link_credit, 0);

    dnp_set(registers, DNP_REG_board_torus, 0, size[0] | size[1] << 10 | size[2] << 20);
    dnp_set(registers, DNP_REG_board_place, 0, at[0] | at[1] << 10 | at[2] << 20);
    /* In real time a credit takes long to come, so that as much as fits is under way. */
    dnp_set(registers, DNP_REG_link_thresholds, 0,
            DNP_FIELD_PUT(0, link_thresholds_red, board->config.fifo) |
                DNP_FIELD_PUT(0, link_thresholds_yellow, board->config.fifo - DNP_PACKET_WORDS));
    dnp_set(registers, DNP_REG_link_credit, 0,
            DNP_FIELD_PUT(credit, link_credit_idle, IDLE_CREDITS));
    dnp_set(registers, DNP_REG_get_timeout, 0,
            (uint32_t)ni_min_u64(GET_TIMEOUT_NS / board->config.cycle_ns, UINT32_MAX));
    dnp_set(registers, DNP_REG_board_cycle, 0, board->config.cycle_ns);
    for (unsigned i = 0; i < board->config.sets; i++) {
        (void)dnp_registers_write(registers, board->config.set[i].offset,
                                  board->config.set[i].value);
    }
}

/* Later sessions are larger: nanoseconds of the clock on the wall. */
static uint64_t new_session(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

ni_status board_open(struct board *board, const struct board_config *config,
                     const struct dnp_key *key, struct event_base *base)
{
    uint64_t session = new_session();
    ni_status status;

    board->config = *config;
    board->base = base;
    board->fuse.fd = -1;
    board->ivshmem.listener = -1;
    board->ivshmem.client = -1;
    board_device_init(&board->device, &board->card);
    board->host = (struct dnp_host){board_device_dma, &board->device};
    board->start_ns = ni_now_ns();
    ni_rng_seed(&board->rng, session);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        board->wire[link] = (struct board_wire){.board = board, .link = link, .fd = -1};
        dnp_cable_init(&board->cable[link], key, link, session);
        board->cable[link].fifo = config->fifo;
    }
    board->timer = evtimer_new(base, on_timer, board);
    status = board->timer == NULL ? NI_ERR_NOMEM
                                  : dnp_card_init(&board->card, config->fifo, &board->host, 0);
    if (status != NI_OK) {
        ni_log(NI_LOG_ERROR, "apelink-board: no memory for a card");
        return status;
    }
    dnp_card_burst(&board->card, BURST);
    set_registers(board);
    for (unsigned link = 0; link < DNP_LINKS && status == NI_OK; link++) {
        status = open_wire(board, link);
    }
    if (status == NI_OK && config->device[0] != '\0') {
        status = board_fuse_open(&board->fuse, &board->device, board->config.device,
                                 (mode_t)config->device_mode, base, board_run, board);
    }
    if (status == NI_OK && config->machine[0] != '\0') {
        status = board_ivshmem_open(&board->ivshmem, &board->device, board->config.machine,
                                    board->config.machine_memory, base, board_run, board);
    }
    if (status == NI_OK) {
        board_run(board);
    }
    return status;
}

void board_close(struct board *board)
{
    board_fuse_close(&board->fuse);
    board_ivshmem_close(&board->ivshmem);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        struct board_wire *wire = &board->wire[link];

        if (wire->readable != NULL) {
            event_free(wire->readable);
        }
        if (wire->fd >= 0) {
            close(wire->fd);
        }
    }
    if (board->timer != NULL) {
        event_free(board->timer);
    }
    dnp_card_fini(&board->card);
}
