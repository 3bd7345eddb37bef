/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that ranks publish, and who has knocked: see core/wire_up.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/run.h"

/* Where the name is linked, or would be. */
static struct run_name **find(struct run_job *job, const char *text)
{
    struct run_name **place = &job->names;

    while (*place != NULL && strcmp((*place)->text, text) != 0) {
        place = &(*place)->next;
    }
    return place;
}

static struct run_knock **find_knock(struct run_name *name, int rank)
{
    struct run_knock **place = &name->knocks;

    while (*place != NULL && (*place)->rank != rank) {
        place = &(*place)->next;
    }
    return place;
}

static void drop_knock(struct run_knock **place)
{
    struct run_knock *gone = *place;

    *place = gone->next;
    free(gone);
}

static void drop(struct run_name **place)
{
    struct run_name *gone = *place;

    while (gone->knocks != NULL) {
        drop_knock(&gone->knocks);
    }
    *place = gone->next;
    free(gone);
}

void run_names_forget(struct run_job *job, const struct run_rank *rank)
{
    for (struct run_name **place = &job->names; *place != NULL;) {
        struct run_knock **knock = find_knock(*place, rank->number);

        if ((*place)->owner == rank->number) {
            drop(place);
        } else if (*knock != NULL) {
            drop_knock(knock);
        } else {
            place = &(*place)->next;
        }
    }
}

/* A name and its value, each with NUL at its end. */
bool run_names_publish(struct run_job *job, struct run_rank *rank, const char *data, size_t length)
{
    const char *end = memchr(data, '\0', length);
    struct run_name *name;

    if (end == NULL || end + 1 == data + length || data[length - 1] != '\0') {
        return false;
    }
    if (*find(job, data) != NULL) {
        run_serve_status(job, rank, PRI_WIRE_TAKEN);
        return true;
    }
    name = malloc(sizeof(*name) + length);
    if (name == NULL) {
        run_serve_status(job, rank, PRI_WIRE_NO_MEMORY);
        return true;
    }
    *name = (struct run_name){.next = job->names, .owner = rank->number};
    memcpy(name->text, data, length);
    name->value = name->text + (end + 1 - data);
    job->names = name;
    run_serve_status(job, rank, PRI_WIRE_WELL);
    return true;
}

/* It stays for those that have knocked, until their owner has asked once more behind the last
 * answer. */
static void withdraw(struct run_job *job, struct run_rank *rank, struct run_name **place)
{
    struct pri_wire_answer what = {.status = PRI_WIRE_WELL};

    for (const struct run_knock *knock = (*place)->knocks; knock != NULL; knock = knock->next) {
        what.number++;
    }
    (*place)->withdrawn = true;
    if (what.number == 0) {
        drop(place);
    }
    run_serve_answer(job, rank, what, "", 0);
}

static bool add_knock(struct run_name *name, int rank)
{
    struct run_knock *knock = malloc(sizeof(*knock));

    if (knock != NULL) {
        *knock = (struct run_knock){.next = name->knocks, .rank = rank};
        name->knocks = knock;
    }
    return knock != NULL;
}

static void answered(struct run_job *job, struct run_rank *rank, struct run_name *name)
{
    struct run_knock **knock = name != NULL ? find_knock(name, rank->number) : NULL;

    if (knock != NULL && *knock != NULL) {
        drop_knock(knock);
    }
    run_serve_status(job, rank, PRI_WIRE_WELL);
}

bool run_names_take(struct run_job *job, struct run_rank *rank, uint32_t kind, const char *data,
                    size_t length)
{
    struct run_name **place;

    if (length == 0 || data[length - 1] != '\0') {
        return false;
    }
    place = find(job, data);
    if (kind == PRI_WIRE_ANSWERED) {
        answered(job, rank, *place);
    } else if (*place == NULL || (kind != PRI_WIRE_UNPUBLISH && (*place)->withdrawn)) {
        run_serve_status(job, rank, PRI_WIRE_NONE);
    } else if (kind == PRI_WIRE_UNPUBLISH) {
        withdraw(job, rank, place);
    } else if (kind == PRI_WIRE_KNOCK && !add_knock(*place, rank->number)) {
        run_serve_status(job, rank, PRI_WIRE_NO_MEMORY);
    } else {
        run_serve_answer(job, rank, (struct pri_wire_answer){.number = (*place)->owner},
                         (*place)->value, strlen((*place)->value) + 1);
    }
    return true;
}

void run_names_free(struct run_job *job)
{
    while (job->names != NULL) {
        drop(&job->names);
    }
}
