/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * As many processes as a large host has, all sending to all, also payloads that need the bulk area.
 * Every message must arrive, in order, and no process may cost 64 MiB or more: its segment, with
 * the rings of all its senders, and its private memory.
 *
 *   many_processes [PROCESSES]      128 unless given
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

/* A sanitizer's own memory is not ours: then fewer processes, and no limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { DEFAULT_PROCESSES = 12, JUDGE_MEMORY = 0 };
#else
enum { DEFAULT_PROCESSES = 128, JUDGE_MEMORY = 1 };
#endif

enum { MAX_PROCESSES = 256, ROUNDS = 6, SMALL = 8, LONG = 8192, LIMIT_MIB = 64, TIMEOUT_S = 240 };

struct shared {
    _Atomic unsigned ready, finished, failed;
    _Atomic uint64_t largest; /* bytes of the process that needed most */
    struct {
        uint32_t len;
        struct ni_rkey queue;
        uint8_t blob[NI_BLOB_MAX];
    } address[MAX_PROCESSES];
};

static struct shared *shared;
static unsigned processes = DEFAULT_PROCESSES, me;
static unsigned next_round[MAX_PROCESSES], received;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "process %u: %s: %s\n", me, what, why);
    atomic_store(&shared->failed, 1);
    _exit(1);
}

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fail(what, ni_status_text(status));
    }
}

static uint8_t pattern(unsigned source, unsigned round, unsigned i)
{
    return (uint8_t)(source * 31 + round * 7 + i);
}

/* The tag is the source, the first message has round 0. */
static void consume(void *arg, const struct ni_message_info *message)
{
    unsigned source = message->tag, round = source < processes ? next_round[source]++ : 0;
    const uint8_t *data = message->data;

    (void)arg;
    if (source >= processes || message->len != (round == ROUNDS - 1 ? LONG : SMALL)) {
        fail("message", "of a wrong source or length");
    }
    for (unsigned i = 0; i < message->len; i++) {
        if (data[i] != pattern(source, round, i)) {
            fail("message", "damaged or out of order");
        }
    }
    received++;
}

static uint64_t private_bytes(void)
{
    char line[256];
    unsigned long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "RssAnon: %lu kB", &kib) == 1) {
            break;
        }
    }
    if (file == NULL || kib == 0) {
        fail("/proc/self/status", "no RssAnon");
    }
    fclose(file);
    return kib * 1024ULL;
}

/* The largest segment among those that we have open: ours is one of them. */
static uint64_t segment_bytes(void)
{
    uint64_t largest = 0;
    struct dirent *entry;
    DIR *dir = opendir("/proc/self/fd");

    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char target[64] = "";
        struct stat status;

        if (readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1) > 0 &&
            strncmp(target, "/memfd:", 7) == 0 && fstat(atoi(entry->d_name), &status) == 0 &&
            (uint64_t)status.st_blocks * 512 > largest) {
            largest = (uint64_t)status.st_blocks * 512;
        }
    }
    if (dir == NULL || largest == 0) {
        fail("/proc/self/fd", "no segment");
    }
    closedir(dir);
    return largest;
}

static void wait_for_all(_Atomic unsigned *count, struct ni *ni)
{
    atomic_fetch_add(count, 1);
    while (atomic_load(count) < processes && atomic_load(&shared->failed) == 0) {
        (void)ni_wait(ni, 1000);
    }
}

static void send_all(struct ni *ni, struct ni_peer **peers)
{
    static uint8_t data[LONG];

    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned len = round == ROUNDS - 1 ? LONG : SMALL;

        for (unsigned i = 0; i < len; i++) {
            data[i] = pattern(me, round, i);
        }
        for (unsigned to = 0; to < processes; to++) {
            ni_status status;

            if (to == me) {
                continue;
            }
            while ((status = ni_message(ni, peers[to], shared->address[to].queue.handle,
                                        (uint16_t)me, NULL, 0, data, len)) == NI_AGAIN) {
                (void)ni_wait(ni, 1000);
            }
            must(status, "ni_message");
        }
    }
}

static void run(void)
{
    struct ni_open_attr attr = {.host_processes = processes};
    struct ni_peer *peers[MAX_PROCESSES] = {NULL};
    struct ni *ni;
    uint64_t bytes, largest;

    must(ni_open(&attr, &ni), "ni_open");
    must(ni_region_consumer(ni, consume, NULL, 0, &shared->address[me].queue),
         "ni_region_consumer");
    shared->address[me].len = (uint32_t)ni_address(ni, shared->address[me].blob, NI_BLOB_MAX);
    wait_for_all(&shared->ready, ni);
    for (unsigned i = 0; i < processes; i++) {
        if (i != me) {
            must(ni_connect(ni, shared->address[i].blob, shared->address[i].len, &peers[i]),
                 "ni_connect");
        }
    }
    send_all(ni, peers);
    while (received < (processes - 1) * ROUNDS && atomic_load(&shared->failed) == 0) {
        (void)ni_wait(ni, 1000);
    }
    bytes = segment_bytes() + private_bytes();
    largest = atomic_load(&shared->largest);
    while (bytes > largest && !atomic_compare_exchange_weak(&shared->largest, &largest, bytes)) {
    }
    wait_for_all(&shared->finished, ni);
    ni_close(ni);
    _exit(0);
}

static int result(void)
{
    unsigned long mib;
    int bad = atomic_load(&shared->failed) != 0, status;

    for (unsigned i = 0; i < processes; i++) {
        pid_t pid = wait(&status);

        if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            fprintf(stderr, "a process ended with status %#x\n", pid < 0 ? 0 : (unsigned)status);
            bad = 1;
        }
    }
    mib = (unsigned long)(atomic_load(&shared->largest) >> 20);
    printf("%u processes, all to all: at most %lu MiB each\n", processes, mib);
    return bad || (JUDGE_MEMORY && mib >= LIMIT_MIB);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        processes = (unsigned)atoi(argv[1]);
    }
    if (processes < 2 || processes > MAX_PROCESSES) {
        fprintf(stderr, "many_processes: %s processes; from 2 to %d\n", argv[1], MAX_PROCESSES);
        return 2;
    }
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    for (me = 0; me < processes; me++) {
        pid_t pid = fork();

        if (pid < 0) {
            perror("fork");
            atomic_store(&shared->failed, 1);
            processes = me;
            break;
        }
        if (pid == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            alarm(TIMEOUT_S);
            run();
        }
    }
    return result();
}
