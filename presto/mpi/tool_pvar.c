/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance variables: statistics of the network interface. They count all the time, and nobody
 * can write them. Before MPI_Init and after MPI_Finalize they are 0. */
#include "mpi/tool_common.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <apeni/stats.h>

struct presto_tool_variable {
    struct presto_tool_session *session;
    struct presto_tool_variable *next;
    size_t index;
};

struct presto_tool_session {
    struct presto_tool_variable *handles;
};

/* Over the lists of all sessions. */
static pthread_mutex_t lists = PTHREAD_MUTEX_INITIALIZER;

int pri_tool_variables(void)
{
    return (int)ni_stat_count;
}

static int class_of(const struct ni_stat_info *info)
{
    return info->kind == NI_STAT_COUNT   ? MPI_T_PVAR_CLASS_COUNTER
           : info->kind == NI_STAT_LEVEL ? MPI_T_PVAR_CLASS_LEVEL
                                         : MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

int MPI_T_pvar_get_num(int *count)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    *count = pri_tool_variables();
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_get_num);

int MPI_T_pvar_get_info(int index, char *name, int *length, int *verbosity, int *var_class,
                        MPI_Datatype *type, MPI_T_enum *values, char *help, int *help_length,
                        int *bind, int *readonly, int *continuous, int *atomic)
{
    char full[128];
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (index < 0 || index >= pri_tool_variables()) {
        return MPI_T_ERR_INVALID_INDEX;
    }
    const struct ni_stat_info *info = &ni_stat_infos[index];
    snprintf(full, sizeof(full), "apeni_%s", info->name);
    pri_tool_text(full, name, length);
    pri_tool_text(info->help, help, help_length);
    pri_tool_int(MPI_T_VERBOSITY_TUNER_DETAIL, verbosity);
    pri_tool_int(class_of(info), var_class);
    pri_tool_int(MPI_T_BIND_NO_OBJECT, bind);
    pri_tool_int(1, readonly);
    pri_tool_int(1, continuous);
    pri_tool_int(0, atomic);
    if (type != NULL) {
        *type = MPI_UNSIGNED_LONG_LONG;
    }
    if (values != NULL) {
        *values = MPI_T_ENUM_NULL;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_get_info);

int MPI_T_pvar_get_index(const char *name, int var_class, int *index)
{
    static const char prefix[] = "apeni_";
    size_t found = ni_stat_count;
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (name != NULL && strncmp(name, prefix, sizeof(prefix) - 1) == 0) {
        found = ni_stat_find(name + sizeof(prefix) - 1);
    }
    if (found == ni_stat_count || class_of(&ni_stat_infos[found]) != var_class) {
        return MPI_T_ERR_INVALID_NAME;
    }
    *index = (int)found;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_get_index);

/* ---- sessions -------------------------------------------------------------------------------- */

int MPI_T_pvar_session_create(MPI_T_pvar_session *session)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    *session = calloc(1, sizeof(**session));
    return *session != NULL ? MPI_SUCCESS : MPI_T_ERR_MEMORY;
}
PRI_ALIAS(T_pvar_session_create);

int MPI_T_pvar_session_free(MPI_T_pvar_session *session)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (session == NULL || *session == MPI_T_PVAR_SESSION_NULL) {
        return MPI_T_ERR_INVALID_SESSION;
    }
    while ((*session)->handles != NULL) {
        struct presto_tool_variable *handle = (*session)->handles;
        (*session)->handles = handle->next;
        free(handle);
    }
    free(*session);
    *session = MPI_T_PVAR_SESSION_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_session_free);

int MPI_T_pvar_handle_alloc(MPI_T_pvar_session session, int index, void *object,
                            MPI_T_pvar_handle *handle, int *count)
{
    (void)object;
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (session == MPI_T_PVAR_SESSION_NULL) {
        return MPI_T_ERR_INVALID_SESSION;
    }
    if (index < 0 || index >= pri_tool_variables()) {
        return MPI_T_ERR_INVALID_INDEX;
    }
    struct presto_tool_variable *made = malloc(sizeof(*made));
    if (made == NULL) {
        return MPI_T_ERR_MEMORY;
    }
    *made = (struct presto_tool_variable){.session = session, .index = (size_t)index};
    pthread_mutex_lock(&lists);
    made->next = session->handles;
    session->handles = made;
    pthread_mutex_unlock(&lists);
    *handle = made;
    pri_tool_int(1, count);
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_handle_alloc);

/* What is wrong with a handle of a session. */
static int check(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (session == MPI_T_PVAR_SESSION_NULL) {
        return MPI_T_ERR_INVALID_SESSION;
    }
    return handle == MPI_T_PVAR_HANDLE_NULL || handle == MPI_T_PVAR_ALL_HANDLES ||
                   handle->session != session
               ? MPI_T_ERR_INVALID_HANDLE
               : MPI_SUCCESS;
}

/* Of what none of these variables can do: all that can do it, which are none, have done it. */
static int refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int code)
{
    if (pri_tool_ready() && session != MPI_T_PVAR_SESSION_NULL &&
        handle == MPI_T_PVAR_ALL_HANDLES) {
        return MPI_SUCCESS;
    }
    int wrong = check(session, handle);
    return wrong == MPI_SUCCESS ? code : wrong;
}

int MPI_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
    int code = check(session, handle == NULL ? NULL : *handle);
    if (code != MPI_SUCCESS) {
        return code;
    }
    pthread_mutex_lock(&lists);
    struct presto_tool_variable **place = &session->handles;
    while (*place != *handle) {
        place = &(*place)->next;
    }
    *place = (*handle)->next;
    pthread_mutex_unlock(&lists);
    free(*handle);
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_pvar_handle_free);

/* ---- values ---------------------------------------------------------------------------------- */

int MPI_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}
PRI_ALIAS(T_pvar_start);

int MPI_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}
PRI_ALIAS(T_pvar_stop);

int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *value)
{
    int code = check(session, handle);
    if (code == MPI_SUCCESS) {
        const struct pri_rank *self = pri_self();
        *(unsigned long long *)value = self != NULL ? pri_stat(self, handle->index) : 0;
    }
    return code;
}
PRI_ALIAS(T_pvar_read);

int MPI_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *value)
{
    (void)value;
    int code = check(session, handle);
    return code == MPI_SUCCESS ? MPI_T_ERR_PVAR_NO_WRITE : code;
}
PRI_ALIAS(T_pvar_write);

int MPI_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
    return refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}
PRI_ALIAS(T_pvar_reset);

int MPI_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *value)
{
    (void)value;
    int code = check(session, handle);
    return code == MPI_SUCCESS ? MPI_T_ERR_PVAR_NO_ATOMIC : code;
}
PRI_ALIAS(T_pvar_readreset);
