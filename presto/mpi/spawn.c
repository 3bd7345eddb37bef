/* SPDX-License-Identifier: BSD-3-Clause */
/* More ranks: the root has the launcher start them, and both sides make an intercommunicator. The
 * new ranks do so in MPI_Init, led by their first one. */
#include "mpi/later.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what is shared -------------------------------------------------------------------------- */

const char *pri_later_text(const char *format, ...)
{
    static _Thread_local char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    return text;
}

int pri_later_tell(struct pri_comm *comm, int root, void *found, size_t size,
                   const struct pri_where *where)
{
    int rc = pri_inter_agree(comm, pri_coll_bcast(&comm->team, found, size, MPI_BYTE, root, NULL));
    if (rc != 0 && where != NULL) {
        pri_inter_refuse(comm, *where, rc);
    }
    return rc;
}

int pri_later_check(const struct pri_mpi *mpi, int code)
{
    const char *lacks = pri_later_lacks(mpi->self);
    return lacks == NULL ? MPI_SUCCESS : pri_blame(code, lacks);
}

/* ---- the new ranks --------------------------------------------------------------------------- */

int pri_parent_begin(struct pri_mpi *mpi)
{
    struct pri_rank *self = mpi->self;
    pri_peers_meet(self);
    int rc = pri_peers_know(self, &self->parent, 1);
    if (rc == 0) {
        rc = pri_inter_create(mpi->world, 0, pri_later_where(self->parent, pri_context_world(self)),
                              &mpi->parent);
    }
    pri_peers_met(self);
    if (rc == 0) {
        strcpy(mpi->parent->name, "MPI_COMM_PARENT");
    }
    return rc;
}

int MPI_Comm_get_parent(MPI_Comm *parent)
{
    *parent = pri_mpi_need(__func__)->parent;
    return MPI_SUCCESS;
}
PRI_ALIAS(Comm_get_parent);

/* ---- what is asked for ----------------------------------------------------------------------- */

/* Of MPI_Comm_spawn_multiple; of MPI_Comm_spawn it has one command. */
struct order {
    int count;
    char **programs, ***arguments;
    const int *ranks;
    const MPI_Info *infos;
};

/* What becomes of it, for all. */
struct outcome {
    int code, first, total;
};

/* A value of an info, allocated; NULL: it has none. */
static char *value_of(MPI_Info info, const char *key)
{
    char *value = NULL;
    int length, flag = 0;
    if (info != MPI_INFO_NULL) {
        MPI_Info_get_valuelen(info, key, &length, &flag);
    }
    if (flag && (value = malloc((size_t)length + 1)) != NULL) {
        MPI_Info_get(info, key, length, value, &flag);
    }
    return value;
}

static bool is_here(const char *host)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    size_t length;
    gethostname(name, sizeof(name) - 1);
    length = strcspn(name, ".");
    return strcmp(host, "localhost") == 0 || strcmp(host, name) == 0 ||
           (strlen(host) == length && strncmp(host, name, length) == 0);
}

/* The info's host has to be this one. */
static int check_host(MPI_Info info)
{
    char *host = value_of(info, "host");
    int code = MPI_SUCCESS;
    if (host != NULL && !is_here(host)) {
        code =
            pri_blame(MPI_ERR_SPAWN,
                      pri_later_text("host %.100s is not this one, and ranks that come later are "
                                     "where the others are: leave the key out",
                                     host));
    }
    free(host);
    return code;
}

/* The whole path of a program that is named without a folder, in one of those of the info's path;
 * allocated. NULL: it is not there, and looked for as a shell does. */
static char *find_program(MPI_Info info, const char *program)
{
    char *path = value_of(info, "path"), *rest = path, *folder, *file = NULL;
    while (path != NULL && file == NULL && strchr(program, '/') == NULL &&
           (folder = strsep(&rest, ":")) != NULL) {
        char *name = NULL;
        if (asprintf(&name, "%s/%s", folder, program) < 0) {
            break;
        }
        file = access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
        free(name);
    }
    free(path);
    return file;
}

/* Where ranks begin: as the root is now, or in the info's wdir, from there; allocated. */
static char *folder_of(MPI_Info info)
{
    char *here = getcwd(NULL, 0), *wanted = value_of(info, "wdir"), *folder = NULL;
    if (wanted == NULL || here == NULL || wanted[0] == '/') {
        folder = strdup(wanted != NULL ? wanted : here != NULL ? here : ".");
    } else if (asprintf(&folder, "%s/%s", here, wanted) < 0) {
        folder = NULL;
    }
    free(here);
    free(wanted);
    return folder;
}

/* How many error codes there are. */
static int count_ranks(const struct order *order, int *total)
{
    *total = 0;
    if (order->count < 1 || order->programs == NULL || order->ranks == NULL) {
        return pri_blame_value(MPI_ERR_ARG, "the count of commands", order->count, 1, INT32_MAX);
    }
    for (int i = 0; i < order->count; i++) {
        if (order->ranks[i] < 0 || order->ranks[i] > INT32_MAX - *total) {
            return pri_blame_value(MPI_ERR_ARG, "the count of ranks", order->ranks[i], 0,
                                   INT32_MAX);
        }
        *total += order->ranks[i];
    }
    return *total > 0 ? MPI_SUCCESS
                      : pri_blame_value(MPI_ERR_ARG, "the count of ranks", 0, 1, INT32_MAX);
}

static int check_order(const struct order *order)
{
    for (int i = 0; i < order->count; i++) {
        MPI_Info info = order->infos != NULL ? order->infos[i] : MPI_INFO_NULL;
        int code = check_host(info);
        if (code != MPI_SUCCESS) {
            return code;
        }
        if (order->programs[i] == NULL || order->programs[i][0] == '\0') {
            return pri_blame(MPI_ERR_ARG, "a command has no name");
        }
    }
    return MPI_SUCCESS;
}

static const char *name_of(const struct order *order, int number)
{
    return number >= 0 && number < order->count ? order->programs[number] : "it";
}

static int blame_end(const char *program, int status)
{
    bool killed = WIFSIGNALED(status);
    return pri_blame(MPI_ERR_SPAWN,
                     pri_later_text("%.200s %s %d before it called MPI_Init: see what it says, or "
                                    "start it by itself",
                                    program, killed ? "was ended by signal" : "ended with code",
                                    killed ? WTERMSIG(status) : WEXITSTATUS(status)));
}

/* What the launcher says, as a code. */
static int code_of(const struct pri_answer *answer, const struct order *order)
{
    const struct pri_wire_answer *what = &answer->what;
    switch (what->status) {
    case PRI_WIRE_WELL:
        return MPI_SUCCESS;
    case PRI_WIRE_LIMIT:
        return pri_blame(
            MPI_ERR_SPAWN,
            pri_later_text(
                "%d more ranks can be started now, for of the %d numbers that ranks of a "
                "prestorun may have the others are in use: start fewer, or have "
                "MPI_Comm_disconnect called for those that have ended",
                (int)what->number, (int)what->reason));
    case PRI_WIRE_FAILED:
        return pri_blame(
            MPI_ERR_SPAWN,
            pri_later_text("%.200s cannot be started: %s (info wdir and path say where "
                           "it begins and is looked for)",
                           name_of(order, what->number), strerror(what->reason)));
    case PRI_WIRE_ENDED:
        return blame_end(name_of(order, what->number), what->reason);
    default:
        return MPI_ERR_NO_MEM;
    }
}

static void free_commands(struct pri_command *commands, int count)
{
    for (int i = 0; commands != NULL && i < count; i++) {
        free((char *)commands[i].folder);
        free((char *)commands[i].program);
    }
    free(commands);
}

/* Commands without ranks are left out, and keep their numbers. */
static struct pri_command *commands_of(const struct order *order, int *count)
{
    struct pri_command *commands = calloc((size_t)order->count, sizeof(*commands));
    bool well = commands != NULL;
    *count = 0;
    for (int i = 0; well && i < order->count; i++) {
        MPI_Info info = order->infos != NULL ? order->infos[i] : MPI_INFO_NULL;
        struct pri_command *command = &commands[*count];
        if (order->ranks[i] == 0) {
            continue;
        }
        *command = (struct pri_command){
            .number = i,
            .ranks = order->ranks[i],
            .folder = folder_of(info),
            .program = find_program(info, order->programs[i]),
            .arguments = order->arguments != NULL ? order->arguments[i] : NULL,
        };
        ++*count;
        if (command->program == NULL) {
            command->program = strdup(order->programs[i]);
        }
        well = command->folder != NULL && command->program != NULL;
    }
    if (!well) {
        free_commands(commands, *count);
        return NULL;
    }
    return commands;
}

/* The root's part: has them started. */
static void start(struct pri_comm *comm, const struct order *order, struct outcome *outcome)
{
    struct pri_rank *self = comm->mpi->self;
    struct pri_answer answer;
    int count;
    outcome->code = count_ranks(order, &outcome->total);
    if (outcome->code == MPI_SUCCESS) {
        outcome->code = check_order(order);
    }
    if (outcome->code == MPI_SUCCESS) {
        outcome->code = pri_later_check(comm->mpi, MPI_ERR_SPAWN);
    }
    if (outcome->code != MPI_SUCCESS) {
        return;
    }
    struct pri_command *commands = commands_of(order, &count);
    int rc = commands == NULL ? PRI_ERR_NOMEM : pri_spawn(self, commands, count, &answer);
    free_commands(commands, count);
    outcome->code = rc != 0 ? pri_mpi_code(rc) : code_of(&answer, order);
    if (outcome->code == MPI_SUCCESS) {
        outcome->first = answer.what.number;
        outcome->code = pri_mpi_code(pri_peers_know(self, &outcome->first, 1));
    }
}

/* ---- the functions --------------------------------------------------------------------------- */

/* Where the new ranks' leader is met. */
static struct pri_where where_of(const struct outcome *outcome)
{
    return pri_later_where(outcome->first, (uint32_t)outcome->first << PRI_CONTEXT_RANK_SHIFT);
}

static int spawn_with(const char *function, const struct order *order, int root,
                      struct pri_comm *comm, MPI_Comm *intercomm, int *codes)
{
    struct outcome outcome = {.code = MPI_SUCCESS};
    struct pri_where where = {0};
    bool met = false;
    if (comm->team.rank == root) {
        start(comm, order, &outcome);
        met = outcome.code == MPI_SUCCESS;
        where = where_of(&outcome);
    }
    int rc = pri_later_tell(comm, root, &outcome, sizeof(outcome), met ? &where : NULL);
    if (rc != 0) {
        return pri_result(comm, function, rc);
    }
    for (int i = 0; codes != MPI_ERRCODES_IGNORE && i < outcome.total; i++) {
        codes[i] = outcome.code;
    }
    if (outcome.code != MPI_SUCCESS) {
        return pri_fail(comm, function, outcome.code);
    }
    return pri_result(comm, function, pri_inter_create(comm, root, where_of(&outcome), intercomm));
}

static int spawn(const char *function, const struct order *order, int root, MPI_Comm handle,
                 MPI_Comm *intercomm, int *codes)
{
    struct pri_comm *comm = pri_intra_of(handle);
    if (comm == NULL || intercomm == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(intercomm));
    }
    *intercomm = MPI_COMM_NULL;
    if (root < 0 || root >= comm->team.size) {
        return pri_fail(comm, function,
                        pri_blame_value(MPI_ERR_ROOT, "the root", root, 0, comm->team.size - 1));
    }
    pri_peers_meet(comm->mpi->self);
    int code = spawn_with(function, order, root, comm, intercomm, codes);
    pri_peers_met(comm->mpi->self);
    return code;
}

int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm *intercomm, int codes[])
{
    char *program = (char *)command;
    const struct order order = {
        .count = 1, .programs = &program, .arguments = &argv, .ranks = &maxprocs, .infos = &info};
    return spawn(__func__, &order, root, comm, intercomm, codes);
}
PRI_ALIAS(Comm_spawn);

int MPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[],
                            const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *intercomm,
                            int codes[])
{
    const struct order order = {.count = count,
                                .programs = commands,
                                .arguments = argvs,
                                .ranks = maxprocs,
                                .infos = infos};
    return spawn(__func__, &order, root, comm, intercomm, codes);
}
PRI_ALIAS(Comm_spawn_multiple);
