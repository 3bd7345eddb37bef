/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits that last: see hang.h. */
#include "core/hang.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "core/launch.h"

#if defined(__has_include)
#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HAVE_BACKTRACE 1
#endif
#endif

#define LOOK_NS UINT64_C(50000000) /* between two looks */
#define STEP_NS                                                                       \
    UINT64_C(200000000) /* more between two is time in which this process did not run \
                         */
#define SECOND_NS UINT64_C(1000000000)
enum {
    TELL_LEAVING_S = 5,
    END_S = 60,
    MOST_S = 1000000,
};

/* One wait of this thread. */
struct quiet {
    uint64_t looked_ns; /* when it was looked at last */
    uint64_t ns;        /* for how long nothing has moved */
    uint64_t state;     /* moves_of then */
    bool told;
};

/* ---- the environment ------------------------------------------------------------------------- */

static bool read_seconds(const char *name, bool has_never, unsigned *seconds)
{
    const char *text = getenv(name);
    long value;

    if (text == NULL) {
        return true;
    }
    if (has_never && strcmp(text, "never") == 0) {
        *seconds = 0;
        return true;
    }
    if (!pri_environment_silent(name, 0, MOST_S, &value)) {
        fprintf(stderr, "presto: %s=%s: it has to be a number of seconds from 0 to %d%s\n", name,
                text, MOST_S, has_never ? ", or never" : "");
        return false;
    }
    *seconds = (unsigned)value;
    return true;
}

bool pri_hang_read(struct pri_rank *self)
{
    struct pri_hang *hang = &self->cold->hang;

    hang->end_s = END_S;
    if (!read_seconds("PRESTO_HANG_S", false, &hang->tell_s) ||
        !read_seconds("PRESTO_FINALIZE_S", true, &hang->end_s)) {
        return false;
    }
    atomic_init(&hang->watched, hang->tell_s != 0);
    return true;
}

void pri_hang_leaving(struct pri_rank *self, bool leaving)
{
    struct pri_hang *hang = &self->cold->hang;

    atomic_store_explicit(&hang->leaving, leaving, memory_order_relaxed);
    atomic_store_explicit(&hang->watched, leaving || hang->tell_s != 0, memory_order_relaxed);
}

/* ---- what moves ------------------------------------------------------------------------------ */

/* Statistics that change while nothing moves: packets are also those that measure how far a peer
 * is, and who probes searches. */
static bool is_idle_noise(const char *name)
{
    static const char *const noise[] = {
        "tx_packets",     "rx_packets",     "yields",      "blocks",   "engine_events",
        "match_searches", "match_attempts", "match_timed", "match_ns",
    };

    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
        if (strcmp(name, noise[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A number that is another one when something has moved. */
static uint64_t moves_of(const struct pri_rank *self)
{
    uint64_t state = 0;

    for (size_t i = 0; i < ni_stat_count; i++) {
        if (!is_idle_noise(ni_stat_infos[i].name)) {
            state = state * UINT64_C(0x9e3779b97f4a7c15) + ni_stat_read(self->ni, i);
        }
    }
    return state;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The outermost one on the stack, which may have left its place there to one of its own. */
void pri_hang_function(char *text, size_t size)
{
    text[0] = '\0';
#ifdef HAVE_BACKTRACE
    void *frames[64];
    int count = backtrace(frames, (int)(sizeof(frames) / sizeof(frames[0])));

    for (int i = count - 1; i >= 0; i--) {
        Dl_info info;
        const char *name = dladdr(frames[i], &info) != 0 ? info.dli_sname : NULL;

        if (name != NULL && strncmp(name, "presto_", 7) == 0) {
            name += name[7] == 'P' ? 8 : 7; /* MPI's functions have two names */
            snprintf(text, size, "%s", name);
            return;
        }
        if (name != NULL && strncmp(name, "pr_", 3) == 0) {
            snprintf(text, size, "%s", name);
            return;
        }
    }
#endif
}

static void describe(const struct pri_rank *self, const struct quiet *quiet, pri_tell_fn tell,
                     const void *object, char *text, size_t size)
{
    char function[64], what[600] = "";

    pri_hang_function(function, sizeof(function));
    if (tell != NULL) {
        tell(object, what, sizeof(what));
    }
    snprintf(text, size, "rank %d (pid %d) has waited for %u s%s%s, and nothing has moved%s%s",
             self->rank, (int)getpid(), (unsigned)(quiet->ns / SECOND_NS),
             function[0] != '\0' ? " in " : "", function, what[0] != '\0' ? "; it waits for " : "",
             what);
}

/* ---- looks ----------------------------------------------------------------------------------- */

static NI_NOINLINE void say(struct pri_rank *self, const struct quiet *quiet, bool ends,
                            pri_tell_fn tell, const void *object)
{
    const struct pri_hang *hang = &self->cold->hang;
    bool leaving = atomic_load_explicit(&hang->leaving, memory_order_relaxed);
    char text[900], then[96] = "";

    describe(self, quiet, tell, object, text, sizeof(text));
    if (leaving && !ends && hang->end_s != 0) {
        snprintf(then, sizeof(then), "; after %u s it ends the job (PRESTO_FINALIZE_S)",
                 hang->end_s);
    }
    fprintf(stderr, "presto: %s%s\n", text, then);
    if (ends) {
        pri_abort(self, 1);
    }
}

/* Whether a time has been reached; 0 is never. */
static bool is_over(const struct quiet *quiet, unsigned seconds)
{
    return seconds != 0 && quiet->ns >= seconds * SECOND_NS;
}

static void look(struct pri_rank *self, struct quiet *quiet, pri_tell_fn tell, const void *object)
{
    const struct pri_hang *hang = &self->cold->hang;
    bool leaving = atomic_load_explicit(&hang->leaving, memory_order_relaxed);
    /* Where a rank has died the others may not be where this one takes them to be. */
    bool lost = pri_lost(self) >= 0 || atomic_load_explicit(&self->lost, memory_order_relaxed) != 0;
    bool ends = leaving && !lost && is_over(quiet, hang->end_s);

    if (ends || (!quiet->told &&
                 (is_over(quiet, hang->tell_s) || (leaving && is_over(quiet, TELL_LEAVING_S))))) {
        quiet->told = true;
        say(self, quiet, ends, tell, object);
    }
}

void pri_hang_look(struct pri_rank *self, unsigned *spins, pri_tell_fn tell, const void *object)
{
    /* A wait that asks others again and again has others in between. */
    static _Thread_local struct quiet waits[2];
    bool asks = (*spins & PRI_SPINS_ASKS) != 0;
    struct quiet *quiet = &waits[asks];
    uint64_t now = ni_now_ns(), state;

    if ((*spins & PRI_SPINS_LASTS) == 0) {
        *spins |= PRI_SPINS_LASTS;
        *quiet = (struct quiet){.looked_ns = now}; /* the first look finds it changed */
        return;
    }
    if (now - quiet->looked_ns < LOOK_NS) {
        return;
    }
    state = moves_of(self);
    if (state != quiet->state && !asks) {
        quiet->ns = 0;
    } else {
        quiet->ns += now - quiet->looked_ns < STEP_NS ? now - quiet->looked_ns : STEP_NS;
    }
    quiet->state = state;
    quiet->looked_ns = now;
    look(self, quiet, tell, object);
}
