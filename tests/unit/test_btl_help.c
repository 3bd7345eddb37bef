/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_glue/check.c. */
/* Covers: ompi_glue/help.c. */
/* What the BTL tells users when it steps aside, or drops what it gets: the whole text, with values
 * and remedy. What needs several processes is in tests/mpi/testlist. */
#include "said.h"

#include "btl_apelink/btl_apelink_parts.h"
#include "engine/engine.h"
#include "ompi_glue/check.h"

#define MCA "OMPI_MCA_btl_apelink_"

/* The component is loaded and asked for a module, which it has not. */
static bool declines(void)
{
    int count = 99;

    /* For the parameter btl. */
    (void)mca_base_framework_register(&opal_btl_base_framework, MCA_BASE_REGISTER_STATIC_ONLY);
    return mca_btl_apelink_register_params() == OPAL_SUCCESS &&
           mca_btl_apelink_component.super.btl_init(&count, false, false) == NULL && count == 0;
}

static int put_fails(opal_pmix_scope_t scope, opal_value_t *value)
{
    (void)scope;
    (void)value;
    return OPAL_ERROR;
}

static bool declines_elsewhere(void)
{
    opal_built_with_cuda_support = !opal_built_with_cuda_support;
    return declines();
}

/* Without a runtime that keeps its address it has no module. */
static bool declines_spread(void)
{
    said_hosts = 2;
    opal_pmix.put = put_fails;
    return declines();
}

static bool takes_unknown(void)
{
    struct ni_message_info message = {.data = "abc", .len = 3, .tag = 77};

    if (mca_btl_apelink_register_params() != OPAL_SUCCESS) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        mca_btl_apelink_recv(&mca_btl_apelink, &message);
    }
    return mca_btl_apelink.unclaimed == 3;
}

static void wrong_version(void **state)
{
    struct said said = SAID_BY(declines_elsewhere, MCA "enable", "yes");

    (void)state;
    unit_assert_contains(said.text, "The apelink BTL was built for another Open MPI");
    unit_assert_contains(said.text, "Build it again with the headers of the Open MPI that you run");
    unit_assert_contains(said.text, "Built for: Open MPI 4.");
    unit_assert_contains(said.text, "Running:   it was built with");
}

static void no_interface(void **state)
{
    struct said said = SAID_BY(declines, MCA "enable", "yes", MCA "fault", "alloc:nth=1");

    (void)state;
    unit_assert_contains(said.text, "could not open its network interface and steps aside");
    unit_assert_contains(said.text, "A message before this one may say more");
    unit_assert_contains(said.text, "Reason: out of memory");
    unit_assert_contains(said.text, "] error: ");
}

static void no_network(void **state)
{
    struct said said = SAID_BY(declines_spread, "OMPI_MCA_btl", "apelink,self", MCA "links", "shm");

    (void)state;
    unit_assert_contains(said.text, "has processes on several hosts");
    unit_assert_contains(said.text, "btl_apelink_links must be auto, both or ucx");
    unit_assert_contains(said.text, "-mca btl apelink,tcp,self");
    /* Another network does it. */
    said = SAID_BY(declines_spread, "OMPI_MCA_btl", "apelink,tcp,self", MCA "links", "shm");
    assert_null(strstr(said.text, "several hosts"));
}

/* Who did not ask for it is not told anything, whatever is wrong. */
static void not_asked(void **state)
{
    (void)state;
    assert_string_equal(SAID_BY(declines_elsewhere).text, "");
    assert_string_equal(SAID_BY(declines, MCA "fault", "alloc:nth=1").text, "");
}

/* Once, not for each message. */
static void unclaimed(void **state)
{
    struct said said = SAID_BY(takes_unknown);
    char *first = strstr(said.text, "Message tag: 77");

    (void)state;
    unit_assert_contains(said.text, "for a part of Open MPI that is not in");
    unit_assert_contains(said.text, "must use the same\npml, osc and btl parameters");
    assert_non_null(first);
    assert_null(strstr(first + 1, "Message tag"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_version), cmocka_unit_test(no_interface),
        cmocka_unit_test(no_network),    cmocka_unit_test(not_asked),
        cmocka_unit_test(unclaimed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
