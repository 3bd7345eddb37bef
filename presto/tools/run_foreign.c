/* SPDX-License-Identifier: BSD-3-Clause */
/* What users of other launchers type: what it means on one host, or what to do instead. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/run.h"

/* Options that other launchers have, and what to do instead. */
#define SEVERAL_HOSTS \
    "ranks are started on this host only; on others by mpirun, with the same program"
#define PARAMETERS                                                                               \
    "it is for parameters of Open MPI, which Presto has not; leave it out (apeni-info --params " \
    "lists those of the network interface, which -x sets)"
#define PER_RANK "each rank can do so itself: sh -c './app >out.$PRESTO_RANK'"

static const struct foreign {
    const char *name, *remedy;
} foreign[] = {
    {"mca", PARAMETERS},
    {"gmca", PARAMETERS},
    {"am", PARAMETERS},
    {"tune", PARAMETERS},
    {"hostfile", SEVERAL_HOSTS},
    {"machinefile", SEVERAL_HOSTS},
    {"default-hostfile", SEVERAL_HOSTS},
    {"nolocal", SEVERAL_HOSTS},
    {"prefix", "leave it out: prestorun and its library know where they are"},
    {"pernode", "say how many ranks there are with -n"},
    {"npersocket", "say how many ranks there are with -n"},
    {"ppn", "say how many ranks there are with -n"},
    {"rank-by", "leave it out: ranks are placed one after the other"},
    {"report-bindings",
     "--bind-to core places ranks one after the other; taskset -cp PID shows it"},
    {"cpu-set", "start prestorun itself on them: taskset -c LIST prestorun ..."},
    {"nooversubscribe", "more ranks than processors are always allowed: leave it out"},
    {"use-hwthread-cpus", "all processors may be used: leave it out"},
    {"display-map", "--verbose says which process each rank is"},
    {"output-filename", PER_RANK},
    {"timestamp-output", "have another program do it: prestorun ... | ts"},
    {"quiet", "leave it out: without --verbose only failures are told"},
    {"genv", "-x NAME=VALUE sets a variable"},
    {"env", "-x NAME=VALUE sets a variable"},
    {"prepend-rank", "--tag-output does so"},
};

#define FOREIGNERS (sizeof(foreign) / sizeof(foreign[0]))

_Static_assert(FOREIGNERS <= RUN_FOREIGN_MAX, "all have room");

void run_foreign_options(struct option to[RUN_FOREIGN_MAX + 1], int first)
{
    for (size_t i = 0; i < FOREIGNERS; i++) {
        to[i] = (struct option){foreign[i].name, optional_argument, NULL, first + (int)i};
    }
    to[FOREIGNERS] = (struct option){NULL, 0, NULL, 0};
}

const char *run_foreign_remedy(int i)
{
    return foreign[i].remedy;
}

/* ---- places ---------------------------------------------------------------------------------- */

void run_check_mapping(const char *text)
{
    static const char *const same[] = {"slot", "core", "hwthread", "node"};
    size_t length = strcspn(text, ":");
    bool well = text[length] == '\0' || strcasecmp(text + length, ":oversubscribe") == 0;

    for (size_t i = 0; well && i < sizeof(same) / sizeof(same[0]); i++) {
        if (strlen(same[i]) == length && strncasecmp(text, same[i], length) == 0) {
            return;
        }
    }
    run_options_refuse("--map-by", text,
                       "slot, core, hwthread or node is needed, ranks are placed one after "
                       "the other; for other places have each rank call taskset or numactl");
}

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

int run_slots_of(const char *list)
{
    int slots = 0;

    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",:");
        char *end;
        long here = 1;

        if (!is_this_host(at, length)) {
            run_options_refuse("--host", list, SEVERAL_HOSTS);
        }
        at += length;
        if (*at == ':') {
            here = strtol(at + 1, &end, 10);
            if (end == at + 1 || here < 1 || here > RUN_MAX_RANKS) {
                run_options_refuse("--host", list,
                                   "behind a colon a number of ranks from 1 to 4096 is needed");
            }
            at = end;
        }
        slots += (int)here;
        if (*at == '\0') {
            return slots;
        }
        if (*at != ',' || slots > RUN_MAX_RANKS) {
            run_options_refuse("--host", list, "HOST[:N],... is needed, in all at most 4096");
        }
    }
}
