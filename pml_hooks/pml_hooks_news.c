/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deaths, of which the hosts of a job tell each other by its runtime: the Nth that anyone knows of
 * is kept there under the number N. On each host one process asks once a second whether there is
 * another one, as long as anybody may wait for it, and has the others of its host ask.
 */
#include "pml_hooks/pml_hooks_survive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/deaths.h"

enum { MOST = 1024 /* of more nobody is told */, TRIES = 64, UNSURE = 64 };

static uint32_t known; /* of those that the runtime keeps */
static uint32_t told;  /* how often our record had been told of a death when we asked last */

/* What we have had kept since the last look. mpirun refuses nobody who publishes what another has
 * published under the same number, and shows one of the two. */
static struct unsure {
    uint32_t number, rank;
} unsure[UNSURE];
static size_t unsure_count;

static void key_of(uint32_t number, char *key, size_t size)
{
    (void)snprintf(key, size, "apelink-hooks.%" PRIu32 ".death.%" PRIu32, OMPI_PROC_MY_NAME->jobid,
                   number);
}

/* The one of this number, if the runtime keeps it: its rank, and its host's name. */
static bool find(uint32_t number, uint32_t *rank, char *host, size_t size)
{
    char key[64], *text, *end;
    bool failed, good = false;

    key_of(number, key, sizeof(key));
    text = number < MOST ? pml_hooks_look_up(key, &failed) : NULL;
    if (text != NULL && text[0] == 'd') {
        *rank = (uint32_t)strtoul(text + 1, &end, 10);
        (void)snprintf(host, size, "%s", *end == ' ' ? end + 1 : "another host");
        good = true;
    }
    free(text);
    return good;
}

/* One process of a host, if `says`, speaks of those elsewhere. */
static void note(bool says, uint32_t rank, const char *host)
{
    bool added = pml_hooks_dead_add((opal_process_name_t){OMPI_PROC_MY_NAME->jobid, rank});

    if (says && added &&
        strncmp(host, record_own.head->host, sizeof(record_own.head->host) - 1) != 0) {
        record_deaths_elsewhere("pml_hooks", rank, host);
    }
}

/* Note all that the runtime keeps. */
static void take(bool says)
{
    char host[sizeof(record_own.head->host)];
    uint32_t rank;

    while (find(known, &rank, host, sizeof(host))) {
        known++;
        note(says, rank, host);
    }
}

/* Have it kept under the next number. */
static void keep(uint32_t rank)
{
    char key[64], text[96];

    (void)snprintf(text, sizeof(text), "%" PRIu32 " %s", rank, record_own.head->host);
    /* Another host may have kept one under the same number meanwhile: ours is the next then. */
    for (int i = 0; i < TRIES && known < MOST; i++) {
        take(true);
        key_of(known, key, sizeof(key));
        if (pml_hooks_publish(key, 'd', text)) {
            if (unsure_count < UNSURE) {
                unsure[unsure_count++] = (struct unsure){known, rank};
            }
            return;
        }
    }
}

/* What another host's has taken the place of is kept anew. */
static void make_sure(void)
{
    struct unsure before[UNSURE];
    size_t count = unsure_count;
    char host[sizeof(record_own.head->host)];
    uint32_t rank;

    memcpy(before, unsure, count * sizeof(before[0]));
    unsure_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (find(before[i].number, &rank, host, sizeof(host)) && rank != before[i].rank) {
            note(true, rank, host);
            keep(before[i].rank);
        }
    }
}

void pml_hooks_news_died(uint32_t rank)
{
    (void)pml_hooks_dead_add((opal_process_name_t){OMPI_PROC_MY_NAME->jobid, rank});
    keep(rank);
}

void pml_hooks_news_look(void)
{
    uint32_t now = __atomic_load_n(&record_own.head->deaths, __ATOMIC_RELAXED);
    static bool every_other;

    make_sure();
    every_other = !every_other;
    if (record_deaths_is_watcher()) {
        if (every_other && (pml_hooks_survives() || record_deaths_somebody_waits())) {
            record_add(&record_own.head->deaths_asked, 1);
            take(true);
        }
    } else if (now != told) {
        take(false);
        told = now;
    }
}
