/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers that are asked for by stores (FORTH-CC 2.2): a process copies records to another one
 * without calling a function for it. It writes a batch of descriptors ahead, word by word and the
 * last words first; the store of one word releases all of them. A counter at the receiver adds up
 * the bytes that have come, and tells it when a batch is complete. At the end the sender reads all
 * of it back, again by descriptors, and says goodbye by a message.
 *
 * Two processes; both end with 0 if every byte is right.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <apeni/apeni.h>

enum {
    BATCHES = 20,
    LINES = 8,
    RECORD = 500,
    BATCH = LINES * RECORD,
    ALL = BATCHES * BATCH,
    PATIENCE_US = 60000000
};

static const char goodbye[] = "that was all";

/* What the processes tell each other before their NIs can: in memory that they share. */
struct notes {
    uint8_t blob[2][NI_BLOB_MAX];
    size_t blob_len[2];
    struct ni_rkey bytes, arrived, words; /* the receiver's */
    uint64_t bytes_at;
    atomic_uint present;
};

static void must(ni_status status, const char *what)
{
    if (status != NI_OK) {
        fprintf(stderr, "commands: %s: %s\n", what, ni_status_text(status));
        exit(1);
    }
}

static uint8_t byte_at(unsigned place)
{
    return (uint8_t)(place * 13 + place / RECORD);
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

/* ---- the receiver ---------------------------------------------------------------------------- */

struct receiver {
    uint8_t bytes[ALL];
    unsigned batches; /* that are complete */
    bool good;
};

/* The counter has become zero: all bytes of a batch are here, in whichever order they came. */
static void batch_complete(void *arg, ni_status status, uint64_t value)
{
    struct receiver *receiver = arg;
    unsigned begin = receiver->batches++ * BATCH;

    (void)value;
    must(status, "the counter's notification");
    for (unsigned i = begin; i < begin + BATCH; i++) {
        receiver->good = receiver->good && receiver->bytes[i] == byte_at(i);
    }
}

static bool receive(struct notes *notes)
{
    static struct receiver receiver = {.good = true};
    /* Armed again by itself, each time that it has become zero. */
    const struct ni_counter_setting setting = {
        .flags = NI_COUNTER_VALUE | NI_COUNTER_RELOAD, .value = -BATCH, .reload = -BATCH};
    const struct ni_ack tell = {.kind = NI_ACK_CALL, .fn = batch_complete, .arg = &receiver};
    char word[sizeof(goodbye)];
    struct ni *ni;
    size_t len;

    must(ni_open(NULL, &ni), "open an NI");
    must(ni_region_memory(ni, receiver.bytes, ALL, NI_ACCESS_READ | NI_ACCESS_WRITE, &notes->bytes),
         "register");
    must(ni_region_queue(ni, 0, 16, &notes->words), "make a queue");
    must(ni_counter_create(ni, 0, &notes->arrived), "make a counter");
    must(ni_counter_set(ni, NULL, &notes->arrived, &setting, NULL), "arm it");
    must(ni_counter_notify(ni, notes->arrived.handle, &tell), "have it tell");
    notes->bytes_at = (uintptr_t)receiver.bytes;
    (void)meet(notes, ni, 0);
    must(ni_queue_pop_wait(ni, notes->words.handle, word, sizeof(word), &len, PATIENCE_US),
         "wait for the message");
    ni_close(ni);
    return receiver.good && receiver.batches == BATCHES && len == sizeof(goodbye) &&
           memcmp(word, goodbye, len) == 0;
}

/* ---- the sender ------------------------------------------------------------------------------ */

struct sender {
    struct ni *ni;
    struct notes *notes;
    uint16_t bytes, arrived, words; /* targets, as descriptors name them */
    uint8_t from[ALL], back[ALL];
    ni_word heard; /* bytes of the message, when it has arrived */
};

static struct ni_command_line lines[LINES];
static struct ni_command commands[LINES];

/* Wait until the NI has given all lines back. */
static void wait_for_lines(struct sender *sender)
{
    struct ni_command_result result;

    for (unsigned i = 0; i < LINES; i++) {
        while (!ni_command_poll(&commands[i], &result)) {
            (void)ni_progress(sender->ni);
        }
        must(result.status, ni_command_reason_text(result.reason));
    }
}

/* A record of a batch: a copy, behind whose bytes their number is added to the counter. */
static void describe(const struct sender *sender, unsigned record, enum ni_command_op op,
                     struct ni_descriptor *descriptor)
{
    uint64_t there = sender->notes->bytes_at + (uint64_t)record * RECORD;
    const uint8_t *here = op == NI_COMMAND_READ ? sender->back : sender->from;

    ni_command_copy(descriptor, op, sender->bytes, here + (size_t)record * RECORD, there, RECORD);
    if (op == NI_COMMAND_WRITE) {
        ni_command_note(descriptor, sender->arrived, 0, RECORD);
    }
}

/* LINES records from the first one on. Nothing leaves before the last store: of the head of the
 * last descriptor, which has the start flag. */
static void transfer(struct sender *sender, unsigned first, enum ni_command_op op)
{
    struct ni_descriptor descriptor = {0};

    for (unsigned i = 0; i < LINES; i++) {
        if (!ni_command_begin(&commands[i])) {
            fprintf(stderr, "commands: a line was not given back\n");
            exit(1);
        }
        describe(sender, first + i, op, &descriptor);
        if (i == LINES - 1) {
            ni_command_start(&descriptor);
        }
        for (unsigned word = descriptor.words; word > 0; word--) {
            ni_command_store(&commands[i], word - 1, descriptor.word[word - 1]);
        }
    }
    wait_for_lines(sender);
}

static void say_goodbye(struct sender *sender)
{
    struct ni_descriptor descriptor = {0};

    ni_command_message(&descriptor, sender->words, goodbye, sizeof(goodbye));
    ni_command_ack_word(&descriptor, &sender->heard);
    ni_command_start(&descriptor);
    (void)ni_command_begin(&commands[0]); /* the lines are a circle */
    ni_command_compose(&commands[0], &descriptor);
    wait_for_lines(sender);
}

static bool send_all(struct notes *notes)
{
    static struct sender sender;
    struct ni_peer *peer;
    struct ni_rkey local;
    ni_handle region;

    sender.notes = notes;
    for (unsigned i = 0; i < ALL; i++) {
        sender.from[i] = byte_at(i);
    }
    must(ni_open(NULL, &sender.ni), "open an NI");
    peer = meet(notes, sender.ni, 1);
    must(ni_region_memory(sender.ni, &sender, sizeof(sender), NI_ACCESS_READ | NI_ACCESS_WRITE,
                          &local),
         "register");
    must(ni_region_command(sender.ni, lines, LINES, NI_COMMAND_QUEUE, &region),
         "make a command region");
    must(ni_command_target(sender.ni, region, peer, &notes->bytes, &sender.bytes), "target");
    must(ni_command_target(sender.ni, region, peer, &notes->arrived, &sender.arrived), "target");
    must(ni_command_target(sender.ni, region, peer, &notes->words, &sender.words), "target");
    for (unsigned i = 0; i < LINES; i++) {
        commands[i].line = &lines[i];
    }
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        transfer(&sender, batch * LINES, NI_COMMAND_WRITE);
    }
    for (unsigned batch = 0; batch < BATCHES; batch++) {
        transfer(&sender, batch * LINES, NI_COMMAND_READ);
    }
    say_goodbye(&sender);
    ni_close(sender.ni);
    return memcmp(sender.from, sender.back, ALL) == 0 && sender.heard == sizeof(goodbye);
}

int main(void)
{
    struct notes *notes =
        mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool received;
    int status = 0;
    pid_t pid;

    if (notes == MAP_FAILED || (pid = fork()) < 0) {
        perror("commands");
        return 1;
    }
    if (pid == 0) {
        return send_all(notes) ? 0 : 1;
    }
    received = receive(notes);
    if (waitpid(pid, &status, 0) != pid) {
        perror("commands: wait");
        return 1;
    }
    printf("%d bytes in %d batches of %d descriptors, and back: %s\n", ALL, BATCHES, LINES,
           received && status == 0 ? "right" : "wrong");
    return received && status == 0 ? 0 : 1;
}
