/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop of a daemon. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <apeni/log.h>

#include "apelink_config.h"
#include "base/alloc.h"
#include "base/bits.h"
#include "base/clock.h"
#include "hfm/daemon/control.h"
#include "hfm/daemon/daemon.h"
#include "hfm/daemon/hook.h"
#include "hfm/daemon/http.h"
#include "dnp/board/realtime.h"
#include "hfm/verdict.h"

enum { MS = 1000000, STUCK_READS = 3 /* periods after which the card's thread is stuck */ };

static uint64_t real_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Levels of what people are told: a node that gets worse is a warning. */
static void log_event(const struct hfm_event *event)
{
    bool worse = event->kind == HFM_EVENT_SERVICE
                     ? event->fault != DNP_NORMAL
                     : event->kind == HFM_EVENT_STATE &&
                           hfm_verdict_of(event->fault) > hfm_verdict_of(event->before);
    char text[500];
    FILE *out = fmemopen(text, sizeof text, "w");

    if (out != NULL) {
        hfm_event_text(out, event);
        fclose(out);
        ni_log(worse ? NI_LOG_WARN : NI_LOG_INFO, "apelink-hfm: %s", text);
    }
}

static void record_event(struct hfm_daemon *daemon, const struct hfm_event *event)
{
    char text[2000];
    FILE *out = fmemopen(text, sizeof text, "w");

    if (out != NULL) {
        hfm_event_json(out, &daemon->history, event);
        fputc('\n', out);
        fclose(out);
        board_writer_record(&daemon->record, text);
    }
}

/* The clock may have been set since. */
static void follow_clock(struct hfm_daemon *daemon)
{
    daemon->history.realtime = (int64_t)(real_now() - ni_now_ns());
}

static void on_event(void *arg, const struct hfm_event *event)
{
    struct hfm_daemon *daemon = arg;

    follow_clock(daemon);
    hfm_history_add(&daemon->history, event);
    hfm_counts_add(&daemon->counts, event);
    log_event(event);
    daemon->cables = daemon->cables || event->kind == HFM_EVENT_STATE;
    if (daemon->page != NULL && event->kind == HFM_EVENT_STATE) {
        hfm_files_show(daemon, event->about);
    }
    if (daemon->hooks != NULL && event->kind == HFM_EVENT_STATE) {
        hfm_hooks_changed(daemon->hooks, event->about, daemon->node.acts);
    }
    if (daemon->config.record[0] != '\0') {
        record_event(daemon, event);
    }
}

/* Whether the card's thread does not work. Time in which we were late ourselves does not count,
 * once: the thread has hardly run either. */
static bool is_stuck(struct hfm_daemon *daemon, uint64_t worked, uint64_t now)
{
    uint64_t period = daemon->config.read_ms * (uint64_t)MS;
    bool late = now - daemon->took > 2 * period;

    if (late && !daemon->late && !daemon->card_stuck) {
        daemon->excused = now;
    }
    daemon->late = late;
    daemon->took = now;
    return now > ni_max_u64(worked, daemon->excused) + STUCK_READS * period;
}

/* Give what the card's thread has learnt to the node. */
static void take_card(struct hfm_daemon *daemon, uint64_t now)
{
    uint64_t worked = atomic_load_explicit(&daemon->card.worked, memory_order_relaxed);
    bool stuck = is_stuck(daemon, worked, now);
    struct card_change change;

    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        if (!card_thread_take(&daemon->card, i, &change)) {
            continue;
        }
        if (change.worst != change.fault) {
            hfm_node_card(&daemon->node, i, change.worst, change.seen, now);
        }
        daemon->card_fault = i == HFM_OWN ? change.fault : daemon->card_fault;
        if (i != HFM_OWN || !daemon->card_stuck) {
            hfm_node_card(&daemon->node, i, change.fault, change.seen, now);
        }
    }
    if (stuck != daemon->card_stuck) {
        daemon->card_stuck = stuck;
        hfm_node_card(&daemon->node, HFM_OWN, daemon->card_fault | (stuck ? HFM_CARD_LOST : 0),
                      worked, now);
    }
}

/* Give what the thread has found at the host to the node. */
static void take_host(struct hfm_daemon *daemon, uint64_t now)
{
    uint32_t before = daemon->host.fault;
    uint64_t seen;

    if (!look_thread_take(&daemon->look, &daemon->host, now, &seen)) {
        return;
    }
    if (daemon->host.fault != before) {
        ni_log(daemon->host.fault != 0 ? NI_LOG_WARN : NI_LOG_INFO, "apelink-hfm: this host: %s",
               daemon->host.fault != 0 ? daemon->host.why : "normal again");
    }
    hfm_node_host(&daemon->node, daemon->host.fault, seen, now);
}

static void set_alarm(struct hfm_daemon *daemon, uint64_t now)
{
    uint64_t due = hfm_node_due(&daemon->node);

    if (daemon->card.started) {
        due = ni_min_u64(due, now + daemon->config.read_ms * (uint64_t)MS);
    }
    if (daemon->notify.period != 0) {
        due = ni_min_u64(due, daemon->notify.due);
    }
    hfm_alarm_set(&daemon->alarm, ni_max_u64(ni_min_u64(due, now + 100 * MS), 1), now);
}

/* All that may be due, in the order that the state machines want: what has come, then time. */
static void work(struct hfm_daemon *daemon, bool drain)
{
    uint64_t now;

    if (drain) {
        hfm_network_drain(daemon);
    }
    now = ni_now_ns();
    if (daemon->card.started) {
        take_card(daemon, now);
    }
    take_host(daemon, now);
    hfm_node_step(&daemon->node, now);
    if (daemon->card.started && daemon->cables) { /* once for all that has come */
        daemon->cables = false;
        hfm_cables_follow(daemon, now);
    }
    atomic_store_explicit(&daemon->card.host, hfm_node_host_word(&daemon->node),
                          memory_order_relaxed);
    hfm_notify_alive(&daemon->notify, now);
    if (daemon->page != NULL) {
        ni_fault_page_beat(daemon->page, hfm_node_master(&daemon->node, now), now);
    }
    set_alarm(daemon, now);
}

static void on_work(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    work(arg, true);
}

/* The loop has just looked whether messages have come, unless it is late. */
static void on_alarm(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_daemon *daemon = arg;

    (void)fd;
    (void)what;
    work(daemon, ni_now_ns() > daemon->alarm.at + MS);
}

static void on_thread(evutil_socket_t fd, short what, void *arg)
{
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof count);
    work(arg, true);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_daemon *daemon = arg;

    (void)what;
    if (fd != SIGHUP) {
        event_base_loopbreak(daemon->base);
    } else if (daemon->config.record[0] != '\0') {
        board_writer_reopen(&daemon->record);
    }
}

void hfm_daemon_state(struct hfm_daemon *daemon, struct hfm_state *state)
{
    static char card[320];

    follow_clock(daemon);
    *state = (struct hfm_state){.config = &daemon->config,
                                .node = &daemon->node,
                                .history = &daemon->history,
                                .host = &daemon->host,
                                .counts = &daemon->counts,
                                .now = ni_now_ns(),
                                .version = PACKAGE_VERSION};
    if (daemon->card.started) {
        card_thread_state(&daemon->card, card, sizeof card);
        state->card = daemon->card_stuck ? "does not answer" : card;
    }
}

/* Let it come before readers. false: there is none. */
static bool first(struct event *event)
{
    return event != NULL && event_priority_set(event, 0) == 0;
}

static bool make_events(struct hfm_daemon *daemon)
{
    static const int numbers[3] = {SIGTERM, SIGINT, SIGHUP};
    bool good;

    daemon->readable =
        event_new(daemon->base, daemon->socket, EV_READ | EV_PERSIST, on_work, daemon);
    good = hfm_alarm_open(&daemon->alarm, daemon->base, on_alarm, daemon) &&
           first(daemon->readable) && event_add(daemon->readable, NULL) == 0;
    for (unsigned i = 0; i < 3 && good; i++) {
        daemon->signals[i] = evsignal_new(daemon->base, numbers[i], on_signal, daemon);
        good = first(daemon->signals[i]) && event_add(daemon->signals[i], NULL) == 0;
    }
    if (good) {
        daemon->look_event =
            event_new(daemon->base, daemon->look.wake, EV_READ | EV_PERSIST, on_thread, daemon);
        good = first(daemon->look_event) && event_add(daemon->look_event, NULL) == 0;
    }
    if (daemon->card.started && good) {
        daemon->card_event =
            event_new(daemon->base, daemon->card.wake, EV_READ | EV_PERSIST, on_thread, daemon);
        good = first(daemon->card_event) && event_add(daemon->card_event, NULL) == 0;
    }
    return good;
}

static void close_all(struct hfm_daemon *daemon)
{
    struct event *events[6] = {daemon->readable,   daemon->card_event, daemon->look_event,
                               daemon->signals[0], daemon->signals[1], daemon->signals[2]};

    for (unsigned i = 0; i < 6; i++) {
        if (events[i] != NULL) {
            event_free(events[i]);
        }
    }
    hfm_alarm_close(&daemon->alarm);
    daemon->left = !card_thread_stop(&daemon->card);
    daemon->left = !look_thread_stop(&daemon->look) || daemon->left;
    hfm_asks_close(daemon);
    hfm_node_fini(&daemon->node); /* a master tells that it is none any more */
    hfm_control_close(daemon->control);
    hfm_http_close(daemon->http);
    ni_fault_page_close(daemon->page);
    daemon->left = !hfm_hooks_close(daemon->hooks) || daemon->left;
    if (daemon->socket >= 0) {
        close(daemon->socket);
    }
    hfm_notify_close(&daemon->notify);
    hfm_history_fini(&daemon->history);
    ni_free(daemon->parted);
    if (daemon->base != NULL) {
        event_base_free(daemon->base);
    }
    daemon->left = !board_writer_stop(&daemon->record) || daemon->left;
    daemon->left = !board_writer_stop(&daemon->log) || daemon->left;
    if (!daemon->left) {
        ni_log_set_sink(NULL, NULL);
    }
}

/* Messages, time and signals come first: after each answer to a reader, which has the second
 * priority by default, it is looked whether they have come. */
static struct event_base *make_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;

    if (config != NULL) {
        event_config_set_max_dispatch_interval(config, NULL, 1, 1);
        base = event_base_new_with_config(config);
        event_config_free(config);
    }
    if (base != NULL && event_base_priority_init(base, 2) != 0) {
        event_base_free(base);
        base = NULL;
    }
    return base;
}

int hfm_daemon_run(struct hfm_daemon *daemon)
{
    struct hfm_cluster cluster;
    uint64_t now = ni_now_ns(), real = real_now();
    bool good;

    daemon->took = now;
    daemon->cables = true; /* some may be missing, as configured */
    daemon->socket = daemon->alarm.fd = -1;
    daemon->ops = (struct hfm_node_ops){
        .send = hfm_network_send, .event = on_event, .ask = hfm_ask, .arg = daemon};
    signal(SIGPIPE, SIG_IGN);
    hfm_notify_open(&daemon->notify);
    hfm_config_cluster(&daemon->config, &cluster);
    hfm_host_init(&daemon->host, &daemon->config.host);
    daemon->parted = ni_calloc(cluster.nodes, sizeof *daemon->parted);
    daemon->base = make_base();
    good = daemon->base != NULL && daemon->parted != NULL &&
           hfm_history_init(&daemon->history, daemon->config.history, (int64_t)(real - now)) ==
               NI_OK &&
           hfm_node_init(&daemon->node, &cluster, &daemon->ops, real, now) == NI_OK;
    if (!good) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: no memory for %u nodes", cluster.nodes);
    }
    board_realtime_begin("apelink-hfm", daemon->config.realtime);
    good = good && hfm_files_open(daemon) && make_events(daemon);
    if (good) {
        board_realtime_keep_memory("apelink-hfm", daemon->config.realtime);
        work(daemon, true);
        hfm_notify_say(&daemon->notify, "READY=1");
        good = event_base_dispatch(daemon->base) == 0;
        hfm_notify_say(&daemon->notify, "STOPPING=1");
        for (int i = 0; i < 3; i++) { /* some may be lost */
            hfm_node_leave(&daemon->node, ni_now_ns());
        }
    }
    close_all(daemon);
    return good ? 0 : 1;
}
