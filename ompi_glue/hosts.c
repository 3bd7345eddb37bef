/* SPDX-License-Identifier: BSD-3-Clause */
/* On how many hosts the job runs, or may come to run, and whether this one has cores for it. */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/topology.h"
#include "ompi_glue/component.h"

#if BTL_VERSION >= 330
#define OMPI_GLUE_NUM_NODES PMIX_NUM_NODES
#define OMPI_GLUE_UNIV_SIZE PMIX_UNIV_SIZE
#define OMPI_GLUE_UINT32    PMIX_UINT32
#else
#define OMPI_GLUE_NUM_NODES OPAL_PMIX_NUM_NODES
#define OMPI_GLUE_UNIV_SIZE OPAL_PMIX_UNIV_SIZE
#define OMPI_GLUE_UINT32    OPAL_UINT32
#endif

/* A number that the runtime keeps for the job; 0: it keeps none. */
static unsigned ask(const char *key)
{
    opal_process_name_t all = OPAL_PROC_MY_NAME;
    uint32_t number = 0, *value = &number;
    int rc;

    all.vpid = OPAL_VPID_WILDCARD;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, key, &all, &value, OMPI_GLUE_UINT32);
    return rc == OPAL_SUCCESS ? number : 0;
}

/* Cores of this host that the process is allowed; 0: unknown. A host has as many slots, unless its
 * user says otherwise. */
static unsigned cores(void)
{
    struct ni_topology *topology = malloc(sizeof(*topology));
    unsigned count = 0;

    if (topology != NULL && ni_topology_find(topology) == NI_OK) {
        for (int cpu = ni_cpus_next(&topology->allowed, 0); cpu >= 0;
             cpu = ni_cpus_next(&topology->allowed, (unsigned)cpu + 1)) {
            count += topology->cores[cpu] == cpu;
        }
    }
    free(topology);
    return count;
}

unsigned ompi_glue_hosts(void)
{
    unsigned hosts = ask(OMPI_GLUE_NUM_NODES), slots, here;

    if (hosts > 1) {
        return hosts;
    }
    /* No runtime tells how many hosts it has for jobs that will be spawned, but it tells the slots
     * of all. Cores take milliseconds to count, so not where our own processes fill all slots. */
    slots = ask(OMPI_GLUE_UNIV_SIZE);
    if (slots <= ompi_glue_node_peers() + 1) {
        return 1;
    }
    here = cores();
    return here != 0 && slots > here ? 2 : 1;
}

/* Processors on which the processes of the job on this host may run, as far as it is known; 0: it
 * is not. Where the runtime has bound them it says where. Otherwise all have what was left to who
 * started them: this one may have less, by a way of its own. */
static unsigned processors(void)
{
    char *taken = ompi_glue_taken_cpus();
    struct ni_cpus bound = {{0}};
    cpu_set_t starter;
    unsigned count = 0;

    if (taken == NULL && sched_getaffinity(getppid(), sizeof(starter), &starter) == 0) {
        return (unsigned)CPU_COUNT(&starter);
    }
    if (ni_cpus_bound(&bound) && (taken == NULL || ni_cpus_parse(&bound, taken))) {
        count = ni_cpus_count(&bound);
    }
    free(taken);
    return count;
}

bool ompi_glue_yields(void)
{
    int index = mca_base_var_find("ompi", "mpi", NULL, "yield_when_idle");
    const bool *yields = NULL;

    if (index >= 0 && mca_base_var_get_value(index, &yields, NULL, NULL) == OPAL_SUCCESS &&
        yields != NULL && *yields) {
        return true;
    }
    unsigned have = processors();

    return have != 0 && ompi_glue_node_peers() + 1 > have;
}

bool ompi_glue_several_hosts(void)
{
    return ask(OMPI_GLUE_NUM_NODES) > 1;
}
