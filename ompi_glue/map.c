/* SPDX-License-Identifier: BSD-3-Clause */
/* By which links a process has reached those of its job, and why, printed for people. */
#include <stdio.h>
#include <stdlib.h>

#include "ompi_glue/component.h"

static bool wanted;

void ompi_glue_register_show_links(void)
{
    wanted = false;
    (void)ompi_glue_declare("show_links",
                            "Whether the first process of each host prints, when it leaves MPI, by "
                            "which links it has reached the other processes of its job, how long "
                            "messages went there, and why: those with which it had to do, by rank.",
                            MCA_BASE_VAR_TYPE_BOOL, NULL, OPAL_INFO_LVL_3, &wanted);
}

void ompi_glue_map_begin(struct ompi_glue_map *map)
{
    *map = (struct ompi_glue_map){.wanted = wanted && opal_process_info.my_local_rank == 0};
    wanted = false; /* once */
}

/* Make room for ranks below count. */
static bool grow(struct ompi_glue_map *map, size_t count)
{
    struct ni_peer **peers = realloc(map->peers, count * sizeof(struct ni_peer *));

    if (peers == NULL) {
        return false;
    }
    for (; map->count < count; map->count++) {
        peers[map->count] = NULL;
    }
    map->peers = peers;
    return true;
}

void ompi_glue_map_add(struct ompi_glue_map *map, const opal_process_name_t *name,
                       struct ni_peer *peer)
{
    if (!map->wanted || name->jobid != OPAL_PROC_MY_NAME.jobid) {
        return;
    }
    if (name->vpid < map->count || grow(map, (size_t)name->vpid + 1)) {
        map->peers[name->vpid] = peer;
    }
}

/* At once, so that lines of several processes do not mix. */
static void print(const char *links)
{
    const mca_base_component_t *version = ompi_glue_self()->version;
    char *line = NULL;

    if (asprintf(&line, "%s %s: process %u on %s reached others by %s\n", version->mca_type_name,
                 version->mca_component_name, (unsigned)OPAL_PROC_MY_NAME.vpid,
                 opal_process_info.nodename, links) >= 0) {
        (void)fputs(line, stderr);
        free(line);
    }
}

void ompi_glue_map_end(struct ompi_glue_map *map)
{
    int length = ni_map_describe(map->peers, map->count, NULL, 0);
    char *links = length != 0 ? malloc((size_t)length + 1) : NULL;

    if (links != NULL) {
        (void)ni_map_describe(map->peers, map->count, links, (size_t)length + 1);
        print(links);
        free(links);
    }
    free(map->peers);
    map->peers = NULL;
}
