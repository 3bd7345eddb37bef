/* SPDX-License-Identifier: BSD-3-Clause */
/* apelink-board CONFIGURATION: one card for one host. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/board.h"
#include "dnp/board/realtime.h"
#include "dnp/board/sensor.h"
#include "dnp/board/socket.h"
#include "dnp/board/state.h"
#include "dnp/sensors.h"

enum { FILE_MAX = 1 << 16 };

/* All of a file as text, or NULL; errors are logged. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? ni_calloc(1, FILE_MAX + 1) : NULL;

    if (text == NULL) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s: %s", path, strerror(errno));
    } else if (fread(text, 1, FILE_MAX, file) == FILE_MAX) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s is longer than 64 KiB", path);
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static bool read_config(const char *path, struct board_config *config, struct dnp_key *key)
{
    char *text = read_file(path), error[400];
    bool good = text != NULL;

    if (good && board_config_parse(config, text, error, sizeof error) != NI_OK) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s: %s", path, error);
        good = false;
    }
    free(text);
    text = good ? read_file(config->key) : NULL;
    good = text != NULL;
    if (good && !board_key_parse(text, key)) {
        ni_log(NI_LOG_ERROR,
               "apelink-board: %s is not a key of 32 hexadecimal digits; one is made by "
               "od -An -N16 -tx1 /dev/urandom | tr -d ' '",
               config->key);
        good = false;
    }
    free(text);
    return good;
}

static bool read_sensors(struct board *board)
{
    const char *path = board->config.sensors;
    char *text, error[400];
    bool good;

    if (path[0] == '\0') {
        return board_sensors_read(&board->config, &board->card.registers);
    }
    text = read_file(path);
    good = text != NULL &&
           dnp_sensors_parse(&board->card.registers, text, error, sizeof error) == NI_OK;
    if (text != NULL && !good) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s: %s", path, error);
    }
    free(text);
    return good && board_sensors_read(&board->config, &board->card.registers);
}

/* What the host's sensors say is taken each second. */
static void on_second(evutil_socket_t fd, short what, void *arg)
{
    struct board *board = arg;

    (void)fd;
    (void)what;
    board_sensors_take(&board->sensors, &board->card.registers);
}

/* Somebody wants to know the state: as much of it as a socket takes at once, which is all. */
static void on_control(evutil_socket_t fd, short what, void *arg)
{
    struct board *board = arg;
    const struct dnp_cable *cables[DNP_LINKS];
    int reader = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    FILE *out;

    (void)what;
    if (reader < 0) {
        return;
    }
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        cables[link] = board->wire[link].fd >= 0 ? &board->cable[link] : NULL;
    }
    out = fdopen(reader, "w");
    if (out == NULL) {
        close(reader);
        return;
    }
    board_state_print(out, &board->card, cables);
    fclose(out);
}

static void on_signal(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(arg);
}

/* From now on nothing is to hold it up. */
static bool begin_threads(struct board *board)
{
    const uint32_t priority = board->config.realtime;
    bool good;

    board_realtime_begin("apelink-board", priority);
    good = board_writer_start(&board->log, "apelink-board", NULL) &&
           (board->config.sensor_count == 0 ||
            board_sensors_start(&board->sensors, &board->config, &board->card.registers));
    board_realtime_keep_memory("apelink-board", priority);
    return good;
}

/* false: one goes on, and uses *board. */
static bool end_threads(struct board *board)
{
    bool ended = board_sensors_stop(&board->sensors);

    ended = board_writer_stop(&board->log) && ended;
    if (ended) {
        ni_log_set_sink(NULL, NULL);
    }
    return ended;
}

/* Work until a signal ends it. */
static bool serve(struct board *board, struct event_base *base)
{
    const char *path = board->config.control;
    int control = path[0] != '\0' ? board_socket_open("control", path) : -1;
    const struct timeval second = {1, 0};
    struct event *events[] = {
        evsignal_new(base, SIGTERM, on_signal, base),
        evsignal_new(base, SIGINT, on_signal, base),
        control >= 0 ? event_new(base, control, EV_READ | EV_PERSIST, on_control, board) : NULL,
        board->config.sensor_count > 0 ? event_new(base, -1, EV_PERSIST, on_second, board) : NULL,
    };
    bool good = (path[0] == '\0' || control >= 0) && begin_threads(board);

    signal(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < NI_ARRAY_LENGTH(events); i++) {
        if (events[i] != NULL) {
            event_add(events[i], i == 3 ? &second : NULL);
        }
    }
    good = good && event_base_dispatch(base) == 0;
    for (unsigned i = 0; i < NI_ARRAY_LENGTH(events); i++) {
        if (events[i] != NULL) {
            event_free(events[i]);
        }
    }
    if (control >= 0) {
        close(control);
        unlink(path);
    }
    return good;
}

static void help(void)
{
    puts("usage: apelink-board CONFIGURATION\n\n"
         "One APEnet+ card of a torus in software, whose cables are UDP, TCP or memory. Settings, "
         "one a line:\n"
         "  torus 4x2x1    of all cards\n"
         "  place 1 0 0    of this card\n"
         "  key FILE       32 hexadecimal digits, the same for all cards\n"
         "  cable X+ HERE:PORT THERE:PORT [lose PPM] [corrupt PPM] [delay US] [broken]\n"
         "  cable X+ tcp HERE:PORT THERE:PORT [...]  X+, Y+ and Z+ call, the others listen\n"
         "  cable X+ memory FILE [...]  to a board of the same machine\n"
         "  control PATH   a Unix socket that gives the state as JSON\n"
         "  sensors FILE   lines such as board_temperature 41500\n"
         "  sensor NAME FILE  one of them each second, such as from /sys/class/hwmon\n"
         "  device DIRECTORY [MODE]  programs reach the card by DIRECTORY/apelink0 (666)\n"
         "  machine SOCKET MEMORY  a virtual machine reaches the card by ivshmem-doorbell\n"
         "  fifo WORDS     of each receiving FIFO, the same for all cards (16384)\n"
         "  cycle NS       how long a cycle is (1000)\n"
         "  realtime N     a priority of SCHED_RR, so that a busy host does not make it late (0: "
         "none)\n"
         "  set REGISTER VALUE  such as fault_mask 1 (docs/registers.md)");
}

/* With timers of microseconds: the usual ones are late by milliseconds, for which the neighbours
 * would wait for each credit. */
static struct event_base *new_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;

    if (config != NULL && event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER) == 0) {
        base = event_base_new_with_config(config);
    }
    if (config != NULL) {
        event_config_free(config);
    }
    return base;
}

int main(int argc, char **argv)
{
    struct board *board;
    struct board_config config;
    struct dnp_key key;
    struct event_base *base;
    bool good;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        help();
        return 0;
    }
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "apelink-board: one argument is wanted, a configuration; see --help\n");
        return 2;
    }
    if (!read_config(argv[1], &config, &key)) {
        return 1;
    }
    base = new_base();
    board = ni_aligned_zero(NI_CACHE_LINE, sizeof *board);
    if (base == NULL || board == NULL) {
        fprintf(stderr, "apelink-board: no memory\n");
        return 1;
    }
    good = board_open(board, &config, &key, base) == NI_OK && read_sensors(board) &&
           serve(board, base);
    board_close(board);
    event_base_free(base);
    if (!end_threads(board)) {
        _exit(good ? 0 : 1); /* a thread still has *board */
    }
    free(board);
    return good ? 0 : 1;
}
