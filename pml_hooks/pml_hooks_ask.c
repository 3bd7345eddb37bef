/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Questions of processes to those of other hosts, whose records they cannot read. They are messages
 * below what is recorded, with a tag of their own, and nothing waits for them: who is asked answers
 * when it makes progress in MPI, from its record. There is one for so much waiting for a peer.
 */
#include "pml_hooks/pml_hooks_survive.h"
#include "pml_hooks/pml_hooks_ask.h"

#include "opal/runtime/opal_progress.h"
#include "record/clock.h"
#include "record/clocks.h"

/* Collectives have tags from -10 down. */
enum { TAG = -9, SLOTS = 64, AT_ONCE = 16, ROUNDS = 12, FAILURES = 4 };
#define WORTH_NS  UINT64_C(250000)    /* of waiting for a peer is asked about at once */
#define BEGIN_NS  UINT64_C(300000000) /* the longest time in MPI_Init */
#define FINISH_NS UINT64_C(20000000)  /* and in MPI_Finalize */
#define POLL_NS   UINT64_C(5000000)   /* of looking for questions where nobody waits */

enum kind { ASKS_CLOCK = 1, TELLS_CLOCK, ASKS, TELLS };

/* An answer is what was asked, with the rest filled in. Times are ns, by the clock of rank 0's host
 * but `asked`, which is of who asks. */
struct message {
    uint64_t kind; /* enum kind */
    struct record_question question;
    uint64_t end;   /* of the wait, and what may have to be added to it */
    uint64_t asked; /* when */
    uint64_t when;  /* what was asked for: 0 if it is not known */
    uint64_t error; /* ns by which that may be wrong */
};

static mca_pml_base_module_t below;
static bool running, asking;
static bool measures;           /* the clock of this host */
static uint32_t first;          /* whom it asks: the lowest rank of rank 0's host */
static ompi_request_t *receive; /* NULL: none is posted */
static struct message incoming;
static struct slot {
    struct message message;
    ompi_request_t *request; /* NULL: it is free */
} slots[SLOTS];
static unsigned outstanding; /* questions without an answer */
static unsigned failures;    /* of the receive */
static size_t served;        /* clocks told */
static bool clock_asked;
/* Of all of it. What finds it taken does without: it may be this thread that has it. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;

/* ---- messages ---------------------------------------------------------------------------------
 */

static struct slot *free_slot(void)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].request != NULL && REQUEST_COMPLETE(slots[i].request)) {
            (void)ompi_request_free(&slots[i].request);
            slots[i].request = NULL;
        }
        if (slots[i].request == NULL) {
            return &slots[i];
        }
    }
    return NULL;
}

/* False if it does not go. Under the lock. */
static bool send_to(int rank, const struct message *message)
{
    struct slot *slot = pml_hooks_dead_count() == 0 ? free_slot() : NULL;

    if (slot == NULL) {
        return false;
    }
    slot->message = *message;
    if (below.pml_isend(&slot->message, sizeof(slot->message), &ompi_mpi_byte.dt, rank, TAG,
                        MCA_PML_BASE_SEND_STANDARD, &ompi_mpi_comm_world.comm,
                        &slot->request) != OMPI_SUCCESS) {
        slot->request = NULL;
        return false;
    }
    return true;
}

static void post(void)
{
    if (below.pml_irecv(&incoming, sizeof(incoming), &ompi_mpi_byte.dt, MPI_ANY_SOURCE, TAG,
                        &ompi_mpi_comm_world.comm, &receive) != OMPI_SUCCESS) {
        receive = NULL;
    }
}

/* ---- answers ----------------------------------------------------------------------------------
 */

static void answer(int rank, const struct message *message)
{
    struct message told = *message;

    if (message->kind == ASKS) {
        told.kind = TELLS;
        told.when = record_answer((uint32_t)rank, &message->question, message->end, &told.error);
    } else {
        served++;
        told.kind = TELLS_CLOCK;
        told.when = record_clock();
    }
    (void)send_to(rank, &told);
}

static void take_answer(int rank, const struct message *message)
{
    outstanding -= outstanding > 0;
    record_take_answer((uint32_t)rank, &message->question, message->when, message->error);
}

static void handle(int rank, const struct message *message)
{
    switch (message->kind) {
    case ASKS_CLOCK:
    case ASKS:
        answer(rank, message);
        break;
    case TELLS_CLOCK:
        clock_asked = false;
        record_clock_told(message->asked, message->when);
        break;
    default:
        take_answer(rank, message);
    }
}

/* ---- questions --------------------------------------------------------------------------------
 */

static void ask_clock(void)
{
    clock_asked =
        send_to((int)first, &(struct message){.kind = ASKS_CLOCK, .asked = record_clock()});
}

/* Whether a process is on another host, and of this job. */
static bool is_elsewhere(const struct record_peer *peer)
{
    const ompi_proc_t *process;

    if (peer->job != record_own.head->job || peer->rank >= record_own.head->size) {
        return false;
    }
    process = ompi_comm_peer_lookup(&ompi_mpi_comm_world.comm, (int)peer->rank);
    return process != NULL && !OPAL_PROC_ON_LOCAL_NODE(process->super.proc_flags);
}

static bool ask(struct record_peer *peer, const struct record_question *question)
{
    struct message message = {.kind = ASKS, .question = *question};
    uint64_t offset, error;
    bool asked;

    if (!is_elsewhere(peer) || !record_clock_offset(&offset, &error) ||
        opal_mutex_trylock(&lock) != 0) {
        return false;
    }
    message.asked = record_clock();
    message.end = record_clock_at(question->end) + offset + error;
    asked = asking && outstanding < SLOTS && send_to((int)peer->rank, &message);
    outstanding += asked ? 1 : 0;
    opal_mutex_unlock(&lock);
    return asked;
}

/* ---- progress ---------------------------------------------------------------------------------
 */

/* The message that has come; false if none has. Under the lock. */
static bool take_message(struct message *message, int *rank)
{
    if (receive == NULL || !REQUEST_COMPLETE(receive)) {
        return false;
    }
    *message = incoming;
    *rank = receive->req_status.MPI_SOURCE;
    if (receive->req_status.MPI_ERROR != MPI_SUCCESS ||
        receive->req_status._ucount != sizeof(incoming)) {
        message->kind = 0;
        failures++;
    }
    (void)ompi_request_free(&receive);
    receive = NULL;
    if (failures < FAILURES) {
        post();
    }
    return true;
}

/* Open MPI calls this when it makes progress. The request may be another one's by now: then there
 * is nothing to do. */
static int progress(void)
{
    ompi_request_t *posted = __atomic_load_n(&receive, __ATOMIC_RELAXED);
    struct message message;
    int rank, count = 0;

    if ((!measures && (posted == NULL || !REQUEST_COMPLETE(posted))) ||
        opal_mutex_trylock(&lock) != 0) {
        return 0;
    }
    for (; running && count < AT_ONCE && take_message(&message, &rank); count++) {
        if (message.kind != 0) {
            handle(rank, &message);
        }
    }
    if (asking && measures && !clock_asked && record_clock_due()) {
        ask_clock();
    }
    opal_mutex_unlock(&lock);
    return count;
}

bool pml_hooks_ask_polls;

void pml_hooks_ask_poll(void)
{
    static uint64_t next; /* stamp */
    uint64_t now = record_stamp();

    if (now >= __atomic_load_n(&next, __ATOMIC_RELAXED)) {
        __atomic_store_n(&next, now + record_slice_most, __ATOMIC_RELAXED);
        opal_progress(); /* a message comes with the first, and is looked at with the second */
        opal_progress();
    }
}

/* ---- begin and end ----------------------------------------------------------------------------
 */

/* Make progress until as many have been served, or the answer has come, but no longer than until
 * then. */
static void progress_until(uint64_t clock, size_t to_serve)
{
    while ((to_serve > 0 ? served < to_serve : clock_asked) && record_clock() < clock) {
        opal_progress();
    }
}

/* The process that measures for a host asks some times in a row, and that of rank 0's host is there
 * to answer. */
static void measure(void)
{
    uint64_t end = record_clock() + BEGIN_NS;
    uint32_t here, lowest;
    size_t hosts = pml_hooks_hosts_lowest(&here, &lowest);

    if (record_own.head->rank == lowest) {
        progress_until(end, (hosts - 1) * ROUNDS);
    }
    for (int i = 0; i < ROUNDS && measures && !clock_asked && record_clock() < end; i++) {
        opal_mutex_lock(&lock);
        ask_clock();
        opal_mutex_unlock(&lock);
        progress_until(end, 0);
    }
    (void)record_clock_due();
}

void pml_hooks_ask_begin(const mca_pml_base_module_t *module)
{
    uint32_t here;

    if (!pml_hooks_hosts_several() || opal_progress_register(progress) != OPAL_SUCCESS) {
        return;
    }
    below = *module;
    outstanding = failures = 0;
    served = 0;
    clock_asked = false;
    (void)pml_hooks_hosts_lowest(&here, &first);
    record_clocks_begin(here, first);
    measures = record_clock_measures();
    post();
    running = true;
    measure();
    asking = true;
    record_elsewhere_together = record_ticks(WORTH_NS);
    record_ask_elsewhere = ask;
    record_slice_most = record_ticks(POLL_NS);
    pml_hooks_ask_polls = true;
}

void pml_hooks_ask_finish(void)
{
    uint64_t begin = record_clock();

    if (!running) {
        return;
    }
    record_ask_elsewhere = NULL;
    record_elsewhere_together = 0;
    pml_hooks_ask_polls = false;
    while (outstanding > 0 && record_clock() - begin < FINISH_NS) {
        opal_progress();
    }
    opal_mutex_lock(&lock);
    asking = measures = false;
    opal_mutex_unlock(&lock);
    record_clocks_finish();
}

void pml_hooks_ask_end(void)
{
    if (!running) {
        return;
    }
    (void)opal_progress_unregister(progress);
    opal_mutex_lock(&lock);
    running = false;
    if (receive != NULL) {
        (void)ompi_request_cancel(receive);
        (void)ompi_request_free(&receive);
        receive = NULL;
    }
    for (size_t i = 0; i < SLOTS; i++) {
        if (slots[i].request != NULL) {
            (void)ompi_request_free(&slots[i].request);
            slots[i].request = NULL;
        }
    }
    opal_mutex_unlock(&lock);
}

unsigned pml_hooks_ask_posted(void)
{
    return running && receive != NULL ? 1 : 0;
}
