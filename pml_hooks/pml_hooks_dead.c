/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has died: by the records of this host, and by what carries the messages. */
#include "pml_hooks/pml_hooks_survive.h"

#include "record/clock.h"
#include "record/others.h"

/* Of more nobody is told: a job that has lost so many is to end. */
enum { MOST = 1024 };

static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static struct pml_hooks_dead all[MOST];
static uint32_t count; /* entries of `all` */
/* Deaths that the records had told of at the last look. The first looks in any case: one that died
 * before our record was there has been told to others only. */
static uint32_t looked = UINT32_MAX;

uint32_t pml_hooks_dead_count(void)
{
    /* Pairs with the release in pml_hooks_dead_add. */
    return __atomic_load_n(&count, __ATOMIC_ACQUIRE);
}

const struct pml_hooks_dead *pml_hooks_dead_at(uint32_t index)
{
    return &all[index];
}

const struct pml_hooks_dead *pml_hooks_dead_find(opal_process_name_t name)
{
    uint32_t known = pml_hooks_dead_count();

    for (uint32_t i = 0; i < known; i++) {
        if (all[i].name.jobid == name.jobid && all[i].name.vpid == name.vpid) {
            return &all[i];
        }
    }
    return NULL;
}

uint64_t pml_hooks_dead_age(const struct pml_hooks_dead *dead)
{
    uint64_t now = record_clock();

    return dead == NULL || now < dead->known_ns ? 0 : now - dead->known_ns;
}

bool pml_hooks_dead_add(opal_process_name_t name)
{
    bool added;

    opal_mutex_lock(&lock); /* the watch has a thread in any program */
    added = count < MOST && pml_hooks_dead_find(name) == NULL;
    if (added) {
        all[count] = (struct pml_hooks_dead){name, record_clock(), record_stamp()};
        /* Pairs with the acquire in pml_hooks_dead_count. */
        __atomic_store_n(&count, count + 1, __ATOMIC_RELEASE);
    }
    opal_mutex_unlock(&lock);
    return added;
}

bool pml_hooks_dead_news(void)
{
    return __atomic_load_n(&record_own.head->deaths, __ATOMIC_RELAXED) != looked;
}

static void note(struct record_seen *seen, void *arg)
{
    (void)arg;
    if (!seen->lives && !seen->elsewhere && seen->head.death_seen != 0 &&
        record_is_of_our_time(&seen->head)) {
        (void)pml_hooks_dead_add((opal_process_name_t){seen->head.job, seen->head.rank});
    }
}

void pml_hooks_dead_look(void)
{
    /* Pairs with the release in record/deaths.c: the dead have been marked before. */
    uint32_t told = __atomic_load_n(&record_own.head->deaths, __ATOMIC_ACQUIRE);

    if (told != looked) {
        looked = told;
        record_each(note, NULL);
    }
}
