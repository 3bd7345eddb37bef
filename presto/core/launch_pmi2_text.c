/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/launch_pmi2.h"

#include <stdlib.h>
#include <string.h>

#include "core/rank.h"

bool pri_pmi2_value(const char *command, const char *key, char *value, size_t room)
{
    const size_t length = strlen(key);
    const char *at = command;

    while (*at != '\0') {
        const bool found = strncmp(at, key, length) == 0 && at[length] == '=';
        size_t n = 0;

        at += strcspn(at, "=;");
        at += *at == '=';
        while (*at != '\0' && (at[0] != ';' || at[1] == ';')) {
            at += at[0] == ';'; /* it was doubled */
            if (found && n + 1 < room) {
                value[n] = *at;
            }
            n++;
            at++;
        }
        if (found) {
            value[n < room ? n : 0] = '\0';
            return n < room;
        }
        at += *at == ';';
    }
    return false;
}

enum { MOST_HOSTS = PRI_MAX_RANKS };

struct block {
    long first, hosts, each;
};

/* A number and the character behind it. */
static bool take(const char **at, char behind, long min, long *number)
{
    char *end;

    *number = strtol(*at, &end, 10);
    if (end == *at || *end != behind || *number < min || *number > MOST_HOSTS) {
        return false;
    }
    *at = end + 1;
    return true;
}

/* The next block, or the first one again. */
static bool next_block(const char *blocks, const char **at, struct block *block)
{
    if (**at == ')' && *at != blocks) {
        *at = blocks;
    }
    while (**at == ',' || **at == ' ') {
        (*at)++;
    }
    if (**at != '(') {
        return false;
    }
    (*at)++;
    return take(at, ',', 0, &block->first) && take(at, ',', 1, &block->hosts) &&
           take(at, ')', 1, &block->each) && block->first + block->hosts <= MOST_HOSTS;
}

static unsigned count_hosts(const int *host, int size)
{
    bool *seen = calloc(MOST_HOSTS, sizeof(*seen));
    unsigned hosts = 0;

    for (int i = 0; seen != NULL && i < size; i++) {
        hosts += !seen[host[i]];
        seen[host[i]] = true;
    }
    free(seen);
    return hosts;
}

bool pri_pmi2_hosts(const char *mapping, int size, int *host, unsigned *hosts)
{
    static const char head[] = "(vector,";
    const char *blocks = mapping + sizeof(head) - 1, *at = blocks;
    int rank = 0;

    if (strncmp(mapping, head, sizeof(head) - 1) != 0) {
        return false;
    }
    while (rank < size) {
        struct block block;

        if (!next_block(blocks, &at, &block)) {
            return false;
        }
        for (long h = 0; h < block.hosts; h++) {
            for (long i = 0; i < block.each && rank < size; i++) {
                host[rank++] = (int)(block.first + h);
            }
        }
    }
    *hosts = count_hosts(host, size);
    return *hosts > 0;
}
