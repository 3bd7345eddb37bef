/* SPDX-License-Identifier: BSD-3-Clause */
/* The tool interface: its begin and end, and values that have names. */
#include "mpi/tool_common.h"

#include <string.h>

static atomic_int users;

int MPI_T_init_thread(int required, int *provided)
{
    if (provided == NULL || required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
        return MPI_T_ERR_INVALID;
    }
    atomic_fetch_add_explicit(&users, 1, memory_order_relaxed);
    *provided = MPI_THREAD_MULTIPLE;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_init_thread);

int MPI_T_finalize(void)
{
    int now = atomic_load_explicit(&users, memory_order_relaxed);
    do {
        if (now == 0) {
            return MPI_T_ERR_NOT_INITIALIZED;
        }
    } while (!atomic_compare_exchange_weak_explicit(&users, &now, now - 1, memory_order_relaxed,
                                                    memory_order_relaxed));
    return MPI_SUCCESS;
}
PRI_ALIAS(T_finalize);

bool pri_tool_ready(void)
{
    return atomic_load_explicit(&users, memory_order_relaxed) > 0;
}

void pri_tool_text(const char *text, char *to, int *length)
{
    if (length == NULL) {
        return;
    }
    if (to != NULL && *length > 0) {
        size_t room = (size_t)*length - 1, n = strlen(text);
        n = n < room ? n : room;
        memcpy(to, text, n);
        to[n] = '\0';
    }
    *length = (int)strlen(text) + 1;
}

/* ---- enumerations ---------------------------------------------------------------------------- */

/* An enumeration is the parameter whose values it has; of one that is on or off there are two. */
static const struct ni_param *row_of(MPI_T_enum values)
{
    return (const struct ni_param *)(const void *)values;
}

static const char *const *names_of(const struct ni_param *row)
{
    static const char *const off_on[] = {"off", "on", NULL};
    return row->type == NI_PARAM_BOOL ? off_on : row->names;
}

static int count_of(const struct ni_param *row)
{
    int count = 0;
    while (names_of(row)[count] != NULL) {
        count++;
    }
    return count;
}

int MPI_T_enum_get_info(MPI_T_enum values, int *count, char *name, int *length)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (values == MPI_T_ENUM_NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    pri_tool_int(count_of(row_of(values)), count);
    pri_tool_text(row_of(values)->name, name, length);
    return MPI_SUCCESS;
}
PRI_ALIAS(T_enum_get_info);

int MPI_T_enum_get_item(MPI_T_enum values, int index, int *value, char *name, int *length)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (values == MPI_T_ENUM_NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    if (index < 0 || index >= count_of(row_of(values))) {
        return MPI_T_ERR_INVALID_ITEM;
    }
    pri_tool_int(index, value);
    pri_tool_text(names_of(row_of(values))[index], name, length);
    return MPI_SUCCESS;
}
PRI_ALIAS(T_enum_get_item);
