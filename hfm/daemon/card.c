/* SPDX-License-Identifier: BSD-3-Clause */
/* The watchdog of a card on a thread of its own. */
#include "hfm/daemon/card.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/bits.h"
#include "base/clock.h"
#include "dnp/board/realtime.h"

enum { MS = 1000000, RETRY = 1000 * MS, POLL = 5 * MS };

static bool says_gone(int error)
{
    return error == -ENOTCONN || error == -ENODEV || error == -ECONNABORTED || error == -EBADF;
}

static int read_register(void *arg, uint32_t offset, uint32_t *value)
{
    struct card_thread *card = arg;
    int error =
        card->phase == CARD_CLOSED ? -ENOTCONN : apelink_client_read(&card->client, offset, value);

    card->gone = card->gone || says_gone(error);
    return error;
}

static int write_register(void *arg, uint32_t offset, uint32_t value)
{
    struct card_thread *card = arg;
    int error =
        card->phase == CARD_CLOSED ? -ENOTCONN : apelink_client_write(&card->client, offset, value);

    card->gone = card->gone || says_gone(error);
    return error;
}

static int reach_registers(void *arg, struct apelink_item *items, uint32_t count, uint32_t *done)
{
    struct card_thread *card = arg;
    int error;

    *done = 0;
    error = card->phase == CARD_CLOSED ? -ENOTCONN
                                       : apelink_client_list(&card->client, items, count, done);
    card->gone = card->gone || says_gone(error);
    return error;
}

/* Say how the card is, once each time that it changes. */
static void say(struct card_thread *card, enum ni_log_level level, const char *text)
{
    bool same;

    pthread_mutex_lock(&card->lock);
    same = strcmp(card->state, text) == 0;
    snprintf(card->state, sizeof card->state, "%s", text);
    pthread_mutex_unlock(&card->lock);
    if (!same) {
        ni_log(level, "apelink-hfm: %s: %s", card->config->device, text);
    }
}

static void changed(void *arg, unsigned subject, uint32_t fault, uint32_t before)
{
    struct card_thread *card = arg;
    struct card_change *change = &card->change[subject];
    uint64_t one = 1;

    (void)before;
    pthread_mutex_lock(&card->lock);
    change->fault = fault;
    change->worst = change->changed ? hfm_fault_worst(change->worst, fault) : fault;
    change->seen = card->watchdog.read_at;
    change->changed = true;
    pthread_mutex_unlock(&card->lock);
    (void)!write(card->wake, &one, sizeof one);
}

static void close_card(struct card_thread *card, uint64_t now)
{
    apelink_client_close(&card->client);
    card->phase = CARD_CLOSED;
    card->gone = false;
    card->retry = now + RETRY;
}

static void open_card(struct card_thread *card, uint64_t now)
{
    int error = apelink_client_open_registers(&card->client, card->config->device);
    char text[120];

    if (error != 0) {
        apelink_client_close(&card->client);
        snprintf(text, sizeof text, "cannot be opened: %s; it is tried again each second",
                 strerror(-error));
        say(card, NI_LOG_ERROR, text);
        card->retry = now + RETRY;
        return;
    }
    card->gone = false;
    card->phase = CARD_WAITS;
    card->card.list =
        (card->client.features.features & APELINK_FEATURE_LIST) != 0 ? reach_registers : NULL;
    hfm_setup_init(&card->setup, &card->card, card->config);
}

static void set_up(struct card_thread *card, uint64_t now)
{
    char text[320];

    switch (hfm_setup_step(&card->setup, now)) {
    case HFM_SETUP_WAITS:
        say(card, NI_LOG_INFO, "waits for links");
        break;
    case HFM_SETUP_FAILED:
        snprintf(text, sizeof text, "%s", card->setup.text);
        say(card, NI_LOG_ERROR, text);
        close_card(card, now);
        break;
    case HFM_SETUP_DONE:
        if (card->setup.text[0] != '\0') {
            ni_log(NI_LOG_WARN, "apelink-hfm: %s: links that are not up: %s", card->config->device,
                   card->setup.text);
        }
        say(card, NI_LOG_INFO, "works");
        card->phase = CARD_WORKS;
        memset(card->told, 0, sizeof card->told);
        hfm_watchdog_init(&card->watchdog, &card->card, card->config->write_ms * (uint64_t)MS,
                          card->config->read_ms * (uint64_t)MS, now);
        break;
    }
}

/* Tell the card's router of broken cables: of each dimension once. */
static void write_reach(struct card_thread *card)
{
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        uint32_t reach = atomic_load_explicit(&card->reach[i], memory_order_relaxed);
        int error;

        if (card->told[i] && card->reaches[i] == reach) {
            continue;
        }
        error = write_register(card, DNP_REG_route_reach + 4 * i, reach);
        if (error != 0) {
            ni_log(NI_LOG_WARN,
                   "apelink-hfm: %s: its router cannot be told of broken cables (%s): packets are "
                   "not sent round them. Use an apelink-board as new as this daemon",
                   card->config->device, strerror(-error));
        }
        card->told[i] = true;
        card->reaches[i] = reach;
    }
}

/* Do what is due. Returns when to come again. */
static uint64_t work(struct card_thread *card)
{
    const struct hfm_listener listener = {changed, card};
    uint64_t now = ni_now_ns();

    if (card->phase == CARD_CLOSED && now >= card->retry) {
        open_card(card, now);
    }
    if (card->phase == CARD_WAITS) {
        set_up(card, now);
        if (card->phase == CARD_WAITS) {
            return now + POLL;
        }
    }
    card->watchdog.host = atomic_load_explicit(&card->host, memory_order_relaxed);
    hfm_watchdog_step(&card->watchdog, now, &listener);
    hfm_watchdog_answered(&card->watchdog, now, ni_now_ns());
    if (card->phase == CARD_WORKS && !card->gone) {
        write_reach(card);
    }
    if (card->phase == CARD_WORKS && card->gone) {
        say(card, NI_LOG_ERROR, "the card has gone; it is looked for each second");
        close_card(card, now);
    }
    return hfm_watchdog_due(&card->watchdog);
}

static void *run(void *arg)
{
    struct card_thread *card = arg;

    while (!atomic_load_explicit(&card->ends, memory_order_relaxed)) {
        uint64_t due = work(card);
        struct timespec until = {.tv_sec = (time_t)(due / 1000000000U),
                                 .tv_nsec = (long)(due % 1000000000U)};

        atomic_store_explicit(&card->worked, ni_now_ns(), memory_order_relaxed);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    }
    if (card->phase != CARD_CLOSED) { /* the host is not to be missed */
        (void)write_register(card, DNP_REG_fault_mask, hfm_setup_mask(card->config));
    }
    apelink_client_close(&card->client);
    return NULL;
}

bool card_thread_start(struct card_thread *card, const struct hfm_config *config)
{
    int error;

    memset(card, 0, sizeof *card);
    card->config = config;
    card->client.fd = -1;
    card->card = (struct hfm_card){read_register, write_register, card, NULL};
    card->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    board_realtime_lock(&card->lock);
    atomic_store_explicit(&card->worked, ni_now_ns(), memory_order_relaxed);
    hfm_watchdog_init(&card->watchdog, &card->card, config->write_ms * (uint64_t)MS,
                      config->read_ms * (uint64_t)MS, ni_now_ns());
    error = card->wake < 0 ? errno : board_thread_start(&card->thread, run, card, false);
    card->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: no thread for the card: %s", strerror(error));
        if (card->wake >= 0) {
            close(card->wake);
        }
    }
    return error == 0;
}

bool card_thread_take(struct card_thread *card, unsigned subject, struct card_change *change)
{
    pthread_mutex_lock(&card->lock);
    *change = card->change[subject];
    card->change[subject].changed = false;
    pthread_mutex_unlock(&card->lock);
    return change->changed;
}

void card_thread_state(struct card_thread *card, char *text, size_t size)
{
    pthread_mutex_lock(&card->lock);
    snprintf(text, size, "%s", card->state);
    pthread_mutex_unlock(&card->lock);
}

bool card_thread_stop(struct card_thread *card)
{
    if (!card->started) {
        return true;
    }
    atomic_store_explicit(&card->ends, true, memory_order_relaxed);
    if (!board_thread_end(card->thread)) {
        return false;
    }
    card->started = false;
    close(card->wake);
    pthread_mutex_destroy(&card->lock);
    return true;
}
