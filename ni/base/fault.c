/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/fault_inl.h"

#include <pthread.h>

#include "base/random.h"

/*
 * Asking takes no lock, so that a point may sit anywhere: in an allocator, under other locks,
 * between fork and exec. The decision is a function of the number of the question alone: "the
 * nth", or a hash of seed and number below the threshold. So a run with one thread strikes at the
 * same places each time, and with many threads equally often.
 *
 * Arming writes the plan and then the mode:
 *   F0 (release, arm) pairs with F1 (acquire, ni_fault_ask):
 *   who sees the mode sees the plan that belongs to it.
 * A thread that asks while another re-arms the same point may decide by a mixture of both plans,
 * once.
 */

enum fault_mode { FAULT_OFF, FAULT_NTH, FAULT_RANDOM };

struct fault_state {
    _Atomic int mode;
    _Atomic uint64_t asked;
    _Atomic uint64_t struck;
    _Atomic uint64_t base;  /* asked, when the point was armed */
    _Atomic uint64_t nth;   /* FAULT_NTH */
    _Atomic uint64_t every; /* FAULT_NTH */
    _Atomic uint64_t below; /* FAULT_RANDOM: strikes when the hash is below */
    _Atomic uint64_t seed;  /* FAULT_RANDOM */
};

_Atomic bool ni_fault_any_armed;

static struct fault_state states[NI_FAULT_POINTS];
static pthread_mutex_t arm_mutex = PTHREAD_MUTEX_INITIALIZER; /* among those who arm */

static uint64_t load_fault_word(const _Atomic uint64_t *word)
{
    return atomic_load_explicit(word, memory_order_relaxed);
}

static void store_fault_word(_Atomic uint64_t *word, uint64_t value)
{
    atomic_store_explicit(word, value, memory_order_relaxed);
}

/* number counts from 1 */
static bool strikes_nth(const struct fault_state *state, uint64_t number)
{
    uint64_t nth = load_fault_word(&state->nth);
    uint64_t every = load_fault_word(&state->every);

    if (number <= nth || every == 0) {
        return number == nth;
    }
    return (number - nth) % every == 0;
}

static bool strikes_random(const struct fault_state *state, uint64_t number)
{
    uint64_t mix = load_fault_word(&state->seed) ^ number * 0xd1342543de82ef95U;

    return ni_splitmix64(&mix) < load_fault_word(&state->below);
}

bool ni_fault_ask(enum ni_fault_point point)
{
    struct fault_state *state = &states[point];
    uint64_t asked = atomic_fetch_add_explicit(&state->asked, 1, memory_order_relaxed) + 1;
    int mode = atomic_load_explicit(&state->mode, memory_order_acquire); /* F1 */
    uint64_t number = asked - load_fault_word(&state->base);
    bool strikes = false;

    if (mode == FAULT_NTH) {
        strikes = strikes_nth(state, number);
    } else if (mode == FAULT_RANDOM) {
        strikes = strikes_random(state, number);
    }
    if (strikes) {
        atomic_fetch_add_explicit(&state->struck, 1, memory_order_relaxed);
    }
    return strikes;
}

static void arm_fault(struct fault_state *state, enum fault_mode mode)
{
    store_fault_word(&state->base, load_fault_word(&state->asked));
    atomic_store_explicit(&state->mode, (int)mode, memory_order_release); /* F0 */
    atomic_store_explicit(&ni_fault_any_armed, true, memory_order_relaxed);
}

void ni_fault_arm(enum ni_fault_point point, uint64_t nth, uint64_t every)
{
    struct fault_state *state = &states[point];

    pthread_mutex_lock(&arm_mutex);
    store_fault_word(&state->nth, nth);
    store_fault_word(&state->every, every);
    arm_fault(state, FAULT_NTH);
    pthread_mutex_unlock(&arm_mutex);
}

void ni_fault_arm_random(enum ni_fault_point point, uint32_t per_million, uint64_t seed)
{
    struct fault_state *state = &states[point];

    pthread_mutex_lock(&arm_mutex);
    store_fault_word(&state->below,
                     per_million >= 1000000 ? UINT64_MAX : UINT64_MAX / 1000000 * per_million);
    store_fault_word(&state->seed, seed);
    arm_fault(state, FAULT_RANDOM);
    pthread_mutex_unlock(&arm_mutex);
}

void ni_fault_reset(void)
{
    pthread_mutex_lock(&arm_mutex);
    atomic_store_explicit(&ni_fault_any_armed, false, memory_order_relaxed);
    for (int i = 0; i < NI_FAULT_POINTS; i++) {
        atomic_store_explicit(&states[i].mode, FAULT_OFF, memory_order_relaxed);
        store_fault_word(&states[i].asked, 0);
        store_fault_word(&states[i].struck, 0);
    }
    pthread_mutex_unlock(&arm_mutex);
}

bool ni_fault_planned(enum ni_fault_point point)
{
    return atomic_load_explicit(&states[point].mode, memory_order_relaxed) != FAULT_OFF;
}

uint64_t ni_fault_asked(enum ni_fault_point point)
{
    return load_fault_word(&states[point].asked);
}

uint64_t ni_fault_struck(enum ni_fault_point point)
{
    return load_fault_word(&states[point].struck);
}
