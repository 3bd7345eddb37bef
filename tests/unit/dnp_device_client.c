/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program of a device, for dnp_device.sh. The board is a torus of one card.
 *
 *   dnp_device_client VERB DEVICE [UID | OTHER]
 *
 *   loop     PUTs and GETs of all lengths to itself, by polling, by WAIT and by poll; all bytes are
 *            compared
 *   silent   the same by polling, in a process that may make no system call
 *   cross    the same between this device, of card 0, and OTHER, of card 1
 *   refused  what is refused, and with which error
 *   open     open as the user UID; prints what came of it
 *   hold     say "ready", PUT all the time until the card has gone
 *   idle     say "ready" and wait for an event that never comes
 *   orphan   fork a child that has the file open, too, and polls it until the channel has ended;
 *            then as idle
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/command.h"
#include "dnp/event.h"
#include "driver/client.h"

enum { TX = 16, EVENTS = 64, SIZE = 1 << 18, LONG_GET = 100001 };

static struct apelink_client client;
static struct apelink_client other;           /* of the other card, if there are two */
static struct apelink_client *peer = &client; /* where all goes to */
static uint16_t peer_x;
static uint8_t *from, *to;
static uint32_t from_handle, to_handle;

static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "dnp_device_client: %s (%s)\n", what, strerror(errno));
        exit(1);
    }
}

static void check_error(int got, int wanted, const char *what)
{
    if (got != wanted) {
        fprintf(stderr, "dnp_device_client: %s: %s, wanted %s\n", what, strerror(-got),
                strerror(-wanted));
        exit(1);
    }
}

static void start(const char *path)
{
    check_error(apelink_client_open(&client, path, TX, EVENTS), 0, "open");
    from = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    to = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    check(from != MAP_FAILED && to != MAP_FAILED, "memory");
    for (size_t i = 0; i < SIZE; i++) {
        from[i] = (uint8_t)(i * 7 + i / 251 + (size_t)getpid());
    }
    check_error(apelink_client_register(&client, from, SIZE, APELINK_ACCESS_READ, &from_handle), 0,
                "register");
    check_error(apelink_client_register(&client, to, SIZE, APELINK_ACCESS_WRITE, &to_handle), 0,
                "register");
}

/* What is sent goes to another card, where this process has the same buffers. */
static void start_other(const char *path)
{
    uint32_t handle;

    check_error(apelink_client_open(&other, path, TX, EVENTS), 0, "open the other");
    peer = &other;
    peer_x = 1;
    check_error(apelink_client_register(&other, from, SIZE, APELINK_ACCESS_READ, &handle), 0,
                "register");
    check_error(apelink_client_register(&other, to, SIZE, APELINK_ACCESS_WRITE, &handle), 0,
                "register");
}

/* A PUT of `from` to the peer's `to`, or a GET of the peer's `from`. */
static void post(enum apelink_operation operation, uint64_t source, uint64_t target, uint32_t len)
{
    bool put = operation == APELINK_PUT;
    struct apelink_command command = {
        .header = {.operation = operation,
                   .address = put ? target : source,
                   .port = (uint8_t)peer->port,
                   .to = {peer_x, 0, 0},
                   .len = put ? (uint16_t)len : APELINK_WORD},
        .address = put ? source : target,
        .len = len,
        .tag = put ? APELINK_COMP_NONE : APELINK_COMP_EQ,
        .data = len,
    };
    uint8_t bytes[APELINK_COMMAND_SIZE];

    apelink_command_pack(&command, bytes);
    check(apelink_client_post(&client, bytes), "the ring is full");
}

/* Wait for an event in one of three ways. */
static struct dnp_event next_event(struct apelink_client *at, unsigned way)
{
    struct pollfd readable = {.fd = at->fd, .events = POLLIN};
    uint8_t bytes[APELINK_EVENT_SIZE];

    if (way == 1) {
        check_error(apelink_client_wait(at, 60000000000U), 0, "wait");
    } else if (way == 2) {
        check(poll(&readable, 1, 60000) == 1 && readable.revents == POLLIN, "poll");
    }
    for (int tries = 0; !apelink_client_event(at, bytes); tries++) {
        check(way == 0 && tries < 60000, "no event");
        usleep(1000);
    }
    return (struct dnp_event){apelink_word_from(bytes), apelink_word_from(bytes + APELINK_WORD), 0};
}

static void compare(uint32_t source, uint32_t target, uint32_t len)
{
    check(memcmp(to + target, from + source, len) == 0, "wrong bytes");
    for (uint32_t i = 0; i < 64; i++) {
        check((i >= target || to[target - 1 - i] == 0) && to[target + len + i] == 0,
              "bytes beside it have changed");
    }
    memset(to + target, 0, len);
}

static void put_and_get(uint32_t len, uint32_t i)
{
    uint32_t source = i * 61 % 8191, target = 64 + i * 97 % 8191;
    struct apelink_header header;
    struct dnp_event event;

    post(APELINK_PUT, (uintptr_t)from + source, (uintptr_t)to + target, len);
    event = next_event(peer, i % 3);
    check(apelink_header_unpack(event.first, &header) && header.operation == APELINK_PUT &&
              header.len == len && header.address == (uintptr_t)to + target,
          "not the event of the PUT");
    compare(source, target, len);
    if (len > 0) {
        post(APELINK_GET, (uintptr_t)from + source, (uintptr_t)to + target, len);
        event = next_event(&client, (i + 1) % 3);
        check(event.second.lo == APELINK_NIOS_MAGIC.lo && event.first.lo >> 32 == len &&
                  (event.first.lo >> 4 & 0x7fff) == 0,
              "not the event of the GET");
        compare(source, target, len);
    }
}

static void cross(const char *path)
{
    start_other(path);
    for (uint32_t i = 0; i < 100; i++) {
        put_and_get(i * 41 % (APELINK_PAYLOAD_MAX + 1), i);
    }
    post(APELINK_GET, (uintptr_t)from + 3, (uintptr_t)to + 5 + 64, LONG_GET);
    (void)next_event(&client, 1);
    compare(3, 5 + 64, LONG_GET);
    apelink_client_close(&other);
}

static void loop(void)
{
    for (uint32_t i = 0; i < 300; i++) {
        put_and_get(i < 40 ? i : i * 37 % (APELINK_PAYLOAD_MAX + 1), i);
    }
    post(APELINK_GET, (uintptr_t)from + 3, (uintptr_t)to + 5 + 64, LONG_GET);
    (void)next_event(&client, 1);
    compare(3, 5 + 64, LONG_GET);
    /* What is no buffer, or one that does not allow it, is reported or counted. */
    post(APELINK_GET, (uintptr_t)to, (uintptr_t)to, 8);
    check((next_event(&client, 1).first.lo >> 4 & 0x7fff) == -NI_ERR_ACCESS,
          "a GET that is not allowed");
    check_error(apelink_client_deregister(&client, from_handle), 0, "deregister");
    post(APELINK_PUT, (uintptr_t)from, (uintptr_t)to, 8);
    check((next_event(&client, 2).first.lo >> 4 & 0x7fff) == -NI_ERR_BOUNDS,
          "a PUT from no buffer");
    check(client.doorbell->tx_refused == 1 && client.doorbell->event_lost == 0, "counters");
}

/* From here on any system call but the last ends the process by SIGKILL. */
static void silent(void)
{
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "seccomp");
    for (uint32_t i = 0; i < 300; i++) {
        uint32_t len = i * 53 % APELINK_PAYLOAD_MAX + 1, source = i * 61 % 8191;
        uint8_t bytes[APELINK_EVENT_SIZE];

        post(i % 2 == 0 ? APELINK_PUT : APELINK_GET, (uintptr_t)from + source, (uintptr_t)to + 64,
             len);
        while (!apelink_client_event(&client, bytes)) {
        }
        compare(source, 64, len);
    }
    (void)syscall(SYS_exit, 0);
}

/* Memory that has gone since it was registered: the card says so, and goes on. */
static void unmapped(void)
{
    uint32_t handle;
    void *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check_error(apelink_client_register(&client, gone, 4096, APELINK_ACCESS_READ, &handle), 0,
                "register");
    munmap(gone, 4096);
    post(APELINK_PUT, (uintptr_t)gone, (uintptr_t)to, 8);
    check((next_event(&client, 1).first.lo >> 4 & 0x7fff) == -NI_ERR_BOUNDS,
          "a PUT from unmapped memory");
}

/* Of a forked child: the buffers are its parent's. */
static void child_registers(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        uint32_t handle;

        _exit(apelink_client_register(&client, from, SIZE, APELINK_ACCESS_READ, &handle) == -EPERM
                  ? 0
                  : 1);
    }
    check(waitpid(child, &status, 0) == child && status == 0, "a child may register");
}

/* An ioctl of one that is good but for a byte of it. */
static void spoilt(unsigned long command, const void *good, size_t at, const char *what)
{
    uint8_t bytes[sizeof(struct apelink_list)];

    memcpy(bytes, good, _IOC_SIZE(command));
    bytes[at] = 1;
    check(ioctl(client.fd, command, bytes) < 0 && errno == EINVAL, what);
}

/* What has no meaning yet has to be 0, each byte of it. */
static void reserved(void)
{
    const struct apelink_features features = {.size = sizeof features};
    const struct apelink_channel channel = {
        .size = sizeof channel, .tx_entries = 4, .event_entries = 4};
    const struct apelink_register buffer = {
        .size = sizeof buffer, .address = (uintptr_t)from, .len = 8, .access = APELINK_ACCESS_READ};
    const struct apelink_deregister handle = {.size = sizeof handle, .handle = from_handle};
    const struct apelink_access access = {.size = sizeof access, .offset = DNP_REG_board_magic};
    const struct apelink_wait wait = {.size = sizeof wait};
    const struct apelink_list list = {
        .size = sizeof list, .count = 1, .item[0].offset = DNP_REG_board_magic};
    const struct {
        unsigned long command;
        const void *good;
        size_t at, len;
    } fields[] = {
        {APELINK_GET_FEATURES, &features, offsetof(struct apelink_features, reserved), 16},
        {APELINK_OPEN_CHANNEL, &channel, offsetof(struct apelink_channel, flags), 8},
        {APELINK_OPEN_CHANNEL, &channel, offsetof(struct apelink_channel, reserved0), 4},
        {APELINK_OPEN_CHANNEL, &channel, offsetof(struct apelink_channel, reserved), 16},
        {APELINK_REGISTER, &buffer, offsetof(struct apelink_register, flags), 4},
        {APELINK_REGISTER, &buffer, offsetof(struct apelink_register, reserved0), 4},
        {APELINK_REGISTER, &buffer, offsetof(struct apelink_register, reserved), 16},
        {APELINK_DEREGISTER, &handle, offsetof(struct apelink_deregister, reserved0), 4},
        {APELINK_READ_REGISTER, &access, offsetof(struct apelink_access, reserved), 8},
        {APELINK_WRITE_REGISTER, &access, offsetof(struct apelink_access, reserved), 8},
        {APELINK_WAIT, &wait, offsetof(struct apelink_wait, reserved), 8},
        {APELINK_LIST, &list, offsetof(struct apelink_list, reserved0), 4},
        {APELINK_LIST, &list, offsetof(struct apelink_list, reserved), 16},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        for (size_t n = 0; n < fields[i].len; n++) {
            spoilt(fields[i].command, fields[i].good, fields[i].at + n,
                   "a field without a meaning");
        }
    }
}

static void structures(const char *path)
{
    struct apelink_features features = {.size = sizeof features};
    struct {
        struct apelink_wait wait;
        uint64_t more;
    } longer = {.wait = {.size = sizeof longer, .timeout_ns = 0}};
    struct apelink_channel channel = {.size = sizeof channel, .tx_entries = 3, .event_entries = 4};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct pollfd readable = {.fd = fd, .events = POLLIN};

    check(fd >= 0, "open to read");
    check(poll(&readable, 1, 0) == 1 && readable.revents == POLLERR, "poll without a channel");
    check(ioctl(fd, APELINK_GET_FEATURES, &features) == 0 && features.version == 1 &&
              features.channels == 4 && features.channels_free == 3 && features.torus == 0x100401,
          "features");
    features.reserved[1] = 1;
    check(ioctl(fd, APELINK_GET_FEATURES, &features) < 0 && errno == EINVAL, "reserved");
    check(ioctl(fd, APELINK_OPEN_CHANNEL, &channel) < 0 && errno == EINVAL, "ring of 3");
    channel.tx_entries = 4;
    check(ioctl(fd, APELINK_OPEN_CHANNEL, &channel) < 0 && errno == EACCES, "read only");
    check(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EACCES,
          "a map to write of a file to read");
    close(fd);
    check(ioctl(client.fd, APELINK_OPEN_CHANNEL, &channel) < 0 && errno == EBUSY, "two channels");
    check(ioctl(client.fd, _IO(APELINK_IOCTL_TYPE, 8)) < 0 && errno == ENOTTY, "no such ioctl");
    check(ioctl(client.fd, _IOWR(APELINK_IOCTL_TYPE, 6, longer), &longer) < 0 && errno == ETIMEDOUT,
          "a longer structure");
    longer.more = 1;
    check(ioctl(client.fd, _IOWR(APELINK_IOCTL_TYPE, 6, longer), &longer) < 0 && errno == E2BIG,
          "a structure of a version to come");
    longer.wait.size = 8;
    check(ioctl(client.fd, _IOWR(APELINK_IOCTL_TYPE, 6, uint64_t), &longer) < 0 && errno == EINVAL,
          "a structure that is too short");
}

/* Registers by one call. */
static void lists(const char *path)
{
    struct apelink_client reader = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    struct apelink_item item[4] = {
        {.offset = DNP_REG_fault_timer, .value = 7, .flags = APELINK_ITEM_WRITE},
        {.offset = DNP_REG_fault_timer, .wanted = 4},
        {.offset = DNP_REG_board_place, .value = 1, .flags = APELINK_ITEM_WRITE},
        {.offset = DNP_REG_board_magic}};
    uint32_t done;

    check((client.features.features & APELINK_FEATURE_LIST) != 0, "the driver has no lists");
    check_error(apelink_client_list(&client, item, 2, &done), 0, "list");
    check(done == 2 && item[1].value == 7, "not all of a list");
    item[1].wanted = 8;
    check_error(apelink_client_list(&client, item, 4, &done), 0, "list");
    check(done == 2, "a list goes on without the bit that it wants");
    item[1].wanted = 0;
    check_error(apelink_client_list(&client, item, 4, &done), -EPERM, "move the card by a list");
    check(done == 2, "a list does not end at what is refused");
    item[2] = (struct apelink_item){.offset = DNP_REG_board_magic};
    check_error(apelink_client_list(&client, item + 1, 3, &done), 0, "list");
    check(done == 3 && item[2].value == 0x4e455041 && item[3].value == 0x4e455041,
          "a list of registers to read");
    item[1].flags = 2;
    check_error(apelink_client_list(&client, item, 2, &done), -EINVAL, "a flag without a meaning");
    check_error(apelink_client_list(&client, item, 0, &done), -EINVAL, "an empty list");
    check_error(apelink_client_list(&reader, item, 1, &done), -EPERM, "write by a file to read");
    close(reader.fd);
}

static void refused(const char *path)
{
    static const uint8_t constant[8192] = {1};
    uint32_t handle, value;
    char again[64];

    structures(path);
    reserved();
    lists(path);
    check_error(apelink_client_wait(&client, 1000000), -ETIMEDOUT, "wait");
    check_error(apelink_client_register(&client, NULL, 8, APELINK_ACCESS_READ, &handle), -EFAULT,
                "register nothing");
    check_error(apelink_client_register(&client, from, UINT64_MAX, APELINK_ACCESS_READ, &handle),
                -EFAULT, "register everything");
    check_error(apelink_client_register(&client, from, 0, APELINK_ACCESS_READ, &handle), -EINVAL,
                "register 0 bytes");
    check_error(
        apelink_client_register(&client, constant, sizeof constant, APELINK_ACCESS_WRITE, &handle),
        -EFAULT, "let others write constants");
    check_error(
        apelink_client_register(&client, constant, sizeof constant, APELINK_ACCESS_READ, &handle),
        0, "let others read constants");
    check_error(apelink_client_register(&client, from, 8, 4, &handle), -EINVAL, "no such access");
    check_error(apelink_client_deregister(&client, 12345678), -ENOENT, "deregister");
    check_error(apelink_client_read(&client, DNP_REG_board_magic, &value), 0, "read");
    check(value == 0x4e455041, "the magic number");
    check_error(apelink_client_read(&client, 0x404, &value), -ENOENT, "read no register");
    check_error(apelink_client_read(&client, 0x601, &value), -EINVAL, "read between registers");
    check_error(apelink_client_write(&client, DNP_REG_board_place, 0), -EPERM, "move the card");
    check_error(apelink_client_write(&client, DNP_REG_fault_timer, 5), 0, "write");
    check_error(apelink_client_write(&client, DNP_REG_fault_mask, UINT32_MAX), -EINVAL, "write");
    if ((client.features.features & APELINK_FEATURE_KERNEL) == 0) {
        snprintf(again, sizeof again, "/proc/self/fd/%d", client.fd);
        check(open(again, O_RDWR) < 0 && errno == EBUSY, "the same memory twice");
        check(open(path, O_RDWR | O_TRUNC) < 0 && errno == EPERM, "truncate");
    }
    check(read(client.fd, again, 1) < 0 && errno == EINVAL, "read(2)");
    unmapped();
    child_registers();
}

/* Try to open as another user. */
static void open_as(const char *path, const char *user)
{
    int error;

    check(setuid((uid_t)strtoul(user, NULL, 10)) == 0, "setuid");
    error = apelink_client_open(&client, path, TX, EVENTS);
    if (error == 0 && apelink_client_write(&client, DNP_REG_fault_timer, 5) != -EPERM) {
        error = -EPROTO;
    }
    puts(error == 0 ? "opened" : strerror(-error));
}

static void ready(void)
{
    puts("ready");
    fflush(stdout);
}

/* PUT all the time, and let GETs be under way, until the card has gone. */
static void hold(void)
{
    uint8_t bytes[APELINK_EVENT_SIZE];
    int error;

    ready();
    for (;;) {
        post(APELINK_PUT, (uintptr_t)from, (uintptr_t)to, APELINK_PAYLOAD_MAX);
        post(APELINK_GET, (uintptr_t)from, (uintptr_t)to, LONG_GET);
        for (int i = 0; i < 2; i++) {
            do {
                error = apelink_client_wait(&client, 60000000000U);
            } while (error == -EINTR); /* as the kernel may say when a FUSE server ends */
            if (error != 0) {
                puts(error == -ENOTCONN || error == -ECONNABORTED || error == -ENODEV
                         ? "the card has gone"
                         : strerror(-error));
                return;
            }
            (void)apelink_client_event(&client, bytes);
        }
    }
}

static void idle(void)
{
    ready();
    (void)apelink_client_wait(&client, UINT64_MAX);
}

static void orphan(void)
{
    struct pollfd readable = {.fd = client.fd, .events = POLLIN};
    pid_t child = fork();

    check(child >= 0, "fork");
    if (child == 0) {
        alarm(300); /* if the test ends in between */
        check(poll(&readable, 1, -1) == 1 && readable.revents == POLLERR, "poll");
        puts("the channel has ended");
        fflush(stdout);
        (void)pause();
    }
    printf("child %d\n", (int)child);
    idle();
}

int main(int argc, char **argv)
{
    check(argc >= 3, "arguments");
    if (strcmp(argv[1], "open") == 0) {
        check(argc == 4, "arguments");
        open_as(argv[2], argv[3]);
        return 0;
    }
    start(argv[2]);
    if (strcmp(argv[1], "loop") == 0) {
        loop();
    } else if (strcmp(argv[1], "cross") == 0) {
        check(argc == 4, "arguments");
        cross(argv[3]);
    } else if (strcmp(argv[1], "silent") == 0) {
        silent();
    } else if (strcmp(argv[1], "refused") == 0) {
        refused(argv[2]);
    } else if (strcmp(argv[1], "hold") == 0) {
        hold();
    } else if (strcmp(argv[1], "orphan") == 0) {
        orphan();
    } else {
        idle();
    }
    apelink_client_close(&client);
    return 0;
}
