/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the other processes of the job are bound, as the runtime that bound them says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompi_glue/component.h"

#if BTL_VERSION >= 330
#define OMPI_GLUE_LOCAL_PEERS PMIX_LOCAL_PEERS
#define OMPI_GLUE_CPUSET      PMIX_CPUSET
#define OMPI_GLUE_STRING      PMIX_STRING
#else
#define OMPI_GLUE_LOCAL_PEERS OPAL_PMIX_LOCAL_PEERS
#define OMPI_GLUE_CPUSET      OPAL_PMIX_CPUSET
#define OMPI_GLUE_STRING      OPAL_STRING
#endif

/* A text that the runtime keeps for a process, to be freed; NULL: it keeps none. */
static char *ask(const opal_process_name_t *name, const char *key)
{
    char *text = NULL;
    int rc;

    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, name, &text, OMPI_GLUE_STRING);
    return rc == OPAL_SUCCESS ? text : NULL;
}

/* Append a list to a list of lists. False: no memory. */
static bool append(char **all, const char *list)
{
    size_t before = strlen(*all), size = before + strlen(list) + 2;
    char *longer = realloc(*all, size);

    if (longer == NULL) {
        return false;
    }
    snprintf(longer + before, size - before, "%s%s", before != 0 ? "," : "", list);
    *all = longer;
    return true;
}

/* Those of the ranks in `peers` but our own; false: one of them is not bound, or nobody says. */
static bool append_peers(char **all, const char *peers)
{
    opal_process_name_t name = OPAL_PROC_MY_NAME;

    for (const char *at = peers; *at != '\0';) {
        char *end, *list;
        bool ok;

        name.vpid = (opal_vpid_t)strtoul(at, &end, 10);
        if (end == at) {
            return false;
        }
        at = *end == ',' ? end + 1 : end;
        if (name.vpid == OPAL_PROC_MY_NAME.vpid) {
            continue;
        }
        list = ask(&name, OMPI_GLUE_CPUSET);
        ok = list != NULL && append(all, list);
        free(list);
        if (!ok) {
            return false;
        }
    }
    return true;
}

char *ompi_glue_taken_cpus(void)
{
    opal_process_name_t job = OPAL_PROC_MY_NAME;
    char *own, *peers = NULL, *all = NULL;

    /* Where nobody else is, there may be no runtime to ask. */
    if (ompi_glue_node_peers() == 0) {
        return NULL;
    }
    job.vpid = OPAL_VPID_WILDCARD;
    own = ask(&OPAL_PROC_MY_NAME, OMPI_GLUE_CPUSET);
    /* Who is not bound itself need not know about others. */
    if (own != NULL) {
        peers = ask(&job, OMPI_GLUE_LOCAL_PEERS);
        all = calloc(1, 1);
    }
    if (all != NULL && (peers == NULL || !append_peers(&all, peers))) {
        free(all);
        all = NULL;
    }
    free(peers);
    free(own);
    return all;
}
