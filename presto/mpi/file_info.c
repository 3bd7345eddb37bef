/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints: infos of files. Keys that others know by the same names; a value that is none changes
 * nothing, and MPI_File_get_info tells which holds. */
#include "mpi/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const choice_name[] = {
    [PRI_IO_AUTOMATIC] = "automatic", [PRI_IO_ENABLE] = "enable", [PRI_IO_DISABLE] = "disable"};

/* The value of a key, "" if there is none. */
static const char *value_of(struct pri_info *info, const char *key,
                            char value[MPI_MAX_INFO_VAL + 1])
{
    int there = 0;
    value[0] = '\0';
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &there);
    return there ? value : "";
}

static void number(struct pri_info *info, const char *key, long low, long high, long *to)
{
    char value[MPI_MAX_INFO_VAL + 1], *end;
    const char *text = value_of(info, key, value);
    long read = strtol(text, &end, 10);
    if (end != text && *end == '\0' && read >= low && read <= high) {
        *to = read;
    }
}

static void choice(struct pri_info *info, const char *key, uint8_t *to)
{
    char value[MPI_MAX_INFO_VAL + 1];
    const char *text = value_of(info, key, value);
    for (uint8_t i = 0; i <= PRI_IO_DISABLE; i++) {
        if (strcmp(text, choice_name[i]) == 0) {
            *to = i;
        }
    }
}

void pri_file_hints(struct pri_info *info, int size, struct pri_io_hints *hints)
{
    char value[MPI_MAX_INFO_VAL + 1];
    if (info == NULL || info == MPI_INFO_ENV) {
        return;
    }
    long nodes = hints->cb_nodes, buffer = (long)hints->cb_buffer_size;
    long read = (long)hints->read_buffer;
    number(info, "cb_nodes", 1, INT_MAX, &nodes);
    number(info, "cb_buffer_size", 4096, 1 << 30, &buffer);
    number(info, "ind_rd_buffer_size", 4096, 1 << 30, &read);
    hints->cb_nodes = nodes < size ? (int)nodes : size;
    hints->cb_buffer_size = (size_t)buffer;
    hints->read_buffer = (size_t)read;
    if (strcmp(value_of(info, "collective_buffering", value), "false") == 0) {
        hints->cb_read = hints->cb_write = PRI_IO_DISABLE;
    }
    choice(info, "romio_cb_read", &hints->cb_read);
    choice(info, "romio_cb_write", &hints->cb_write);
    choice(info, "romio_ds_read", &hints->ds_read);
}

int MPI_File_set_info(MPI_File file, MPI_Info info)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    struct pri_io_hints hints = file->io.hints;
    pri_file_hints(info, file->comm->team.size, &hints);
    int error = pri_coll_bcast(&file->comm->team, &hints, sizeof(hints), MPI_BYTE, 0, NULL);
    if (error == 0) {
        file->io.hints = hints;
    }
    return pri_file_result(file, __func__, error);
}
PRI_ALIAS(File_set_info);

static int tell_number(MPI_Info info, const char *key, size_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%zu", value);
    return MPI_Info_set(info, key, text);
}

int MPI_File_get_info(MPI_File file, MPI_Info *made)
{
    if (!pri_file_ok(file)) {
        return pri_file_fail(file, __func__, MPI_ERR_FILE);
    }
    const struct pri_io_hints *hints = &file->io.hints;
    struct pri_info *info = pri_info_copy(NULL);
    if (info == NULL) {
        return pri_file_fail(file, __func__, MPI_ERR_NO_MEM);
    }
    int code = tell_number(info, "cb_nodes", (size_t)hints->cb_nodes);
    code = code != MPI_SUCCESS ? code : tell_number(info, "cb_buffer_size", hints->cb_buffer_size);
    code = code != MPI_SUCCESS ? code : tell_number(info, "ind_rd_buffer_size", hints->read_buffer);
    const struct {
        const char *key;
        uint8_t choice;
    } row[] = {{"romio_cb_read", hints->cb_read},
               {"romio_cb_write", hints->cb_write},
               {"romio_ds_read", hints->ds_read},
               {"romio_ds_write", PRI_IO_DISABLE}};
    for (size_t i = 0; code == MPI_SUCCESS && i < sizeof(row) / sizeof(row[0]); i++) {
        code = MPI_Info_set(info, row[i].key, choice_name[row[i].choice]);
    }
    if (code != MPI_SUCCESS) {
        pri_info_release(info);
        return pri_file_fail(file, __func__, code);
    }
    *made = info;
    return MPI_SUCCESS;
}
PRI_ALIAS(File_get_info);
