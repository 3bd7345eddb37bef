/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who learns of a transfer (FORTH-PCI III-C): a camera sends pictures to a recorder, which sleeps
 * in poll(2) until one has come. Each picture is many packets and wakes it once. The camera takes
 * the next picture as soon as the last one has departed, in the same memory; the recorder says that
 * it has read one by storing its number at the camera.
 *
 * The recorder makes no call between two pictures: its NI has an engine thread (placement edge).
 *
 * Two processes; both end with 0 if all pictures were right.
 */
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

enum { PICTURES = 25, WORDS = 50000, PATIENCE_MS = 60000 };

struct picture {
    uint64_t word[WORDS];
};

/* What the processes tell each other before their NIs can: in memory that they share. */
struct notes {
    uint8_t blob[2][NI_BLOB_MAX];
    size_t blob_len[2];
    struct ni_rkey picture, bell; /* the recorder's */
    struct ni_rkey read;          /* the camera's */
    uint64_t picture_at, read_at;
    atomic_uint present;
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "notify: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static uint64_t word_of(unsigned number, unsigned i)
{
    return (uint64_t)number * 1000003 + i;
}

/* Each has said where it is, then each knows where the other one is. */
static struct ni_peer *meet(struct notes *notes, struct ni *ni, unsigned who)
{
    struct ni_peer *peer;

    notes->blob_len[who] = ni_address(ni, notes->blob[who], NI_BLOB_MAX);
    atomic_fetch_add(&notes->present, 1);
    while (atomic_load(&notes->present) < 2) {
        usleep(100);
    }
    must(ni_connect(ni, notes->blob[1 - who], notes->blob_len[1 - who], &peer), "connect");
    return peer;
}

/* ---- the recorder ---------------------------------------------------------------------------- */

/* Sleep until a picture has come. False: none has for a minute, or more than one notification
 * has. */
static bool sleep_until_rung(int bell)
{
    struct pollfd wait = {.fd = bell, .events = POLLIN};
    uint64_t times = 0;

    return poll(&wait, 1, PATIENCE_MS) == 1 && read(bell, &times, sizeof(times)) == sizeof(times) &&
           times == 1;
}

static bool record(struct notes *notes)
{
    static struct picture picture;
    struct ni_open_attr attr = {.placement = NI_PLACEMENT_EDGE};
    struct ni_remote read_word;
    struct ni_peer *camera;
    bool good = true;
    struct ni *ni;
    int bell;

    must(ni_open(&attr, &ni), "open an NI");
    must(ni_region_memory(ni, &picture, sizeof(picture), NI_ACCESS_WRITE, &notes->picture),
         "register");
    must(ni_interrupt_create(ni, &notes->bell, &bell), "make an interrupt");
    notes->picture_at = (uintptr_t)&picture;
    camera = meet(notes, ni, 0);
    read_word = (struct ni_remote){
        .addr = notes->read_at, .key = notes->read.key, .handle = notes->read.handle};
    for (unsigned number = 1; good && number <= PICTURES; number++) {
        good = sleep_until_rung(bell);
        for (unsigned i = 0; i < WORDS; i++) {
            good = good && picture.word[i] == word_of(number, i);
        }
        must(ni_store(ni, camera, &read_word, number, sizeof(uint64_t)), "store");
        must(ni_store_fence_wait(ni, camera), "fence");
    }
    ni_close(ni);
    return good;
}

/* ---- the camera ------------------------------------------------------------------------------ */

struct camera {
    struct ni *ni;
    struct ni_peer *recorder;
    struct picture picture;
    ni_word read;     /* number of the picture that was read last */
    ni_word departed; /* bytes, when the picture may be changed again */
    ni_word arrived;
};

/* Progress until the NI has written this to a word; false if it never will. */
static bool becomes(struct camera *camera, const ni_word *word, uint64_t value)
{
    uint64_t is;

    while ((is = atomic_load_explicit(word, memory_order_acquire)) != value) {
        if (ni_ack_status(is) != NI_OK || ni_peer_status(camera->recorder) != NI_OK) {
            return false;
        }
        (void)ni_wait(camera->ni, 1000);
    }
    return true;
}

static bool send_picture(struct camera *camera, const struct notes *notes)
{
    const struct ni_remote to = {
        .addr = notes->picture_at, .key = notes->picture.key, .handle = notes->picture.handle};
    const struct ni_note ring = {.region = notes->bell};
    const struct ni_ack departed = {.kind = NI_ACK_WORD, .word = &camera->departed};
    const struct ni_ack arrived = {.kind = NI_ACK_WORD, .word = &camera->arrived};

    camera->departed = 0;
    camera->arrived = 0;
    must(ni_write_notify(camera->ni, camera->recorder, &camera->picture, sizeof(camera->picture),
                         &to, &ring, &departed, &arrived),
         "write");
    return becomes(camera, &camera->departed, sizeof(camera->picture));
}

static bool film(struct notes *notes)
{
    static struct camera camera;
    bool good = true;

    must(ni_open(NULL, &camera.ni), "open an NI");
    must(ni_region_memory(camera.ni, (void *)&camera.read, sizeof(camera.read), NI_ACCESS_WRITE,
                          &notes->read),
         "register");
    notes->read_at = (uintptr_t)&camera.read;
    camera.recorder = meet(notes, camera.ni, 1);
    for (unsigned number = 1; good && number <= PICTURES; number++) {
        for (unsigned i = 0; i < WORDS; i++) {
            camera.picture.word[i] = word_of(number, i); /* while the last one may be on its way */
        }
        good = becomes(&camera, &camera.read, number - 1) && send_picture(&camera, notes);
    }
    good = good && becomes(&camera, &camera.arrived, sizeof(camera.picture)) &&
           becomes(&camera, &camera.read, PICTURES);
    ni_close(camera.ni);
    return good;
}

int main(void)
{
    struct notes *notes =
        mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;
    bool recorded;
    pid_t pid;

    if (notes == MAP_FAILED || (pid = fork()) < 0) {
        perror("notify");
        return 1;
    }
    if (pid == 0) {
        return film(notes) ? 0 : 1;
    }
    recorded = record(notes);
    if (waitpid(pid, &status, 0) != pid) {
        perror("notify: wait");
        return 1;
    }
    printf("%d pictures, each of which woke the recorder once: %s\n", PICTURES,
           recorded && status == 0 ? "right" : "wrong");
    return recorded && status == 0 ? 0 : 1;
}
