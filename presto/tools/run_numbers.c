/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of ranks: who knows them, and when they are given again. */
#include <stdlib.h>

#include "tools/run.h"
#include "tools/run_note.h"

enum { WORD = 64 }; /* bits of a word of run_rank.knows */

bool run_numbers_learn(struct run_rank *who, struct run_rank *other)
{
    const uint64_t bit = UINT64_C(1) << other->number % WORD;

    if (who->world == other->world) {
        return true;
    }
    if (who->knows == NULL) {
        who->knows = calloc(PRI_WIRE_NUMBERS / WORD, sizeof(*who->knows));
    }
    if (who->knows != NULL && (who->knows[other->number / WORD] & bit) == 0) {
        who->knows[other->number / WORD] |= bit;
        other->known_by++;
    }
    return who->knows != NULL;
}

void run_numbers_unlearn(struct run_job *job, struct run_rank *who, int number)
{
    const uint64_t bit = UINT64_C(1) << (unsigned)number % WORD;

    if (who->knows != NULL && number >= 0 && number < job->options.ranks &&
        (who->knows[number / WORD] & bit) != 0) {
        who->knows[number / WORD] &= ~bit;
        job->ranks[number].known_by--;
    }
}

void run_numbers_unlearn_all(struct run_job *job, struct run_rank *who)
{
    for (int i = 0; who->knows != NULL && i < job->options.ranks; i++) {
        run_numbers_unlearn(job, who, i);
    }
    free(who->knows);
    who->knows = NULL;
}

/* Whether nothing will be heard of a rank any more, and nobody knows it. The end of its last line
 * may be still to be written, where that shows whose it is. */
static bool is_gone(const struct run_job *job, const struct run_rank *rank)
{
    bool ends = true;

    for (int i = 0; i < 2; i++) {
        ends = ends && job->sinks[i].unended != &rank->out && job->sinks[i].unended != &rank->err;
    }
    return ends && rank->ended && rank->known_by == 0 && rank->wire == -1 && rank->out.fd == -1 &&
           rank->err.fd == -1;
}

/* Whether a rank of it has asked for another, and is to hear what has become of that. */
static bool is_to_hear(const struct run_job *job, const struct run_world *world)
{
    const struct run_world *other = job->worlds;

    while (other != NULL &&
           (other->table != NULL || other->failed || other->parent < world->first ||
            other->parent >= world->first + world->size)) {
        other = other->next;
    }
    return other != NULL;
}

/* The first world has its numbers for good. */
static bool is_over(const struct run_job *job, const struct run_world *world)
{
    bool gone = world->parent != RUN_NOBODY && !is_to_hear(job, world);

    for (int i = 0; gone && i < world->size; i++) {
        gone = is_gone(job, &job->ranks[world->first + i]);
    }
    return gone;
}

/* Its numbers are nobody's. */
static void drop_world(struct run_job *job, struct run_world **place)
{
    struct run_world *gone = *place;

    *place = gone->next;
    for (int i = gone->first; i < gone->first + gone->size; i++) {
        struct run_rank *rank = &job->ranks[i];

        free(rank->reply);
        free(rank->question);
        free(rank->out.data);
        free(rank->err.data);
        *rank = (struct run_rank){
            .number = i, .ended = true, .wire = -1, .out.fd = -1, .err = {.fd = -1}};
    }
    run_world_free(gone);
}

/* The place of so many that are nobody's, or -1; how many there are one behind the other. */
static int free_numbers(const struct run_job *job, int size, int *most)
{
    int run = 0;

    *most = 0;
    for (int i = 0; i < job->numbers; i++) {
        run = i >= job->options.ranks || job->ranks[i].world == NULL ? run + 1 : 0;
        *most = run > *most ? run : *most;
        if (run == size) {
            return i + 1 - size;
        }
    }
    return -1;
}

int run_numbers_left(struct run_job *job)
{
    int most;

    (void)free_numbers(job, job->numbers + 1, &most);
    return most;
}

/* New numbers as long as there are some, then those of worlds that are over. */
static int choose_numbers(struct run_job *job, int size)
{
    struct run_world **place = &job->worlds;
    int most;

    if (size <= job->numbers - job->options.ranks) {
        return job->options.ranks;
    }
    while (*place != NULL) {
        if (is_over(job, *place)) {
            if (job->world_over != NULL) {
                job->world_over(job, *place);
            }
            drop_world(job, place);
        } else {
            place = &(*place)->next;
        }
    }
    return free_numbers(job, size, &most);
}

/* Those that have these numbers. */
static void drop_worlds_at(struct run_job *job, int first, int size)
{
    struct run_world **place = &job->worlds;

    while (*place != NULL) {
        if ((*place)->first < first + size && first < (*place)->first + (*place)->size) {
            drop_world(job, place);
        } else {
            place = &(*place)->next;
        }
    }
}

bool run_numbers_find(struct run_job *job, struct run_world *world, const struct run_note *place)
{
    if (place != NULL) {
        world->first = place->rank;
        world->job = place->job;
        drop_worlds_at(job, world->first, world->size);
        return world->first <= PRI_WIRE_NUMBERS - world->size;
    }
    world->first = choose_numbers(job, world->size);
    if (world->first < 0) {
        return false;
    }
    world->job = job->jobs++;
    return true;
}
