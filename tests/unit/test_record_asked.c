/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: record/account.c record/peers.c record/clocks.c
 *
 * Waits of which only processes of other hosts know the reason, and how often who counts is asked;
 * the clocks of hosts.
 */
#include "unit.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "record/clock.h"
#include "record/clocks.h"
#include "record/count.h"

enum { JOB = 7, RANK = 3, SHIFT = 20, CLASS = RECORD_CLASS_USER };

static char folder[] = "asked.XXXXXX";
static struct record_question asked;

static bool note(struct record_peer *peer, const struct record_question *question)
{
    (void)peer;
    asked = *question;
    return true;
}

static int open_record(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_null(record_open(folder, JOB, RANK, 100));
    record_own.head->stamp_start = 1000;
    record_slices_begin(SHIFT);
    record_ask_elsewhere = note;
    return 0;
}

static int close_record(void **state)
{
    (void)state;
    record_ask_elsewhere = NULL;
    record_slice_most = 0;
    record_close(true);
    return rmdir(folder);
}

static void what_is_told_later_is_known_then(void **state)
{
    struct record_peer *peer = record_peer(JOB, 1);

    (void)state;
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 8, 2000, 102000);
    assert_int_equal(peer->late_sender_unknown, 1);
    assert_int_equal(asked.tag, 5);
    assert_int_equal(asked.end - asked.begin, 100000);
    record_told_elsewhere(peer, &asked, 30000, 500);
    assert_int_equal(peer->late_sender_unknown, 0);
    assert_int_equal(peer->late_sender_known, 1);
    assert_int_equal(peer->late_sender_ticks, 30000);
    assert_int_equal(peer->late_sender_error_ticks, 500);
    assert_int_equal(peer->late_sender_inferred, 0);
}

/* What is waited for messages of collectives is part of the sums, and known apart from the rest. */
static void waits_of_collectives_are_known_by_themselves(void **state)
{
    struct record_peer *peer = record_peer(JOB, 3);

    (void)state;
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 8, 2000, 102000);
    record_told_elsewhere(peer, &asked, 30000, 500);
    assert_int_equal(peer->receive_wait_internal_ticks, 0);
    assert_int_equal(peer->late_sender_internal_ticks, 0);
    record_count_receive_wait_by(false, RECORD_CLASS_BARRIER, peer, -16, 4, 0, 2000, 902000);
    record_told_elsewhere(peer, &asked, 800000, 500);
    assert_int_equal(peer->receive_wait_ticks, 1000000);
    assert_int_equal(peer->receive_wait_internal_ticks, 900000);
    assert_int_equal(peer->late_sender_known, 2);
    assert_int_equal(peer->late_sender_internal, 1);
    assert_int_equal(peer->late_sender_ticks, 830000);
    assert_int_equal(peer->late_sender_internal_ticks, 800000);
    record_count_send_wait(RECORD_CLASS_BARRIER, peer, 1, -16, 4, 0, 2000, 202000);
    record_told_elsewhere(peer, &asked, 70000, 500);
    record_count_send_wait(CLASS, peer, 2, 5, 4, 8, 2000, 302000);
    record_told_elsewhere(peer, &asked, 50000, 500);
    assert_int_equal(peer->send_wait_ticks, 500000);
    assert_int_equal(peer->send_wait_internal_ticks, 200000);
    assert_int_equal(peer->late_receiver_known, 2);
    assert_int_equal(peer->late_receiver_internal, 1);
    assert_int_equal(peer->late_receiver_ticks, 120000);
    assert_int_equal(peer->late_receiver_internal_ticks, 70000);
}

/* It is no longer than the wait, nor is its error. */
static void what_the_clocks_do_not_tell_is_inferred(void **state)
{
    struct record_peer *peer = record_peer(JOB, 2);

    (void)state;
    record_count_send_wait(CLASS, peer, 7, 5, 4, 8, 2000, 102000);
    assert_int_equal(asked.is_send, 1);
    assert_int_equal(asked.number, 7);
    record_told_elsewhere(peer, &asked, 400000, 300000);
    assert_int_equal(peer->late_receiver_known, 1);
    assert_int_equal(peer->late_receiver_unknown, 0);
    assert_int_equal(peer->late_receiver_ticks, 100000);
    assert_int_equal(peer->late_receiver_error_ticks, 100000);
    assert_int_equal(peer->late_receiver_inferred, 1);
}

static void short_waits_are_asked_about_together(void **state)
{
    struct record_peer *peer = record_peer(JOB, 4);

    (void)state;
    record_elsewhere_together = 600000;
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 8, 2000, 802000);
    record_told_elsewhere(peer, &asked, 0, 500);
    asked.share.waits = 0;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(asked.share.waits, 0);
        record_count_receive_wait_by(false, CLASS, peer, 5, 4, 8, 2000, 252000);
    }
    assert_int_equal(asked.share.waits, 3);
    assert_int_equal(peer->late_sender_unknown, 3);
    record_told_elsewhere(peer, &asked, 125000, 1000);
    assert_int_equal(peer->late_sender_unknown, 0);
    assert_int_equal(peer->late_sender_known, 1 + 3);
    assert_int_equal(peer->late_sender_ticks, 3 * 125000);
    assert_int_equal(peer->late_sender_error_ticks, 500 + 3 * 1000);
    record_elsewhere_together = 0;
}

/* The shortest wait for a message of such a size is what a message takes. */
static void what_nobody_tells_is_inferred(void **state)
{
    struct record_peer *peer = record_peer(JOB, 5);

    (void)state;
    record_ask_elsewhere = NULL;
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 8, 2000, 202000);
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 1 << 20, 2000, 902000);
    assert_int_equal(peer->late_sender_unknown, 2);
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 9, 2000, 702000);
    record_count_receive_wait_by(false, CLASS, peer, 5, 4, 1 << 20, 2000, 802000);
    assert_int_equal(peer->late_sender_unknown, 2);
    assert_int_equal(peer->late_sender_known, 2);
    assert_int_equal(peer->late_sender_inferred, 2);
    assert_int_equal(peer->late_sender_ticks, 500000);
    assert_int_equal(peer->late_sender_error_ticks, 200000 + 800000);
    assert_int_equal(peer->late_receiver_known, 0);
    record_ask_elsewhere = note;
}

static void who_counts_is_asked_as_often_as_is_wanted(void **state)
{
    (void)state;
    record_slice_most = 500;
    record_slice_next(2000);
    assert_int_equal(record_slice_end, 2500);
    record_slice_most = 0;
    record_slice_next(3000);
    assert_int_equal(record_slice_end, 1000 + (1 << SHIFT));
}

/* The clock of rank 0's host is an hour ahead. */
static void what_is_asked_is_told_by_the_clock_of_rank_0(void **state)
{
    const uint64_t hour = UINT64_C(3600000000000), second = 1000000000;
    const struct timespec moment = {.tv_nsec = 20000000};
    struct record_peer *peer = record_peer(JOB, 6);
    struct record_question question = {.tag = 5, .context = 4, .number = 1};
    uint64_t offset, error, now, when;

    (void)state;
    record_own.head->job = JOB;
    record_own.head->rank = RANK;
    record_own.head->clock_start = record_clock();
    record_own.head->stamp_start = record_stamp();
    (void)nanosleep(&moment, NULL); /* by which the rate of stamps is known */
    record_clocks_begin(RANK, 0);
    assert_true(record_clock_measures());
    assert_false(record_clock_offset(&offset, &error));
    record_announce_send(false, peer, 5, 4, record_stamp());
    assert_int_equal(record_answer(6, &question, 0, &error), 0);
    now = record_clock();
    record_clock_told(now, now + hour);
    assert_true(record_clock_offset(&offset, &error));
    assert_true(hour - offset <= error);
    when = record_answer(6, &question, 0, &error);
    assert_true(when > now + hour - second && when < now + hour + second);
    question.number = 2;
    assert_int_equal(record_answer(6, &question, 0, &error), 0);
    question.begin = record_stamp();
    question.end = question.begin + record_ticks(second);
    question.share = (struct record_share){1, question.end - question.begin};
    record_take_answer(6, &question, record_clock_at(question.begin) + offset + second / 2, 0);
    assert_true(peer->late_sender_ticks > record_ticks(second / 2 - second / 10));
    assert_true(peer->late_sender_ticks < record_ticks(second / 2 + second / 10));
    assert_int_equal(peer->late_sender_known, 1);
    record_clocks_finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_told_later_is_known_then),
        cmocka_unit_test(waits_of_collectives_are_known_by_themselves),
        cmocka_unit_test(what_the_clocks_do_not_tell_is_inferred),
        cmocka_unit_test(short_waits_are_asked_about_together),
        cmocka_unit_test(what_nobody_tells_is_inferred),
        cmocka_unit_test(who_counts_is_asked_as_often_as_is_wanted),
        cmocka_unit_test(what_is_asked_is_told_by_the_clock_of_rank_0),
    };

    return cmocka_run_group_tests(tests, open_record, close_record);
}
