/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: ni/link/several/several.c ni/engine/life/links.c. */
/*
 * Two links as one: when the far one is polled, and sleeps on both. The far link is a fake; the
 * near one is a fake, too, or shared memory between two mocks of the engine.
 */
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "link/several/several.h"
#include "shm_mock.h"

struct fake {
    struct ni_link base;
    unsigned polls, arms, slepts, rouses, closes, wishes;
    bool refuses; /* to be armed */
    int fd;       /* -1: no descriptor */
};

static struct fake *fake_of(struct ni_link *link)
{
    return (struct fake *)(void *)link;
}

static unsigned fake_progress(struct ni_link *link)
{
    fake_of(link)->polls++;
    return 0;
}

static bool fake_arm(struct ni_link *link, bool (*has_work)(void *core))
{
    (void)has_work;
    fake_of(link)->arms++;
    return !fake_of(link)->refuses;
}

static unsigned fake_descriptors(struct ni_link *link, int fds[NI_LINK_DESCRIPTORS])
{
    fds[0] = fake_of(link)->fd;
    return fds[0] >= 0;
}

static void fake_slept(struct ni_link *link)
{
    fake_of(link)->slepts++;
}

static void fake_rouse(struct ni_link *link)
{
    fake_of(link)->rouses++;
    CHECK(eventfd_write(fake_of(link)->fd, 1) == 0);
}

static void fake_wish(struct ni_link *link, uint32_t wishes)
{
    fake_of(link)->wishes = wishes;
}

static void fake_close(struct ni_link *link)
{
    fake_of(link)->closes++;
}

static const struct ni_link_ops fake_ops = {
    .name = "fake",
    .progress = fake_progress,
    .arm = fake_arm,
    .descriptors = fake_descriptors,
    .slept = fake_slept,
    .rouse = fake_rouse,
    .wish = fake_wish,
    .close = fake_close,
};

struct scene {
    struct fake near, far;
    struct ni_stats stats;
    struct ni_link *link;
};

static void open_scene(struct scene *scene, int near_fd)
{
    memset(scene, 0, sizeof(*scene));
    scene->near.base.ops = scene->far.base.ops = &fake_ops;
    scene->near.fd = near_fd;
    scene->far.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    CHECK(scene->far.fd >= 0);
    CHECK(ni_several_open(&scene->near.base, &scene->far.base, &scene->stats, &scene->link) ==
          NI_OK);
}

static void close_scene(struct scene *scene)
{
    scene->link->ops->close(scene->link);
    CHECK(scene->near.closes == 1 && scene->far.closes == 1);
    close(scene->far.fd);
}

/* So many polls, each with so many packets from wherever; how many of them polled the far link. */
static unsigned poll_often(struct scene *scene, unsigned count, unsigned packets)
{
    unsigned before = scene->far.polls, near = scene->near.polls;

    for (unsigned i = 0; i < count; i++) {
        (void)scene->link->ops->progress(scene->link);
        ni_stat_add(&scene->stats.rx_packets, packets);
    }
    CHECK(scene->near.polls == near + count);
    return scene->far.polls - before;
}

/* ---- polls ----------------------------------------------------------------------------------- */

static void who_is_idle_polls_both(void)
{
    struct scene scene;

    open_scene(&scene, -1);
    CHECK(poll_often(&scene, 1000, 0) == 1000);
    close_scene(&scene);
}

static void near_packets_make_far_polls_rare(void)
{
    struct scene scene;
    uint64_t begin;
    unsigned looks;

    open_scene(&scene, -1);
    (void)poll_often(&scene, 100, 1);
    begin = ni_now_ns();
    looks = poll_often(&scene, 64 * 1000, 1);
    /* At most one in each rest, however long that took, and one in 64 polls. */
    CHECK(looks <= (ni_now_ns() - begin) / NI_SEVERAL_REST_NS + 1);
    CHECK(looks <= 1000);
    /* Without packets it is polled as before: after a look that saw the last of them, and
     * another. */
    for (unsigned rest = 0; rest < 2; rest++) {
        begin = ni_now_ns();
        while (ni_now_ns() - begin <= NI_SEVERAL_REST_NS) {
        }
        (void)poll_often(&scene, 2 * 64, 0);
    }
    CHECK(poll_often(&scene, 100, 0) == 100);
    close_scene(&scene);
}

static void far_packets_keep_far_polls(void)
{
    struct scene scene;

    open_scene(&scene, -1);
    scene.far.base.found = true;
    CHECK(poll_often(&scene, 1000, 1) == 1000);
    /* For a while also when nothing more comes from there: an answer takes longer than a poll. */
    scene.far.base.found = false;
    CHECK(poll_often(&scene, 20, 1) == 20);
    close_scene(&scene);
}

/* ---- sleeps ---------------------------------------------------------------------------------- */

static bool no_work(void *core)
{
    (void)core;
    return false;
}

static void both_are_armed_or_none(void)
{
    struct scene scene;

    open_scene(&scene, -1);
    scene.far.refuses = true;
    CHECK(!scene.link->ops->arm(scene.link, no_work));
    CHECK(scene.near.arms == 1 && scene.far.arms == 1);
    CHECK(scene.near.slepts == 1 && scene.far.slepts == 0); /* announced no more */
    scene.near.refuses = true;
    CHECK(!scene.link->ops->arm(scene.link, no_work));
    CHECK(scene.near.arms == 2 && scene.far.arms == 1 && scene.near.slepts == 1);
    scene.near.refuses = scene.far.refuses = false;
    CHECK(scene.link->ops->arm(scene.link, no_work));
    scene.link->ops->sleep(scene.link, 0);
    CHECK(scene.near.slepts == 2 && scene.far.slepts == 1);
    close_scene(&scene);
}

static void a_rouse_ends_a_sleep(void)
{
    struct scene scene;

    open_scene(&scene, -1);
    CHECK(scene.link->ops->arm(scene.link, no_work));
    scene.link->ops->rouse(scene.link);
    CHECK(scene.far.rouses == 1 && scene.near.rouses == 0);
    scene.link->ops->sleep(scene.link, 60000000);
    CHECK(scene.far.slepts == 1);
    scene.link->ops->wish(scene.link, 3);
    CHECK(scene.near.wishes == 3 && scene.far.wishes == 3);
    close_scene(&scene);
}

/* ---- shared memory as the near one ----------------------------------------------------------- */

static bool is_readable(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, 0) == 1;
}

/* Announced, and woken by a packet; a socket that was not looked at since does not keep us
 * awake. */
static void a_neighbour_writes_to_the_descriptor(void)
{
    uint8_t blob[MOCK_BLOB];
    int fds[NI_LINK_DESCRIPTORS];
    struct mock a, b;
    struct ni_peer *peer;

    mock_open(&a, 1, NULL);
    mock_open(&b, 2, NULL);
    peer = mock_connect(&a, blob, mock_blob(&b, blob));
    CHECK(ni_link_shm.descriptors(b.link, fds) == 1);
    for (unsigned round = 0; round < 50; round++) {
        while (!ni_link_shm.arm(b.link, mock_has_work)) {
            (void)mock_progress(&b);
        }
        CHECK(!is_readable(fds[0]));
        mock_send_all(peer, 40);
        CHECK(is_readable(fds[0]));
        mock_send_all(peer, 40); /* once suffices, and finds nobody announced */
        ni_link_shm.slept(b.link);
        while (mock_progress(&b) != 0) {
        }
        CHECK(!is_readable(fds[0]));
    }
    mock_close(&a);
    mock_close(&b);
}

int main(void)
{
    who_is_idle_polls_both();
    near_packets_make_far_polls_rare();
    far_packets_keep_far_polls();
    both_are_armed_or_none();
    a_rouse_ends_a_sleep();
    a_neighbour_writes_to_the_descriptor();
    printf("polls and sleeps of two links as one\n");
    return 0;
}
