/* SPDX-License-Identifier: BSD-3-Clause */
/* What users of other launchers type: what it means here, or what to do instead. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tools/run.h"

/* Options that other launchers have, and what to do instead. */
#define PARAMETERS                                                                               \
    "it is for parameters of Open MPI, which Presto has not; leave it out (apeni-info --params " \
    "lists those of the network interface, which -x sets)"
#define PER_RANK "each rank can do so itself: sh -c './app >out.$PRESTO_RANK'"

enum { NEEDED = -1 };

static const struct foreign {
    const char *name, *remedy;
    int words; /* that follow it; NEEDED: the job is another one without it */
} foreign[] = {
    {"mca", PARAMETERS, 2},
    {"gmca", PARAMETERS, 2},
    {"am", PARAMETERS, 1},
    {"tune", PARAMETERS, 1},
    {"default-hostfile", "--hostfile FILE says where the ranks are", NEEDED},
    {"nolocal", "leave this host out of --host or --hostfile", 0},
    {"pernode", "-N 1 has one rank on each host", NEEDED},
    {"npersocket", "say how many ranks there are with -n", NEEDED},
    {"rank-by", "leave it out: ranks are placed one after the other", 1},
    {"report-bindings", "--bind-to core places ranks one after the other; taskset -cp PID shows it",
     0},
    {"cpu-set", "start prestorun itself on them: taskset -c LIST prestorun ...", 1},
    {"nooversubscribe", "more ranks than processors are always allowed: leave it out", 0},
    {"use-hwthread-cpus", "all processors may be used: leave it out", 0},
    {"display-map", "--verbose says which process each rank is", 0},
    {"output-filename", PER_RANK, NEEDED},
    {"timestamp-output", "have another program do it: prestorun ... | ts", 0},
    {"quiet", "leave it out: without --verbose only failures are told", 0},
    {"genv", "-x NAME=VALUE sets a variable", NEEDED},
    {"env", "-x NAME=VALUE sets a variable", NEEDED},
    {"prepend-rank", "--tag-output does so", NEEDED},
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

int run_foreign_option(int i, char **argv, int behind, bool valued)
{
    int words = foreign[i].words - (valued ? 1 : 0);
    const char *option = argv[behind - 1];

    if (foreign[i].words == NEEDED) {
        run_options_refuse(option, "", foreign[i].remedy);
    }
    run_options_doubt(option, "", foreign[i].remedy);
    while (words-- > 0 && argv[behind] != NULL) {
        behind++;
    }
    return behind;
}

/* ---- places ---------------------------------------------------------------------------------- */

bool run_is_by_node(const char *text)
{
    static const char *const known[] = {"slot", "core", "hwthread", "node"};
    size_t length = strcspn(text, ":");
    bool well = text[length] == '\0' || strcasecmp(text + length, ":oversubscribe") == 0;

    for (size_t i = 0; well && i < sizeof(known) / sizeof(known[0]); i++) {
        if (strlen(known[i]) == length && strncasecmp(text, known[i], length) == 0) {
            return i == 3;
        }
    }
    run_options_doubt("--map-by", text,
                      "slot, core or hwthread, one rank after the other, or node is needed; for "
                      "other places have each rank call taskset or numactl");
    return false;
}
