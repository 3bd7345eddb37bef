/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/topology/map.c ni/topology/map_line.c. */
/* Files that say which host is which node: good ones, and what is said about bad ones. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include <apeni/torus.h>

#include "base/bits.h"

static char path[] = "/tmp/test_torus_map.XXXXXX";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static struct ni_torus_map *read_good(const char *text, const struct ni_torus *shape)
{
    struct ni_torus_map *map = NULL;
    char error[600] = "";

    write_file(text);
    if (ni_torus_map_read(path, shape, &map, error, sizeof(error)) != NI_OK) {
        fail_msg("%s", error);
    }
    return map;
}

static void expect_shape(const struct ni_torus_map *map, uint32_t x, uint32_t y, uint32_t z)
{
    struct ni_torus torus = ni_torus_map_shape(map);

    assert_int_equal(torus.size[0], x);
    assert_int_equal(torus.size[1], y);
    assert_int_equal(torus.size[2], z);
}

static void test_with_coordinates(void **state)
{
    struct ni_torus_map *map = read_good("# first row\n"
                                         "\n"
                                         "green 1 0 0 # behind it\n"
                                         "red\t0 0\t0\n"
                                         "blue  0 1 0 slots=4\r\n"
                                         "white.example-1_a 1 1 0",
                                         NULL);
    static const char *const order[] = {"red", "green", "blue", "white.example-1_a"};
    uint32_t node = 99;

    (void)state;
    expect_shape(map, 2, 2, 1);
    for (uint32_t i = 0; i < NI_ARRAY_LENGTH(order); i++) {
        assert_string_equal(ni_torus_map_host(map, i), order[i]);
        assert_int_equal(ni_torus_map_find(map, order[i], &node), NI_OK);
        assert_int_equal(node, i);
    }
    assert_int_equal(ni_torus_map_find(map, "Red", &node), NI_ERR_NOTFOUND);
    ni_torus_map_free(map);
    ni_torus_map_free(NULL);
}

static void test_without_coordinates(void **state)
{
    static const char text[] = "h1 slots=2\nh2 max_slots=4 slots=1\nh3\nh4 max-slots=1\n";
    const struct ni_torus ring = {{1, 1, 4}};
    struct ni_torus_map *map = read_good(text, NULL);

    (void)state;
    expect_shape(map, 2, 2, 1);
    assert_string_equal(ni_torus_map_host(map, 0), "h1");
    assert_string_equal(ni_torus_map_host(map, 3), "h4");
    ni_torus_map_free(map);
    map = read_good(text, &ring);
    expect_shape(map, 1, 1, 4);
    assert_string_equal(ni_torus_map_host(map, 2), "h3");
    ni_torus_map_free(map);
}

static void test_many_hosts(void **state)
{
    enum { COUNT = 1000 };
    char *text = malloc(COUNT * 16);
    size_t length = 0;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i < COUNT; i++) {
        length += (size_t)sprintf(text + length, "n%d\n", i);
    }

    struct ni_torus_map *map = read_good(text, NULL);

    expect_shape(map, 10, 10, 10);
    assert_string_equal(ni_torus_map_host(map, 999), "n999");
    ni_torus_map_free(map);
    free(text);
}

static void test_bad_files(void **state)
{
    static const struct ni_torus two = {{2, 1, 1}};
    static const struct {
        const char *text;
        const struct ni_torus *shape;
        const char *error; /* behind the path */
    } rows[] = {
        {"# nothing\n", NULL, ": no host is named"},
        {"a 0 0 0\nb 1 0\n", NULL, ":2: host b has 2 of three coordinates"},
        {"a 0 0 0\nb\n", NULL, ":2: host b has no coordinates, but that of line 1 has"},
        {"a\n\nb 0 0 1\n", NULL, ":1: host a has no coordinates, but that of line 3 has"},
        {"a 0 0 0 0\n", NULL, ":1: host a, \"0\": there are three coordinates before it"},
        {"a 0 -1 0\n", NULL, ":1: host a, \"-1\": a sign is not allowed"},
        {"a 0 one 0\n", NULL, ":1: host a, \"one\": "},
        {"a 0 0 1048576\n", NULL, ":1: host a, \"1048576\": it is too large"},
        {"a cpus=4\n", NULL, ":1: host a, \"cpus=4\": "},
        {"a 0 0 0\nb 1 0 0\na 2 0 0\n", NULL, ":3: host a is in line 1 already"},
        {"a 0 0 0\nb 1 0 0\nc 0 0 0\n", NULL,
         ":3: host c has the coordinates 0 0 0 of host a in line 1"},
        {"a 0 0 0\nb 1 0 0\nc 1 0 0\n", NULL,
         ":3: host c has the coordinates 1 0 0 of host b in line 2"},
        {"a 0 0 0\nb 2 0 0\n", NULL, ": no host has the coordinates 1 0 0"},
        {"a 0 0 0\nb 1 1 0\nc 0 1 0\n", NULL, ": no host has the coordinates 1 0 0"},
        {"a 0 0 0\nb 1 1 0\n", &two,
         ":2: host b: coordinate Y = 1 is outside of the torus of 2x1x1"},
        {"a 0 0 0\n", &two, ": no host has the coordinates 1 0 0"},
        {"a\nb\nc\n", &two, ": 3 hosts are named, but a torus of 2x1x1 has 2 nodes"},
        {"a 1048575 1048575 1\n", NULL, ": the coordinates need a torus of 1048576x1048576x2"},
        {"<script>\n", NULL, ":1: \"<script>\" is no name of a host"},
    };

    (void)state;
    for (size_t i = 0; i < NI_ARRAY_LENGTH(rows); i++) {
        struct ni_torus_map *map = NULL;
        char error[600];

        write_file(rows[i].text);
        assert_int_equal(ni_torus_map_read(path, rows[i].shape, &map, error, sizeof(error)),
                         NI_ERR_PARAM);
        assert_null(map);
        if (strncmp(error, path, strlen(path)) != 0 ||
            strncmp(error + strlen(path), rows[i].error, strlen(rows[i].error)) != 0) {
            fail_msg("row %zu: \"%s\" instead of \"%s\"", i, error, rows[i].error);
        }
    }
}

static void test_no_file(void **state)
{
    struct ni_torus_map *map = NULL;
    char error[300];

    (void)state;
    assert_int_equal(ni_torus_map_read("/nonexistent/hosts", NULL, &map, error, sizeof(error)),
                     NI_ERR_SYSTEM);
    assert_string_equal(error, "/nonexistent/hosts: cannot be read: No such file or directory");
    assert_int_equal(ni_torus_map_read("/tmp", NULL, &map, error, sizeof(error)), NI_ERR_SYSTEM);
    assert_non_null(strstr(error, "Is a directory"));
    assert_null(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_coordinates), cmocka_unit_test(test_without_coordinates),
        cmocka_unit_test(test_many_hosts),       cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_no_file),
    };
    int fd = mkstemp(path), failed;

    if (fd < 0) {
        perror(path);
        return 1;
    }
    close(fd);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
