/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_rules.c
 *
 * Schedules of faults: what is read, what is refused and in which words, and which operations a
 * rule hits.
 */
#include <stdio.h>
#include <string.h>

#include "pml_hooks/pml_hooks_rules.h"

static int failures;
static struct pml_hooks_rules rules;

static void check(int good, const char *what)
{
    if (!good) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

/* Which of `count` operations a rule hits, as a text of 0 and 1. */
static const char *hits(const char *text, int count, uint64_t seed, int64_t rank, unsigned op,
                        int64_t peer, int64_t tag)
{
    static char found[128];
    struct pml_hooks_operation operation = {
        op, tag >= 0 ? PML_HOOKS_OF_PROGRAM : PML_HOOKS_OF_COLLECTIVES, peer, tag};

    memset(found, 0, sizeof(found));
    if (pml_hooks_rules_read(text, &rules) != NULL) {
        return "refused";
    }
    for (int i = 0; i < count; i++) {
        found[i] = pml_hooks_rule_hits(&rules, 0, seed, rank, &operation) ? '1' : '0';
    }
    return found;
}

static void check_hits(void)
{
    enum { SEND = PML_HOOKS_OP_SEND, RECEIVE = PML_HOOKS_OP_RECEIVE };
    char first[128];

    check(strcmp(hits("error@nth=3", 5, 1, 0, SEND, 1, 0), "00100") == 0, "nth");
    check(strcmp(hits("error@every=2", 5, 1, 0, SEND, 1, 0), "01010") == 0, "every");
    check(strcmp(hits("error@every=1,times=2", 5, 1, 0, SEND, 1, 0), "11000") == 0, "times");
    check(strcmp(hits("error@nth=1,rank=2-3", 1, 1, 3, SEND, 1, 0), "1") == 0, "ranks");
    check(strcmp(hits("error@nth=1,rank=2-3", 1, 1, 4, SEND, 1, 0), "0") == 0, "other ranks");
    check(strcmp(hits("error@nth=1,peer=1", 1, 1, 0, SEND, 2, 0), "0") == 0, "other peer");
    check(strcmp(hits("error@nth=1,peer=1", 1, 1, 0, RECEIVE, -1, 0), "0") == 0, "any source");
    check(strcmp(hits("error@nth=1,tag=7", 1, 1, 0, SEND, 1, 7), "1") == 0, "tag");
    check(strcmp(hits("error@nth=1", 1, 1, 0, SEND, 1, -10), "0") == 0, "collectives");
    check(strcmp(hits("error@nth=1,of=any", 1, 1, 0, SEND, 1, -10), "1") == 0, "of=any");
    check(strcmp(hits("reorder@nth=1", 1, 1, 0, RECEIVE, 1, 0), "0") == 0, "reorder a receive");
    check(strcmp(hits("truncate@nth=1", 1, 1, 0, SEND, 1, 0), "0") == 0, "truncate a send");
    check(strcmp(hits("error@chance=0", 100, 1, 0, SEND, 1, 0),
                 hits("error@nth=1000", 100, 1, 0, SEND, 1, 0)) == 0,
          "chance 0");
    check(strchr(hits("error@chance=1", 100, 1, 0, SEND, 1, 0), '0') == NULL, "chance 1");
    strcpy(first, hits("error@chance=.5", 1, 1, 0, SEND, 1, 0));
    check(strcmp(first, "refused") == 0, "chance without a digit");
    strcpy(first, hits("error@chance=0.5", 100, 7, 0, SEND, 1, 0));
    check(strcmp(first, hits("error@chance=0.5", 100, 7, 0, SEND, 1, 0)) == 0, "same seed");
    check(strcmp(first, hits("error@chance=0.5", 100, 8, 0, SEND, 1, 0)) != 0, "other seed");
    check(strcmp(first, hits("error@chance=0.5", 100, 7, 1, SEND, 1, 0)) != 0, "other rank");
}

static void check_values(void)
{
    check(pml_hooks_rules_read(" delay = 1.5 ms @ rank = 1 , every=10 ;\n die@nth=2; ", &rules) ==
              NULL,
          "blanks and an end of line");
    check(rules.count == 2 && rules.rules[0].value == 1500000 && rules.rules[0].first_rank == 1,
          "their values");
    check(pml_hooks_rules_read("reorder@chance=1;truncate@nth=1;error@nth=1", &rules) == NULL &&
              rules.rules[0].value == 1 && rules.rules[1].value == 0 && rules.rules[2].value > 0,
          "values that are not given");
}

/* What is refused, and what the sentence has to name. */
static const struct {
    const char *text, *named;
} bad[] = {
    {"", "no rule"},
    {"delai=2ms@nth=1", "'delai'"},
    {"delay@nth=1", "no time"},
    {"delay=2@nth=1", "'2'"},
    {"delay=-2ms@nth=1", "'-2ms'"},
    {"delay=2h@nth=1", "'2h'"},
    {"delay=2ms", "nth=N"},
    {"delay=2ms@", "a condition is"},
    {"delay=2ms@nth", "'nth'"},
    {"delay=2ms@nth=0", "'nth=0'"},
    {"delay=2ms@nth=1x", "'nth=1x'"},
    {"delay=2ms@nth=1,every=2", "only one of"},
    {"delay=2ms@nth=1,wen=2", "'wen'"},
    {"error=MPI_ERR_FOO@nth=1", "'MPI_ERR_FOO'"},
    {"error@nth=1,chance=2", "'chance=2'"},
    {"error@nth=1,rank=3-2", "'rank=3-2'"},
    {"error@nth=1,rank=x", "'rank=x'"},
    {"error@nth=1,op=put", "'op=put'"},
    {"error@nth=1,of=me", "'of=me'"},
    {"error@nth=1,of=any,tag=3", "tag"},
    {"error@nth=1,tag=-3", "'tag=-3'"},
    {"error@nth=1;;errr@nth=2", "'errr'"},
    {"reorder=0@nth=1", "'reorder=0'"},
    {"reorder@nth=1,op=recv", "'op=recv'"},
    {"truncate=x@nth=1", "'truncate=x'"},
    {"die=9@nth=1", "die has no value"},
    {"stop@nth=99999999999999999999", "'nth=99999999999999999999'"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
     "too long"},
};

static void check_bad(void)
{
    char many[40 * 12] = "";
    const char *error;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error = pml_hooks_rules_read(bad[i].text, &rules);
        if (error == NULL || strstr(error, bad[i].named) == NULL) {
            printf("FAILED: '%s': %s\n", bad[i].text, error != NULL ? error : "not refused");
            failures++;
        }
    }
    for (int i = 0; i < 33; i++) {
        strcat(many, "die@nth=1;");
    }
    error = pml_hooks_rules_read(many, &rules);
    check(error != NULL && strstr(error, "more than 32") != NULL, "33 rules");
}

int main(void)
{
    check_hits();
    check_values();
    check_bad();
    return failures > 0;
}
