/* SPDX-License-Identifier: BSD-3-Clause */
#include "pml_match/pml_match_hot.h"

#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

/*
 * Covers: pml_match_request.c pml_match_hot.h
 *
 * Requests of the PML begin and end: each is given back once, when it is both over and freed, and
 * with it the communicator, whose count tells.
 */

enum { ROUNDS = 2000, MINE = 1 };

static ompi_communicator_t comm;

static int holders(void)
{
    return ((opal_object_t *)&comm)->obj_reference_count - MINE;
}

static struct pml_match_list *const lists[] = {&pml_match_sends, &pml_match_receives};

static struct pml_match_request *start(struct pml_match_list *list)
{
    struct pml_match_request *request = pml_match_request_get(list, &comm);

    assert_non_null(request);
    assert_int_equal(holders(), 1);
    assert_false(REQUEST_COMPLETE(&request->super.req_ompi));
    return request;
}

static void with_threads(bool on)
{
    ompi_match.threads = on;
    (void)opal_set_using_threads(on);
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* Freed when it is complete, and before that. */
static void by_one(struct pml_match_list *list, bool freed_first)
{
    struct pml_match_request *request = start(list);
    struct ompi_request_t *handle = &request->super.req_ompi;

    if (freed_first) {
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
        assert_ptr_equal(handle, MPI_REQUEST_NULL);
        assert_int_equal(holders(), 1);
    }
    pml_match_end(request);
    if (!freed_first) {
        assert_true(REQUEST_COMPLETE(handle));
        assert_int_equal(holders(), 1);
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
        assert_ptr_equal(handle, MPI_REQUEST_NULL);
    }
    assert_int_equal(holders(), 0);
}

static int free_in_callback(struct ompi_request_t *handle)
{
    assert_int_equal(holders(), 1);
    (void)ompi_request_free(&handle);
    return 1;
}

static void by_its_callback(struct pml_match_list *list)
{
    struct pml_match_request *request = start(list);

    request->super.req_ompi.req_complete_cb = free_in_callback;
    pml_match_end(request);
    assert_int_equal(holders(), 0);
}

static void one_thread(void **state)
{
    (void)state;
    for (int threads = false; threads <= true; threads++) {
        with_threads(threads);
        for (size_t i = 0; i < 2; i++) {
            by_one(lists[i], false);
            by_one(lists[i], true);
            by_its_callback(lists[i]);
        }
    }
}

/* What was given back is used again, the last one first, and is of its kind. */
static void used_again(void **state)
{
    static const mca_pml_base_request_type_t types[] = {MCA_PML_REQUEST_SEND, MCA_PML_REQUEST_RECV};

    (void)state;
    with_threads(false);
    for (size_t i = 0; i < 2; i++) {
        struct pml_match_request *request = start(lists[i]), *again;
        struct ompi_request_t *handle = &request->super.req_ompi;

        pml_match_end(request);
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
        again = start(lists[i]);
        assert_ptr_equal(again, request);
        assert_int_equal(again->super.req_type, types[i]);
        assert_false(again->super.req_ompi.req_persistent);
        assert_null(again->super.req_ompi.req_complete_cb);
        pml_match_end(again);
        handle = &again->super.req_ompi;
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
    }
}

/* More than a list has at first. */
static void many(void **state)
{
    enum { MANY = 1000 };
    static struct ompi_request_t *handles[MANY];

    (void)state;
    with_threads(false);
    for (int i = 0; i < MANY; i++) {
        struct pml_match_request *request = pml_match_request_get(&pml_match_receives, &comm);

        assert_non_null(request);
        handles[i] = &request->super.req_ompi;
    }
    assert_int_equal(holders(), MANY);
    for (int i = 0; i < MANY; i++) {
        pml_match_end((struct pml_match_request *)handles[i]);
        assert_int_equal(ompi_request_free(&handles[i]), OMPI_SUCCESS);
    }
    assert_int_equal(holders(), 0);
}

/* ---- two threads ----------------------------------------------------------------------------- */

static pthread_barrier_t barrier;

static void *complete(void *request)
{
    (void)pthread_barrier_wait(&barrier);
    pml_match_end(request);
    return NULL;
}

/* waits: as MPI_Wait and MPI_Test, which free what is complete; otherwise as MPI_Request_free. */
static void end_by_two(struct pml_match_list *list, bool waits)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct pml_match_request *request = start(list);
        struct ompi_request_t *handle = &request->super.req_ompi;
        pthread_t other;

        assert_int_equal(pthread_create(&other, NULL, complete, request), 0);
        (void)pthread_barrier_wait(&barrier);
        while (waits && !REQUEST_COMPLETE(handle)) {
            (void)sched_yield();
        }
        assert_int_equal(ompi_request_free(&handle), OMPI_SUCCESS);
        assert_ptr_equal(handle, MPI_REQUEST_NULL);
        assert_int_equal(pthread_join(other, NULL), 0);
        assert_int_equal(holders(), 0);
    }
}

static void two_threads(void **state)
{
    (void)state;
    with_threads(true);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    for (size_t i = 0; i < 2; i++) {
        end_by_two(lists[i], true);
        end_by_two(lists[i], false);
    }
    (void)pthread_barrier_destroy(&barrier);
}

/* ---- what has left --------------------------------------------------------------------------- */

/* A send that is complete: one request for all, which nobody can take away, or one for each. */
static void sent(void **state)
{
    struct ompi_request_t *first, *second;

    (void)state;
    for (int threads = false; threads <= true; threads++) {
        with_threads(threads);
        assert_int_equal(pml_match_request_sent(&comm, &first), OMPI_SUCCESS);
        assert_int_equal(pml_match_request_sent(&comm, &second), OMPI_SUCCESS);
        assert_int_equal(first == second, !threads);
        assert_true(REQUEST_COMPLETE(first) && REQUEST_COMPLETE(second));
        assert_int_equal(first->req_status.MPI_ERROR, MPI_SUCCESS);
        assert_int_equal(ompi_request_cancel(first), OMPI_SUCCESS);
        assert_int_equal(ompi_request_free(&first), OMPI_SUCCESS);
        assert_ptr_equal(first, MPI_REQUEST_NULL);
        assert_true(REQUEST_COMPLETE(second));
        assert_int_equal(ompi_request_free(&second), OMPI_SUCCESS);
        assert_int_equal(holders(), 0);
    }
}

static int setup(void **state)
{
    (void)state;
    ompi_glue_make_context(&comm, 0);
    ((opal_object_t *)&comm)->obj_reference_count = MINE;
    OBJ_CONSTRUCT(&mca_pml_base_send_requests, opal_free_list_t);
    OBJ_CONSTRUCT(&mca_pml_base_recv_requests, opal_free_list_t);
    return pml_match_make_requests() == OPAL_SUCCESS ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads), cmocka_unit_test(one_thread), cmocka_unit_test(used_again),
        cmocka_unit_test(many),        cmocka_unit_test(sent),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
