/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of schedules of faults, and whether a rule hits. */
#include "pml_hooks/pml_hooks_rules.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 64 };

static char complaint[512];

static const char *complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static const char *complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(complaint, sizeof(complaint), format, arguments);
    va_end(arguments);
    return complaint;
}

/* ---- values -----------------------------------------------------------------------------------
 */

/* A whole number from low to high; false if the text is not one. */
static bool read_number(const char *text, uint64_t low, uint64_t high, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *number >= low && *number <= high;
}

static const char *read_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    char *end;
    double number = isdigit((unsigned char)text[0]) ? strtod(text, &end) : -1;

    for (size_t i = 0; number >= 0 && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(end, units[i].unit) == 0 && number * units[i].ns <= 3600e9) {
            *ns = (uint64_t)(number * units[i].ns);
            return NULL;
        }
    }
    return complain("'%s' is no time: give a number of at most an hour with us, ms or s, such as "
                    "delay=2ms",
                    text);
}

static const struct error_class {
    const char *name;
    int value;
} error_classes[] = {
    {"MPI_ERR_BUFFER", MPI_ERR_BUFFER},   {"MPI_ERR_COUNT", MPI_ERR_COUNT},
    {"MPI_ERR_TYPE", MPI_ERR_TYPE},       {"MPI_ERR_TAG", MPI_ERR_TAG},
    {"MPI_ERR_COMM", MPI_ERR_COMM},       {"MPI_ERR_RANK", MPI_ERR_RANK},
    {"MPI_ERR_REQUEST", MPI_ERR_REQUEST}, {"MPI_ERR_ARG", MPI_ERR_ARG},
    {"MPI_ERR_UNKNOWN", MPI_ERR_UNKNOWN}, {"MPI_ERR_TRUNCATE", MPI_ERR_TRUNCATE},
    {"MPI_ERR_OTHER", MPI_ERR_OTHER},     {"MPI_ERR_INTERN", MPI_ERR_INTERN},
    {"MPI_ERR_NO_MEM", MPI_ERR_NO_MEM},
};

static const char *read_error(const char *text, uint64_t *value)
{
    for (size_t i = 0; i < sizeof(error_classes) / sizeof(error_classes[0]); i++) {
        if (strcmp(text, error_classes[i].name) == 0) {
            *value = (uint64_t)error_classes[i].value;
            return NULL;
        }
    }
    return complain(
        "'%s' is no error class that can be injected: give MPI_ERR_OTHER, "
        "MPI_ERR_INTERN, MPI_ERR_NO_MEM, MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, or _BUFFER, "
        "_COUNT, _TYPE, _TAG, _COMM, _RANK, _REQUEST, _ARG",
        text);
}

/* ---- actions ----------------------------------------------------------------------------------
 */

static const struct action_row {
    const char *name;
    unsigned ops;     /* that it can be done to */
    const char *word; /* the value if none is given; NULL: there must be one, "": there is none */
} actions[PML_HOOKS_ACTIONS] = {
    [PML_HOOKS_DELAY] = {"delay", PML_HOOKS_OP_SEND | PML_HOOKS_OP_RECEIVE, NULL},
    [PML_HOOKS_ERROR] = {"error", PML_HOOKS_OP_SEND | PML_HOOKS_OP_RECEIVE, "MPI_ERR_OTHER"},
    [PML_HOOKS_REORDER] = {"reorder", PML_HOOKS_OP_SEND, "1"},
    [PML_HOOKS_TRUNCATE] = {"truncate", PML_HOOKS_OP_RECEIVE, "0"},
    [PML_HOOKS_STOP] = {"stop", PML_HOOKS_OP_SEND | PML_HOOKS_OP_RECEIVE, ""},
    [PML_HOOKS_DIE] = {"die", PML_HOOKS_OP_SEND | PML_HOOKS_OP_RECEIVE, ""},
};

/* ACTION or ACTION=VALUE; value is NULL if none is given. */
static const char *read_action(const char *name, const char *value, struct pml_hooks_rule *rule)
{
    uint32_t action = 0;

    while (action < PML_HOOKS_ACTIONS && strcmp(name, actions[action].name) != 0) {
        action++;
    }
    if (action == PML_HOOKS_ACTIONS) {
        return complain(
            "'%s' is no action: a rule begins with delay, error, reorder, truncate, stop "
            "or die",
            name);
    }
    rule->action = action;
    rule->ops = actions[action].ops;
    if (value == NULL) {
        value = actions[action].word;
    } else if (actions[action].word != NULL && actions[action].word[0] == '\0') {
        return complain("'%s=%s': %s has no value; write %s@nth=1", name, value, name, name);
    }
    if (value == NULL) {
        return complain("'%s' has no time: write for example %s=2ms", name, name);
    }
    switch (action) {
    case PML_HOOKS_DELAY:
        return read_time(value, &rule->value);
    case PML_HOOKS_ERROR:
        return read_error(value, &rule->value);
    case PML_HOOKS_REORDER:
        return read_number(value, 1, 1000, &rule->value)
                   ? NULL
                   : complain("'reorder=%s': give how many messages to other peers go first, 1 to "
                              "1000",
                              value);
    case PML_HOOKS_TRUNCATE:
        return read_number(value, 0, INT32_MAX, &rule->value)
                   ? NULL
                   : complain("'truncate=%s': give for how many bytes there is room, 0 or more",
                              value);
    default:
        return NULL;
    }
}

/* ---- conditions -------------------------------------------------------------------------------
 */

/* N or N-M. */
static const char *read_ranks(const char *text, struct pml_hooks_rule *rule)
{
    const char *dash = strchr(text, '-');
    size_t length = dash != NULL ? (size_t)(dash - text) : strlen(text);
    uint64_t first = 0, last = 0;
    char word[WORD];

    (void)snprintf(word, sizeof(word), "%.*s", (int)length, text);
    if (!read_number(word, 0, INT32_MAX, &first) ||
        !read_number(dash != NULL ? dash + 1 : word, first, INT32_MAX, &last)) {
        return complain("'rank=%s': give a rank in MPI_COMM_WORLD, or two as in rank=2-5", text);
    }
    rule->first_rank = (int64_t)first;
    rule->last_rank = (int64_t)last;
    return NULL;
}

static const char *read_op(const char *text, struct pml_hooks_rule *rule)
{
    unsigned op = strcmp(text, "send") == 0   ? PML_HOOKS_OP_SEND
                  : strcmp(text, "recv") == 0 ? PML_HOOKS_OP_RECEIVE
                  : strcmp(text, "any") == 0  ? rule->ops
                                              : 0;

    if (op == 0) {
        return complain("'op=%s': give send, recv or any", text);
    }
    if ((op & rule->ops) == 0) {
        return complain("'op=%s': %s is something that is done to a %s; leave op out", text,
                        actions[rule->action].name,
                        rule->ops == PML_HOOKS_OP_SEND ? "send" : "recv");
    }
    rule->ops &= op;
    return NULL;
}

static const char *read_of(const char *text, struct pml_hooks_rule *rule)
{
    rule->of = strcmp(text, "program") == 0 ? PML_HOOKS_OF_PROGRAM
               : strcmp(text, "coll") == 0  ? PML_HOOKS_OF_COLLECTIVES
               : strcmp(text, "any") == 0   ? PML_HOOKS_OF_PROGRAM | PML_HOOKS_OF_COLLECTIVES
                                            : 0;
    return rule->of != 0 ? NULL : complain("'of=%s': give program, coll or any", text);
}

static const char *read_chance(const char *text, struct pml_hooks_rule *rule)
{
    char *end = NULL;

    rule->chance = isdigit((unsigned char)text[0]) ? strtod(text, &end) : -1;
    if (end == NULL || *end != '\0' || !(rule->chance >= 0 && rule->chance <= 1)) {
        return complain("'chance=%s': give a probability from 0 to 1, such as chance=0.05", text);
    }
    return NULL;
}

static const char *read_count(const char *name, const char *text, uint64_t *value)
{
    return read_number(text, 1, INT64_MAX, value)
               ? NULL
               : complain("'%s=%s': give a number of 1 or more", name, text);
}

static const char *read_name_of(const char *name, const char *text, int64_t *value)
{
    uint64_t number;

    if (!read_number(text, 0, INT32_MAX, &number)) {
        return complain("'%s=%s': give a number of 0 or more, or leave %s out for any", name, text,
                        name);
    }
    *value = (int64_t)number;
    return NULL;
}

static const char *read_condition(const char *name, const char *value, struct pml_hooks_rule *rule)
{
    if (value == NULL || value[0] == '\0') {
        return complain("'%s': a condition is NAME=VALUE, such as nth=3", name);
    }
    if (strcmp(name, "rank") == 0) {
        return read_ranks(value, rule);
    }
    if (strcmp(name, "op") == 0) {
        return read_op(value, rule);
    }
    if (strcmp(name, "of") == 0) {
        return read_of(value, rule);
    }
    if (strcmp(name, "chance") == 0) {
        return read_chance(value, rule);
    }
    if (strcmp(name, "peer") == 0 || strcmp(name, "tag") == 0) {
        return read_name_of(name, value, name[0] == 'p' ? &rule->peer : &rule->tag);
    }
    if (strcmp(name, "nth") == 0 || strcmp(name, "every") == 0 || strcmp(name, "times") == 0) {
        return read_count(name, value,
                          name[0] == 'n'   ? &rule->nth
                          : name[0] == 'e' ? &rule->every
                                           : &rule->times);
    }
    return complain(
        "'%s' is no condition: there are rank, peer, tag, op, of, nth, every, chance and "
        "times",
        name);
}

/* ---- rules ------------------------------------------------------------------------------------
 */

/* The next word of *text up to one of the separators, without blanks: "name" or "name=value", which
 * is split. Returns the separator behind it, or -1 if it is too long. */
static int next_word(const char **text, const char *separators, char word[WORD], char **value)
{
    size_t length = 0;

    while (**text != '\0' && strchr(separators, **text) == NULL) {
        if (!isspace((unsigned char)**text)) {
            if (length + 1 == WORD) {
                word[length] = '\0';
                return -1;
            }
            word[length++] = **text;
        }
        (*text)++;
    }
    word[length] = '\0';
    *value = strchr(word, '=');
    if (*value != NULL) {
        *(*value)++ = '\0';
    }
    return **text != '\0' ? *(*text)++ : '\0';
}

static const char *read_conditions(const char **text, struct pml_hooks_rule *rule, int *behind)
{
    const char *error = NULL;
    char word[WORD], *value;

    do {
        *behind = next_word(text, ",;", word, &value);
        error = *behind < 0 ? complain("'%s...' is too long for a condition", word)
                            : read_condition(word, value, rule);
    } while (error == NULL && *behind == ',');
    return error;
}

static const char *read_rule(const char **text, struct pml_hooks_rule *rule, int *behind)
{
    const char *error;
    char word[WORD], *value;

    memset(rule, 0, sizeof(*rule));
    rule->of = PML_HOOKS_OF_PROGRAM;
    rule->last_rank = INT32_MAX;
    rule->peer = rule->tag = -1;
    rule->chance = -1;
    rule->times = UINT64_MAX;
    *behind = next_word(text, "@;", word, &value);
    error = *behind < 0 ? complain("'%s...' is too long for an action", word)
                        : read_action(word, value, rule);
    if (error == NULL && *behind == '@') {
        error = read_conditions(text, rule, behind);
    }
    if (error == NULL && (rule->nth != 0) + (rule->every != 0) + (rule->chance >= 0) > 1) {
        error = complain("%s: give only one of nth, every and chance", actions[rule->action].name);
    }
    if (error == NULL && rule->nth == 0 && rule->every == 0 && rule->chance < 0) {
        error = complain("%s: say when, by one of nth=N (the Nth operation), every=N and chance=P",
                         actions[rule->action].name);
    }
    if (error == NULL && rule->tag >= 0 && rule->of != PML_HOOKS_OF_PROGRAM) {
        error = complain("%s: a tag is one of the program's own messages; leave of or tag out",
                         actions[rule->action].name);
    }
    return error;
}

const char *pml_hooks_rules_read(const char *text, struct pml_hooks_rules *rules)
{
    const char *error = NULL;
    int behind = ';';

    rules->count = 0;
    while (error == NULL && behind == ';') {
        text += strspn(text, " \t\n;");
        if (*text == '\0') {
            break;
        }
        if (rules->count == PML_HOOKS_RULES) {
            return complain("there are more than %d rules", PML_HOOKS_RULES);
        }
        error = read_rule(&text, &rules->rules[rules->count++], &behind);
    }
    if (error == NULL && rules->count == 0) {
        error = complain("there is no rule in it; write for example delay=2ms@rank=1,every=10");
    }
    return error;
}

/* ---- hits -------------------------------------------------------------------------------------
 */

/* A number from 0 to below 1 that looks random, for these four. */
static double draw(uint64_t seed, uint64_t index, uint64_t rank, uint64_t number)
{
    const uint64_t words[] = {seed, index, rank, number};
    uint64_t value = 0;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        value += words[i] + UINT64_C(0x9e3779b97f4a7c15);
        value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
        value ^= value >> 31;
    }
    return (double)(value >> 11) * 0x1p-53;
}

bool pml_hooks_rule_hits(struct pml_hooks_rules *rules, size_t index, uint64_t seed, int64_t rank,
                         const struct pml_hooks_operation *operation)
{
    struct pml_hooks_rule *rule = &rules->rules[index];
    uint64_t number;
    bool hit;

    if (rank < rule->first_rank || rank > rule->last_rank || (rule->ops & operation->op) == 0 ||
        (rule->of & operation->of) == 0 || (rule->peer >= 0 && rule->peer != operation->peer) ||
        (rule->tag >= 0 && rule->tag != operation->tag)) {
        return false;
    }
    number = atomic_fetch_add_explicit(&rule->seen, 1, memory_order_relaxed) + 1;
    hit = rule->nth != 0     ? number == rule->nth
          : rule->every != 0 ? number % rule->every == 0
                             : draw(seed, index, (uint64_t)rank, number) < rule->chance;
    return hit && atomic_fetch_add_explicit(&rule->done, 1, memory_order_relaxed) < rule->times;
}
