/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hangs of a job on several hosts. A process that hangs in MPI tells others nothing by way of MPI,
 * but its runtime lives. On each host where nothing moves one process publishes the records of its
 * host, and withdraws them when something does; that of the job's lowest rank looks whether all
 * others have, and then speaks of all.
 */
#include "pml_hooks/pml_hooks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opal/util/argv.h"

#if OMPI_GLUE_PUBLISHES

/* The lowest ranks of the job's hosts, by which these are called, in the order of ranks. */
static uint32_t *hosts;
static size_t host_count;
static size_t own; /* which of them is ours */

static bool published;

/* ---- hosts ------------------------------------------------------------------------------------
 */

static int in_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The lowest rank of a host, and whether we are on it; UINT32_MAX if that is not known. */
static uint32_t lowest_of(const char *node, bool *ours)
{
    uint32_t lowest = UINT32_MAX;
    opal_list_t processes;
    opal_namelist_t *process;

    *ours = false;
    OBJ_CONSTRUCT(&processes, opal_list_t);
    if (opal_pmix.resolve_peers(node, OMPI_PROC_MY_NAME->jobid, &processes) == OPAL_SUCCESS) {
        OPAL_LIST_FOREACH(process, &processes, opal_namelist_t)
        {
            lowest = process->name.vpid < lowest ? process->name.vpid : lowest;
            *ours = *ours || process->name.vpid == OMPI_PROC_MY_NAME->vpid;
        }
    }
    OPAL_LIST_DESTRUCT(&processes);
    return lowest;
}

static void find_hosts(void)
{
    char *list = NULL, **nodes;
    uint32_t lowest, mine = UINT32_MAX;
    bool ours;

    host_count = 0;
    if (opal_pmix.resolve_nodes == NULL || opal_pmix.resolve_peers == NULL ||
        opal_pmix.publish == NULL || opal_pmix.lookup == NULL || opal_pmix.unpublish == NULL ||
        opal_pmix.resolve_nodes(OMPI_PROC_MY_NAME->jobid, &list) != OPAL_SUCCESS || list == NULL) {
        return;
    }
    nodes = opal_argv_split(list, ',');
    free(list);
    hosts = calloc((size_t)opal_argv_count(nodes) + 1, sizeof(*hosts));
    for (size_t i = 0; hosts != NULL && nodes != NULL && nodes[i] != NULL; i++) {
        lowest = lowest_of(nodes[i], &ours);
        if (lowest != UINT32_MAX) {
            hosts[host_count++] = lowest;
            mine = ours ? lowest : mine;
        }
    }
    opal_argv_free(nodes);
    if (mine == UINT32_MAX) {
        host_count = 0;
        return;
    }
    qsort(hosts, host_count, sizeof(*hosts), in_order);
    for (own = 0; hosts[own] != mine; own++) {
    }
}

/* ---- what hosts tell each other ---------------------------------------------------------------
 */

static void name_of(size_t host, char *key, size_t size)
{
    (void)snprintf(key, size, "apelink-hooks.%" PRIu32 ".%" PRIu32, OMPI_PROC_MY_NAME->jobid,
                   hosts[host]);
}

static void withdraw(void)
{
    char key[64], *keys[] = {key, NULL};

    if (published) {
        name_of(own, key, sizeof(key));
        (void)opal_pmix.unpublish(keys, NULL);
        published = false;
    }
}

/* A message to the runtime may have 16 MiB (PMIx' ptl_base_max_msg_size): at a longer one it closes
 * the connection. */
enum { MOST_BYTES = 8 << 20 };

/* What the first letter says: somebody waits there, nobody does, or all are in MPI_Finalize. */
enum { WAITS = 'w', NOBODY_WAITS = '-', ALL_FINALIZE = 'f' };

bool pml_hooks_publish(const char *key, char letter, const char *text)
{
    opal_list_t list;
    opal_value_t *value;
    int rc = OPAL_ERROR;

    OBJ_CONSTRUCT(&list, opal_list_t);
    value = OBJ_NEW(opal_value_t);
    value->key = strdup(key);
    value->type = OPAL_STRING;
    if (value->key != NULL && asprintf(&value->data.string, "%c%s", letter, text) > 0) {
        opal_list_append(&list, &value->super);
        rc = opal_pmix.publish(&list);
    } else {
        value->data.string = NULL;
        OBJ_RELEASE(value);
    }
    OPAL_LIST_DESTRUCT(&list);
    return rc == OPAL_SUCCESS;
}

/* The letter, and behind it what the records say, if anything. */
static bool publish(char letter, const char *text)
{
    char key[64];

    name_of(own, key, sizeof(key));
    return pml_hooks_publish(key, letter, text);
}

/* What the records of this host say, as far as that can be had and passed on. */
static bool publish_records(bool waiting)
{
    char *text = record_watch_report();
    bool good = text != NULL && strlen(text) <= MOST_BYTES;
    bool done = publish(waiting ? WAITS : NOBODY_WAITS, good ? text : "");

    free(text);
    return done;
}

char *pml_hooks_look_up(const char *key, bool *failed)
{
    char *text = NULL;
    opal_list_t list;
    opal_pmix_pdata_t *asked = OBJ_NEW(opal_pmix_pdata_t);
    int rc;

    asked->value.key = strdup(key);
    OBJ_CONSTRUCT(&list, opal_list_t);
    opal_list_append(&list, &asked->super);
    rc = opal_pmix.lookup(&list, NULL);
    if (rc == OPAL_SUCCESS && asked->value.type == OPAL_STRING &&
        asked->value.data.string != NULL) {
        text = strdup(asked->value.data.string);
    }
    *failed = rc == OPAL_ERR_NOT_SUPPORTED || rc == OPAL_ERR_NOT_AVAILABLE;
    OPAL_LIST_DESTRUCT(&list);
    return text;
}

/* What a host has published, to be freed; NULL if it has not, or if `failed`, cannot be asked. */
static char *look_up(size_t host, bool *failed)
{
    char key[64];

    name_of(host, key, sizeof(key));
    return pml_hooks_look_up(key, failed);
}

/* ---- the watch --------------------------------------------------------------------------------
 */

/* All others in turn, until one of them moves, which is the first to be asked the next time: else
 * what those before it tell would come each time. What they have told is added to the report. */
static enum record_elsewhere ask_all(bool waiting)
{
    static size_t first;
    enum record_elsewhere answer = RECORD_ALL_STILL;
    size_t i = first;

    for (size_t n = 0; n < host_count && answer == RECORD_ALL_STILL; n++) {
        bool failed = false;
        char *text;

        i = (first + n) % host_count;
        text = i == own ? NULL : look_up(i, &failed);
        if (i != own && text == NULL) {
            answer = failed ? RECORD_NOT_KNOWN : RECORD_SOME_MOVE;
        } else if (i != own) {
            waiting = waiting || text[0] == WAITS;
            answer = text[1] == '\0' || record_watch_add(text + 1) ? answer : RECORD_NOT_KNOWN;
        }
        free(text);
    }
    first = i;
    return answer == RECORD_ALL_STILL && !waiting ? RECORD_SOME_MOVE : answer;
}

static enum record_elsewhere elsewhere(bool still, bool waiting)
{
    static bool cannot;

    if (cannot) {
        return RECORD_NOT_KNOWN;
    }
    if (!still) {
        withdraw();
        return RECORD_SOME_MOVE;
    }
    if (own == 0) {
        return ask_all(waiting);
    }
    if (!published) {
        published = publish_records(waiting);
        cannot = !published;
    }
    return cannot ? RECORD_NOT_KNOWN : RECORD_SOME_MOVE;
}

record_elsewhere_fn pml_hooks_hosts_begin(void)
{
    find_hosts();
    return host_count > 1 ? elsewhere : NULL;
}

bool pml_hooks_hosts_several(void)
{
    return host_count > 1;
}

size_t pml_hooks_hosts_lowest(uint32_t *here, uint32_t *first)
{
    *here = hosts[own];
    *first = hosts[0];
    return host_count;
}

void pml_hooks_hosts_end(void)
{
    withdraw();
    /* Where nobody watches any more nothing would be published, and the others would take that for
     * a host on which something moves. */
    if (host_count > 1 && pml_hooks_params.hang_s > 0 && !record_others_run()) {
        (void)publish(ALL_FINALIZE, "");
    }
    free(hosts);
    hosts = NULL;
    host_count = 0;
}
#else
record_elsewhere_fn pml_hooks_hosts_begin(void)
{
    return NULL; /* each host speaks of itself */
}

bool pml_hooks_hosts_several(void)
{
    return false;
}

size_t pml_hooks_hosts_lowest(uint32_t *here, uint32_t *first)
{
    *here = *first = 0;
    return 0;
}

bool pml_hooks_publish(const char *key, char letter, const char *text)
{
    (void)key, (void)letter, (void)text;
    return false;
}

char *pml_hooks_look_up(const char *key, bool *failed)
{
    (void)key;
    *failed = true;
    return NULL;
}

void pml_hooks_hosts_end(void)
{
}
#endif
