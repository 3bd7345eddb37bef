/* SPDX-License-Identifier: BSD-3-Clause */
/* Control variables: parameters, which can be set until MPI_Init. */
#include "mpi/tool_common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "coll/state.h"

enum { STRING_MOST = 1024 };

struct presto_tool_control {
    const struct ni_param *row;
    bool coll;
};

int pri_tool_ni_controls(void)
{
    return (int)ni_param_count;
}

int pri_tool_controls(void)
{
    return (int)(ni_param_count + pri_coll_param_count);
}

static bool is_coll(int index)
{
    return index >= pri_tool_ni_controls();
}

/* NULL: there is none. */
static const struct ni_param *row_of(int index)
{
    if (index < 0 || index >= pri_tool_controls()) {
        return NULL;
    }
    return is_coll(index) ? &pri_coll_param_rows[index - pri_tool_ni_controls()]
                          : &ni_params[index];
}

void pri_tool_control_name(int index, char *name, size_t size)
{
    snprintf(name, size, "%s%s", is_coll(index) ? "presto_coll_" : "apeni_", row_of(index)->name);
}

static bool has_names(const struct ni_param *row)
{
    return row->type == NI_PARAM_ENUM || row->type == NI_PARAM_BOOL;
}

static MPI_Datatype type_of(const struct ni_param *row)
{
    return has_names(row)                 ? MPI_INT
           : row->type == NI_PARAM_STRING ? MPI_CHAR
                                          : MPI_UNSIGNED_LONG_LONG;
}

int MPI_T_cvar_get_num(int *count)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    *count = pri_tool_controls();
    return MPI_SUCCESS;
}
PRI_ALIAS(T_cvar_get_num);

int MPI_T_cvar_get_info(int index, char *name, int *length, int *verbosity, MPI_Datatype *type,
                        MPI_T_enum *values, char *help, int *help_length, int *bind, int *scope)
{
    const struct ni_param *row = row_of(index);
    char full[128];
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (row == NULL) {
        return MPI_T_ERR_INVALID_INDEX;
    }
    pri_tool_control_name(index, full, sizeof(full));
    pri_tool_text(full, name, length);
    pri_tool_text(row->help, help, help_length);
    pri_tool_int(MPI_T_VERBOSITY_TUNER_BASIC, verbosity);
    pri_tool_int(MPI_T_BIND_NO_OBJECT, bind);
    pri_tool_int(is_coll(index) ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL, scope);
    if (type != NULL) {
        *type = type_of(row);
    }
    if (values != NULL) {
        *values = has_names(row) ? (MPI_T_enum)(const void *)row : MPI_T_ENUM_NULL;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(T_cvar_get_info);

int MPI_T_cvar_get_index(const char *name, int *index)
{
    char full[128];
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    for (int i = 0; name != NULL && index != NULL && i < pri_tool_controls(); i++) {
        pri_tool_control_name(i, full, sizeof(full));
        if (strcmp(full, name) == 0) {
            *index = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_T_ERR_INVALID_NAME;
}
PRI_ALIAS(T_cvar_get_index);

int MPI_T_cvar_handle_alloc(int index, void *object, MPI_T_cvar_handle *handle, int *count)
{
    const struct ni_param *row = row_of(index);
    (void)object;
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (row == NULL) {
        return MPI_T_ERR_INVALID_INDEX;
    }
    *handle = malloc(sizeof(**handle));
    if (*handle == NULL) {
        return MPI_T_ERR_MEMORY;
    }
    **handle = (struct presto_tool_control){.row = row, .coll = is_coll(index)};
    pri_tool_int(row->type == NI_PARAM_STRING ? STRING_MOST : 1, count);
    return MPI_SUCCESS;
}
PRI_ALIAS(T_cvar_handle_alloc);

int MPI_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (handle == NULL || *handle == MPI_T_CVAR_HANDLE_NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    free(*handle);
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_cvar_handle_free);

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t value_of(const struct presto_tool_control *control)
{
    if (control->coll) {
        return pri_coll_param_value(control->row);
    }
    return *(const uint64_t *)(const void *)((const char *)ni_config_get() + control->row->offset);
}

int MPI_T_cvar_read(MPI_T_cvar_handle handle, void *value)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (handle == MPI_T_CVAR_HANDLE_NULL || value == NULL) {
        return handle == NULL ? MPI_T_ERR_INVALID_HANDLE : MPI_T_ERR_INVALID;
    }
    if (handle->row->type == NI_PARAM_STRING) {
        (void)ni_param_format(handle->row, value, STRING_MOST);
    } else if (has_names(handle->row)) {
        *(int *)value = (int)value_of(handle);
    } else {
        *(unsigned long long *)value = value_of(handle);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(T_cvar_read);

/* The value as its variable of the environment has it. False: it cannot be one. */
static bool print_value(const struct ni_param *row, const void *value, char *text, size_t size)
{
    int number;
    if (row->type == NI_PARAM_STRING) {
        if (strnlen(value, STRING_MOST) == STRING_MOST) {
            return false;
        }
        snprintf(text, size, "%s", (const char *)value);
        return true;
    }
    if (!has_names(row)) {
        snprintf(text, size, "%llu", *(const unsigned long long *)value);
        return true;
    }
    number = *(const int *)value;
    if (row->type == NI_PARAM_BOOL) {
        snprintf(text, size, "%d", number);
        return number == 0 || number == 1;
    }
    for (int i = 0; row->names[i] != NULL; i++) {
        if (i == number) {
            snprintf(text, size, "%s", row->names[i]);
            return true;
        }
    }
    return false;
}

int MPI_T_cvar_write(MPI_T_cvar_handle handle, const void *value)
{
    char text[STRING_MOST + 1], wrong[256];
    int status;
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    if (handle == MPI_T_CVAR_HANDLE_NULL) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    if (!pri_parameters_hold()) {
        return MPI_T_ERR_CVAR_SET_NOT_NOW;
    }
    if (value == NULL || !print_value(handle->row, value, text, sizeof(text))) {
        pri_parameters_release();
        return MPI_T_ERR_INVALID;
    }
    status = handle->coll ? pri_coll_param_set(handle->row, text)
                          : ni_param_set(handle->row->name, text, "MPI_T", wrong, sizeof(wrong));
    pri_parameters_release();
    return status == NI_OK ? MPI_SUCCESS : MPI_T_ERR_INVALID;
}
PRI_ALIAS(T_cvar_write);
