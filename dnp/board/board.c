/* SPDX-License-Identifier: BSD-3-Clause */
/* A card on an event loop. */
#include "dnp/board/board.h"

#include <sched.h>
#include <time.h>

#include <apeni/log.h>

#include "base/bits.h"
#include "base/clock.h"

enum {
    STEPS = 16,                  /* of the card before sockets are looked at again */
    STILL = 4,                   /* of that without a word that moves, it waits for others */
    ROUNDS = 32,                 /* of that, while there is none, before the event loop is asked */
    BUSY = 4,                    /* as many of them stand for one with work */
    BURST = DNP_PACKET_WORDS,    /* words that its parts move in one */
    IDLE_CREDITS = 1000,         /* while nothing changes: a credit each 35 ms */
    GET_TIMEOUT_NS = 2000000000, /* until a GET without an answer has failed */
    CROWDED_NS = 300000,         /* a yield that takes longer: others want the core for long */
    NAP_NS = 20000,              /* then we sleep so long, since who wakes runs before them ... */
    CROWDED_LOOKS = 100,         /* ... for so many rounds without work */
    SPIN_NS = 100000,            /* doorbells are looked at all the time for so long */
    SLEEP_NS = 1000000,          /* and no less often than this */
    LATE_NS = 2000000,           /* one that is later than this was away */
    SPAN_NS = 4000000,           /* with a real-time priority it works of so long ... */
    WORK_NS = 3000000,           /* ... no more than this */
};

/* In cycles. It stands still while the card is away, which is found out when it is looked at. */
static uint64_t board_now(struct board *board)
{
    uint64_t now = ni_now_ns(), meant = ni_max_u64(board->seen_ns, board->wake_ns);
    bool away = now > meant + LATE_NS;

    board->away_ns += away ? now - meant : 0;
    board->seen_ns = now;
    now = (now - board->start_ns - board->away_ns) / board->config.cycle_ns;
    if (away) {
        dnp_lofamo_away(&board->card.lofamo, now);
    }
    return now;
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
        uint32_t room = (uint32_t)ni_min_u64(left, board_wire_room(wire, now));

        if (room == 0) {
            break;
        }
        sent = dnp_link_send_burst(&board->card.link[link], now, wire->words + wire->count, room);
        left -= sent;
        wire->count += sent;
        if (wire->count == wire->most) {
            board_wire_send(wire);
        }
    }
    return left < BURST;
}

/* What changes whenever words or events have moved. */
static uint32_t moved(const struct board *board)
{
    const struct dnp_card *card = &board->card;
    const struct dnp_fifo *inject = &card->router.inject, *deliver = &card->router.deliver;
    uint32_t sum = card->tx.pages_filled + card->tx.pages_sent + card->events.taken;

    sum += inject->filled + inject->taken + deliver->filled + deliver->taken;
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        for (unsigned vc = 0; vc < DNP_VCS; vc++) {
            sum += card->link[link].rx.fifo[vc].filled + card->link[link].rx.fifo[vc].taken;
        }
    }
    return sum;
}

/* Let the card work for some steps, or until nothing moves. */
static bool work(struct board *board, uint64_t now)
{
    bool active = true;

    for (int step = 0, still = 0; step < STEPS && active && still < STILL; step++) {
        uint32_t before = moved(board);

        board_device_moves(&board->device, true);
        active = dnp_card_step(&board->card, now);
        board_device_moves(&board->device, false);
        for (unsigned link = 0; link < DNP_LINKS; link++) {
            active = (works(board, link) && send_words(board, link, now)) || active;
        }
        still = moved(board) == before ? still + 1 : 0;
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        board_wire_send(&board->wire[link]);
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

/* Work once; *due: nanoseconds until that is due again. Returns whether there is work left that is
 * not for others to do first. */
static bool run_round(struct board *board, uint64_t *due)
{
    uint64_t now = board_now(board), late = UINT64_MAX;
    uint32_t before = moved(board);
    bool rung = board_device_look(&board->device), active, moves;
    unsigned news;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        late = ni_min_u64(late, board_wire_late(&board->wire[link], now));
    }
    active = work(board, now);
    news = board_device_tell(&board->device);
    if (news != 0) {
        board_fuse_wake(&board->fuse, news);
        board_ivshmem_wake(&board->ivshmem, news);
    }
    moves = moved(board) != before;
    if (rung || news != 0 || moves) {
        board->active_ns = ni_now_ns();
    }
    *due = active ? 0 : ni_min_u64(late, ni_min_u64(until_due(board, now), until_look(board)));
    return active && moves;
}

/* Lend the core to others. Where a yield lasts, the next rounds sleep. */
static void lend_core(struct board *board)
{
    uint64_t begun = ni_now_ns();

    (void)sched_yield();
    if (ni_now_ns() - begun > CROWDED_NS) {
        board->crowded = CROWDED_LOOKS;
    }
}

/* Those that wait for the core have the ordinary priority, or have waited for long: a yield does
 * nothing for the first, and takes long because of the others. */
static bool has_to_nap(struct board *board)
{
    if (board->config.realtime == 0 && board->crowded == 0) {
        return false;
    }
    board->crowded -= board->crowded > 0;
    return true;
}

/* With a real-time priority the longer the longer nothing has moved: each time is taken from those
 * for whom it waits. */
static uint64_t nap(const struct board *board)
{
    uint64_t quiet = ni_now_ns() - board->active_ns;

    return board->config.realtime == 0 ? NAP_NS
                                       : ni_max_u64(NAP_NS, ni_min_u64(quiet / 8, SLEEP_NS));
}

/* It has worked since a time. What comes is not bounded by what programs of this host do, and they
 * get no core while one with a real-time priority works. */
static void leave_time(struct board *board, uint64_t begun)
{
    struct timespec until;

    if (begun - board->span_ns >= SPAN_NS) {
        board->span_ns = begun;
        board->worked_ns = 0;
    }
    board->worked_ns += ni_now_ns() - begun;
    if (board->worked_ns > WORK_NS) {
        until.tv_sec = (time_t)((board->span_ns + SPAN_NS) / 1000000000U);
        until.tv_nsec = (long)((board->span_ns + SPAN_NS) % 1000000000U);
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
}

/* Returns whether words of a packet have come. */
static bool take_frames(struct board *board)
{
    uint32_t before = moved(board);

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        if (board->wire[link].fd >= 0) {
            board_wire_take(&board->wire[link], board_now(board));
        }
    }
    return moved(board) != before;
}

/* Work, and come back when there is something to do: when a credit is due, or when a program may
 * have rung. While that is at once only the cables are looked at between, which takes a system call
 * each; the event loop, which takes several, now and then. What is left to others, such as a
 * neighbour that has to give room, or a program that has an event, may need this processor. */
static void board_run(void *arg)
{
    struct board *board = arg;
    struct timeval wait = {0, 0};
    uint64_t due = 0, begun = board->config.realtime > 0 ? ni_now_ns() : 0;
    bool busy = false;

    board_wires_awake(board);
    for (int round = 0; round < ROUNDS && due == 0; round += busy ? BUSY : 1) {
        busy = run_round(board, &due);
        if (due == 0 && !take_frames(board) && !busy) {
            if (has_to_nap(board)) {
                due = nap(board);
            } else {
                lend_core(board);
            }
        }
    }
    if (board->config.realtime > 0) {
        leave_time(board, begun);
    }
    board->wake_ns = ni_now_ns();
    if (due > 0 && board_wires_sleep(board)) {
        wait.tv_sec = (time_t)(due / 1000000000U);
        wait.tv_usec = (suseconds_t)(due % 1000000000U / 1000 + 1);
        board->wake_ns += due;
    }
    event_add(board->timer, &wait);
}

/* Somebody asks, and is to see what has been due: a host that finds its card late asks again at
 * once, and then has to find it in time. */
static void catch_up(void *arg)
{
    struct board *board = arg;
    uint64_t due;

    if (dnp_lofamo_due(&board->card.lofamo) <= board_now(board)) {
        (void)run_round(board, &due);
    }
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
    board_wire_hear(wire);
    board_wire_take(wire, board_now(wire->board));
    board_run(wire->board);
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
    board->start_ns = board->seen_ns = ni_now_ns();
    ni_rng_seed(&board->rng, session);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        board_wire_init(&board->wire[link], board, link);
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
        status = board_wire_open(&board->wire[link], on_frame);
    }
    if (status == NI_OK && config->device[0] != '\0') {
        status = board_fuse_open(&board->fuse, &board->device, board->config.device,
                                 (mode_t)config->device_mode, base, catch_up, board_run, board);
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
        board_wire_close(&board->wire[link]);
    }
    if (board->timer != NULL) {
        event_free(board->timer);
    }
    dnp_card_fini(&board->card);
}
