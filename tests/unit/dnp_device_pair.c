/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One of two programs of two cards, which may be on two machines. The cards are at 0 0 0 and 1 0 0.
 *
 *   dnp_device_pair DEVICE
 *
 * Each PUTs to the other and GETs from it, in turn with it; all bytes are compared. Both have the
 * same buffers at the same addresses.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver/command.h"
#include "dnp/event.h"
#include "driver/client.h"

enum { TX = 64, EVENTS = 1024, SIZE = 1 << 18, ROUNDS = 200, SLOT = 8192, LONG_GET = 100001 };

/* In the memory to which the other writes: two slots in turn, and words that say where it is. */
enum { HELLO = SIZE - 64, BYE = SIZE - 32, WORD = 8 };

#define FROM ((uint8_t *)0x510000000000)
#define TO   ((uint8_t *)0x520000000000)
#define GOT  ((uint8_t *)0x530000000000)

static struct apelink_client client;
static unsigned place;
static bool parted; /* the other needs us no longer */

static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "dnp_device_pair: card %u: %s (%s)\n", place, what, strerror(errno));
        exit(1);
    }
}

static uint8_t pattern(unsigned who, size_t i)
{
    return (uint8_t)(i * 7 + i / 251 + who * 101);
}

static void map(uint8_t *address, uint32_t access)
{
    uint32_t handle;

    check(mmap(address, SIZE, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == address,
          "memory");
    check(apelink_client_register(&client, address, SIZE, access, &handle) == 0, "register");
}

static void post(enum apelink_operation operation, const uint8_t *there, uint8_t *here,
                 uint32_t len, bool tell)
{
    struct apelink_command command = {
        .header = {.operation = operation,
                   .address = (uintptr_t)there,
                   .to = {(uint16_t)!place, 0, 0},
                   .len = operation == APELINK_PUT ? (uint16_t)len : APELINK_WORD},
        .address = (uintptr_t)here,
        .len = len,
        .tag = tell ? APELINK_COMP_EQ : APELINK_COMP_NONE,
    };
    uint8_t bytes[APELINK_COMMAND_SIZE];

    apelink_command_pack(&command, bytes);
    check(apelink_client_post(&client, bytes), "the ring is full");
}

/* Whether it says that the other has written there. */
static bool is_put(const struct dnp_event *event, const uint8_t *address)
{
    struct apelink_header header;

    return event->second.lo != APELINK_NIOS_MAGIC.lo && event->second.lo != APELINK_TX0_MAGIC.lo &&
           event->second.lo != APELINK_TX1_MAGIC.lo &&
           apelink_header_unpack(event->first, &header) && header.address == (uintptr_t)address;
}

/* The next event; false: there is none within this time. */
static bool take(struct dnp_event *event, int milliseconds)
{
    struct pollfd readable = {.fd = client.fd, .events = POLLIN};
    uint8_t bytes[APELINK_EVENT_SIZE];

    if (!apelink_client_event(&client, bytes)) {
        if (poll(&readable, 1, milliseconds) <= 0 || !apelink_client_event(&client, bytes)) {
            return false;
        }
    }
    *event =
        (struct dnp_event){apelink_word_from(bytes), apelink_word_from(bytes + APELINK_WORD), 0};
    return true;
}

/* Wait for an event other than what the other says in between. */
static struct dnp_event next_event(const char *what)
{
    struct dnp_event event;

    for (;;) {
        check(take(&event, 60000), what);
        if (is_put(&event, TO + BYE)) {
            parted = true;
        } else if (!is_put(&event, TO + HELLO)) {
            return event;
        }
    }
}

static void compare(const uint8_t *bytes, size_t source, uint32_t len)
{
    for (uint32_t i = 0; i < len; i++) {
        check(bytes[i] == pattern(!place, source + i), "wrong bytes");
    }
}

/* Greet until the other, which may begin later, has greeted; once more, since it now listens. */
static void meet(void)
{
    struct dnp_event event;
    int tries = 0;

    do {
        post(APELINK_PUT, TO + HELLO, FROM, WORD, false);
        check(tries++ < 1200, "the other does not begin");
    } while (!take(&event, 100));
    check(is_put(&event, TO + HELLO), "not a greeting");
    post(APELINK_PUT, TO + HELLO, FROM, WORD, false);
}

static void exchange(uint32_t round)
{
    uint32_t len = round * 41 % APELINK_PAYLOAD_MAX + 1, at = round % 2 * SLOT + round % 61;
    uint32_t source = round * 61 % 8191;
    struct dnp_event event;

    post(APELINK_PUT, TO + at, FROM + source, len, false);
    event = next_event("nothing comes from the other");
    check(is_put(&event, TO + at), "not the event that is due");
    compare(TO + at, source, len);
    memset(TO + at, 0, len);
}

static void get(uint32_t len, uint32_t source)
{
    struct dnp_event event;

    post(APELINK_GET, FROM + source, GOT, len, true);
    event = next_event("a GET does not end");
    check(event.second.lo == APELINK_NIOS_MAGIC.lo && (event.first.lo >> 4 & 0x7fff) == 0,
          "not the event of the GET");
    compare(GOT, source, len);
}

/* Nobody leaves as long as the other needs him. */
static void part(void)
{
    struct dnp_event event;

    post(APELINK_PUT, TO + BYE, FROM, WORD, true);
    event = next_event("the last PUT is not sent");
    check(event.second.lo == APELINK_TX0_MAGIC.lo || event.second.lo == APELINK_TX1_MAGIC.lo,
          "not the event of the last PUT");
    while (!parted) {
        check(take(&event, 60000), "the other does not end");
        parted = is_put(&event, TO + BYE);
    }
}

int main(int argc, char **argv)
{
    check(argc == 2, "one argument is wanted, a device");
    check(apelink_client_open(&client, argv[1], TX, EVENTS) == 0, "open");
    check(client.port == 0, "another program has the first channel");
    place = (unsigned)(client.features.place & 1023);
    check(place < 2, "the card is neither at 0 0 0 nor at 1 0 0");
    map(FROM, APELINK_ACCESS_READ);
    map(TO, APELINK_ACCESS_WRITE);
    map(GOT, APELINK_ACCESS_WRITE);
    for (size_t i = 0; i < SIZE; i++) {
        FROM[i] = pattern(place, i);
    }
    meet();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        exchange(round);
    }
    /* The other's are over when it says so, and it answers GETs until then. */
    get(1, 0);
    get(LONG_GET, 3);
    part();
    apelink_client_close(&client);
    return 0;
}
