/* SPDX-License-Identifier: BSD-3-Clause */
/* The words that describe a link. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"

struct unit {
    const char *name;
    double factor;
};

static const struct unit times[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};
static const struct unit rates[] = {{"", 1}, {"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};
static const struct unit shares[] = {{"%", 1e4}, {NULL, 0}};
static const struct unit plain[] = {{"", 1}, {NULL, 0}};

/* A number of at least 0 with one of these units, at most most in the smallest. */
static bool read_number(const char *text, const struct unit *units, double most, uint64_t *value)
{
    char *end;
    double number = isdigit((unsigned char)*text) ? strtod(text, &end) : -1;

    if (number < 0 || strpbrk(text, "xX") != NULL) {
        return false;
    }
    for (; units->name != NULL; units++) {
        if (strcmp(end, units->name) == 0 && number * units->factor <= most) {
            *value = (uint64_t)llround(number * units->factor);
            return true;
        }
    }
    return false;
}

static const char *read_delay(struct hosts_link *link, const char *text)
{
    return read_number(text, times, 60e9, &link->delay_ns)
               ? NULL
               : "a time of up to 60s is wanted, such as 10ms (ns, us, ms, s)";
}

static const char *read_jitter(struct hosts_link *link, const char *text)
{
    return read_number(text, times, 60e9, &link->jitter_ns)
               ? NULL
               : "a time of up to 60s is wanted, such as 2ms (ns, us, ms, s)";
}

static const char *read_loss(struct hosts_link *link, const char *text)
{
    uint64_t ppm;

    if (!read_number(text, shares, 1e6, &ppm)) {
        return "a share of the frames is wanted, 0% to 100%, such as 0.5%";
    }
    link->loss_ppm = (uint32_t)ppm;
    return NULL;
}

static const char *read_rate(struct hosts_link *link, const char *text)
{
    uint64_t rate;

    if (!read_number(text, rates, 1e12, &rate) || (rate != 0 && rate < 1000)) {
        return "bits a second are wanted, 1K to 1000G (powers of 1000), or 0 for no limit";
    }
    link->bits_per_sec = rate;
    return NULL;
}

static const char *read_seed(struct hosts_link *link, const char *text)
{
    return read_number(text, plain, 1e15, &link->seed) ? NULL : "a number of up to 10^15 is wanted";
}

static const char *read_reorder(struct hosts_link *link, const char *text)
{
    if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0) {
        return "yes or no is wanted";
    }
    link->reorder = *text == 'y';
    return NULL;
}

const char *hosts_link_parse(struct hosts_link *link, const char *word)
{
    static const struct {
        const char *key;
        const char *(*read)(struct hosts_link *link, const char *text);
    } keys[] = {{"delay=", read_delay}, {"jitter=", read_jitter}, {"loss=", read_loss},
                {"rate=", read_rate},   {"seed=", read_seed},     {"reorder=", read_reorder}};

    if (strcmp(word, "clear") == 0) {
        *link = (struct hosts_link){0};
        return NULL;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strncmp(word, keys[i].key, strlen(keys[i].key)) == 0) {
            return keys[i].read(link, word + strlen(keys[i].key));
        }
    }
    return "there is no such property of a link; known: delay=, jitter=, loss=, rate=, seed=, "
           "reorder=, and the word clear";
}

bool hosts_link_plain(const struct hosts_link *link)
{
    return link->delay_ns == 0 && link->jitter_ns == 0 && link->loss_ppm == 0 &&
           link->bits_per_sec == 0;
}

void hosts_link_print(const struct hosts_link *link, char *text, size_t size)
{
    if (hosts_link_plain(link)) {
        snprintf(text, size, "plain");
        return;
    }
    snprintf(
        text, size, "delay=%gms jitter=%gms loss=%g%% rate=%" PRIu64 " seed=%" PRIu64 " reorder=%s",
        (double)link->delay_ns / 1e6, (double)link->jitter_ns / 1e6, (double)link->loss_ppm / 1e4,
        link->bits_per_sec, link->seed, link->reorder ? "yes" : "no");
}
