/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ompi_glue/mtl.c ompi_glue/code_of.c. */
#include "ompi_glue/mtl.h"

#include "unit.h"

#include <dlfcn.h>

/* Which requests are of a window: by whose code their callback is. */

static int own_callback(struct ompi_request_t *request)
{
    (void)request;
    return 0;
}

static bool with(ompi_request_complete_fn_t callback)
{
    struct ompi_request_t request;

    memset(&request, 0, sizeof(request));
    request.req_complete_cb = callback;
    return ompi_glue_of_window(&request);
}

/* A function of a library, for its address only. */
static ompi_request_complete_fn_t code_of(const char *name)
{
    return (ompi_request_complete_fn_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
}

static void others(void **state)
{
    (void)state;
    assert_false(with(NULL));
    assert_false(with(own_callback));
    assert_false(with(own_callback));
    assert_non_null(code_of("opal_progress"));
    assert_false(with(code_of("opal_progress")));
    assert_false(with(own_callback));
}

/* Where components are part of the library. */
static void of_the_library(void **state)
{
    ompi_request_complete_fn_t callback = code_of("MPI_Win_create");

    (void)state;
    assert_non_null(callback);
    assert_true(with(callback));
    assert_true(with(callback));
    assert_false(with(own_callback));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(others), cmocka_unit_test(of_the_library)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
