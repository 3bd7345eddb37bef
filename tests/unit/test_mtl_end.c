/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: mtl_match/mtl_match_end.c. */
#include "mtl_match/mtl_match.h"

#include "unit.h"

#include <pthread.h>
#include <unistd.h>

/*
 * The end of requests with threads: one thread completes a request while another frees it, and it
 * is given back once, and not before both have done with it. The pml is a small one that does as
 * pml cm does, but with a pause between its steps, so that the other thread gets in between.
 */

enum { ROUNDS = 300 };

struct small {
    mca_pml_base_request_t pml;
    struct ompi_mtl_match_request mtl;
    _Atomic int given_back;
};

static struct small request;

static void let_the_other_go_on(void)
{
    (void)usleep(100);
}

static void give_back(void)
{
    atomic_fetch_add(&request.given_back, 1);
}

static int small_free(struct ompi_request_t **handle)
{
    request.pml.req_free_called = true;
    let_the_other_go_on();
    if (request.pml.req_pml_complete) {
        give_back();
    }
    *handle = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static void small_send_completion(struct mca_mtl_request_t *mtl)
{
    if (!REQUEST_COMPLETE(mtl->ompi_req)) {
        (void)ompi_request_complete(mtl->ompi_req, true);
    }
    request.pml.req_pml_complete = true;
    let_the_other_go_on();
    if (request.pml.req_free_called) {
        give_back();
    }
}

static void small_recv_completion(struct mca_mtl_request_t *mtl)
{
    if (request.pml.req_free_called) {
        give_back();
        return;
    }
    request.pml.req_pml_complete = true;
    let_the_other_go_on();
    assert_int_equal(request.given_back, 0);
    (void)ompi_request_complete(mtl->ompi_req, true);
}

/* A request that has been started and is under way. */
static void start(enum ompi_mtl_match_kind kind, bool buffered)
{
    struct ompi_request_t *user = &request.pml.req_ompi;

    memset(&request, 0, sizeof(request));
    OMPI_REQUEST_INIT(user, false);
    user->req_free = small_free;
    request.mtl.super.ompi_req = user;
    request.mtl.super.completion_callback =
        kind == OMPI_MTL_MATCH_SEND ? small_send_completion : small_recv_completion;
    request.mtl.kind = kind;
    request.mtl.buffered = buffered;
    ompi_mtl_match_share(&request.mtl);
    if (buffered) {
        (void)ompi_request_complete(user, true);
    }
}

static void *complete(void *barrier)
{
    (void)pthread_barrier_wait(barrier);
    ompi_mtl_match_complete(&request.mtl);
    return NULL;
}

/* waits: as MPI_Wait and MPI_Test, which free what is complete; otherwise as MPI_Request_free. */
static void end_by_two(enum ompi_mtl_match_kind kind, bool buffered, bool waits)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct ompi_request_t *handle = &request.pml.req_ompi;
        pthread_barrier_t barrier;
        pthread_t other;

        start(kind, buffered);
        assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
        assert_int_equal(pthread_create(&other, NULL, complete, &barrier), 0);
        (void)pthread_barrier_wait(&barrier);
        if (i % 2 != 0 && !waits) {
            (void)usleep(50);
        }
        while (waits && !REQUEST_COMPLETE(handle)) {
            (void)sched_yield();
        }
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
        assert_ptr_equal(handle, MPI_REQUEST_NULL);
        assert_int_equal(pthread_join(other, NULL), 0);
        assert_int_equal(request.given_back, 1);
        (void)pthread_barrier_destroy(&barrier);
    }
}

static void sends(void **state)
{
    (void)state;
    end_by_two(OMPI_MTL_MATCH_SEND, false, true);
    end_by_two(OMPI_MTL_MATCH_SEND, false, false);
}

static void buffered_sends(void **state)
{
    (void)state;
    end_by_two(OMPI_MTL_MATCH_SEND, true, true);
    end_by_two(OMPI_MTL_MATCH_SEND, true, false);
}

static void receives(void **state)
{
    (void)state;
    end_by_two(OMPI_MTL_MATCH_RECV, false, true);
    end_by_two(OMPI_MTL_MATCH_RECV, false, false);
}

/* By the one thread there is, before it is complete and after that. */
static void by_one(void **state)
{
    (void)state;
    for (int freed_first = false; freed_first <= true; freed_first++) {
        for (int kind = OMPI_MTL_MATCH_SEND; kind <= OMPI_MTL_MATCH_RECV; kind++) {
            struct ompi_request_t *handle = &request.pml.req_ompi;

            start((enum ompi_mtl_match_kind)kind, false);
            if (freed_first) {
                assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
                assert_int_equal(request.given_back, 0);
            }
            ompi_mtl_match_complete(&request.mtl);
            if (!freed_first) {
                assert_true(REQUEST_COMPLETE(handle));
                assert_int_equal(request.given_back, 0);
                assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
            }
            assert_int_equal(request.given_back, 1);
        }
    }
}

/* A callback of the request may free it. */
static int free_in_callback(struct ompi_request_t *handle)
{
    (void)ompi_request_free(&handle);
    return 1;
}

static void by_its_callback(void **state)
{
    (void)state;
    for (int kind = OMPI_MTL_MATCH_SEND; kind <= OMPI_MTL_MATCH_RECV; kind++) {
        start((enum ompi_mtl_match_kind)kind, false);
        request.pml.req_ompi.req_complete_cb = free_in_callback;
        ompi_mtl_match_complete(&request.mtl);
        assert_int_equal(request.given_back, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends),  cmocka_unit_test(buffered_sends),  cmocka_unit_test(receives),
        cmocka_unit_test(by_one), cmocka_unit_test(by_its_callback),
    };

    opal_set_using_threads(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
