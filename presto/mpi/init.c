/* SPDX-License-Identifier: BSD-3-Clause */
/* Start and end. */
#include "mpi/file.h"
#include "mpi/later.h"
#include "mpi/request.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void free_state(struct pri_mpi *mpi)
{
    pri_keyvals_free(mpi);
    pri_errors_free(mpi);
    pri_errhandler_release(mpi->file_errhandler);
    pri_datareps_free(mpi);
    pri_type_names_free(mpi);
    pri_numbers_free(mpi);
    pri_requests_free(mpi);
    pthread_mutex_destroy(&mpi->lock);
    free(mpi);
}

/* A communicator that exists from the start: of `size` ranks, the first of which is `first`. */
static struct pri_comm *first_comm(struct pri_mpi *mpi, int first, int size, const char *name,
                                   struct pri_comm *mark)
{
    struct pri_group *group = pri_group_new(size);
    if (group == NULL) {
        return NULL;
    }
    for (int i = 0; i < size; i++) {
        group->ranks[i] = first + i;
    }
    pri_group_finish(group, mpi->self);
    struct pri_comm *comm = pri_comm_new(mpi, group);
    if (comm == NULL) {
        return NULL;
    }
    comm->handle = mark;
    strcpy(comm->name, name);
    return comm;
}

static int begin_comms(struct pri_mpi *mpi)
{
    struct pri_rank *self = mpi->self;
    uint32_t context;
    mpi->world = first_comm(mpi, self->first, self->size, "MPI_COMM_WORLD", MPI_COMM_WORLD);
    mpi->alone = first_comm(mpi, self->rank, 1, "MPI_COMM_SELF", MPI_COMM_SELF);
    if (mpi->world == NULL || mpi->alone == NULL) {
        return PRI_ERR_NOMEM;
    }
    int rc = pri_context_take(self, &context);
    if (rc == 0) {
        rc = pri_comm_begin(mpi->world, pri_context_world(self), false);
    }
    if (rc == 0) {
        rc = pri_comm_begin(mpi->alone, context, true);
    }
    return rc == 0 && self->parent >= 0 ? pri_parent_begin(mpi) : rc;
}

static void set_attributes(struct pri_mpi *mpi)
{
    mpi->attribute[MPI_TAG_UB] = INT_MAX;
    mpi->attribute[MPI_HOST] = MPI_PROC_NULL;
    mpi->attribute[MPI_IO] = MPI_ANY_SOURCE;
    mpi->attribute[MPI_WTIME_IS_GLOBAL] = 1;
    mpi->attribute[MPI_APPNUM] = mpi->self->app;
    mpi->attribute[MPI_LASTUSEDCODE] = MPI_ERR_LASTCODE;
    mpi->attribute[MPI_UNIVERSE_SIZE] =
        mpi->self->universe > mpi->self->size ? mpi->self->universe : mpi->self->size;
}

static int start(int level)
{
    struct pri_rank *self;
    int rc = pri_start((enum pri_thread_level)level, &self);
    if (rc != 0) {
        return rc;
    }
    struct pri_mpi *mpi = calloc(1, sizeof(*mpi));
    if (mpi == NULL) {
        pri_start_failed(self, PRI_ERR_NOMEM);
        return PRI_ERR_NOMEM;
    }
    mpi->self = self;
    mpi->main_thread = pthread_self();
    mpi->file_errhandler = MPI_ERRORS_RETURN;
    pthread_mutex_init(&mpi->lock, NULL);
    set_attributes(mpi);
    ni_list_init(&mpi->comms);
    pri_comms_tell(mpi, true);
    rc = begin_comms(mpi);
    if (rc != 0) {
        pri_start_failed(self, rc);
    }
    self->user[PRI_USER_MPI] = mpi;
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)argc;
    (void)argv;
    if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) {
        required = MPI_THREAD_MULTIPLE;
    }
    if (pri_mpi() != NULL || pri_stopped()) {
        pri_fail_early("presto_MPI_Init: called a second time");
    }
    if (start(required) != 0) {
        exit(EXIT_FAILURE); /* the reason has been printed */
    }
    *provided = required;
    return MPI_SUCCESS;
}
PRI_ALIAS(Init_thread);

int MPI_Init(int *argc, char ***argv)
{
    int provided;
    return MPI_Init_thread(argc, argv, MPI_THREAD_SINGLE, &provided);
}
PRI_ALIAS(Init);

int MPI_Initialized(int *flag)
{
    *flag = pri_mpi() != NULL || pri_stopped();
    return MPI_SUCCESS;
}
PRI_ALIAS(Initialized);

int MPI_Finalized(int *flag)
{
    *flag = pri_stopped();
    return MPI_SUCCESS;
}
PRI_ALIAS(Finalized);

int MPI_Finalize(void)
{
    struct pri_mpi *mpi = pri_mpi_need(__func__);
    struct pri_rank *self = mpi->self;
    pri_attr_delete_all(mpi, &mpi->alone->attributes, PRI_ATTR_COMM, MPI_COMM_SELF);
    pri_attr_delete_all(mpi, &mpi->world->attributes, PRI_ATTR_COMM, MPI_COMM_WORLD);
    pri_comms_end_all(mpi, true); /* other jobs may be busy for long before they free them, too */
    pri_leave(self);
    pri_comms_end_all(mpi, false);
    pri_comm_release(mpi->alone);
    pri_comm_release(mpi->world);
    if (mpi->parent != NULL) {
        pri_comm_release(mpi->parent);
    }
    pri_stop(self);
    free_state(mpi);
    return MPI_SUCCESS;
}
PRI_ALIAS(Finalize);

int MPI_Query_thread(int *provided)
{
    *provided = (int)pri_mpi_need(__func__)->self->level;
    return MPI_SUCCESS;
}
PRI_ALIAS(Query_thread);

int MPI_Is_thread_main(int *flag)
{
    *flag = pthread_equal(pri_mpi_need(__func__)->main_thread, pthread_self()) != 0;
    return MPI_SUCCESS;
}
PRI_ALIAS(Is_thread_main);

int MPI_Abort(MPI_Comm comm, int code)
{
    (void)comm;
    pri_abort(pri_self(), code);
}
PRI_ALIAS(Abort);
