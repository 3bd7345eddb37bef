/* SPDX-License-Identifier: BSD-3-Clause */
/* Categories of variables: what is Presto's, and in it the network interface and the collective
 * operations. They never change. */
#include "mpi/tool_common.h"

#include <string.h>

enum { PRESTO, APENI, COLL, CATEGORIES };

/* Variables have numbers from `first` on, and so have categories. */
struct range {
    int first, count;
};

static const struct {
    const char *name, *help;
} words[CATEGORIES] = {
    [PRESTO] = {"presto", "Presto, and the network interface below it."},
    [APENI] = {"apeni", "The network interface: its parameters and its statistics."},
    [COLL] = {"presto_coll", "Thresholds between the algorithms of collective operations."},
};

static struct range cvars_of(int category)
{
    const int ours = pri_tool_ni_controls();
    return category == APENI  ? (struct range){0, ours}
           : category == COLL ? (struct range){ours, pri_tool_controls() - ours}
                              : (struct range){0, 0};
}

static struct range pvars_of(int category)
{
    return (struct range){0, category == APENI ? pri_tool_variables() : 0};
}

static struct range categories_of(int category)
{
    return (struct range){APENI, category == PRESTO ? CATEGORIES - APENI : 0};
}

static int check(int index)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    return index < 0 || index >= CATEGORIES ? MPI_T_ERR_INVALID_INDEX : MPI_SUCCESS;
}

int MPI_T_category_get_num(int *count)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    *count = CATEGORIES;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_category_get_num);

int MPI_T_category_get_info(int index, char *name, int *length, char *help, int *help_length,
                            int *cvars, int *pvars, int *categories)
{
    int code = check(index);
    if (code != MPI_SUCCESS) {
        return code;
    }
    pri_tool_text(words[index].name, name, length);
    pri_tool_text(words[index].help, help, help_length);
    pri_tool_int(cvars_of(index).count, cvars);
    pri_tool_int(pvars_of(index).count, pvars);
    pri_tool_int(categories_of(index).count, categories);
    return MPI_SUCCESS;
}
PRI_ALIAS(T_category_get_info);

int MPI_T_category_get_index(const char *name, int *index)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    for (int i = 0; name != NULL && index != NULL && i < CATEGORIES; i++) {
        if (strcmp(words[i].name, name) == 0) {
            *index = i;
            return MPI_SUCCESS;
        }
    }
    return MPI_T_ERR_INVALID_NAME;
}
PRI_ALIAS(T_category_get_index);

static int list(int index, struct range (*range_of)(int category), int room, int indices[])
{
    int code = check(index);
    if (code != MPI_SUCCESS) {
        return code;
    }
    struct range range = range_of(index);
    for (int i = 0; i < range.count && i < room; i++) {
        indices[i] = range.first + i;
    }
    return MPI_SUCCESS;
}

int MPI_T_category_get_cvars(int index, int room, int indices[])
{
    return list(index, cvars_of, room, indices);
}
PRI_ALIAS(T_category_get_cvars);

int MPI_T_category_get_pvars(int index, int room, int indices[])
{
    return list(index, pvars_of, room, indices);
}
PRI_ALIAS(T_category_get_pvars);

int MPI_T_category_get_categories(int index, int room, int indices[])
{
    return list(index, categories_of, room, indices);
}
PRI_ALIAS(T_category_get_categories);

int MPI_T_category_changed(int *stamp)
{
    if (!pri_tool_ready()) {
        return MPI_T_ERR_NOT_INITIALIZED;
    }
    *stamp = 1;
    return MPI_SUCCESS;
}
PRI_ALIAS(T_category_changed);
