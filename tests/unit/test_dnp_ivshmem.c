/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/ivshmem.c, dnp/board/ivshmem.h. */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <event2/event.h>

#include "base/alloc.h"
#include "dnp/board/ivshmem.h"

/* Machines that come and go, as QEMU does: it connects, takes what it is told, and says nothing. */

enum { ROUNDS = 1000 };

struct world {
    struct dnp_card *card;
    struct dnp_host host;
    struct board_device device;
    struct board_ivshmem ivshmem;
    struct event_base *base;
    char folder[64], path[96];
    unsigned asked; /* calls of after */
};

static int last_error; /* of somebody else */

/* The board's: errno is what it was, unless this fails. */
ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    errno = last_error;
    return recvfrom(fd, bytes, len, flags, NULL, NULL);
}

static void after(void *arg)
{
    struct world *world = arg;

    world->asked++;
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->card = ni_aligned_zero(NI_CACHE_LINE, sizeof *world->card);
    assert_non_null(world->card);
    world->host = (struct dnp_host){board_device_dma, &world->device};
    assert_int_equal(dnp_card_init(world->card, 1024, &world->host, 0), NI_OK);
    board_device_init(&world->device, world->card);
    world->base = event_base_new();
    assert_non_null(world->base);
    strcpy(world->folder, "/tmp/dnp_ivshmem_XXXXXX");
    assert_non_null(mkdtemp(world->folder));
    snprintf(world->path, sizeof world->path, "%s/socket", world->folder);
    assert_int_equal(board_ivshmem_open(&world->ivshmem, &world->device, world->path, "/nowhere",
                                        world->base, after, world),
                     NI_OK);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    board_ivshmem_close(&world->ivshmem);
    event_base_free(world->base);
    assert_int_equal(rmdir(world->folder), 0);
    dnp_card_fini(world->card);
    free(world->card);
    free(world);
    return 0;
}

/* Let the board do what there is to do. */
static void turn(struct world *world)
{
    assert_true(event_base_loop(world->base, EVLOOP_ONCE | EVLOOP_NONBLOCK) >= 0);
}

static int connect_machine(struct world *world)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char bytes[64];

    strcpy(address.sun_path, world->path);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    for (int i = 0; i < ROUNDS && world->ivshmem.client < 0; i++) {
        turn(world);
    }
    assert_true(world->ivshmem.client >= 0);
    while (recvfrom(fd, bytes, sizeof bytes, MSG_DONTWAIT, NULL, NULL) > 0) {
    }
    return fd;
}

/* Whatever the last error was, the end of a machine is seen, and its place is free. */
static void test_the_end_of_a_machine(void **state)
{
    static const int last[] = {0, EAGAIN, EINTR, EPIPE};
    struct world *world = *state;

    for (unsigned i = 0; i < sizeof last / sizeof last[0]; i++) {
        int fd = connect_machine(world);

        assert_int_equal(world->asked, i);
        close(fd);
        for (int round = 0; round < ROUNDS && world->ivshmem.client >= 0; round++) {
            last_error = last[i];
            turn(world);
        }
        assert_int_equal(world->ivshmem.client, -1);
        assert_int_equal(world->asked, i + 1);
    }
}

/* One machine at a time; what it says is no end. */
static void test_a_machine_that_speaks(void **state)
{
    struct world *world = *state;
    int fd = connect_machine(world), client = world->ivshmem.client;

    assert_int_equal(send(fd, "hello", 5, MSG_NOSIGNAL), 5);
    for (int i = 0; i < 10; i++) {
        turn(world);
    }
    assert_int_equal(world->ivshmem.client, client);
    assert_int_equal(world->asked, 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_end_of_a_machine, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_machine_that_speaks, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
