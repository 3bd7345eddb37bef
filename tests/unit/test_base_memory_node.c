/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/memory_node.c. */
/* Which memory node is near, and whether a file's pages are asked for there. */
#include "unit.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/memory_node.h"

static struct ni_cpus set_of(const char *list)
{
    struct ni_cpus set = {{0}};

    assert_true(*list == '\0' || ni_cpus_parse(&set, list));
    return set;
}

static void test_choice(void **state)
{
    const struct ni_cpus nodes[] = {set_of("0-3,8-11"), set_of("4-7,12-15"), set_of("")};
    static const struct {
        const char *bound;
        int node;
    } rows[] = {{"0", 0},    {"3,8", 0},   {"0-3,8-11", 0}, {"4-7", 1},  {"15", 1},
                {"3-4", -1}, {"0-15", -1}, {"16", -1},      {"7,16", -1}};

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        struct ni_cpus bound = set_of(rows[i].bound);

        assert_int_equal(ni_memory_node_choose(&bound, nodes, 3), rows[i].node);
    }

    struct ni_cpus nowhere = set_of("");

    assert_int_equal(ni_memory_node_choose(&nowhere, nodes, 3), -1);
}

static void test_this_machine(void **state)
{
    unsigned nodes = ni_memory_nodes();
    int near = ni_memory_node_near();

    (void)state;
    assert_true(nodes >= 1);
    assert_true(near >= -1);
    if (nodes == 1) {
        assert_int_equal(near, -1);
    }
}

/* The policy of a page, or -1 where nobody tells. */
static int policy_of(const void *page)
{
    int mode = -1;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0, page, MPOL_F_ADDR) == 0 ? mode : -1;
}

/* Seen through a mapping that is made later, as another process's is. */
static void test_file_keeps_it(void **state)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int fd = memfd_create("test", MFD_CLOEXEC);
    uint8_t *memory;

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)(4 * page)), 0);

    int error = ni_memory_node_prefer(fd, page, 3 * page, 0);

    if (error == ENOSYS || error == EPERM) {
        close(fd);
        print_message("skipped: this kernel or container has no mbind: %s\n", strerror(error));
        skip();
    }
    assert_int_equal(error, 0);
    memory = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(policy_of(memory), MPOL_DEFAULT);
    assert_int_equal(policy_of(memory + page), MPOL_PREFERRED);
    assert_int_equal(policy_of(memory + 2 * page), MPOL_PREFERRED);
    assert_int_equal(policy_of(memory + 3 * page), MPOL_DEFAULT);
    memset(memory, 1, 4 * page);
    munmap(memory, 4 * page);
    assert_true(ni_memory_node_prefer(fd, page, 3 * page, 64) != 0);
    assert_true(ni_memory_node_prefer(fd, page, 3 * page, -1) != 0);
    close(fd);
    assert_int_equal(ni_memory_node_prefer(fd, page, 3 * page, 0), EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_file_keeps_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
