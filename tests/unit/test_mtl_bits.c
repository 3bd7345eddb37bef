/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/apeni.h>

#include "mtl_match/mtl_match.h"

#include "unit.h"

/*
 * Match bits: all contexts and tags that Open MPI may use have their own, wildcards match what MPI
 * says. More contexts than a run could make communicators for: so a message to oneself for each,
 * through the network interface, with no MPI around.
 */

enum { TAGS = 6 };

static const uint32_t contexts[] = {0,
                                    1,
                                    2,
                                    (1U << 24) - 1,
                                    1U << 24,
                                    (1U << 24) + 1,
                                    (1U << 24) + 2,
                                    1U << 30,
                                    (1U << 30) + 1,
                                    INT_MAX - 1,
                                    INT_MAX};
enum { CONTEXTS = sizeof(contexts) / sizeof(contexts[0]) };
static const int tags[TAGS] = {0, 1, 1 << 24, INT_MAX, -1, -1000};

static ompi_communicator_t communicator_of(uint32_t context)
{
    ompi_communicator_t comm;

    ompi_glue_make_context(&comm, context);
    return comm;
}

static void limits(void **state)
{
    (void)state;
    assert_true(ompi_mtl_match.mtl_max_contextid >= (1 << 24) - 1);
    assert_int_equal(ompi_mtl_match.mtl_max_contextid, contexts[CONTEXTS - 1]);
    assert_int_equal(ompi_mtl_match.mtl_max_tag, INT_MAX);
}

static void all_differ(void **state)
{
    uint64_t bits[CONTEXTS * TAGS];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < CONTEXTS; i++) {
        ompi_communicator_t comm = communicator_of(contexts[i]);

        for (size_t k = 0; k < TAGS; k++) {
            bits[n] = ompi_match_bits(&comm, tags[k]);
            assert_int_equal(ompi_match_tag(bits[n]), tags[k]);
            for (size_t m = 0; m < n; m++) {
                assert_int_not_equal(bits[m], bits[n]);
            }
            n++;
        }
    }
}

/* MPI_ANY_TAG takes all of its communicator's that are not negative, and none of another's. */
static void any_tag(void **state)
{
    (void)state;
    for (size_t i = 0; i < CONTEXTS; i++) {
        ompi_communicator_t comm = communicator_of(contexts[i]);
        struct ompi_match_endpoint *endpoint;
        struct ni_me me;

        assert_true(ompi_match_criteria(&comm, MPI_ANY_SOURCE, MPI_ANY_TAG, &me, &endpoint));
        assert_int_equal(me.match_id, NI_INITIATOR_ANY);
        for (size_t n = 0; n < CONTEXTS * TAGS; n++) {
            ompi_communicator_t other = communicator_of(contexts[n / TAGS]);
            uint64_t bits = ompi_match_bits(&other, tags[n % TAGS]);
            bool matches = ((bits ^ me.match_bits) & ~me.ignore_bits) == 0;

            assert_int_equal(matches, n / TAGS == i && tags[n % TAGS] >= 0);
        }
    }
}

static unsigned came;
static uint64_t received[CONTEXTS];

static void on_event(void *arg, const struct ni_event *event)
{
    (void)arg;
    if (event->type == NI_EVENT_PUT) {
        assert_ptr_equal(event->user_ptr, (void *)(uintptr_t)event->hdr_data);
        came++;
    }
}

/* A receive for each context, and a message for each, in another order. */
static void through_the_interface(void **state)
{
    struct ni_md md = {.length = SIZE_MAX};
    struct ni_open_attr attr = {0};
    struct ni *ni;
    struct ni_eq *eq;
    uint32_t pt;

    (void)state;
    assert_int_equal(ni_fabric_create(NULL, &attr.fabric), NI_OK);
    assert_int_equal(ni_open(&attr, &ni), NI_OK);
    assert_int_equal(ni_portals_open(ni, NULL, NULL), NI_OK);
    assert_int_equal(ni_eq_alloc_handler(ni, on_event, NULL, &eq), NI_OK);
    assert_int_equal(ni_pt_alloc(ni, NI_PT_UNEXPECTED, eq, OMPI_MATCH_PT, &pt), NI_OK);
    for (size_t i = 0; i < CONTEXTS; i++) {
        ompi_communicator_t comm = communicator_of(contexts[i]);
        struct ompi_match_endpoint *endpoint;
        struct ni_me me = {.start = &received[i], .length = sizeof(received[i])};

        assert_true(ompi_match_criteria(&comm, MPI_ANY_SOURCE, 7, &me, &endpoint));
        me.options = NI_ME_OP_PUT | NI_ME_USE_ONCE | NI_ME_EVENT_UNLINK_DISABLE;
        assert_int_equal(ni_me_append(ni, pt, &me, NI_PRIORITY_LIST, (void *)(uintptr_t)i, NULL),
                         NI_OK);
    }
    for (size_t n = 0; n < CONTEXTS; n++) {
        uint64_t i = (n * 7 + 3) % CONTEXTS, word = i + 100;
        ompi_communicator_t comm = communicator_of(contexts[i]);

        assert_int_equal(ni_put(ni, &md, (uintptr_t)&word, sizeof(word), NI_NO_ACK_REQ, NULL, pt,
                                ompi_match_bits(&comm, 7), 0, NULL, i),
                         NI_OK);
        assert_int_equal(received[i], i + 100);
    }
    assert_int_equal(came, CONTEXTS);
    ni_close(ni);
    ni_fabric_destroy(attr.fabric);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits),
        cmocka_unit_test(all_differ),
        cmocka_unit_test(any_tag),
        cmocka_unit_test(through_the_interface),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
