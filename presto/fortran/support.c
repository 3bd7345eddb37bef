/* SPDX-License-Identifier: BSD-3-Clause */
/* What the subroutines share: see convert.h. */
#include "fortran/convert.h"

#include <stdio.h>

/* gfortran has its common blocks on lines, and more for long vectors: the linker wants no less. */
_Alignas(64) struct prf_places presto_fortran_places_;
_Alignas(64) struct prf_texts presto_fortran_texts_;

/* For C. */
static __attribute__((constructor)) void tell_places(void)
{
    presto_f_status_ignore = presto_fortran_places_.status_ignore;
    presto_f_statuses_ignore = presto_fortran_places_.statuses_ignore;
}

_Static_assert(sizeof(MPI_Fint) == 4, "INTEGER of gfortran");

void *prf_room(long count, size_t size)
{
    void *room = calloc((size_t)count, size);
    if (room == NULL) {
        fprintf(stderr, "presto: no memory for an array of %ld\n", count);
        MPI_Abort(MPI_COMM_WORLD, MPI_ERR_NO_MEM);
    }
    return room;
}

char *prf_string(const char *text, size_t length, bool front)
{
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    while (front && length > 0 && *text == ' ') {
        text++;
        length--;
    }
    char *copy = prf_room((long)length + 1, 1);
    memcpy(copy, text, length);
    return copy;
}

char **prf_strings(const char *text, size_t length, long count, long step)
{
    size_t used = 0, room = count < 0 ? 8 : (size_t)count;
    char **strings = prf_room((long)room + 1, sizeof(*strings));
    for (; count < 0 || used < (size_t)count; text += length * (size_t)step) {
        char *string = prf_string(text, length, true);
        if (count < 0 && string[0] == '\0') {
            free(string);
            break;
        }
        if (used == room) {
            char **more = prf_room(2 * (long)room + 1, sizeof(*more));
            memcpy(more, strings, used * sizeof(*more));
            free(strings);
            strings = more;
            room *= 2;
        }
        strings[used++] = string;
    }
    return strings;
}

void prf_strings_end(char **strings)
{
    for (char **string = strings; string != NULL && *string != NULL; string++) {
        free(*string);
    }
    free(strings);
}

char ***prf_argvs(const char *text, size_t length, long count)
{
    char ***lists = prf_room((count < 0 ? 0 : count) + 1, sizeof(*lists));
    for (long i = 0; i < count; i++) {
        lists[i] = prf_strings(text + (size_t)i * length, length, -1, count);
    }
    return lists;
}

void prf_argvs_end(char ***lists)
{
    for (char ***list = lists; list != NULL && *list != NULL; list++) {
        prf_strings_end(*list);
    }
    free(lists);
}

void prf_string_out(char *text, size_t length, const char *from)
{
    size_t known = strlen(from);
    memset(text, ' ', length);
    memcpy(text, from, known < length ? known : length);
}

int prf_peers(MPI_Comm comm)
{
    int inter = 0, size = 0;
    if (comm == MPI_COMM_NULL || MPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) {
        return 0;
    }
    int code = inter ? MPI_Comm_remote_size(comm, &size) : MPI_Comm_size(comm, &size);
    return code == MPI_SUCCESS ? size : 0;
}

bool prf_is_root(MPI_Comm comm, int root)
{
    int rank = -1;
    return comm != MPI_COMM_NULL && MPI_Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

/* How many neighbours send here, or are sent to. */
static void neighbors(MPI_Comm comm, int *sources, int *dests)
{
    int kind = MPI_UNDEFINED, dims = 0, rank = 0, weighted = 0;
    *sources = *dests = 0;
    if (comm == MPI_COMM_NULL || MPI_Topo_test(comm, &kind) != MPI_SUCCESS) {
        return;
    }
    if (kind == MPI_CART && MPI_Cartdim_get(comm, &dims) == MPI_SUCCESS) {
        *sources = *dests = 2 * dims;
    } else if (kind == MPI_GRAPH && MPI_Comm_rank(comm, &rank) == MPI_SUCCESS) {
        MPI_Graph_neighbors_count(comm, rank, sources);
        *dests = *sources;
    } else if (kind == MPI_DIST_GRAPH) {
        MPI_Dist_graph_neighbors_count(comm, sources, dests, &weighted);
    }
}

int prf_sources(MPI_Comm comm)
{
    int sources, dests;
    neighbors(comm, &sources, &dests);
    return sources;
}

int prf_dests(MPI_Comm comm)
{
    int sources, dests;
    neighbors(comm, &sources, &dests);
    return dests;
}
