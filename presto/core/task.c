/* SPDX-License-Identifier: BSD-3-Clause */
/* Progress beside the NI's: tasks, and what waiters do between two looks. */
#include <sched.h>

#include "base/bits.h"
#include "base/clock.h"
#include "core/recorder.h"

/* ---- tasks ----------------------------------------------------------------------------------- */

void pri_task_add(struct pri_rank *self, struct pri_task *task)
{
    pri_lock(self);
    ni_list_push_back(&self->cold->incoming, &task->link);
    pri_unlock(self);
    atomic_fetch_add_explicit(&self->tasks, 1, memory_order_relaxed);
}

static void advance(struct pri_rank *self, struct pri_task *task)
{
    if (!task->advance(task)) {
        return;
    }
    ni_list_remove(&task->link);
    atomic_fetch_sub_explicit(&self->tasks, 1, memory_order_relaxed);
    if (task->finished != NULL) {
        task->finished(task);
    }
}

/* The mutex is taken whether the rank has threads or not: it also keeps advance from being called
 * from within itself. */
void pri_tasks_advance(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;

    if (pthread_mutex_trylock(&cold->advance) != 0) {
        return;
    }
    pri_lock(self);
    ni_list_splice_back(&cold->active, &cold->incoming);
    pri_unlock(self);
    for (NI_LIST_EACH_SAFE(node, &cold->active)) {
        advance(self, ni_container_of(node, struct pri_task, link));
    }
    pthread_mutex_unlock(&cold->advance);
}

/* They are not freed: messages that they have begun may still come. */
void pri_tasks_abandon(struct pri_rank *self)
{
    struct pri_cold *cold = self->cold;

    pthread_mutex_lock(&cold->advance);
    pri_lock(self);
    ni_list_init(&cold->incoming);
    ni_list_init(&cold->active);
    pri_unlock(self);
    atomic_store_explicit(&self->tasks, 0, memory_order_relaxed);
    pthread_mutex_unlock(&cold->advance);
}

/* ---- rest ------------------------------------------------------------------------------------ */

enum {
    REST_US = 1000,
    /* Another thread's progress may end what this one waits for, and does not wake it. */
    REST_THREADS_US = 50,
    WORD_SPINS = 1000,  /* looks at a word before the core is given to others */
    WORD_YIELDS = 2000, /* then it sleeps */
    SLEEP_PART = 8,     /* of the time that was waited for a word */
};

static void rest_for(struct pri_rank *self, uint64_t us)
{
    (void)ni_wait(self->ni, ni_min_u64(us, self->threads ? REST_THREADS_US : REST_US));
    if (atomic_load_explicit(&self->tasks, memory_order_relaxed) != 0) {
        pri_tasks_advance(self);
    }
}

static NI_COLD void rest(struct pri_rank *self)
{
    rest_for(self, REST_US);
}

static NI_COLD void rest_by_word(struct pri_rank *self, struct pri_word_wait *wait)
{
    if (wait->yields == 0) {
        wait->since_ns = ni_now_ns();
    }
    if (wait->yields < WORD_YIELDS) {
        wait->yields++;
        sched_yield();
    } else {
        rest_for(self, (ni_now_ns() - wait->since_ns) / 1000 / SLEEP_PART);
    }
}

void pri_look(struct pri_rank *self)
{
    if (pri_progress(self) == 0 && self->crowded) {
        sched_yield();
    }
}

static NI_COLD void look_at_hang(struct pri_rank *self, unsigned *spins, pri_tell_fn tell,
                                 const void *object)
{
    if (NI_UNLIKELY(self->recorded)) {
        pri_recorder_lasts(self, tell, object);
    }
    if (NI_UNLIKELY(atomic_load_explicit(&self->cold->hang.watched, memory_order_relaxed))) {
        pri_hang_look(self, spins, tell, object);
    }
}

void pri_relax_plain(struct pri_rank *self, unsigned *spins, pri_tell_fn tell, const void *object)
{
    if (pri_progress(self) != 0) {
        *spins &= ~PRI_SPINS_COUNT;
    } else if (NI_UNLIKELY((++*spins & PRI_SPINS_COUNT) >= self->spins)) {
        rest(self);
        look_at_hang(self, spins, tell, object);
    } else if (NI_UNLIKELY((*spins & PRI_SPINS_ASKS) != 0)) {
        look_at_hang(self, spins, tell, object); /* it comes to a rest late, or never */
    }
    /* Without a pause between two looks: it takes as long as a line's way on some processors. */
}

void pri_relax(struct pri_rank *self, unsigned *spins)
{
    pri_relax_for(self, spins, NULL, NULL);
}

void pri_relax_word(struct pri_rank *self, struct pri_word_wait *wait, pri_tell_fn tell,
                    const void *object)
{
    if (pri_progress(self) != 0) {
        wait->spins &= ~PRI_SPINS_COUNT;
    } else if (NI_UNLIKELY((++wait->spins & PRI_SPINS_COUNT) >=
                           ni_min_u64(self->spins, WORD_SPINS))) {
        rest_by_word(self, wait);
        look_at_hang(self, &wait->spins, tell, object);
    } else if (NI_UNLIKELY((wait->spins & PRI_SPINS_ASKS) != 0)) {
        look_at_hang(self, &wait->spins, tell, object);
    }
}
