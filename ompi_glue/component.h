/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OMPI_GLUE_COMPONENT_H
#define OMPI_GLUE_COMPONENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/ni.h>

#include "ompi_glue/ompi_glue.h"

/*
 * What the components have in common towards the user: parameters, messages, statistics, and
 * whether a run asked for them. Each component has a copy of this code of its own, with one
 * description of itself, which it hands over before anything else.
 *
 *   params.c  a parameter of Open MPI for each one of the core
 *   names.c   misspelt parameters, values that Open MPI refuses
 *   help.c    messages for users
 *   pvars.c   statistics of the core for MPI_T
 *   asked.c   was the component asked for?
 *   bindings.c  to which cores others are bound
 *   hosts.c   on how many hosts the job runs
 *   locality.c  hosts of one name
 *   map.c     by which links others were reached
 *
 * The help file has the topics bad-value (parameter, value, accepted) and unknown-parameter
 * (parameter, where it was set, advice). Not thread-safe: for the time before an interface is
 * open; ompi_glue_help is.
 */
struct ompi_glue_component {
    const mca_base_component_t *version;
    const char *prefix;               /* of its parameters' full names: "btl_apelink_" */
    const char *const *sizes;         /* own parameters that are sizes, without prefix, then NULL */
    const char *const *unused;        /* core parameters without effect here, then NULL */
    const char *help_file;            /* where the messages are from, for people */
    const char *help_text;            /* what is in it, without its comments */
    struct ni *(*interface_fn)(void); /* the NI whose statistics are read, or NULL while closed */
};

/* Whose copy this is. self is kept. */
void ompi_glue_set_component(const struct ompi_glue_component *self);

enum ompi_glue_enable {
    OMPI_GLUE_ENABLE_AUTO, /* if a list of components names this one */
    OMPI_GLUE_ENABLE_YES,
    OMPI_GLUE_ENABLE_NO
};

/* Whether nothing else in this run goes between hosts: one of the parameters, a NULL-terminated
 * list, is a list of components that includes this one, and all others in it are among `local`,
 * which is one more such list. */
bool ompi_glue_alone(const char *const *parameters, const char *const *local);

/* Whether a parameter is a list of components that includes one. */
bool ompi_glue_names(const char *parameter, const char *name);
/* Whether it is one in which all, but for this component, are among `local`, which is one, too. */
bool ompi_glue_names_only(const char *parameter, const char *const *local);

/* Register the parameter "enable"; enable holds it from now on. */
void ompi_glue_register_enable(const char *help, int *enable);

/* Whether this run asks for the component: enable is yes, or it is auto and one of the parameters,
 * a NULL-terminated list, is a list of components that includes this one. */
bool ompi_glue_asked(int enable, const char *const *parameters);

/* Register a parameter of the component itself. A value that Open MPI refuses, of which it
 * complains, is noted for ompi_glue_apply_params. Returns the variable's index or an error. */
int ompi_glue_declare(const char *name, const char *help, mca_base_var_type_t type,
                      mca_base_var_enum_t *enumerator, mca_base_var_info_lvl_t level,
                      void *storage);

/* Register a parameter of the component for each parameter of the core that it uses. */
void ompi_glue_register_params(void);

/* Hand the values to the core: MCA over environment over default. Reports settings with our prefix
 * that name no parameter, and values that the core refuses. False if there was any, or one was
 * refused when it was registered. */
bool ompi_glue_apply_params(void);

/* Report settings whose name begins with the prefix and is none of ours, values that are not among
 * a parameter's, and sizes that are no numbers. False if there was any. */
bool ompi_glue_check_names(void);

/* Register the statistics of the core as performance variables. */
void ompi_glue_register_pvars(void);

/* Print a topic of the help file on standard error, whose first argument is this node, and the next
 * up to three are these; "" for those that a topic does not have. What several processes of a job
 * and a node have to say word for word alike, one of them says. Thread-safe. */
void ompi_glue_help(const char *topic, const char *a, const char *b, const char *c);

/* The processors to which the other processes of the job on this node are bound, for ni_open_attr;
 * to be freed. NULL: it is not known of all of them, this process is not bound, or it is alone. */
char *ompi_glue_taken_cpus(void);

/* Hosts on which the job runs, for ni_open_attr; more than one also where the runtime has slots for
 * more processes than this host has cores, because jobs may be spawned on other hosts. At least
 * 1. */
unsigned ompi_glue_hosts(void);

/* A process that Open MPI takes for a neighbour because its host has the name of this one, but
 * whose address says that it is on another, is made none, and the user told. Returns whether it was
 * one. Thread-safe for different processes. */
bool ompi_glue_correct_locality(const struct ni *ni, opal_proc_t *proc, const void *blob,
                                size_t len);

/* Whether processes that wait give their cores to others, as the processors on which those of this
 * host may run are fewer than they, or its user says so (mpi_yield_when_idle). */
bool ompi_glue_yields(void);

/* Whether processes of this job are on other hosts now. */
bool ompi_glue_several_hosts(void);

/* Register the parameter "show_links". */
void ompi_glue_register_show_links(void);

/* Which processes of this job were reached by which links: begun, filled with the peers that there
 * are, and ended, which prints it if the parameter show_links and the place of this process on its
 * host say so, the first time only. Otherwise all three do nothing. */
struct ompi_glue_map {
    bool wanted;
    struct ni_peer **peers; /* by rank */
    size_t count;
};
void ompi_glue_map_begin(struct ompi_glue_map *map);
void ompi_glue_map_add(struct ompi_glue_map *map, const opal_process_name_t *name,
                       struct ni_peer *peer);
void ompi_glue_map_end(struct ompi_glue_map *map);

/* Register the parameter "show_memory". */
void ompi_glue_register_show_memory(void);
/* Print what memory the NI (NULL: none) has, if that and the place of this process on its host say
 * so, the first time only. */
void ompi_glue_show_memory(const struct ni *ni);

/* The description given to ompi_glue_set_component. */
const struct ompi_glue_component *ompi_glue_self(void);

#endif
