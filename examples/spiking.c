/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network of spiking neurons with axonal delays (after DPSNN, the distributed polychronous
 * network of APEnet+'s authors; neurons as in Izhikevich, 2003). 80 % of the neurons excite, 20 %
 * inhibit; each has synapses to random others, over which a spike takes 1 to 20 ms. Neurons are
 * dealt out to the processes in blocks. Each millisecond the processes tell each other how many
 * spikes are to come, all to all, and send those that are, to whom they concern. The synapses lie
 * where they end: what travels is the number of a neuron.
 *
 * Currents are whole numbers, so that it does not matter in which order they are added up: every
 * process sees the same voltages with any number of processes. Check: one process repeats the
 * simulation alone, and has the same spikes.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DELAY_MAX = 20, THALAMUS = 6 };

struct option {
    const char *name;
    int *value;
    int min, max;
    const char *help;
};

struct result {
    int64_t spikes;
    uint64_t checksum; /* of all pairs of time and neuron */
};

struct synapse {
    int32_t from, to, delay, weight; /* ms; 1/64 of Izhikevich's unit of current */
};

/* One process's neurons, first..first+count-1. */
struct part {
    MPI_Comm comm;
    int rank, ranks, neurons, first, count;
    float *v, *u;
    int32_t *current[DELAY_MAX + 1]; /* [time modulo DELAY_MAX + 1][neuron]: what arrives then */
    struct synapse *synapses;        /* that end here, sorted by where they begin */
    int32_t *start;                  /* [neurons + 1]: where a neuron's synapses begin */
    uint8_t *concerns;       /* [count * ranks]: whether a neuron has synapses in a process */
    int32_t *outbox, *inbox; /* [ranks * count], [neurons]: spikes */
    int *out_counts, *in_counts;
    MPI_Request *requests;
    struct result result;
};

static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint32_t draw(uint64_t what, uint64_t i, uint32_t below)
{
    return (uint32_t)((hash(hash(what + 1) + i) >> 32) * below >> 32);
}

static void *memory(size_t count, size_t size)
{
    void *block = calloc(count + 1, size);

    if (block == NULL) {
        fprintf(stderr, "spiking: no memory for %zu items; choose fewer --neurons\n", count);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return block;
}

static int first_of(const struct part *p, int rank)
{
    return (int)((int64_t)p->neurons * rank / p->ranks);
}

static int owner(const struct part *p, int neuron)
{
    int rank = (int)((int64_t)neuron * p->ranks / p->neurons);

    while (neuron >= first_of(p, rank + 1)) {
        rank++;
    }
    return rank;
}

static bool excites(const struct part *p, int neuron)
{
    return neuron % 5 != 4 || p->neurons < 5;
}

static struct synapse make_synapse(const struct part *p, int from, int i)
{
    uint64_t name = ((uint64_t)from << 20) + (uint64_t)i;
    bool up = excites(p, from);
    int strength = (int)draw(name, 2, up ? 32 : 64);

    return (struct synapse){.from = from,
                            .to = (int32_t)draw(name, 0, (uint32_t)p->neurons),
                            .delay = up ? 1 + (int32_t)draw(name, 1, DELAY_MAX) : 1,
                            .weight = up ? 10 * strength : -10 * strength};
}

/* Each process makes the synapses that begin at its neurons and gives them to the processes where
 * they end. */
static struct synapse *exchange_synapses(struct part *p, int fan, int *received)
{
    int made = p->count * fan, *to = memory((size_t)made, sizeof *to);
    int *displs = memory((size_t)p->ranks * 3, sizeof *displs);
    int *in_displs = displs + p->ranks, *next = in_displs + p->ranks;
    struct synapse *out = memory((size_t)made, sizeof *out);
    MPI_Datatype type;

    for (int i = 0; i < made; i++) {
        to[i] = owner(p, make_synapse(p, p->first + i / fan, i % fan).to);
        p->out_counts[to[i]]++;
        p->concerns[i / fan * p->ranks + to[i]] = 1;
    }
    MPI_Alltoall(p->out_counts, 1, MPI_INT, p->in_counts, 1, MPI_INT, p->comm);
    for (int r = 1; r < p->ranks; r++) {
        displs[r] = next[r] = displs[r - 1] + p->out_counts[r - 1];
        in_displs[r] = in_displs[r - 1] + p->in_counts[r - 1];
    }
    *received = in_displs[p->ranks - 1] + p->in_counts[p->ranks - 1];
    struct synapse *in = memory((size_t)*received, sizeof *in);
    for (int i = 0; i < made; i++) {
        out[next[to[i]]++] = make_synapse(p, p->first + i / fan, i % fan);
    }
    MPI_Type_contiguous(4, MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    MPI_Alltoallv(out, p->out_counts, displs, type, in, p->in_counts, in_displs, type, p->comm);
    MPI_Type_free(&type);
    free(to);
    free(displs);
    free(out);
    return in;
}

static void sort_synapses(struct part *p, const struct synapse *in, int count)
{
    int32_t *next = memory((size_t)p->neurons, sizeof *next);

    p->start = memory((size_t)p->neurons + 1, sizeof *p->start);
    p->synapses = memory((size_t)count, sizeof *p->synapses);
    for (int i = 0; i < count; i++) {
        p->start[in[i].from + 1]++;
    }
    for (int n = 0; n < p->neurons; n++) {
        p->start[n + 1] += p->start[n];
    }
    memcpy(next, p->start, (size_t)p->neurons * sizeof *next);
    for (int i = 0; i < count; i++) {
        p->synapses[next[in[i].from]++] = in[i];
    }
    free(next);
}

static void part_create(struct part *p, MPI_Comm comm, int neurons, int fan)
{
    int count;

    memset(p, 0, sizeof *p);
    p->comm = comm;
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->ranks);
    p->neurons = neurons;
    p->first = first_of(p, p->rank);
    p->count = first_of(p, p->rank + 1) - p->first;
    p->v = memory((size_t)p->count, sizeof *p->v);
    p->u = memory((size_t)p->count, sizeof *p->u);
    for (int i = 0; i <= DELAY_MAX; i++) {
        p->current[i] = memory((size_t)p->count, sizeof(int32_t));
    }
    p->concerns = memory((size_t)p->count * (size_t)p->ranks, 1);
    p->outbox = memory((size_t)p->ranks * (size_t)p->count, sizeof *p->outbox);
    p->inbox = memory((size_t)neurons, sizeof *p->inbox);
    p->out_counts = memory((size_t)p->ranks, sizeof *p->out_counts);
    p->in_counts = memory((size_t)p->ranks, sizeof *p->in_counts);
    p->requests = memory((size_t)p->ranks * 2, sizeof *p->requests);
    struct synapse *in = exchange_synapses(p, fan, &count);
    sort_synapses(p, in, count);
    free(in);
    for (int i = 0; i < p->count; i++) {
        p->v[i] = -65;
        p->u[i] = 0.2f * p->v[i];
    }
}

static void part_free(struct part *p)
{
    for (int i = 0; i <= DELAY_MAX; i++) {
        free(p->current[i]);
    }
    free(p->v);
    free(p->u);
    free(p->synapses);
    free(p->start);
    free(p->concerns);
    free(p->outbox);
    free(p->inbox);
    free(p->out_counts);
    free(p->in_counts);
    free(p->requests);
}

/* One millisecond of neuron i, in two halves; whether it spikes. */
static bool neuron_step(struct part *p, int i, int time)
{
    int neuron = p->first + i;
    bool up = excites(p, neuron);
    float noise = (float)draw(((uint64_t)time << 32) + (uint64_t)neuron, 3, 1024) / 1024;
    float current =
        (float)p->current[time % (DELAY_MAX + 1)][i] / 64 + THALAMUS * 2 * noise * (up ? 1 : 0.4f);
    float v = p->v[i];
    bool spike = v >= 30;

    if (spike) {
        v = -65;
        p->u[i] += up ? 8 : 2;
    }
    for (int half = 0; half < 2; half++) {
        v += 0.5f * ((0.04f * v + 5) * v + 140 - p->u[i] + current);
    }
    p->u[i] += (up ? 0.02f : 0.1f) * (0.2f * v - p->u[i]);
    p->v[i] = v < 30 ? v : 30;
    p->current[time % (DELAY_MAX + 1)][i] = 0;
    return spike;
}

/* All neurons' millisecond; spikes go into the outbox of each process that they concern. */
static void neurons_step(struct part *p, int time)
{
    memset(p->out_counts, 0, (size_t)p->ranks * sizeof *p->out_counts);
    for (int i = 0; i < p->count; i++) {
        if (!neuron_step(p, i, time)) {
            continue;
        }
        p->result.spikes++;
        p->result.checksum ^= hash(((uint64_t)time << 32) + (uint64_t)(p->first + i) + 1);
        for (int r = 0; r < p->ranks; r++) {
            if (p->concerns[i * p->ranks + r]) {
                p->outbox[r * p->count + p->out_counts[r]++] = p->first + i;
            }
        }
    }
}

/* Returns the number of spikes that came in. */
static int spikes_exchange(struct part *p)
{
    int n = 0, received = 0;

    MPI_Alltoall(p->out_counts, 1, MPI_INT, p->in_counts, 1, MPI_INT, p->comm);
    for (int r = 0; r < p->ranks; r++) {
        if (p->in_counts[r] > 0) {
            MPI_Irecv(p->inbox + received, p->in_counts[r], MPI_INT32_T, r, 0, p->comm,
                      &p->requests[n++]);
        }
        received += p->in_counts[r];
    }
    for (int r = 0; r < p->ranks; r++) {
        if (p->out_counts[r] > 0) {
            MPI_Isend(p->outbox + r * p->count, p->out_counts[r], MPI_INT32_T, r, 0, p->comm,
                      &p->requests[n++]);
        }
    }
    MPI_Waitall(n, p->requests, MPI_STATUSES_IGNORE);
    return received;
}

static void spikes_deliver(struct part *p, int time, int received)
{
    for (int i = 0; i < received; i++) {
        for (int k = p->start[p->inbox[i]]; k < p->start[p->inbox[i] + 1]; k++) {
            const struct synapse *s = &p->synapses[k];

            p->current[(time + s->delay) % (DELAY_MAX + 1)][s->to - p->first] += s->weight;
        }
    }
}

static struct result simulate(MPI_Comm comm, int neurons, int fan, int steps)
{
    struct part p;
    struct result r;

    part_create(&p, comm, neurons, fan);
    for (int time = 0; time < steps; time++) {
        neurons_step(&p, time);
        spikes_deliver(&p, time, spikes_exchange(&p));
    }
    MPI_Allreduce(&p.result.spikes, &r.spikes, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(&p.result.checksum, &r.checksum, 1, MPI_UINT64_T, MPI_BXOR, comm);
    part_free(&p);
    return r;
}

/* Reads the command line. Returns true to go on; otherwise *status is what the program ends
 * with. */
static bool parse(int argc, char **argv, const struct option *options, bool talk, int *status)
{
    for (int i = 1; i < argc; i += 2) {
        const struct option *o = options;
        char *end = "";

        *status = strcmp(argv[i], "--help") == 0 ? 0 : 2;
        while (o->name != NULL && strcmp(o->name, argv[i]) != 0) {
            o++;
        }
        long value = o->name != NULL && i + 1 < argc ? strtol(argv[i + 1], &end, 10) : 0;
        if (o->name != NULL && i + 1 < argc && *end == '\0' && value >= o->min && value <= o->max) {
            *o->value = (int)value;
            continue;
        }
        if (talk && *status != 0) {
            fprintf(stderr, "spiking: %s %s is not understood\n", argv[i],
                    i + 1 < argc ? argv[i + 1] : "without a value");
        }
        for (o = options; talk && o->name != NULL; o++) {
            fprintf(*status == 0 ? stdout : stderr, "  %-10s N  %s, %d to %d (default %d)\n",
                    o->name, o->help, o->min, o->max, *o->value);
        }
        return false;
    }
    return true;
}

/* Runs it on all processes, then perhaps on one alone, and compares. Returns the program's
 * status. */
static int run_and_check(int neurons, int fan, int steps, bool check, bool tell_time, int rank)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    struct result r = simulate(MPI_COMM_WORLD, neurons, fan, steps);
    double seconds = MPI_Wtime() - begin;
    int right = r.spikes >= 0;
    if (rank == 0 && check) {
        struct result alone = simulate(MPI_COMM_SELF, neurons, fan, steps);

        right = alone.checksum == r.checksum && alone.spikes == r.spikes;
    }
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("spiking: %d neurons, %d synapses each, %d ms, %lld spikes, checksum %016llx: %s\n",
               neurons, fan, steps, (long long)r.spikes, (unsigned long long)r.checksum,
               right ? "right" : "WRONG");
    }
    if (rank == 0 && tell_time) {
        fprintf(stderr, "spiking: %.6f s\n", seconds);
    }
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    int neurons = 1000, fan = 100, steps = 500, check = 1, tell_time = 0, rank, status = 0;
    const struct option options[] = {
        {"--neurons", &neurons, 1, 1000000, "neurons"},
        {"--synapses", &fan, 1, 1000, "synapses of each"},
        {"--steps", &steps, 0, 1000000, "milliseconds"},
        {"--check", &check, 0, 1, "1: one process repeats it alone and compares"},
        {"--time", &tell_time, 0, 1, "1: print the run time on standard error"},
        {NULL, NULL, 0, 0, NULL},
    };

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parse(argc, argv, options, rank == 0, &status)) {
        status = run_and_check(neurons, fan, steps, check != 0, tell_time != 0, rank);
    }
    MPI_Finalize();
    return status;
}
