/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: pml_hooks_class.c
 *
 * Which class a message is of, by its tag.
 */
#include "unit.h"

#include "pml_hooks/pml_hooks.h"

static void the_class_is_named_by_the_tag(void **state)
{
    (void)state;
    assert_string_equal(record_class_name(pml_hooks_class_of(0)), "user");
    assert_string_equal(record_class_name(pml_hooks_class_of(-16)), "barrier");
    assert_string_equal(record_class_name(pml_hooks_class_of(-27)), "nonblocking collectives");
    assert_string_equal(record_class_name(pml_hooks_class_of(-9)), "other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_class_is_named_by_the_tag)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
