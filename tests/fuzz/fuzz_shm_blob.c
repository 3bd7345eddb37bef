/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "link/shm/shm.h"
#include "shm_mock.h"

/*
 * Addresses and datagrams from anywhere. The input is an address blob as it stands, or changes to a
 * good one, and is then sent to the link's socket. The blob may be refused or lead nowhere; it must
 * not lead to another file or process than the one that it names, and the good blob must still work
 * afterwards.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct scene {
    struct mock a, b;
    struct ni_shm_blob good;
};

static void open_scene(struct scene *scene)
{
    uint8_t bytes[MOCK_BLOB];

    mock_open(&scene->a, 1, NULL);
    mock_open(&scene->b, 2, NULL);
    CHECK(mock_blob(&scene->b, bytes) == sizeof(scene->good));
    memcpy(&scene->good, bytes, sizeof(scene->good));
}

/* Let time pass. */
static void progress(struct mock *mock)
{
    struct ni_shm_link *link = (struct ni_shm_link *)(void *)mock->link;

    for (int i = 0; i < 3; i++) {
        link->next_tick = 0;
        link->countdown = 1;
        mock_progress(mock);
    }
}

static void use(struct scene *scene, const void *blob, size_t len)
{
    struct ni_peer *peer;
    char reason[64];

    (void)ni_link_shm.reach(scene->a.link, blob, len, reason, sizeof(reason));
    if (len > MOCK_BLOB || mock_try_connect(&scene->a, blob, len, &peer) != NI_OK) {
        return;
    }
    (void)mock_send(peer, 100);
    progress(&scene->a);
    progress(&scene->b);
    (void)mock_send(peer, 100);
}

static void datagram(struct scene *scene, const void *bytes, size_t len)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int name = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "apelink-%016llx",
                        (unsigned long long)scene->good.socket);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    CHECK(fd >= 0);
    (void)sendto(fd, bytes, len, MSG_DONTWAIT, (struct sockaddr *)&address,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)name));
    close(fd);
    progress(&scene->b);
}

static void check_good(struct scene *scene)
{
    uint64_t before = scene->b.received;
    struct ni_peer *peer = mock_connect(&scene->a, &scene->good, sizeof(scene->good));

    while (scene->b.received == before) {
        CHECK(mock_send(peer, 100) >= NI_OK);
        progress(&scene->a);
        progress(&scene->b);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scene scene;
    uint8_t changed[sizeof(struct ni_shm_blob)];

    ni_log_set_level(NI_LOG_ERROR);
    memset(&scene, 0, sizeof(scene));
    open_scene(&scene);
    use(&scene, data, size);
    memcpy(changed, &scene.good, sizeof(changed));
    /* The key stays good or is another one: with the good key, the peer would be known by it. */
    for (size_t i = 0; i + 1 < size; i += 2) {
        changed[data[i] % sizeof(changed)] ^= data[i + 1];
    }
    if (((struct ni_shm_blob *)(void *)changed)->key != scene.good.key) {
        use(&scene, changed, sizeof(changed));
    }
    datagram(&scene, data, size);
    check_good(&scene);
    mock_close(&scene.a);
    mock_close(&scene.b);
    return 0;
}
