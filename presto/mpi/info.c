/* SPDX-License-Identifier: BSD-3-Clause */
/* Infos: lists of keys and values. Presto understands no key; it keeps what it is given. */
#include "mpi/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

struct info_entry {
    struct info_entry *next;
    char *value;
    char key[MPI_MAX_INFO_KEY + 1];
};

struct pri_info {
    struct info_entry *first; /* in the order in which keys were set */
};

struct pri_info presto_info_env;

/* Where the entry of a key is linked, or would be: *place is NULL if there is none. */
static struct info_entry **find(struct pri_info *info, const char *key)
{
    struct info_entry **place = &info->first;
    while (*place != NULL && strncmp((*place)->key, key, MPI_MAX_INFO_KEY) != 0) {
        place = &(*place)->next;
    }
    return place;
}

static int set(struct pri_info *info, const char *key, const char *value)
{
    char *copy = strdup(value);
    struct info_entry **place = find(info, key);
    if (copy == NULL) {
        return MPI_ERR_NO_MEM;
    }
    if (*place == NULL) {
        struct info_entry *entry = calloc(1, sizeof(*entry));
        if (entry == NULL) {
            free(copy);
            return MPI_ERR_NO_MEM;
        }
        strncpy(entry->key, key, MPI_MAX_INFO_KEY);
        *place = entry;
    }
    free((*place)->value);
    (*place)->value = copy;
    return MPI_SUCCESS;
}

static void drop(struct info_entry **place)
{
    struct info_entry *entry = *place;
    *place = entry->next;
    free(entry->value);
    free(entry);
}

void pri_info_release(struct pri_info *info)
{
    if (info == NULL || info == MPI_INFO_ENV) {
        return;
    }
    while (info->first != NULL) {
        drop(&info->first);
    }
    free(info);
}

struct pri_info *pri_info_copy(const struct pri_info *info)
{
    struct pri_info *copy = calloc(1, sizeof(*copy));
    for (const struct info_entry *e = info == NULL ? NULL : info->first; copy != NULL && e != NULL;
         e = e->next) {
        if (set(copy, e->key, e->value) != MPI_SUCCESS) {
            pri_info_release(copy);
            return NULL;
        }
    }
    return copy;
}

/* MPI_SUCCESS, or what is wrong with a key. */
static int check_key(const struct pri_info *info, const char *key)
{
    if (info == NULL) {
        return MPI_ERR_INFO;
    }
    if (key == NULL || key[0] == '\0' || strnlen(key, MPI_MAX_INFO_KEY + 1) > MPI_MAX_INFO_KEY) {
        return MPI_ERR_INFO_KEY;
    }
    return MPI_SUCCESS;
}

int MPI_Info_create(MPI_Info *info)
{
    *info = pri_info_copy(NULL);
    return *info != NULL ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Info_create);

/* What is not known, or too long, is not there. */
static int set_known(struct pri_info *info, const char *key, const char *value)
{
    return value == NULL || *value == '\0' || strlen(value) > MPI_MAX_INFO_VAL
               ? MPI_SUCCESS
               : set(info, key, value);
}

/* The arguments in one line. */
static int set_arguments(struct pri_info *info, int argc, char *const *argv)
{
    char line[MPI_MAX_INFO_VAL + 2] = "";
    size_t used = 0;

    for (int i = 1; i < argc && used < sizeof(line); i++) {
        used +=
            (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", i > 1 ? " " : "", argv[i]);
    }
    return set_known(info, "argv", line);
}

static int set_environment(struct pri_info *info, int argc, char *const *argv)
{
    struct utsname machine;
    char folder[MPI_MAX_INFO_VAL + 1];
    int code = MPI_SUCCESS;

    if (argv != NULL && argc > 0) {
        code = set_known(info, "command", argv[0]);
        code = code == MPI_SUCCESS ? set_arguments(info, argc, argv) : code;
    }
    if (code == MPI_SUCCESS) {
        code = set_known(info, "maxprocs", getenv("PRESTO_SIZE"));
    }
    if (code == MPI_SUCCESS && uname(&machine) == 0) {
        code = set_known(info, "host", machine.nodename);
        code = code == MPI_SUCCESS ? set_known(info, "arch", machine.machine) : code;
    }
    if (code == MPI_SUCCESS && getcwd(folder, sizeof(folder)) != NULL) {
        code = set_known(info, "wdir", folder);
    }
    return code;
}

int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
    struct pri_info *made = pri_info_copy(NULL);
    int code = made == NULL ? MPI_ERR_NO_MEM : set_environment(made, argc, argv);
    if (code != MPI_SUCCESS) {
        pri_info_release(made);
        return pri_fail(NULL, __func__, code);
    }
    *info = made;
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_create_env);

int MPI_Info_dup(MPI_Info info, MPI_Info *copy)
{
    if (info == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_INFO);
    }
    *copy = pri_info_copy(info);
    return *copy != NULL ? MPI_SUCCESS : pri_fail(NULL, __func__, MPI_ERR_NO_MEM);
}
PRI_ALIAS(Info_dup);

int MPI_Info_free(MPI_Info *info)
{
    if (*info == NULL || *info == MPI_INFO_ENV) {
        return pri_fail(NULL, __func__, MPI_ERR_INFO);
    }
    pri_info_release(*info);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_free);

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
    int code = check_key(info, key);
    if (code == MPI_SUCCESS && strnlen(value, MPI_MAX_INFO_VAL + 1) > MPI_MAX_INFO_VAL) {
        code = MPI_ERR_INFO_VALUE;
    }
    if (code == MPI_SUCCESS) {
        code = set(info, key, value);
    }
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Info_set);

int MPI_Info_delete(MPI_Info info, const char *key)
{
    int code = check_key(info, key);
    if (code == MPI_SUCCESS && *find(info, key) == NULL) {
        code = MPI_ERR_INFO_NOKEY;
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    drop(find(info, key));
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_delete);

int MPI_Info_get(MPI_Info info, const char *key, int room, char *value, int *flag)
{
    int code = check_key(info, key);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const struct info_entry *entry = *find(info, key);
    *flag = entry != NULL;
    if (entry != NULL && room >= 0) {
        /* Nothing beyond the end of the text: `room` is often the size of the memory, not one
         * less. */
        size_t length = strnlen(entry->value, (size_t)room);
        memcpy(value, entry->value, length);
        value[length] = '\0';
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_get);

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag)
{
    int code = check_key(info, key);
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const struct info_entry *entry = *find(info, key);
    *flag = entry != NULL;
    if (entry != NULL) {
        *length = (int)strlen(entry->value);
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_get_valuelen);

/* *room is the size of the memory, and becomes what the text needs. */
int MPI_Info_get_string(MPI_Info info, const char *key, int *room, char *value, int *flag)
{
    int code = check_key(info, key);
    if (code == MPI_SUCCESS && (room == NULL || *room < 0)) {
        code = pri_blame(MPI_ERR_ARG, "the length of the value is negative, or NULL");
    }
    if (code != MPI_SUCCESS) {
        return pri_fail(NULL, __func__, code);
    }
    const struct info_entry *entry = *find(info, key);
    *flag = entry != NULL;
    if (entry != NULL) {
        if (*room > 0) {
            snprintf(value, (size_t)*room, "%s", entry->value);
        }
        *room = (int)strlen(entry->value) + 1;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_get_string);

int MPI_Info_get_nkeys(MPI_Info info, int *keys)
{
    if (info == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_INFO);
    }
    *keys = 0;
    for (const struct info_entry *e = info->first; e != NULL; e = e->next) {
        ++*keys;
    }
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_get_nkeys);

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
    if (info == NULL) {
        return pri_fail(NULL, __func__, MPI_ERR_INFO);
    }
    const struct info_entry *entry = info->first;
    while (entry != NULL && n-- > 0) {
        entry = entry->next;
    }
    if (entry == NULL || n < -1) {
        return pri_fail(NULL, __func__, MPI_ERR_ARG);
    }
    strcpy(key, entry->key);
    return MPI_SUCCESS;
}
PRI_ALIAS(Info_get_nthkey);
