/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/memory.c. Both ends of a cable through a file. */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dnp/board/memory.h"

static char folder[] = "/tmp/test_dnp_memoryXXXXXX", path[64];
static struct board_memory plus, minus;

static int setup(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cable", folder);
    assert_int_equal(board_memory_open(&plus, 0, path), NI_OK);
    assert_int_equal(board_memory_open(&minus, 1, path), NI_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    board_memory_close(&plus);
    board_memory_close(&minus);
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* no socket is left */
    return 0;
}

static void send(struct board_memory *memory, uint64_t number)
{
    struct board_memory_frame *frame = board_memory_room(memory);

    assert_non_null(frame);
    frame->words[DNP_FRAME_WORDS - 1].hi = number;
    board_memory_send(memory);
}

static void take(struct board_memory *memory, uint64_t number)
{
    const struct board_memory_frame *frame = board_memory_next(memory);

    assert_non_null(frame);
    assert_int_equal(frame->words[DNP_FRAME_WORDS - 1].hi, number);
    board_memory_done(memory);
}

static bool rings(const struct board_memory *memory)
{
    struct pollfd fd = {.fd = memory->bell, .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

static void test_frames_come_in_order(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t i = 0; i < BOARD_MEMORY_FRAMES; i++) {
            send(&plus, round * 1000 + i);
            send(&minus, round * 2000 + i);
        }
        assert_null(board_memory_room(&plus));
        for (uint64_t i = 0; i < BOARD_MEMORY_FRAMES; i++) {
            take(&minus, round * 1000 + i);
            take(&plus, round * 2000 + i);
        }
        assert_null(board_memory_next(&minus));
    }
}

static void test_who_sleeps_is_woken_once(void **state)
{
    (void)state;
    send(&plus, 1);
    assert_false(board_memory_sleep(&minus));
    take(&minus, 1);
    assert_false(rings(&minus));
    assert_true(board_memory_sleep(&minus));
    send(&plus, 2);
    assert_true(rings(&minus));
    board_memory_hear(&minus);
    send(&plus, 3);
    assert_false(rings(&minus));
    take(&minus, 2);
    take(&minus, 3);
    assert_true(board_memory_sleep(&minus));
    board_memory_awake(&minus);
    send(&plus, 4);
    assert_false(rings(&minus));
    take(&minus, 4);
}

/* A board that begins anew goes on where it was; the other has noticed nothing. */
static void test_an_end_that_begins_anew(void **state)
{
    (void)state;
    send(&plus, 1);
    board_memory_close(&minus);
    send(&plus, 2);
    assert_int_equal(board_memory_open(&minus, 3, path), NI_OK);
    take(&minus, 1);
    take(&minus, 2);
    send(&minus, 3);
    take(&plus, 3);
}

/* Positions that no board writes are not followed out of the ring. */
static void test_wrong_positions(void **state)
{
    (void)state;
    atomic_store(&plus.out->filled, plus.filled + 1000);
    assert_null(board_memory_next(&minus));
    atomic_store(&plus.out->taken, plus.filled - 1000);
    assert_null(board_memory_room(&plus));
    atomic_store(&plus.out->taken, plus.filled + 7);
    assert_null(board_memory_room(&plus));
    plus.filled = minus.taken = 0;
    atomic_store(&plus.out->filled, 0);
    atomic_store(&plus.out->taken, 0);
    send(&plus, 5);
    take(&minus, 5);
}

static void test_what_is_refused(void **state)
{
    struct board_memory other;
    FILE *file;

    (void)state;
    assert_int_equal(board_memory_open(&other, 2, path), NI_ERR_SYSTEM);
    assert_int_equal(errno, EBUSY);
    board_memory_close(&minus);
    assert_int_equal(chmod(path, 0620), 0);
    assert_int_equal(board_memory_open(&minus, 1, path), NI_ERR_SYSTEM);
    assert_int_equal(errno, EACCES);
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(board_memory_open(&minus, 1, folder), NI_ERR_SYSTEM);
    assert_int_equal(board_memory_open(&minus, 1, path), NI_OK);
    board_memory_close(&plus);
    board_memory_close(&minus);
    file = fopen(path, "w");
    fputs("a text", file);
    fclose(file);
    assert_int_equal(board_memory_open(&plus, 0, path), NI_ERR_SYSTEM);
    assert_int_equal(errno, EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_come_in_order),
        cmocka_unit_test(test_who_sleeps_is_woken_once),
        cmocka_unit_test(test_an_end_that_begins_anew),
        cmocka_unit_test(test_wrong_positions),
        cmocka_unit_test(test_what_is_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
