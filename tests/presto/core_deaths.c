/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: presto/core/revoke.c presto/core/agree.c presto/core/meet.c */
/*
 * What the core does when ranks die or a context is revoked, seen from inside. The case is the
 * argument behind those of job.h, or the only one:
 *
 *   revoke     what takes the messages of a context that has been revoked goes with it
 *   suspect N  rank N cannot reach the last rank, which lives: they agree, and it ends
 *   leader N   rank N cannot reach rank 0
 *   leave F    the last rank dies, the one before comes late: nobody leaves before it, by what they
 *              write to file F
 */
#include <fcntl.h>
#include <signal.h>

#include "core/rank.h"
#include "job.h"

static const char *what, *value;

/* ---- revoke ---------------------------------------------------------------------------------- */

enum { TAG = 5 };

static void wait_until_revoked(struct pri_rank *self, uint32_t context)
{
    while (!pri_context_revoked(self, context)) {
        (void)pri_progress(self);
    }
}

static void revoke_all(pr_mgr_t m, struct pri_rank *self)
{
    struct pri_where where = {.peer = self->rank == 0 ? 1 : 0, .as = self->rank, .tag = TAG};
    uint32_t context = 0;
    bool found = false;
    int word = 7;

    if (self->rank == 0) {
        CHECK_EQUAL(pri_context_take(self, &context), PRI_OK);
    }
    CHECK_EQUAL(pr_bcast_bytes(m, 0, &context, sizeof(context)), PR_OK);
    CHECK_EQUAL(pri_context_members(self, context, NULL, self->size), PRI_OK);
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (self->rank != 1) {
        CHECK_EQUAL(pri_context_revoke(self, context), PRI_OK);
    }
    wait_until_revoked(self, context);
    where.context = context;
    CHECK_EQUAL(pri_send(self, &word, sizeof(word), where, PRI_STANDARD), PRI_ERR_REVOKED);
    pri_context_close(self, context);
    CHECK_EQUAL(atomic_load(&self->revoked), 0);
    CHECK_EQUAL(pr_barrier(), PR_OK); /* all have told all others before */
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (self->rank == 1) {
        CHECK_EQUAL(pri_send(self, &word, sizeof(word), where, PRI_STANDARD), PRI_OK);
    }
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (self->rank == 0) {
        for (int i = 0; i < 1000 && !found; i++) {
            CHECK_EQUAL(pri_iprobe(self, where, &found, NULL), PRI_OK);
        }
        CHECK(found);
    }
}

/* ---- suspicion ------------------------------------------------------------------------------- */

static struct pri_vote *agree(struct pri_rank *self)
{
    struct pri_vote *vote = calloc(1, PRI_VOTE_BYTES(self->size));

    CHECK(vote != NULL);
    for (int i = 0; i < self->size; i++) {
        vote->failed[0] |= (uint64_t)(pri_death(self, i) != 0) << i;
    }
    CHECK_EQUAL(pri_agree(self, pri_context_world(self), vote), PRI_OK);
    return vote;
}

static void suspect(struct pri_rank *self, int by, int whom)
{
    struct pri_vote *vote;

    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (self->rank == by) {
        pri_peer_down(self, self->peers[whom].ni, NI_ERR_PROTOCOL);
    }
    vote = agree(self);
    CHECK(self->rank != whom); /* it does not come here */
    CHECK_EQUAL(vote->failed[0], UINT64_C(1) << whom);
    CHECK(pri_death(self, whom) != 0);
    free(vote);
    free(agree(self));
    printf("rank %d goes on\n", self->rank);
}

/* ---- leave ----------------------------------------------------------------------------------- */

static void note(const char *text)
{
    int fd = open(value, O_WRONLY | O_APPEND | O_CREAT, 0600);

    CHECK(fd >= 0);
    CHECK_EQUAL(write(fd, text, strlen(text)), strlen(text));
    CHECK_EQUAL(close(fd), 0);
}

static void leave(struct pri_rank *self)
{
    CHECK_EQUAL(pr_barrier(), PR_OK);
    if (self->rank == self->size - 1) {
        (void)raise(SIGKILL);
    }
    while (pri_death(self, self->size - 1) == 0) {
        (void)pri_progress(self);
    }
    if (self->rank == self->size - 2) {
        usleep(300000);
        note("late\n");
    }
    pri_leave(self);
    note("left\n");
}

static void body(pr_mgr_t m, int rank, int size)
{
    struct pri_rank *self = pri_self();

    (void)rank;
    if (strcmp(what, "revoke") == 0) {
        revoke_all(m, self);
    } else if (strcmp(what, "suspect") == 0) {
        suspect(self, atoi(value), size - 1);
    } else if (strcmp(what, "leader") == 0) {
        suspect(self, atoi(value), 0);
    } else {
        CHECK_EQUAL(strcmp(what, "leave"), 0);
        leave(self);
    }
}

int main(int argc, char **argv)
{
    int first = argc > 2 && strcmp(argv[1], "threads") == 0 ? 3 : 1;

    CHECK(argc > first);
    what = argv[first];
    value = argc > first + 1 ? argv[first + 1] : "";
    return job_main(argc, argv, PR_THREAD_SINGLE, body);
}
