/* SPDX-License-Identifier: BSD-3-Clause */
/* Where prestorun binds ranks, on machines that are folders of ours. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run_bind.h"

enum { MOST = 8 };

static char folder[] = "/tmp/test_run_bind.XXXXXX";

static const char *path_of(int cpu, const char *what)
{
    static char path[80];

    snprintf(path, sizeof(path), "%s/cpu%d%s", folder, cpu, what);
    return path;
}

static void remove_all(void)
{
    for (int cpu = 0; cpu < MOST; cpu++) {
        (void)unlink(path_of(cpu, "/topology/thread_siblings_list"));
        (void)rmdir(path_of(cpu, "/topology"));
        (void)rmdir(path_of(cpu, ""));
    }
}

/* What is said of each processor, up to NULL. */
static void make(const char *const *lists)
{
    remove_all();
    for (int cpu = 0; lists[cpu] != NULL; cpu++) {
        FILE *file;

        assert_int_equal(mkdir(path_of(cpu, ""), 0700), 0);
        assert_int_equal(mkdir(path_of(cpu, "/topology"), 0700), 0);
        file = fopen(path_of(cpu, "/topology/thread_siblings_list"), "w");
        assert_non_null(file);
        assert_true(fputs(lists[cpu], file) >= 0);
        assert_int_equal(fclose(file), 0);
    }
}

/* Processors as the bits of a number. */
static void expect(enum run_bind what, unsigned allowed, int rank, unsigned wanted)
{
    cpu_set_t from, chosen;
    unsigned got = 0;

    CPU_ZERO(&from);
    for (int cpu = 0; cpu < MOST; cpu++) {
        if ((allowed >> cpu & 1) != 0) {
            CPU_SET(cpu, &from);
        }
    }
    run_bind_choose(what, folder, &from, rank, &chosen);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        got |= CPU_ISSET(cpu, &chosen) ? 1U << cpu : 0;
    }
    assert_int_equal(got, wanted);
}

/* Two hardware threads to a core, numbered one after the other. */
static void test_side_by_side(void **state)
{
    (void)state;
    make((const char *const[]){"0-1\n", "0-1\n", "2-3\n", "2-3\n", NULL});
    expect(RUN_BIND_CORE, 0xf, 0, 0x3);
    expect(RUN_BIND_CORE, 0xf, 1, 0xc);
    expect(RUN_BIND_CORE, 0xf, 2, 0x3);
    expect(RUN_BIND_HWTHREAD, 0xf, 1, 0x2);
    expect(RUN_BIND_HWTHREAD, 0xf, 5, 0x2);
    expect(RUN_BIND_NONE, 0xb, 1, 0xb);
}

/* The second ones behind all first ones, four cores. */
static void test_apart(void **state)
{
    (void)state;
    make((const char *const[]){"0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7", NULL});
    expect(RUN_BIND_CORE, 0xff, 1, 0x22);
    expect(RUN_BIND_CORE, 0xff, 3, 0x88);
    expect(RUN_BIND_CORE, 0xff, 4, 0x11);
    /* Of cores that are allowed in part, that part. */
    expect(RUN_BIND_CORE, 0xf6, 0, 0x22);
    expect(RUN_BIND_CORE, 0xf6, 2, 0x10);
    expect(RUN_BIND_CORE, 0xf6, 3, 0x80);
    expect(RUN_BIND_CORE, 0xf6, 4, 0x22);
}

/* Four threads to a core; and lists that make no sense. */
static void test_odd(void **state)
{
    (void)state;
    make((const char *const[]){"0-2,7", "0-2,7", "0-2,7", "", "x", "7-5", "5", "0-2,7", NULL});
    expect(RUN_BIND_CORE, 0xff, 0, 0x87);
    for (int rank = 1; rank < 5; rank++) {
        expect(RUN_BIND_CORE, 0xff, rank, 1U << (rank + 2));
    }
    expect(RUN_BIND_CORE, 0xff, 5, 0x87);
}

static void test_untold(void **state)
{
    (void)state;
    remove_all();
    expect(RUN_BIND_CORE, 0x5, 1, 0x4);
    expect(RUN_BIND_CORE, 0x5, 2, 0x1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_odd),
        cmocka_unit_test(test_untold),
    };
    int failed;

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove_all();
    (void)rmdir(folder);
    return failed;
}
