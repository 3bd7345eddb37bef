/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Covers: record/record.c record/json.c record/names.c record/account.c record/peers.c
 * record/sweep.c record/process.c
 *
 * The record: its file, what is counted, time in slices, a record as JSON, and whose processes
 * live.
 */
#include "unit.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/count.h"
#include "record/json.h"
#include "record/process.h"
#include "record/sweep.h"

enum { JOB = 7, RANK = 3, SHIFT = 10 };

static char folder[] = "record.XXXXXX";

enum { CLASS = RECORD_CLASS_USER, BARRIER = RECORD_CLASS_BARRIER };

static void send(struct record_peer *peer, int tag, uint32_t context, uint64_t bytes, uint64_t now)
{
    record_count_send_by(false, record_own.head, CLASS, peer, tag, context, bytes, now);
}

static void receive(uint32_t class, struct record_peer *peer, int tag, uint32_t context,
                    uint64_t bytes, bool any_source, uint64_t now)
{
    record_count_receive_by(false, record_own.head, class, peer, tag, context, bytes, any_source,
                            now);
}

static void receive_wait(struct record_peer *peer, int tag, uint32_t context, uint64_t begin,
                         uint64_t end)
{
    record_count_receive_wait_by(false, CLASS, peer, tag, context, 8, begin, end);
}

/* A record without peers of its own process. */
static int open_record(void **state)
{
    (void)state;
    assert_null(record_open(folder, JOB, RANK, 100));
    record_own.head->version = RECORD_VERSION;
    record_own.head->stamp_start = 1000;
    record_slices_begin(SHIFT);
    return 0;
}

static int close_record(void **state)
{
    (void)state;
    record_close(true);
    return 0;
}

/* An entry for a peer. */
static struct record_peer *add_peer(uint32_t rank)
{
    uint32_t index = record_own.head->peer_count;

    assert_true(record_grow(index + 1));
    record_own.peers[index].job = JOB;
    record_own.peers[index].rank = rank;
    record_own.head->peer_count = index + 1;
    return &record_own.peers[index];
}

static void the_file_takes_no_more_than_is_used(void **state)
{
    struct stat status;

    (void)state;
    assert_int_equal(stat(record_own.path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true((size_t)status.st_size >= record_peers_at() + 100 * sizeof(struct record_peer));
    assert_true((size_t)status.st_blocks * 512 < 256 * 1024);
    for (uint32_t rank = 0; rank < 64; rank++) {
        (void)add_peer(rank);
    }
    assert_int_equal(stat(record_own.path, &status), 0);
    assert_true((size_t)status.st_blocks * 512 <= 512 * 1024);
}

static void parts_near_the_head_are_found_by_it(void **state)
{
    (void)state;
    assert_ptr_equal(record_calls_of(record_own.head), record_own.calls);
    assert_ptr_equal(record_classes_of(record_own.head), record_own.classes);
}

static void there_is_room_for_so_many_peers(void **state)
{
    (void)state;
    assert_int_equal(record_own.head->peer_room, 100);
    assert_true(record_grow(100));
    assert_false(record_grow(101));
}

static void a_small_limit_of_files_leaves_room_for_fewer(void **state)
{
    struct rlimit before, limit;

    (void)state;
    record_close(true);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = record_peers_at() + 10 * sizeof(struct record_peer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_null(record_open(folder, JOB, RANK, 100));
    assert_int_equal(record_own.head->peer_room, 10);
    record_close(true);
    limit.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    unit_assert_contains(record_open(folder, JOB, RANK, 100), "ulimit -f");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    record_close(true);
    unit_assert_contains(record_open("/nowhere/at/all", JOB, RANK, 1), "/nowhere/at/all");
    assert_null(record_own.head);
}

static void messages_are_counted(void **state)
{
    static const uint64_t sizes[] = {0, 1, 2, 3, 4, 1024, UINT64_C(1) << 40, UINT64_C(1) << 62};
    static const unsigned classes[] = {0, 1, 2, 2, 3, 11, 41, RECORD_SIZES - 1};
    struct record_peer *peer = add_peer(1);

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint32_t before = peer->sent_by_size[classes[i]];

        send(peer, 5, 0, sizes[i], 2000 + i);
        assert_int_equal(peer->sent_by_size[classes[i]], before + 1);
        receive(BARRIER, peer, -16, 0, sizes[i], i == 0, 2000 + i);
    }
    assert_int_equal(peer->sent[0], 8);
    assert_int_equal(peer->sent[1], 0);
    assert_int_equal(peer->received[1], 8);
    assert_int_equal(peer->received_any_source, 1);
    assert_int_equal(peer->sent_smallest, 0);
    assert_int_equal(peer->sent_largest, UINT64_C(1) << 62);
    assert_int_equal(record_own.classes[RECORD_CLASS_USER].sent, 8);
    assert_int_equal(record_own.classes[BARRIER].received, 8);
    assert_string_equal(record_class_name(BARRIER), "barrier");
}

/* However long it lasts, no message is missing from the slices, and each is in the one of its time.
 */
static void time_is_in_at_most_200_slices(void **state)
{
    struct record_head *head = record_own.head;
    struct record_peer *peer = add_peer(1);
    uint64_t now = head->stamp_start, sent = 0;

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        uint64_t sum = 0, index;

        now += UINT64_C(1) << (SHIFT - 4 + i / 100);
        send(peer, 1, 0, 8, now);
        sent++;
        record_slice_next(now);
        assert_true(head->slice_count <= RECORD_SLICES);
        index = (now - head->stamp_start) / head->slice_ticks;
        assert_true(index < head->slice_count);
        assert_true(record_own.slices[index].sent > 0);
        for (unsigned k = 0; k < head->slice_count; k++) {
            sum += record_own.slices[k].sent;
        }
        assert_int_equal(sum, sent);
    }
    assert_int_equal(head->slice_ticks & (head->slice_ticks - 1), 0);
}

static void waits_of_unknown_reason_are_so_counted(void **state)
{
    struct record_peer *peer = add_peer(1);

    (void)state;
    receive_wait(peer, 1, 0, 2000, 2000 + 1000000);
    record_count_send_wait(CLASS, peer, 1, 1, 0, 8, 2000, 2000 + 500000);
    receive_wait(peer, 1, 0, 2000, 2010);
    assert_int_equal(peer->receive_wait_ticks, 1000010);
    assert_int_equal(peer->send_wait_ticks, 500000);
    assert_int_equal(peer->late_sender_unknown, 1);
    assert_int_equal(peer->late_sender_known, 0);
    assert_int_equal(peer->late_sender_ticks, 0);
    assert_int_equal(peer->late_receiver_unknown, 1);
}

/* The record of the peer says when it sent, and when it began to receive. */
static void the_record_of_a_late_peer_says_since_when(void **state)
{
    struct record mine = record_own;
    struct record_peer *me, *peer;

    (void)state;
    record_own.head->job = JOB;
    record_own.head->rank = RANK;
    peer = add_peer(RANK + 1);
    receive(CLASS, peer, 9, 4, 1, false, 600000);
    mine = record_own;
    memset(&record_own, 0, sizeof(record_own));
    assert_null(record_open(folder, JOB, RANK + 1, 100));
    record_own.head->version = RECORD_VERSION;
    record_own.head->stamp_start = 1000;
    record_slices_begin(SHIFT);
    me = add_peer(RANK);
    send(me, 9, 4, 1, 500000);
    send(me, 9, 4, 1, 700000);
    record_announce_receive(false, me, 6, 4, 400000);
    record_announce_receive(false, me, 5, 4, 450000);
    record_announce_receive(false, me, RECORD_ANY, 4, 900000);
    record_own.head->magic = RECORD_MAGIC;
    record_close(false);
    record_own = mine;
    receive_wait(peer, 9, 4, 200000, 600000);
    assert_int_equal(peer->late_sender_known, 1);
    assert_int_equal(peer->late_sender_ticks, 300000);
    assert_int_equal(peer->late_sender_internal_ticks, 0);
    record_count_send_wait(CLASS, peer, 1, 5, 4, 8, 250000, 600000);
    assert_int_equal(peer->late_receiver_ticks, 200000);
    record_count_send_wait(BARRIER, peer, 2, 6, 4, 8, 250000, 600000);
    assert_int_equal(peer->late_receiver_ticks, 200000 + 150000);
    assert_int_equal(peer->late_receiver_internal_ticks, 150000);
    assert_int_equal(peer->late_receiver_internal, 1);
    record_count_send_wait(CLASS, peer, 3, 9, 4, 8, 800000, 1000000);
    assert_int_equal(peer->late_receiver_ticks, 200000 + 150000 + 100000);
    assert_int_equal(peer->late_receiver_known, 3);
    record_count_send_wait(CLASS, peer, 3, 9, 5, 8, 800000, 1000000);
    assert_int_equal(peer->late_receiver_unknown, 1);
    /* Of short waits the last one speaks for those before it. */
    receive(CLASS, peer, 9, 4, 1, false, 700000);
    receive_wait(peer, 9, 4, 640000, 700000);
    receive_wait(peer, 9, 4, 640000, 700000);
    assert_int_equal(peer->late_sender_known, 1);
    receive_wait(peer, 9, 4, 660000, 720000);
    assert_int_equal(peer->late_sender_known, 1 + 3);
    assert_int_equal(peer->late_sender_ticks, 300000 + 3 * 40000);
    record_peers_close();
}

static void json_has_every_field(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    (void)snprintf(record_own.head->program, sizeof(record_own.head->program), "a\"b\\c\n");
    send(add_peer(12), 5, 0, 77, 2000);
    record_json_record(out, (const char *)record_own.head,
                       record_peers_at() + sizeof(struct record_peer));
    assert_int_equal(fclose(out), 0);
    for (const struct record_part *part = record_parts(); part->name != NULL; part++) {
        for (const struct record_field *field = part->fields;
             field->name != NULL && record_part_count(record_own.head, part) > 0; field++) {
            char wanted[64];

            (void)snprintf(wanted, sizeof(wanted), "\"%s\": ", field->name);
            unit_assert_contains(text, wanted);
        }
    }
    unit_assert_contains(text, "\"program\": \"a\\\"b\\\\c\\u000a\"");
    unit_assert_contains(text, "\"sent_bytes\": [77, 0]");
    free(text);
}

/* ---- what is left ---------------------------------------------------------------------------- */

static uint32_t dead_process(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    return (uint32_t)pid;
}

/* A record of another job, begun so many seconds ago, which was kept for so many. */
static void leave_record(uint32_t job, uint32_t pid, uint64_t ago, uint64_t kept)
{
    struct record mine = record_own;
    struct record_head *head;

    memset(&record_own, 0, sizeof(record_own));
    assert_null(record_open(folder, job, 0, 1));
    head = record_own.head;
    head->version = RECORD_VERSION;
    head->pid = pid;
    (void)record_process_state(pid, &head->process_start);
    head->start_seconds = (uint64_t)time(NULL) - ago;
    head->clock_last = kept * 1000000000u;
    head->magic = RECORD_MAGIC;
    record_close(false);
    record_own = mine;
}

static bool is_left(uint32_t job)
{
    char name[64], path[128];

    record_file_name(name, sizeof(name), job, 0);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void old_records_of_the_dead_are_removed(void **state)
{
    enum { A_DAY = 24 * 60 * 60, OLD = 20, RECENT, LONG_LIVED, ALIVE };

    (void)state;
    (void)record_sweep(folder, A_DAY); /* of other tests */
    leave_record(OLD, dead_process(), 2 * A_DAY, 10);
    leave_record(RECENT, dead_process(), 60, 10);
    leave_record(LONG_LIVED, dead_process(), 2 * A_DAY, 2 * A_DAY - 60);
    leave_record(ALIVE, (uint32_t)getpid(), 2 * A_DAY, 10);
    assert_int_equal(record_sweep(folder, A_DAY), 1);
    assert_false(is_left(OLD));
    assert_true(is_left(RECENT));
    assert_true(is_left(LONG_LIVED));
    assert_true(is_left(ALIVE));
    assert_int_equal(record_sweep(folder, 0), 2);
    assert_true(is_left(ALIVE));
    assert_int_equal(record_sweep("/nowhere/at/all", 0), 0);
}

/* ---- processes --------------------------------------------------------------------------------
 */

static void the_first_name_space_of_each_host_has_the_same_number(void **state)
{
    struct record_head *own = record_own.head, other;

    (void)state;
    own->process_space = record_process_space();
    (void)snprintf(own->host, sizeof(own->host), "node1");
    other = *own;
    assert_false(record_is_elsewhere(&other));
    (void)snprintf(other.host, sizeof(other.host), "node2");
    assert_true(record_is_elsewhere(&other));
    other = *own;
    other.process_space++;
    assert_true(record_is_elsewhere(&other));
}

static void nobody_is_dead_for_want_of_descriptors(void **state)
{
    struct record_head head = {.pid = dead_process()};
    struct rlimit before, none;
    bool lives, stopped;

    (void)state;
    assert_false(record_process_lives(&head, &stopped));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    lives = record_process_lives(&head, &stopped);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(lives);
    assert_false(stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_file_takes_no_more_than_is_used, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(parts_near_the_head_are_found_by_it, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(there_is_room_for_so_many_peers, open_record, close_record),
        cmocka_unit_test_setup_teardown(a_small_limit_of_files_leaves_room_for_fewer, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(a_folder_that_is_not_there_is_named, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(messages_are_counted, open_record, close_record),
        cmocka_unit_test_setup_teardown(time_is_in_at_most_200_slices, open_record, close_record),
        cmocka_unit_test_setup_teardown(waits_of_unknown_reason_are_so_counted, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(the_record_of_a_late_peer_says_since_when, open_record,
                                        close_record),
        cmocka_unit_test_setup_teardown(json_has_every_field, open_record, close_record),
        cmocka_unit_test(old_records_of_the_dead_are_removed),
        cmocka_unit_test_setup_teardown(the_first_name_space_of_each_host_has_the_same_number,
                                        open_record, close_record),
        cmocka_unit_test(nobody_is_dead_for_want_of_descriptors),
    };
    char command[64];
    int failed;

    if (mkdtemp(folder) == NULL) {
        perror(folder);
        return 1;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) != 0 || failed;
}
