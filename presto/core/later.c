/* SPDX-License-Identifier: BSD-3-Clause */
/* What the launcher is asked for: see later.h. */
#include "core/later.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/launch.h"
#include "core/recorder.h"

const char *pri_later_lacks(const struct pri_rank *self)
{
    static const char *const remedy[] = {
        [PRI_LAUNCH_ALONE] =
            "the program was started alone: start it with prestorun, also one rank (-n 1)",
        [PRI_LAUNCH_PMIX] = "the job was started by another launcher: start it with prestorun",
        [PRI_LAUNCH_PMI2] = "the job was started by another launcher: start it with prestorun",
        [PRI_LAUNCH_THREADS] = "the ranks are threads: start them with prestorun",
        [PRI_LAUNCH_PRESTORUN] = "the job is on several hosts: start all its ranks on one",
    };

    return self->cold->launcher->ask != NULL && self->cold->near == NULL ? NULL
                                                                         : remedy[self->launch];
}

uint64_t pri_later_key(const struct pri_rank *self)
{
    struct ni_open_attr attr = {0};

    self->cold->launcher->describe((struct pri_rank *)self, &attr);
    return attr.job_key;
}

static int ask(struct pri_rank *self, uint32_t kind, const void *question, size_t length,
               struct pri_answer *answer)
{
    memset(answer, 0, sizeof(*answer));
    return self->cold->launcher->ask == NULL
               ? PRI_ERR_STATE
               : self->cold->launcher->ask(self, kind, question, length, answer);
}

static int tell_forgotten(struct pri_rank *self, const int32_t *numbers, size_t count)
{
    struct pri_answer answer;

    return count == 0 ? PRI_OK
                      : ask(self, PRI_WIRE_FORGET, numbers, count * sizeof(*numbers), &answer);
}

/* ---- peers ----------------------------------------------------------------------------------- */

static int know(struct pri_rank *self, int rank)
{
    const int32_t number = rank;
    struct pri_answer answer;
    struct pri_blob blob;
    int error = ask(self, PRI_WIRE_ASK, &number, sizeof(number), &answer);

    if (error == PRI_OK && answer.what.status == PRI_WIRE_NO_MEMORY) {
        error = PRI_ERR_NOMEM;
    } else if (error == PRI_OK &&
               (answer.what.status != PRI_WIRE_WELL || answer.length > sizeof(blob.bytes))) {
        error = PRI_ERR_PEER;
    }
    if (error == PRI_OK) {
        blob.length = answer.length;
        memcpy(blob.bytes, answer.bytes, answer.length);
        pri_recorder_meet(self, rank, answer.what.reason, answer.what.number);
        error = pri_peer_add(self, rank, &blob, answer.what.reason > self->job);
        if (error != PRI_OK) {
            (void)tell_forgotten(self, &number, 1);
        }
    }
    return error;
}

/* Those that have left or died, and are named by nothing any more. */
static void forget_all(struct pri_rank *self)
{
    enum { MANY = 256 };
    int32_t numbers[MANY];
    size_t count = 0;

    for (int i = 0; pri_knows(self, i); i++) {
        const bool own = i >= self->first && i < self->first + self->size;

        if (!own && pri_peer_forget(self, i)) {
            numbers[count++] = i;
        }
        if (count == MANY) {
            (void)tell_forgotten(self, numbers, count);
            count = 0;
        }
    }
    (void)tell_forgotten(self, numbers, count);
}

/* What pri_cold.forgets says: none; it is among the tasks; and there is more since it began. */
enum { FORGETS_NOTHING, FORGETS, FORGETS_MORE };

/* pri_task.advance. Where ranks meet just now the end of that comes back to it. */
static bool forget_gone(struct pri_task *task)
{
    struct pri_cold *cold = ni_container_of(task, struct pri_cold, forget);

    atomic_store_explicit(&cold->forgets, FORGETS, memory_order_relaxed);
    if (pthread_mutex_trylock(&cold->knowing) != 0) {
        return false;
    }
    if (cold->meeting == 0) {
        forget_all(cold->self);
    }
    pthread_mutex_unlock(&cold->knowing);
    return true;
}

/* pri_task.finished: only now it may be added again. */
static void forgot(struct pri_task *task)
{
    struct pri_cold *cold = ni_container_of(task, struct pri_cold, forget);
    int all = FORGETS;

    if (!atomic_compare_exchange_strong_explicit(&cold->forgets, &all, FORGETS_NOTHING,
                                                 memory_order_relaxed, memory_order_relaxed)) {
        pri_task_add(cold->self, task);
    }
}

void pri_peers_forget_soon(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;

    if (cold->launcher->ask != NULL &&
        atomic_exchange_explicit(&cold->forgets, FORGETS_MORE, memory_order_relaxed) ==
            FORGETS_NOTHING) {
        cold->forget = (struct pri_task){.advance = forget_gone, .finished = forgot};
        pri_task_add(self, &cold->forget);
    }
}

void pri_peers_keep(struct pri_rank *self)
{
    pthread_mutex_lock(&self->cold->knowing);
    self->cold->meeting++;
    pthread_mutex_unlock(&self->cold->knowing);
}

void pri_peers_meet(struct pri_rank *self)
{
    (void)pri_progress(self); /* what names ranks still may just have ended */
    pthread_mutex_lock(&self->cold->knowing);
    if (self->cold->meeting++ == 0 && self->cold->launcher->ask != NULL) {
        forget_all(self);
    }
    pthread_mutex_unlock(&self->cold->knowing);
}

void pri_peers_met(struct pri_rank *self)
{
    pthread_mutex_lock(&self->cold->knowing);
    self->cold->meeting--;
    pthread_mutex_unlock(&self->cold->knowing);
    pri_peers_forget_soon(self);
}

int pri_peers_know(struct pri_rank *self, const int *ranks, int size)
{
    int error = PRI_OK;

    pthread_mutex_lock(&self->cold->knowing);
    for (int i = 0; i < size && error == PRI_OK; i++) {
        if (ranks[i] < 0 || ranks[i] >= self->cold->slots) {
            error = PRI_ERR_RANK;
        } else if (!pri_peer_is_known(self, ranks[i])) {
            error = know(self, ranks[i]);
        }
    }
    pthread_mutex_unlock(&self->cold->knowing);
    return error;
}

/* ---- more ranks ------------------------------------------------------------------------------ */

/* Strings behind each other; without memory none is written. */
struct text {
    char *to;
    size_t length;
};

static void add(struct text *text, const char *word)
{
    const size_t length = strlen(word) + 1;

    if (text->to != NULL) {
        memcpy(text->to + text->length, word, length);
    }
    text->length += length;
}

static void add_number(struct text *text, int number)
{
    char word[16];

    (void)snprintf(word, sizeof(word), "%d", number);
    add(text, word);
}

static void add_command(struct text *text, const struct pri_command *command)
{
    int words = 0;

    while (command->arguments != NULL && command->arguments[words] != NULL) {
        words++;
    }
    add_number(text, command->number);
    add_number(text, command->ranks);
    add(text, command->folder);
    add_number(text, words + 1);
    add(text, command->program);
    for (int i = 0; i < words; i++) {
        add(text, command->arguments[i]);
    }
}

int pri_spawn(struct pri_rank *self, const struct pri_command *commands, int count,
              struct pri_answer *answer)
{
    struct text text = {0};
    int error = PRI_ERR_NOMEM;

    for (int i = 0; i < count; i++) {
        add_command(&text, &commands[i]);
    }
    if (text.length > PRI_WIRE_QUESTION_MAX) {
        return PRI_ERR_LIMIT;
    }
    text.to = malloc(text.length);
    text.length = 0;
    for (int i = 0; text.to != NULL && i < count; i++) {
        add_command(&text, &commands[i]);
    }
    if (text.to != NULL) {
        error = ask(self, PRI_WIRE_SPAWN, text.to, text.length, answer);
    }
    free(text.to);
    return error;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int ask_name(struct pri_rank *self, uint32_t kind, char first, const char *name,
                    const char *value, struct pri_answer *answer)
{
    char prefix[] = {first, '\0'};
    struct text text = {0};
    int error;

    text.to = malloc(strlen(name) + (value != NULL ? strlen(value) : 0) + 3);
    if (text.to == NULL) {
        return PRI_ERR_NOMEM;
    }
    add(&text, prefix);
    text.length--;
    add(&text, name);
    if (value != NULL) {
        add(&text, value);
    }
    error = ask(self, kind, text.to, text.length, answer);
    answer->bytes[sizeof(answer->bytes) - 1] = '\0';
    free(text.to);
    return error;
}

int pri_name_publish(struct pri_rank *self, char kind, const char *name, const char *value,
                     struct pri_answer *answer)
{
    return ask_name(self, PRI_WIRE_PUBLISH, kind, name, value, answer);
}

int pri_name_withdraw(struct pri_rank *self, char kind, const char *name, struct pri_answer *answer)
{
    return ask_name(self, PRI_WIRE_UNPUBLISH, kind, name, NULL, answer);
}

int pri_name_look_up(struct pri_rank *self, char kind, const char *name, struct pri_answer *answer)
{
    return ask_name(self, PRI_WIRE_LOOKUP, kind, name, NULL, answer);
}

int pri_name_knock(struct pri_rank *self, char kind, const char *name, struct pri_answer *answer)
{
    return ask_name(self, PRI_WIRE_KNOCK, kind, name, NULL, answer);
}

int pri_name_answered(struct pri_rank *self, char kind, const char *name)
{
    struct pri_answer answer;

    return ask_name(self, PRI_WIRE_ANSWERED, kind, name, NULL, &answer);
}
