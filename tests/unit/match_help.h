/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_MATCH_HELP_H
#define TESTS_UNIT_MATCH_HELP_H

/*
 * What a component of Open MPI that is made of ompi_match tells users when it steps aside: the
 * whole text, with values and remedy. Before this is included WHO is what it is called and
 * COMPONENT its name, and after that come the two functions below. What needs several processes is
 * in tests/mpi/testlist.
 */
#include "said.h"

#define MCA "OMPI_MCA_" COMPONENT "_"

/* The component is asked for its module: true if it has none. */
static bool declines(void);
/* Says "it has opened" if it has one, which is closed again. True: nothing is left behind. */
static bool opens_or_declines(void);

static bool declines_spread(void)
{
    said_hosts = 2;
    return declines();
}

static bool declines_elsewhere(void)
{
    opal_built_with_cuda_support = !opal_built_with_cuda_support;
    return declines();
}

static void wrong_version(void **state)
{
    struct said said = SAID_BY(declines_elsewhere, MCA "enable", "yes");

    (void)state;
    unit_assert_contains(said.text, "The match " WHO " was built for another Open MPI");
    unit_assert_contains(said.text, "Build it again with the headers of the Open MPI that you run");
    unit_assert_contains(said.text, "Built for: Open MPI 4.");
    unit_assert_contains(said.text, "Running:   it was built with");
}

static void no_interface(void **state)
{
    struct said said = SAID_BY(declines, MCA "enable", "yes", MCA "fault", "alloc:nth=1");

    (void)state;
    unit_assert_contains(said.text, "could not open its network interface and steps aside");
    unit_assert_contains(said.text, "Reason: out of memory");
    unit_assert_contains(said.text, "] error: ");
}

/* Whichever allocation fails, it steps aside and says why, or does without. */
static void no_memory(void **state)
{
    enum { MOST = 1000 };
    bool portal = false, opened = false;
    unsigned nth = 1;

    (void)state;
    for (; !opened && nth < MOST; nth++) {
        char fault[32];
        struct said said;

        snprintf(fault, sizeof(fault), "alloc:nth=%u,every=1", nth);
        said = SAID_BY(opens_or_declines, MCA "enable", "yes", MCA "fault", fault);
        opened = strstr(said.text, "it has opened") != NULL;
        portal |= strstr(said.text, "Reason: no memory for the portal") != NULL;
        if (!opened) {
            unit_assert_contains(said.text, "could not open its network interface and steps aside");
        }
    }
    assert_true(opened && portal);
}

static void no_network(void **state)
{
    struct said said = SAID_BY(declines_spread, MCA "enable", "yes", MCA "links", "shm");

    (void)state;
    unit_assert_contains(said.text, "has processes on several hosts");
    unit_assert_contains(said.text, COMPONENT "_links must be auto, both or ucx");
    unit_assert_contains(said.text, "-mca pml ob1 -mca btl apelink,tcp,self");
    unit_assert_contains(said.text, "Node: ");
}

/* Who did not ask for it is not told anything, whatever is wrong. */
static void not_asked(void **state)
{
    (void)state;
    assert_string_equal(SAID_BY(declines_elsewhere).text, "");
    assert_string_equal(SAID_BY(declines_spread, MCA "links", "shm").text, "");
}

/* What the main function of a test calls. */
static int run_help_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_version), cmocka_unit_test(no_interface),
        cmocka_unit_test(no_memory),     cmocka_unit_test(no_network),
        cmocka_unit_test(not_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
