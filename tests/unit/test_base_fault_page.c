/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/base/fault_page.c, ni/base/fault_page.h. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_page.h"

enum { NODES = 3, WHOLE = 2000 };

static char path[64];
static struct ni_fault_page *writer, *reader;

static int setup(void **state)
{
    const struct ni_fault_about about = {.nodes = NODES,
                                         .torus = {3, 1, 1},
                                         .self = 1,
                                         .master = UINT32_MAX,
                                         .beat_ns = 7,
                                         .layout = 4711};

    (void)state;
    snprintf(path, sizeof path, "/tmp/test_base_fault_page.%d", (int)getpid());
    writer = ni_fault_page_create(path, &about);
    return writer == NULL || ni_fault_page_open(path, &reader) != NI_OK;
}

static int teardown(void **state)
{
    (void)state;
    ni_fault_page_close(reader);
    ni_fault_page_close(writer);
    return access(path, F_OK) == 0; /* a writer takes its file away */
}

static void test_what_is_written_is_read(void **state)
{
    const struct ni_fault_entry lost = {.state = NI_FAULT_LOST,
                                        .word = 0x2a,
                                        .via = 2,
                                        .unseen_us = 1234,
                                        .at_ns = 99,
                                        .parted_ns = 98,
                                        .host = "red",
                                        .what = "host lost",
                                        .how = "node 2 by its link X+",
                                        .parted = "cables are broken"};
    struct ni_fault_about about;
    struct ni_fault_entry entry;

    (void)state;
    ni_fault_page_about(reader, &about);
    assert_int_equal(about.nodes, NODES);
    assert_int_equal(about.torus[0], 3);
    assert_int_equal(about.self, 1);
    assert_int_equal(about.master, UINT32_MAX);
    assert_int_equal(about.beat_ns, 7);
    assert_int_equal(about.layout, 4711);
    assert_true(ni_fault_page_read(reader, 2, &entry));
    assert_int_equal(entry.state, NI_FAULT_NORMAL);
    ni_fault_page_set(writer, 2, &lost);
    ni_fault_page_beat(writer, 0, 8);
    assert_true(ni_fault_page_read(reader, 2, &entry));
    assert_memory_equal(&entry, &lost, sizeof entry);
    assert_false(ni_fault_page_read(reader, NODES, &entry));
    ni_fault_page_about(reader, &about);
    assert_int_equal(about.master, 0);
    assert_int_equal(about.beat_ns, 8);
    assert_int_equal(about.changes, 1);
    assert_string_equal(ni_fault_state_name(lost.state), "lost");
    assert_string_equal(ni_fault_state_name(77), "unknown");
}

static _Atomic bool ends;

static void *write_all_the_time(void *arg)
{
    (void)arg;
    for (uint32_t i = 0; !atomic_load_explicit(&ends, memory_order_relaxed); i++) {
        struct ni_fault_entry entry = {.word = i, .via = i, .at_ns = (uint64_t)i << 32 | i};

        memset(entry.what, 'a' + i % 26, sizeof entry.what - 1);
        memset(entry.parted, 'a' + i % 26, sizeof entry.parted);
        ni_fault_page_set(writer, 0, &entry);
    }
    return NULL;
}

static void test_what_is_read_is_whole(void **state)
{
    pthread_t thread;
    unsigned good = 0;

    (void)state;
    atomic_store_explicit(&ends, false, memory_order_relaxed);
    assert_int_equal(pthread_create(&thread, NULL, write_all_the_time, NULL), 0);
    while (good < WHOLE) {
        struct ni_fault_entry entry;

        if (!ni_fault_page_read(reader, 0, &entry) || entry.what[0] == '\0') {
            continue;
        }
        good++;
        assert_int_equal(entry.word, entry.via);
        assert_true(entry.at_ns == ((uint64_t)entry.word << 32 | entry.word));
        assert_int_equal(entry.what[0], 'a' + (int)(entry.word % 26));
        assert_int_equal(entry.what[NI_FAULT_WHAT - 2], entry.what[0]);
        assert_int_equal(entry.parted[NI_FAULT_PARTED - 2], entry.what[0]);
        assert_int_equal(entry.parted[NI_FAULT_PARTED - 1], '\0');
    }
    atomic_store_explicit(&ends, true, memory_order_relaxed);
    pthread_join(thread, NULL);
}

/* Each condition by itself. */
static void test_what_is_heeded(void **state)
{
    const struct ni_fault_about good = {.nodes = NODES, .master = 0, .beat_ns = 50};
    const struct ni_fault_entry lost = {.state = NI_FAULT_LOST,
                                        .word = NI_FAULT_GONE,
                                        .via = 2,
                                        .at_ns = 99,
                                        .what = "node gone",
                                        .how = "no ping"};
    struct ni_fault_about about = good;
    struct ni_fault_entry entry = lost;

    (void)state;
    assert_true(ni_fault_page_is_current(&about, 50));
    assert_true(ni_fault_page_is_current(&about, 50 + NI_FAULT_BEAT_NS));
    assert_false(ni_fault_page_is_current(&about, 51 + NI_FAULT_BEAT_NS));
    assert_false(ni_fault_page_is_current(&about, 49));
    about.master = UINT32_MAX;
    assert_false(ni_fault_page_is_current(&about, 50));
    assert_true(ni_fault_entry_is_lost(&entry, &good, 99));
    assert_false(ni_fault_entry_is_lost(&entry, &good, 98));
    entry.word = NI_FAULT_HOST_LOST;
    assert_true(ni_fault_entry_is_lost(&entry, &good, 99));
    entry.word = NI_FAULT_HOST_LOST | NI_FAULT_UNHEARD;
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
    entry.word = 0x28;
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
    entry = lost;
    entry.state = NI_FAULT_BROKEN;
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
    entry = lost;
    entry.via = NODES;
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
    entry = lost;
    entry.what[0] = '\0';
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
    entry = lost;
    entry.how[0] = '\0';
    assert_false(ni_fault_entry_is_lost(&entry, &good, 99));
}

static void test_no_way(void **state)
{
    struct ni_fault_entry entry = {.parted_ns = 99, .parted = "cables are broken"};

    (void)state;
    assert_true(ni_fault_entry_is_parted(&entry, 99));
    assert_false(ni_fault_entry_is_parted(&entry, 98));
    entry.parted_ns = 0;
    assert_false(ni_fault_entry_is_parted(&entry, 99));
    entry = (struct ni_fault_entry){.parted_ns = 99};
    assert_false(ni_fault_entry_is_parted(&entry, 99));
}

static void test_names_of_hosts(void **state)
{
    (void)state;
    assert_true(ni_fault_same_host("red", "red"));
    assert_true(ni_fault_same_host("red", "red.example.org"));
    assert_true(ni_fault_same_host("red.example.org", "red"));
    assert_false(ni_fault_same_host("red.example.org", "red.example.net"));
    assert_false(ni_fault_same_host("red", "redder"));
    assert_false(ni_fault_same_host("", ""));
    assert_false(ni_fault_same_host("", ".example.org"));
}

static void spoil(off_t at, const char *bytes, size_t len, off_t length)
{
    FILE *file = fopen(path, "r+");

    assert_non_null(file);
    fseeko(file, at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
    assert_int_equal(length < 0 ? 0 : truncate(path, length), 0);
}

static void test_other_files_are_refused(void **state)
{
    struct ni_fault_page *page;

    (void)state;
    assert_int_equal(ni_fault_page_open("/nowhere/page", &page), NI_ERR_NOTFOUND);
    assert_int_equal(ni_fault_page_open("/dev/null", &page), NI_ERR_PROTOCOL);
    spoil(8, "\1", 1, -1); /* the version */
    assert_int_equal(ni_fault_page_open(path, &page), NI_ERR_PROTOCOL);
    spoil(8, "\4", 1, -1);
    spoil(16, "\4", 1, -1); /* more nodes than there are in the file */
    assert_int_equal(ni_fault_page_open(path, &page), NI_ERR_PROTOCOL);
    spoil(16, "\3", 1, -1);
    assert_int_equal(ni_fault_page_open(path, &page), NI_OK);
    ni_fault_page_close(page);
    assert_int_equal(access(path, F_OK), 0); /* a reader leaves it */
    spoil(0, "N", 1, 63);
    assert_int_equal(ni_fault_page_open(path, &page), NI_ERR_PROTOCOL);
    assert_null(page);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, 12345, 0), 0);
        assert_int_equal(ni_fault_page_open(path, &page), NI_ERR_ACCESS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_is_read_is_whole, setup, teardown),
        cmocka_unit_test(test_what_is_heeded),
        cmocka_unit_test(test_no_way),
        cmocka_unit_test(test_names_of_hosts),
        cmocka_unit_test_setup_teardown(test_other_files_are_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
