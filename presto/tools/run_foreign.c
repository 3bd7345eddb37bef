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

enum { NEEDED = -1 };

static const struct foreign {
    const char *name, *remedy;
    int words; /* that follow it; NEEDED: the job is another one without it */
} foreign[] = {
    {"mca", PARAMETERS, 2},
    {"gmca", PARAMETERS, 2},
    {"am", PARAMETERS, 1},
    {"tune", PARAMETERS, 1},
    {"hostfile", SEVERAL_HOSTS, NEEDED},
    {"machinefile", SEVERAL_HOSTS, NEEDED},
    {"default-hostfile", SEVERAL_HOSTS, NEEDED},
    {"nolocal", SEVERAL_HOSTS, 0},
    {"prefix", "leave it out: prestorun and its library know where they are", 1},
    {"pernode", "say how many ranks there are with -n", NEEDED},
    {"npersocket", "say how many ranks there are with -n", NEEDED},
    {"ppn", "say how many ranks there are with -n", NEEDED},
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
    run_options_doubt("--map-by", text,
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
