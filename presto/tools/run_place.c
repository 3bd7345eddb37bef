/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank is on which host: lists of hosts, and the ranks' places. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/run.h"

/* ---- lists ----------------------------------------------------------------------------------- */

/* The first `length` characters of a name, with or without its domain. */
static bool is_this_host(const char *name, size_t length)
{
    char own[256] = "";
    bool is_short = memchr(name, '.', length) == NULL;

    (void)gethostname(own, sizeof(own) - 1);
    if (is_short) {
        own[strcspn(own, ".")] = '\0';
    }
    return (length == strlen("localhost") && strncasecmp(name, "localhost", length) == 0) ||
           (length > 4 && strncmp(name, "127.", 4) == 0) ||
           (length == strlen(own) && strncasecmp(name, own, length) == 0);
}

/* It becomes an argument of the launcher, and must not be taken for an option. */
static bool is_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && strchr("._-@", name[i]) == NULL) {
            return false;
        }
    }
    return length > 0 && length < 256 && name[0] != '-';
}

static void *checked(void *memory)
{
    if (memory == NULL) {
        run_no_memory();
    }
    return memory;
}

/* One host has one place in the list; this one, of whatever name, has the name "". */
static void add(struct run_slots *slots, const char *name, size_t length, int count)
{
    struct run_slot *slot;

    if (is_this_host(name, length)) {
        length = 0;
    }
    for (int i = 0; i < slots->count; i++) {
        slot = &slots->slot[i];
        if (strlen(slot->host) == length && strncasecmp(slot->host, name, length) == 0) {
            slot->slots += count;
            return;
        }
    }
    slots->slot = checked(realloc(slots->slot, ((size_t)slots->count + 1) * sizeof(*slot)));
    slots->slot[slots->count++] = (struct run_slot){checked(strndup(name, length)), count};
}

/* A number of slots; -1: it is none. */
static int slots_of(const char *text, size_t length)
{
    char *end;
    long n = strtol(text, &end, 10);

    return end == text + length && length > 0 && n >= 1 && n <= RUN_MAX_RANKS ? (int)n : -1;
}

static int sum_of(const struct run_slots *slots)
{
    long sum = 0;

    for (int i = 0; i < slots->count; i++) {
        sum += slots->slot[i].slots;
    }
    return sum <= RUN_MAX_RANKS ? (int)sum : RUN_MAX_RANKS + 1;
}

struct run_slots *run_slots_of_list(const char *option, const char *list)
{
    struct run_slots *slots = checked(calloc(1, sizeof(*slots)));

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",:");
        const char *name = at;
        int count = 1;

        if (!is_name(at, length)) {
            run_options_refuse(option, list, "HOST[:N],... is needed, names of hosts");
        }
        at += length;
        if (*at == ':') {
            length = strcspn(++at, ",");
            count = slots_of(at, length);
            at += length;
        }
        if (count < 0) {
            run_options_refuse(option, list,
                               "behind a colon a number of ranks from 1 to 4096 is needed");
        }
        add(slots, name, strcspn(name, ",:"), count);
        if (*at == '\0') {
            return slots;
        }
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static _Noreturn void refuse_line(const char *option, const char *name, int line, const char *word)
{
    char wanted[400];

    (void)snprintf(wanted, sizeof(wanted),
                   "line %d: %.100s: each line is HOST, HOST:N or HOST slots=N, with N from 1 to "
                   "4096, or begins with #",
                   line, word);
    run_options_refuse(option, name, wanted);
}

/* HOST[:N] [slots=N] [max_slots=N] [# ...] */
static void take_line(const char *option, const char *name, int number, char *line,
                      struct run_slots *slots)
{
    static const char blanks[] = " \t\r\n";
    char *rest, *word = NULL, *host;
    size_t length;
    int count = 1;

    line[strcspn(line, "#")] = '\0';
    host = strtok_r(line, blanks, &rest);
    if (host == NULL) {
        return;
    }
    length = strcspn(host, ":");
    if (host[length] == ':') {
        count = slots_of(host + length + 1, strlen(host + length + 1));
    }
    while ((word = strtok_r(NULL, blanks, &rest)) != NULL) {
        if (strncmp(word, "slots=", 6) == 0) {
            count = slots_of(word + 6, strlen(word + 6));
        } else if (strncmp(word, "max_slots=", 10) != 0 && strncmp(word, "max-slots=", 10) != 0) {
            refuse_line(option, name, number, word);
        }
    }
    if (!is_name(host, length) || count < 0) {
        refuse_line(option, name, number, host);
    }
    add(slots, host, length, count);
}

struct run_slots *run_slots_of_file(const char *option, const char *name)
{
    struct run_slots *slots = checked(calloc(1, sizeof(*slots)));
    FILE *file = fopen(name, "re");
    char *line = NULL;
    size_t room = 0;

    if (file == NULL) {
        run_options_refuse(option, name, strerror(errno));
    }
    for (int number = 1; getline(&line, &room, file) >= 0; number++) {
        take_line(option, name, number, line, slots);
    }
    if (ferror(file) || slots->count == 0) {
        run_options_refuse(option, name,
                           ferror(file) ? strerror(errno) : "there is no host in the file");
    }
    free(line);
    (void)fclose(file);
    return slots;
}

/* ---- places ---------------------------------------------------------------------------------- */

int run_slots_ranks(const struct run_app *app)
{
    if (app->per_host != 0) {
        long ranks = (long)app->per_host * (app->slots != NULL ? app->slots->count : 1);

        return ranks <= RUN_MAX_RANKS ? (int)ranks : RUN_MAX_RANKS + 1;
    }
    return app->slots != NULL ? sum_of(app->slots) : 0;
}

/* The number of a host, which it gets when its first rank comes there. */
static int number_of(struct run_options *options, const char *host)
{
    if (*host == '\0') {
        return 0;
    }
    for (int i = 1; i < options->host_count; i++) {
        if (strcasecmp(options->hosts[i], host) == 0) {
            return i;
        }
    }
    options->hosts[options->host_count] = checked(strdup(host));
    return options->host_count++;
}

/* Where the next rank comes; after the last place the first one follows again. */
static const char *next_host(const struct run_options *options, const struct run_app *app)
{
    struct run_slots *slots = app->slots;
    const struct run_slot *slot;
    int room;

    if (slots == NULL) {
        return "";
    }
    slot = &slots->slot[slots->next];
    room = options->by_node ? 1 : app->per_host != 0 ? app->per_host : slot->slots;
    if (++slots->taken >= room) {
        slots->next = (slots->next + 1) % slots->count;
        slots->taken = 0;
    }
    return slot->host;
}

void run_place_all(struct run_options *options)
{
    char own[256] = "";
    int rank = 0;

    (void)gethostname(own, sizeof(own) - 1);
    options->hosts = checked(calloc((size_t)options->ranks + 1, sizeof(*options->hosts)));
    options->host_of = checked(calloc((size_t)options->ranks, sizeof(*options->host_of)));
    options->hosts[0] = checked(strdup(own));
    options->host_count = 1;
    for (int i = 0; i < options->app_count; i++) {
        for (int k = 0; k < options->apps[i].ranks; k++) {
            options->host_of[rank++] = number_of(options, next_host(options, &options->apps[i]));
        }
    }
}

void run_slots_free(struct run_slots *slots)
{
    for (int i = 0; slots != NULL && i < slots->count; i++) {
        free(slots->slot[i].host);
    }
    if (slots != NULL) {
        free(slots->slot);
    }
    free(slots);
}

/* Commands without a list of their own have that of the one before. */
void run_place_free(struct run_options *options)
{
    for (int i = 0; i < options->app_count; i++) {
        if (i == 0 || options->apps[i].slots != options->apps[i - 1].slots) {
            run_slots_free(options->apps[i].slots);
        }
    }
    for (int i = 0; i < options->host_count; i++) {
        free(options->hosts[i]);
    }
    free(options->hosts);
    free(options->host_of);
}
