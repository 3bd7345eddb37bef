/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs that are under the same launcher meet. A port is a context of the rank that opens it, and
 * its name says both; the launcher keeps the names of those that are open. Who connects knocks:
 * tells its number in that context, and waits for the answer, which says that it was accepted or
 * that the port is closed; the launcher knows who has knocked, so that nobody is forgotten. Then
 * the leaders make an intercommunicator.
 */
#include "mpi/later.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the library, not of the application (see pri_later_where). */
enum { TAG_KNOCK = -3, TAG_ANSWER = -4 };

/* ---- ports ----------------------------------------------------------------------------------- */

static void name_port(const struct pri_rank *self, uint32_t context, char *name)
{
    snprintf(name, MPI_MAX_PORT_NAME, "presto-port:%d:%u", self->rank, (unsigned)context);
}

static int bad_port(const char *name)
{
    return pri_blame(MPI_ERR_PORT,
                     pri_later_text("\"%.100s\" is no port that is open: MPI_Open_port of a rank "
                                    "under the same prestorun names one",
                                    name));
}

/* Of a name that says a rank and a context. False: it does not. */
static bool read_port(const char *name, int *rank, uint32_t *context)
{
    unsigned number;
    int end = -1;
    if (sscanf(name, "presto-port:%d:%u%n", rank, &number, &end) != 2 || end < 0 ||
        name[end] != '\0') {
        return false;
    }
    *context = number;
    return true;
}

/* One of this rank. An MPI code. */
static int own_port(const struct pri_rank *self, const char *name, uint32_t *context)
{
    int rank;
    bool own = name != NULL && read_port(name, &rank, context) && rank == self->rank;
    return own ? MPI_SUCCESS : bad_port(name != NULL ? name : "");
}

/* An answer about a name, as a code; taken and none are of the given class. */
static int code_of(int rc, const struct pri_answer *answer, int code, const char *name)
{
    if (rc != 0) {
        return pri_mpi_code(rc);
    }
    switch (answer->what.status) {
    case PRI_WIRE_WELL:
        return MPI_SUCCESS;
    case PRI_WIRE_TAKEN:
        return pri_blame(code, pri_later_text("\"%.100s\" is published already", name));
    case PRI_WIRE_NONE:
        return pri_blame(code, pri_later_text("\"%.100s\" is not published", name));
    default:
        return MPI_ERR_NO_MEM;
    }
}

static int open_port(struct pri_mpi *mpi, char *name)
{
    struct pri_rank *self = mpi->self;
    struct pri_answer answer;
    uint32_t context;
    int code = pri_later_check(mpi, MPI_ERR_PORT);
    if (code != MPI_SUCCESS) {
        return code;
    }
    int rc = pri_context_take(self, &context);
    if (rc != 0) {
        return pri_mpi_code(rc);
    }
    /* Only this rank's own death would end its waiting. */
    rc = pri_context_members(self, context, &self->rank, 1);
    name_port(self, context, name);
    if (rc == 0) {
        rc = pri_name_publish(self, 'p', name, name, &answer);
    }
    code = code_of(rc, &answer, MPI_ERR_PORT, name);
    if (code != MPI_SUCCESS) {
        pri_context_give(self, context);
    }
    return code;
}

int MPI_Open_port(MPI_Info info, char *name)
{
    (void)info;
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    int code = name == NULL ? pri_no_place(name) : open_port(mpi, name);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Open_port);

/* What who knocks is told. 0 or an error of the core. */
static int answer_knock(struct pri_rank *self, int client, uint32_t context, int code)
{
    const struct pri_where to = {.peer = client, .tag = TAG_ANSWER, .context = context};
    int rc = pri_peers_know(self, &client, 1);
    return rc != 0 ? rc : pri_send(self, &code, sizeof(code), to, PRI_STANDARD);
}

/* Those whose knock has arrived are told that it is in vain. */
static void answer_all(struct pri_rank *self, uint32_t context)
{
    const struct pri_where from = {.peer = PRI_ANY_SOURCE, .tag = TAG_KNOCK, .context = context};
    bool found = true;
    int client;
    while (pri_iprobe(self, from, &found, NULL) == 0 && found) {
        if (pri_recv(self, &client, sizeof(client), from, NULL) == 0) {
            (void)answer_knock(self, client, context, MPI_ERR_PORT);
        }
    }
}

/* Those that have knocked are told, also where their knock is still on its way, and who knocks
 * later finds no name. */
static int close_port(struct pri_mpi *mpi, const char *name)
{
    struct pri_rank *self = mpi->self;
    struct pri_answer answer;
    uint32_t context = 0;
    int code = own_port(self, name, &context);
    if (code == MPI_SUCCESS) {
        int rc = pri_name_withdraw(self, 'p', name, &answer);
        code = rc == 0 && answer.what.status == PRI_WIRE_NONE
                   ? bad_port(name)
                   : code_of(rc, &answer, MPI_ERR_PORT, name);
    }
    if (code != MPI_SUCCESS) {
        return code;
    }
    while (answer.what.status == PRI_WIRE_WELL && answer.what.number > 0) {
        answer_all(self, context);
        int rc = pri_name_withdraw(self, 'p', name, &answer);
        if (rc != 0) {
            return pri_mpi_code(rc);
        }
    }
    pri_context_close(self, context);
    pri_context_give(self, context);
    return MPI_SUCCESS;
}

int MPI_Close_port(const char *name)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    pri_peers_meet(mpi->self);
    int code = close_port(mpi, name);
    pri_peers_met(mpi->self);
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Close_port);

/* ---- names ----------------------------------------------------------------------------------- */

static int check_name(const struct pri_mpi *mpi, const char *service, const char *port, int code)
{
    if (service == NULL || port == NULL) {
        return pri_blame(MPI_ERR_ARG, "the name of a service, or of a port, is NULL");
    }
    if (strlen(service) > MPI_MAX_PORT_NAME) {
        return pri_blame_value(MPI_ERR_ARG, "the length of the name of a service",
                               (long long)strlen(service), 0, MPI_MAX_PORT_NAME);
    }
    return pri_later_check(mpi, code);
}

int MPI_Publish_name(const char *service, MPI_Info info, const char *port)
{
    (void)info;
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    struct pri_answer answer;
    int code = check_name(mpi, service, port, MPI_ERR_SERVICE);
    if (code == MPI_SUCCESS && strlen(port) >= MPI_MAX_PORT_NAME) {
        code = bad_port(port);
    }
    if (code == MPI_SUCCESS) {
        code = code_of(pri_name_publish(mpi->self, 's', service, port, &answer), &answer,
                       MPI_ERR_SERVICE, service);
    }
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Publish_name);

int MPI_Unpublish_name(const char *service, MPI_Info info, const char *port)
{
    (void)info;
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    struct pri_answer answer;
    int code = check_name(mpi, service, port, MPI_ERR_SERVICE);
    if (code == MPI_SUCCESS) {
        code = code_of(pri_name_withdraw(mpi->self, 's', service, &answer), &answer,
                       MPI_ERR_SERVICE, service);
    }
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Unpublish_name);

int MPI_Lookup_name(const char *service, MPI_Info info, char *port)
{
    (void)info;
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    struct pri_answer answer;
    int code = check_name(mpi, service, port, MPI_ERR_NAME);
    if (code == MPI_SUCCESS) {
        code = code_of(pri_name_look_up(mpi->self, 's', service, &answer), &answer, MPI_ERR_NAME,
                       service);
    }
    if (code == MPI_SUCCESS) {
        answer.bytes[MPI_MAX_PORT_NAME - 1] = '\0';
        strcpy(port, answer.bytes);
    }
    return code == MPI_SUCCESS ? code : pri_fail(NULL, __func__, code);
}
PRI_ALIAS(Lookup_name);

/* ---- accept, connect ------------------------------------------------------------------------- */

/* What a root finds out for all. */
struct meeting {
    int code, peer;
    uint32_t context;
};

static void accept_one(struct pri_mpi *mpi, const char *port, struct meeting *meeting)
{
    struct pri_rank *self = mpi->self;
    struct pri_answer answer;
    meeting->code = pri_later_check(mpi, MPI_ERR_PORT);
    if (meeting->code == MPI_SUCCESS) {
        meeting->code = own_port(self, port, &meeting->context);
    }
    /* In the context of one that is closed nobody knocks, and another communicator may have it. */
    if (meeting->code == MPI_SUCCESS) {
        int rc = pri_name_look_up(self, 'p', port, &answer);
        meeting->code = rc == 0 && answer.what.status == PRI_WIRE_NONE
                            ? bad_port(port)
                            : code_of(rc, &answer, MPI_ERR_PORT, port);
    }
    /* Who has knocked and died since is passed over. */
    for (int rc = PRI_ERR_PEER; meeting->code == MPI_SUCCESS && rc == PRI_ERR_PEER;) {
        const struct pri_where from = {
            .peer = PRI_ANY_SOURCE, .tag = TAG_KNOCK, .context = meeting->context};
        rc = pri_recv(self, &meeting->peer, sizeof(meeting->peer), from, NULL);
        if (rc != 0) {
            meeting->code = pri_mpi_code(rc);
            return;
        }
        rc = answer_knock(self, meeting->peer, meeting->context, MPI_SUCCESS);
        if (rc != PRI_ERR_PEER) {
            meeting->code = pri_mpi_code(rc);
        }
    }
}

/* The owner of the port is told, and says whether it accepts. */
static void knock(struct pri_rank *self, const char *port, struct meeting *meeting)
{
    struct pri_where where = {.peer = meeting->peer, .tag = TAG_KNOCK, .context = meeting->context};
    int rc = pri_peers_know(self, &meeting->peer, 1);
    if (rc == 0) {
        rc = pri_send(self, &self->rank, sizeof(self->rank), where, PRI_STANDARD);
    }
    where.tag = TAG_ANSWER;
    if (rc == 0) {
        rc = pri_recv(self, &meeting->code, sizeof(meeting->code), where, NULL);
    }
    if (rc == PRI_ERR_PEER || (rc == 0 && meeting->code != MPI_SUCCESS)) {
        meeting->code = bad_port(port);
    } else if (rc != 0) {
        meeting->code = pri_mpi_code(rc);
    }
}

static void connect_one(struct pri_mpi *mpi, const char *port, struct meeting *meeting)
{
    struct pri_rank *self = mpi->self;
    struct pri_answer answer;
    meeting->code = pri_later_check(mpi, MPI_ERR_PORT);
    if (meeting->code != MPI_SUCCESS) {
        return;
    }
    if (port == NULL || !read_port(port, &meeting->peer, &meeting->context)) {
        meeting->code = bad_port(port != NULL ? port : "");
        return;
    }
    if (meeting->peer == self->rank) {
        meeting->code = bad_port(port);
        return;
    }
    int rc = pri_name_knock(self, 'p', port, &answer);
    if (rc != 0 || answer.what.status != PRI_WIRE_WELL) {
        meeting->code = rc != 0                                    ? pri_mpi_code(rc)
                        : answer.what.status == PRI_WIRE_NO_MEMORY ? MPI_ERR_NO_MEM
                                                                   : bad_port(port);
        return;
    }
    knock(self, port, meeting);
    rc = pri_name_answered(self, 'p', port);
    if (rc != 0 && meeting->code == MPI_SUCCESS) {
        meeting->code = pri_mpi_code(rc);
    }
}

static int meet(const char *function, const char *port, int root, MPI_Comm handle, MPI_Comm *out,
                void (*find)(struct pri_mpi *mpi, const char *port, struct meeting *meeting))
{
    struct pri_comm *comm = pri_intra_of(handle);
    struct meeting meeting = {.code = MPI_SUCCESS};
    if (comm == NULL || out == NULL) {
        return pri_fail(comm, function, comm == NULL ? MPI_ERR_COMM : pri_no_place(out));
    }
    *out = MPI_COMM_NULL;
    if (root < 0 || root >= comm->team.size) {
        return pri_fail(comm, function,
                        pri_blame_value(MPI_ERR_ROOT, "the root", root, 0, comm->team.size - 1));
    }
    struct pri_where where = {0};
    bool met = false;
    pri_peers_meet(comm->mpi->self);
    if (comm->team.rank == root) {
        find(comm->mpi, port, &meeting);
        met = meeting.code == MPI_SUCCESS;
        where = pri_later_where(meeting.peer, meeting.context);
    }
    int rc = pri_later_tell(comm, root, &meeting.code, sizeof(meeting.code), met ? &where : NULL);
    if (rc == 0 && meeting.code == MPI_SUCCESS) {
        rc = pri_inter_create(comm, root, where, out);
    }
    pri_peers_met(comm->mpi->self);
    return meeting.code != MPI_SUCCESS && rc == 0 ? pri_fail(comm, function, meeting.code)
                                                  : pri_result(comm, function, rc);
}

int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *out)
{
    (void)info;
    return meet(__func__, port, root, comm, out, accept_one);
}
PRI_ALIAS(Comm_accept);

int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *out)
{
    (void)info;
    return meet(__func__, port, root, comm, out, connect_one);
}
PRI_ALIAS(Comm_connect);
