/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Depths of queues, by the variables of MPI_T of what carries the messages: those of pml ob1, which
 * are bound to a communicator, and those of an interface that matches. Others do not tell.
 */
#include <dlfcn.h>

#include "ompi/mca/mtl/mtl.h"
#include "pml_hooks/pml_hooks_ask.h"
#include "record/account.h"

/* Each pair of them that may be there, by the PML for which it counts. */
static const struct source {
    const char *pml, *framework, *component, *posted, *unexpected;
} sources[] = {
    {"ob1", "pml", "ob1", "posted_recvq_length", "unexpected_msgq_length"},
    {"cm", "mtl", "match", "match_posted", "match_unexpected"},
    {"match", "pml", "match", "match_posted", "match_unexpected"},
};

static const mca_base_pvar_t *posted, *unexpected; /* NULL: not known */

/* Whether a function is of a component, by the file that it was loaded from. */
static bool is_of(const void *function, const char *framework, const char *component)
{
    char name[64];
    Dl_info info;

    (void)snprintf(name, sizeof(name), "/mca_%s_%s.", framework, component);
    return dladdr(function, &info) != 0 && info.dli_fname != NULL &&
           strstr(info.dli_fname, name) != NULL;
}

/* Whether it carries the messages. Another one has its variables, too, where MPI_T was initialised
 * before MPI: as long as MPI_T lives. What pml monitoring stands for it has the progress of. */
static bool carries(const struct source *source)
{
    const char *chosen = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    if (strcmp(chosen, "monitoring") == 0) {
        if (!is_of((const void *)(uintptr_t)mca_pml.pml_progress, "pml", source->pml)) {
            return false;
        }
    } else if (strcmp(chosen, source->pml) != 0) {
        return false;
    }
    return strcmp(source->framework, "mtl") != 0 ||
           is_of((const void *)(uintptr_t)ompi_mtl->mtl_send, "mtl", source->component);
}

static const mca_base_pvar_t *find(const struct source *source, const char *name)
{
    const mca_base_pvar_t *pvar = NULL;
    int index = mca_base_pvar_find("ompi", source->framework, source->component, name);

    if (index < 0 || mca_base_pvar_get(index, &pvar) != OPAL_SUCCESS) {
        return NULL;
    }
    return mca_base_pvar_is_invalid(pvar) ? NULL : pvar;
}

/* The sum of a variable's values for one communicator, without those of receives from any source.
 */
static uint64_t sum_of(const mca_base_pvar_t *pvar, struct ompi_communicator_t *comm)
{
    size_t size = (size_t)ompi_comm_size(comm);
    unsigned *values = calloc(size, sizeof(*values));
    uint64_t sum = 0;

    if (values != NULL && pvar->get_value(pvar, values, comm) == OPAL_SUCCESS) {
        for (size_t i = 0; i < size; i++) {
            sum += values[i];
        }
    }
    free(values);
    return sum;
}

static bool has_queues(const struct ompi_communicator_t *comm)
{
    return comm != NULL && comm->c_pml_comm != NULL && !OMPI_COMM_IS_INTER(comm);
}

/* The depth now. Where there are threads any communicator but MPI_COMM_WORLD may go meanwhile. */
static uint64_t depth(const mca_base_pvar_t *pvar)
{
    unsigned long long value = 0;
    uint64_t sum = 0;

    if (pvar->bind != MCA_BASE_VAR_BIND_MPI_COMM) {
        (void)pvar->get_value(pvar, &value, NULL);
        return value;
    }
    if (record_threads) {
        return sum_of(pvar, &ompi_mpi_comm_world.comm);
    }
    for (int i = 0; i < opal_pointer_array_get_size(&ompi_mpi_communicators); i++) {
        struct ompi_communicator_t *comm = opal_pointer_array_get_item(&ompi_mpi_communicators, i);

        sum += has_queues(comm) ? sum_of(pvar, comm) : 0;
    }
    return sum;
}

/* Receives of the program. One of ours is from any source, and only among all of a process. */
static uint64_t posted_depth(void)
{
    uint64_t all = depth(posted), ours = pml_hooks_ask_posted();

    return posted->bind == MCA_BASE_VAR_BIND_MPI_COMM || all < ours ? all : all - ours;
}

static void look(void)
{
    static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

    if (opal_mutex_trylock(&lock) == 0) {
        record_depths(posted_depth(), depth(unexpected));
        opal_mutex_unlock(&lock);
    }
}

void pml_hooks_queues_begin(void)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (!carries(&sources[i])) {
            continue;
        }
        posted = find(&sources[i], sources[i].posted);
        unexpected = find(&sources[i], sources[i].unexpected);
        if (posted != NULL && unexpected != NULL) {
            record_look_at_queues = look;
            return;
        }
    }
}
