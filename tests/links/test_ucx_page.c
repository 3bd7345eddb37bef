/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/engine/drive/faults.c, ni/engine/drive/faults.h, ni/engine/core/address.h. */
/*
 * The fault page is heeded: two interfaces, of which the address of one says that it is on another
 * host, and a page that the test writes.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apeni/apeni.h>

#include "base/clock.h"
#include "base/fault_page.h"

#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define LIMIT_NS         UINT64_C(20000000000)
#define LOOKS_NS         UINT64_C(8000000) /* some intervals of fault_check_ms */

enum { NODES = 3, HEAD = 64, ENTRY = 448, LAYOUT = 1 };

static char path[64];
static struct ni_fault_page *page;
static struct ni *here, *there;
static struct ni_peer *peer;
static struct ni_rkey queue;
static unsigned received, downs, warnings;
static bool beats = true;

static _Noreturn void fail(int line, const char *what)
{
    fprintf(stderr, "test_ucx_page.c:%d: %s\n", line, what);
    (void)unlink(path);
    exit(1);
}

/* ---- the page -------------------------------------------------------------------------------- */

static char own_name[64];

static struct ni_fault_entry normal(uint32_t node)
{
    struct ni_fault_entry entry = {.via = node};

    snprintf(entry.host, sizeof entry.host, "%s",
             node == 0   ? own_name
             : node == 1 ? "red"
                         : "blue");
    return entry;
}

static struct ni_fault_entry lost(uint32_t node)
{
    struct ni_fault_entry entry = normal(node);

    entry.state = NI_FAULT_LOST;
    entry.word = NI_FAULT_HOST_LOST;
    entry.via = 2;
    entry.at_ns = ni_now_ns();
    strcpy(entry.what, "host lost");
    strcpy(entry.how, "node 2 by its link X+: remote_fault[0], service network");
    return entry;
}

static void say(struct ni_fault_entry entry)
{
    ni_fault_page_set(page, 1, &entry);
}

static void make_page(uint64_t layout)
{
    const struct ni_fault_about about = {.nodes = NODES,
                                         .torus = {NODES, 1, 1},
                                         .master = 0,
                                         .beat_ns = ni_now_ns(),
                                         .layout = layout};

    page = ni_fault_page_create(path, &about);
    CHECK(page != NULL);
    for (uint32_t i = 0; i < NODES; i++) {
        struct ni_fault_entry entry = normal(i);

        ni_fault_page_set(page, i, &entry);
    }
}

/* Bytes of the file, beside its writer. */
static void spoil(long at, const void *bytes, size_t len)
{
    int fd = open(path, O_RDWR);

    CHECK(fd >= 0 && pwrite(fd, bytes, len, at) == (ssize_t)len);
    close(fd);
}

/* ---- the interfaces -------------------------------------------------------------------------- */

static void on_message(void *arg, const struct ni_message_info *message)
{
    (void)arg;
    (void)message;
    received++;
}

static void on_down(void *arg, struct ni_peer *which, ni_status status)
{
    (void)arg;
    CHECK(ni_peer_status(which) == status);
    downs += status == NI_ERR_PEER_DEAD; /* others close when their test is over */
}

static void on_log(enum ni_log_level level, const char *text, void *arg)
{
    (void)arg;
    if (level == NI_LOG_WARN && strstr(text, "peers of this process") != NULL) {
        CHECK(strstr(text, "node 1 (red)") != NULL && strstr(text, "memory sick") != NULL);
        warnings++;
    } else {
        fprintf(stderr, "%s\n", text);
    }
}

/* The address of an interface that is on another host: the part that names the host, which is the
 * last, is another. */
static size_t address_on(const struct ni *ni, const char *host, uint32_t number, uint8_t *blob)
{
    size_t len = ni_address(ni, blob, NI_BLOB_MAX), own = strlen(own_name), part;
    uint8_t *at = blob + len - own - 8;

    CHECK(at[0] == 128 && memcmp(at + 8, own_name, own) == 0);
    part = 4 + strlen(host);
    at[2] = (uint8_t)part;
    memcpy(at + 4, &number, 4);
    memcpy(at + 8, host, part - 4);
    len = (size_t)(at - blob) + 4 + part;
    blob[6] = (uint8_t)(len - 8);
    blob[7] = (uint8_t)((len - 8) >> 8);
    return len;
}

static void poll_once(void)
{
    if (beats) {
        ni_fault_page_beat(page, 0, ni_now_ns());
    }
    (void)ni_progress(here);
    (void)ni_progress(there);
}

static void poll_looks(void)
{
    uint64_t end = ni_now_ns() + LOOKS_NS;

    while (ni_now_ns() < end) {
        poll_once();
    }
}

static void meet(const char *host, uint32_t number)
{
    struct ni_open_attr attr = {.job_key = 77};
    uint8_t blob[NI_BLOB_MAX];

    CHECK(ni_open(&attr, &there) == NI_OK);
    CHECK(ni_region_consumer(there, on_message, NULL, 0, &queue) == NI_OK);
    CHECK(ni_connect(here, blob, address_on(there, host, number, blob), &peer) == NI_OK);
}

/* A message arrives: both live, and are known to each other. */
static void talk(void)
{
    uint64_t limit = ni_now_ns() + LIMIT_NS;
    unsigned before = received;
    ni_status status = NI_AGAIN;

    while (received == before && ni_now_ns() < limit) {
        if (status == NI_AGAIN) {
            status = ni_message(here, peer, queue.handle, 0, "x", 1, NULL, 0);
        }
        CHECK(status == NI_AGAIN || status == NI_OK || status == NI_INPROGRESS);
        poll_once();
    }
    CHECK(received == before + 1);
}

static void wait_for_loss(void)
{
    uint64_t limit = ni_now_ns() + LIMIT_NS;
    unsigned before = downs;

    while (downs == before && ni_now_ns() < limit) {
        poll_once();
    }
    CHECK(downs == before + 1);
}

/* The other is freed, and what it was told is forgotten. */
static void part(void)
{
    ni_close(there);
    there = here;
    say(normal(1));
    poll_looks();
}

/* ---- tests ----------------------------------------------------------------------------------- */

static unsigned ended; /* operations, with the peer's death */

static void on_done(void *arg, ni_status status, uint64_t value)
{
    (void)arg;
    (void)value;
    CHECK(status == NI_ERR_PEER_DEAD);
    ended++;
}

/* What is under way ends, though the link has not missed the peer, and the reason names node,
 * component and path. */
static void test_loss(void)
{
    struct ni_ack ack = {.kind = NI_ACK_CALL, .fn = on_done};
    static uint8_t memory[1 << 20];
    struct ni_rkey target;

    meet("red", 1);
    talk();
    CHECK(ni_region_memory(there, memory, sizeof memory, NI_ACCESS_READ, &target) == NI_OK);
    poll_looks();
    CHECK(ni_read(here, peer, memory, sizeof memory,
                  &(struct ni_remote){
                      .addr = (uintptr_t)memory, .key = target.key, .handle = target.handle},
                  &ack) >= 0);
    CHECK(strcmp(ni_peer_reason(peer), "success") == 0);
    say(lost(1));
    while (ni_peer_status(peer) == NI_OK || ended == 0) {
        ni_fault_page_beat(page, 0, ni_now_ns());
        (void)ni_wait(here, 1000); /* the other does nothing any more */
    }
    CHECK(downs == 1 && ended == 1);
    CHECK(strcmp(ni_peer_reason(peer),
                 "its host has failed, node 1 (red): host lost; known by node 2 by its link X+: "
                 "remote_fault[0], service network") == 0);
    part();
}

/* What the link has said of a peer stays, whatever the page says then. */
static void test_the_link_was_first(void)
{
    char reason[256];
    ni_status status;
    unsigned before = downs;

    meet("red", 1);
    talk();
    poll_looks();
    ni_close(there);
    there = here;
    while ((status = ni_peer_status(peer)) == NI_OK) { /* the page says that its host lives */
        poll_once();
    }
    snprintf(reason, sizeof reason, "%s", ni_peer_reason(peer));
    say(lost(1));
    poll_looks();
    say(normal(1));
    poll_looks();
    CHECK(ni_peer_status(peer) == status && strcmp(ni_peer_reason(peer), reason) == 0);
    CHECK(downs == before && strstr(reason, "host") == NULL);
}

/* One field of a page that is right in all others. */
static void test_lies(void)
{
    static const struct ni_fault_entry lies[] = {
        {.state = NI_FAULT_LOST},
        {.word = NI_FAULT_GONE | NI_FAULT_HOST_LOST},
        {.via = 1000},
        {.unseen_us = 1},
        {.at_ns = 1},
        {.at_ns = UINT64_MAX},
        {.host = "blue"},
        {.what = "host lost"},
        {.how = "no ping was heard"},
        {.state = NI_FAULT_LOST,
         .word = NI_FAULT_GONE | NI_FAULT_UNHEARD,
         .via = 2,
         .at_ns = 1,
         .what = "node gone",
         .how = "no ping was heard"}, /* it may only be late */
    };
    static const struct {
        long at;
        uint32_t value;
    } head[] = {{16, 1}, {16, 4000}, {32, 1}, {32, UINT32_MAX}, {36, 2}, {36, UINT32_MAX}};

    meet("red", UINT32_MAX); /* known by its name alone */
    talk();
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        struct ni_fault_entry entry = normal(1);
        const char *zero = (const char *)&lies[i];

        for (size_t byte = 0; byte < sizeof entry; byte++) {
            if (zero[byte] != 0) {
                ((char *)&entry)[byte] = zero[byte];
            }
        }
        if (lies[i].host[0] != '\0') {
            strcpy(entry.host, lies[i].host);
        }
        say(entry);
        poll_looks();
        CHECK(ni_peer_status(peer) == NI_OK);
    }
    say(normal(1));
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++) {
        uint32_t before[3] = {NODES, 0, 0};

        spoil(head[i].at, &head[i].value, 4);
        poll_looks();
        CHECK(ni_peer_status(peer) == NI_OK);
        spoil(head[i].at, &before[head[i].at == 16 ? 0 : 1], 4);
    }
    talk();
    say(lost(1)); /* it was looked at all the time */
    wait_for_loss();
    part();
}

/* Pages that are not heeded, though they say that the host is lost, until one is that says so. */
static void test_bad_pages(void)
{
    struct ni_fault_entry entry = lost(1);
    const uint32_t odd = 77777;

    meet("red.example.org", 1);
    talk();
    spoil(HEAD + ENTRY, &odd, 4); /* torn */
    spoil(HEAD + ENTRY + 4, &entry, sizeof entry);
    spoil(48, &(uint64_t){1000}, 8);
    poll_looks();
    beats = false;
    ni_fault_page_beat(page, 0, ni_now_ns() - 2 * UINT64_C(1000000000)); /* old */
    say(lost(1));
    poll_looks();
    ni_fault_page_beat(page, 0, ni_now_ns() + LIMIT_NS); /* in the future */
    poll_looks();
    ni_fault_page_beat(page, UINT32_MAX, ni_now_ns()); /* no master is heard */
    poll_looks();
    spoil(8, "\1", 1); /* another version, when it is opened anew, as old ones are */
    ni_fault_page_beat(page, 0, 1);
    usleep(600000);
    poll_looks();
    ni_fault_page_beat(page, 0, ni_now_ns());
    poll_looks();
    ni_fault_page_close(page); /* none */
    CHECK(access(path, F_OK) != 0);
    CHECK(ni_peer_status(peer) == NI_OK);
    beats = true;
    make_page(LAYOUT);
    usleep(600000);
    talk();
    poll_looks();
    say(lost(1));
    wait_for_loss();
    part();
}

/* A process that begins on a node which comes back, before the page says so, is not lost; it is
 * when the node fails again. */
static void test_back(void)
{
    say(lost(1));
    meet("red", 1);
    talk();
    poll_looks();
    talk();
    say(normal(1));
    poll_looks();
    say(lost(1));
    wait_for_loss();
    part();
}

static void test_sick(void)
{
    struct ni_fault_entry sick = normal(1);

    sick.state = NI_FAULT_SICK;
    sick.word = 4;
    sick.at_ns = 1;
    strcpy(sick.what, "memory sick");
    strcpy(sick.how, "its own daemon: dnp_watchdog and host status, service network");
    meet("red", 1);
    talk();
    say(sick);
    poll_looks();
    sick.at_ns = 2;
    say(sick);
    poll_looks();
    CHECK(warnings == 1);
    talk();
    part();
}

/* What becomes of cards and their cables is nothing to a peer that is reached without them. */
static void test_no_way_for_cards(void)
{
    struct ni_fault_entry parted = normal(1);

    parted.parted_ns = 1;
    strcpy(parted.parted, "cables are broken at X+ of node 0 and at X- of node 0");
    meet("red", 1);
    talk();
    say(parted);
    poll_looks();
    talk();
    part();
}

/* Hosts that the page does not know, and those that it knows twice. */
static void test_unknown(void)
{
    struct ni_fault_entry twice = normal(1);

    strcpy(twice.host, "green");
    say(twice);
    ni_fault_page_set(page, 2, &twice);
    meet("green", UINT32_MAX);
    talk();
    poll_looks();
    twice = lost(1);
    strcpy(twice.host, "green");
    say(twice);
    poll_looks();
    talk();
    say(normal(1));
    ni_close(there);
    meet("red", 0); /* the number of another name */
    talk();
    say(lost(1));
    poll_looks();
    talk();
    part();
}

static void name(uint32_t node, const char *host, bool is_lost)
{
    struct ni_fault_entry entry = is_lost ? lost(node) : normal(node);

    entry.via = 0;
    snprintf(entry.host, sizeof entry.host, "%s", host);
    ni_fault_page_set(page, node, &entry);
}

/* Its writer begins again while peers are known, and has nodes with other numbers. */
static void renumber(uint64_t layout)
{
    ni_fault_page_beat(page, 0, 1);
    ni_fault_page_close(page);
    make_page(layout);
    usleep(600000); /* it is opened again */
}

static void test_renumbered(void)
{
    meet("red", 1);
    talk();
    poll_looks();
    renumber(LAYOUT + 1);
    name(1, "red", false); /* another host of that name, and nobody knows which */
    name(2, "red", false);
    talk();
    poll_looks();
    name(1, "red", true);
    poll_looks();
    CHECK(ni_peer_status(peer) == NI_OK);
    renumber(LAYOUT + 2);
    name(1, "blue", true);
    name(2, "red", false);
    talk();
    poll_looks();
    CHECK(ni_peer_status(peer) == NI_OK);
    name(2, "red", true);
    wait_for_loss();
    CHECK(strstr(ni_peer_reason(peer), "node 2 (red)") != NULL);
    ni_close(there);
}

int main(void)
{
    struct ni_open_attr attr = {.job_key = 77};
    char error[256];

    snprintf(path, sizeof path, "/tmp/test_ucx_page.%d", (int)getpid());
    CHECK(gethostname(own_name, sizeof own_name - 1) == 0);
    CHECK(ni_param_set("links", "ucx", "test", error, sizeof error) == NI_OK);
    CHECK(ni_param_set("fault_page", path, "test", error, sizeof error) == NI_OK);
    CHECK(ni_param_set("fault_check_ms", "1", "test", error, sizeof error) == NI_OK);
    CHECK(ni_param_set("fault_parted_ms", "1", "test", error, sizeof error) == NI_OK);
    make_page(LAYOUT);
    ni_log_set_sink(on_log, NULL);
    CHECK(ni_open(&attr, &here) == NI_OK);
    ni_on_peer_down(here, on_down, NULL);
    test_loss();
    test_the_link_was_first();
    test_lies();
    test_bad_pages();
    test_back();
    test_sick();
    test_no_way_for_cards();
    test_unknown();
    test_renumbered();
    CHECK(downs == 5 && warnings == 1);
    ni_close(here);
    ni_fault_page_close(page);
    printf("peers are lost with their hosts, and for nothing else\n");
    return 0;
}
