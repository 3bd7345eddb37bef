/* SPDX-License-Identifier: BSD-3-Clause */
/* A Unix socket for the commands of apelink-hfm. */
#include "hfm/daemon/control.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/number.h"
#include "hfm/daemon/daemon.h"

enum { READERS_MAX = 32, LINE_MAX_BYTES = 200, PATIENCE_S = 20, AGAIN_MS = 500 };

struct hfm_control {
    struct hfm_daemon *daemon;
    int fd;
    struct event *readable, *again;
    unsigned readers;
};

static void finish(struct bufferevent *reader, struct hfm_control *control)
{
    control->readers--;
    bufferevent_free(reader);
}

static void on_written(struct bufferevent *reader, void *arg)
{
    if (evbuffer_get_length(bufferevent_get_output(reader)) == 0) {
        finish(reader, arg);
    }
}

static void on_end(struct bufferevent *reader, short what, void *arg)
{
    (void)what;
    finish(reader, arg);
}

/* Acknowledge the alarm of one node, or of all that have one. Returns an exit status. */
static int acknowledge(struct hfm_daemon *daemon, const char *which, FILE *out)
{
    uint64_t from = 0, to = daemon->config.nodes - 1;
    unsigned done = 0;

    if (strcmp(which, "all") != 0) {
        if (ni_number_parse(which, strlen(which), false, &from) != NULL || from > to) {
            fprintf(out, "\"%s\" is neither a node of the torus nor all\n", which);
            return 2;
        }
        to = from;
    }
    for (uint64_t node = from; node <= to; node++) {
        ni_status status = hfm_node_acknowledge(&daemon->node, (uint32_t)node, ni_now_ns());

        if (status == NI_ERR_UNREACHABLE) {
            uint32_t master = hfm_node_master(&daemon->node, ni_now_ns());

            fprintf(out,
                    master == UINT32_MAX ? "there is no master that could take it\n"
                                         : "only the master can take it: ask on node %u\n",
                    master);
            return 3;
        }
        done += status == NI_OK;
    }
    fprintf(out, "%u alarms are acknowledged\n", done);
    return done > 0 || strcmp(which, "all") == 0 ? 0 : 1;
}

static int answer(struct hfm_daemon *daemon, const char *line, FILE *out)
{
    struct hfm_state state;

    hfm_daemon_state(daemon, &state);
    if (strcmp(line, "text") == 0) {
        hfm_print_text(out, &state);
    } else if (strcmp(line, "json") == 0) {
        hfm_print_json(out, &state);
    } else if (strcmp(line, "metrics") == 0) {
        hfm_print_metrics(out, &state);
    } else if (strcmp(line, "page") == 0) {
        hfm_print_page(out, &state);
    } else if (strncmp(line, "acknowledge ", 12) == 0) {
        return acknowledge(daemon, line + 12, out);
    } else {
        fprintf(out, "\"%.40s\" is no command that this daemon knows\n", line);
        return 2;
    }
    return hfm_print_exit(&state);
}

static void on_line(struct bufferevent *reader, void *arg)
{
    struct hfm_control *control = arg;
    struct evbuffer *input = bufferevent_get_input(reader);
    size_t size = 0;
    char *line = evbuffer_readln(input, NULL, EVBUFFER_EOL_LF), *text = NULL;
    FILE *out;
    int status;

    if (line == NULL && evbuffer_get_length(input) <= LINE_MAX_BYTES) {
        return;
    }
    bufferevent_disable(reader, EV_READ);
    out = line != NULL ? open_memstream(&text, &size) : NULL;
    if (out == NULL) {
        free(line);
        finish(reader, control);
        return;
    }
    status = answer(control->daemon, line, out);
    fclose(out);
    bufferevent_setcb(reader, NULL, on_written, on_end, control);
    evbuffer_add_printf(bufferevent_get_output(reader), "%d\n", status);
    bufferevent_write(reader, text, size);
    free(text);
    free(line);
}

static void on_reader(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_control *control = arg;
    int reader = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct timeval patience = {PATIENCE_S, 0}, again = {0, AGAIN_MS * 1000};
    struct bufferevent *buffer;

    (void)what;
    if (reader < 0 && (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR)) {
        return;
    }
    if (reader < 0) { /* while there are no files the socket stays readable */
        event_del(control->readable);
        event_add(control->again, &again);
        return;
    }
    buffer = control->readers < READERS_MAX
                 ? bufferevent_socket_new(control->daemon->base, reader, BEV_OPT_CLOSE_ON_FREE)
                 : NULL;
    if (buffer == NULL) {
        close(reader);
        return;
    }
    control->readers++;
    bufferevent_setcb(buffer, on_line, NULL, on_end, control);
    bufferevent_set_timeouts(buffer, &patience, &patience);
    bufferevent_setwatermark(buffer, EV_READ, 0, 2 * LINE_MAX_BYTES);
    bufferevent_enable(buffer, EV_READ | EV_WRITE);
}

static void on_again(evutil_socket_t fd, short what, void *arg)
{
    struct hfm_control *control = arg;

    (void)fd;
    (void)what;
    event_add(control->readable, NULL);
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    struct stat file;
    mode_t before;
    bool bound;

    strcpy(address.sun_path, path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: a daemon answers at %s already", path);
        close(fd);
        return -1;
    }
    if (errno == ECONNREFUSED && lstat(path, &file) == 0 && S_ISSOCK(file.st_mode)) {
        unlink(path); /* left behind by one that was killed */
    }
    before = umask(0117);
    bound = fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
    umask(before);
    if (!bound || listen(fd, 8) != 0) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: control %s: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    return fd;
}

struct hfm_control *hfm_control_open(struct hfm_daemon *daemon)
{
    struct hfm_control *control = ni_calloc(1, sizeof *control);

    if (control == NULL) {
        return NULL;
    }
    control->daemon = daemon;
    control->fd = listen_at(daemon->config.control);
    if (control->fd >= 0) {
        control->readable =
            event_new(daemon->base, control->fd, EV_READ | EV_PERSIST, on_reader, control);
    }
    control->again = evtimer_new(daemon->base, on_again, control);
    if (control->readable == NULL || control->again == NULL) {
        hfm_control_close(control);
        return NULL;
    }
    event_add(control->readable, NULL);
    return control;
}

void hfm_control_close(struct hfm_control *control)
{
    if (control == NULL) {
        return;
    }
    if (control->readable != NULL) {
        event_free(control->readable);
    }
    if (control->again != NULL) {
        event_free(control->again);
    }
    if (control->fd >= 0) {
        close(control->fd);
        unlink(control->daemon->config.control);
    }
    ni_free(control);
}

int hfm_control_ask(const char *path, const char *line)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {PATIENCE_S, 0};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status = HFM_EXIT_UNKNOWN, c;
    FILE *stream = NULL;

    signal(SIGPIPE, SIG_IGN);
    if (fd >= 0 && strlen(path) < sizeof address.sun_path) {
        strcpy(address.sun_path, path);
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
            dprintf(fd, "%s\n", line) > 0) {
            stream = fdopen(fd, "r");
        }
    }
    if (stream == NULL || fscanf(stream, "%d", &status) != 1) {
        fprintf(stderr,
                "apelink-hfm: no daemon answers at %s: is it running, and is this its \"control\"? "
                "--control names another\n",
                path);
        status = HFM_EXIT_UNKNOWN;
    } else {
        (void)fgetc(stream);
        while ((c = fgetc(stream)) != EOF) {
            putchar(c);
        }
    }
    if (stream != NULL) {
        fclose(stream);
    } else if (fd >= 0) {
        close(fd);
    }
    return status;
}
