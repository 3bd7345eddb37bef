/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a daemon as metrics in the text format of Prometheus. */
#include "hfm/print.h"
#include "hfm/verdict.h"

enum { TOOK_BUCKETS = 20 };

void hfm_counts_add(struct hfm_counts *counts, const struct hfm_event *event)
{
    counts->events[event->kind]++;
    if (event->kind == HFM_EVENT_STATE) {
        for (unsigned i = 0; i < TOOK_BUCKETS; i++) {
            counts->took_us[i] += event->age_us < 1U << (i + 4);
        }
        counts->took_count++;
        counts->took_sum_us += event->age_us;
    }
}

static void head(FILE *out, const char *name, const char *type, const char *help)
{
    fprintf(out, "# HELP apelink_hfm_%s %s\n# TYPE apelink_hfm_%s %s\n", name, help, name, type);
}

static void print_counter(FILE *out, const char *name, const char *help, uint64_t value)
{
    head(out, name, "counter", help);
    fprintf(out, "apelink_hfm_%s %llu\n", name, (unsigned long long)value);
}

static void print_gauge(FILE *out, const char *name, const char *help, double value)
{
    head(out, name, "gauge", help);
    fprintf(out, "apelink_hfm_%s %.9g\n", name, value);
}

static void print_nodes(FILE *out, const struct hfm_state *state)
{
    unsigned count[HFM_VERDICTS] = {0};

    head(out, "node_state", "gauge",
         "What is known of a node: 0 normal, 1 sick, 2 broken, 3 lost.");
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        const struct hfm_known *known = &state->node->known[i];

        count[hfm_verdict_of(known->fault)]++;
        fprintf(out, "apelink_hfm_node_state{node=\"%u\",name=", i);
        hfm_print_quoted(out, state->config->node[i].name);
        fprintf(out, "} %d\n", (int)hfm_verdict_of(known->fault));
    }
    head(out, "nodes", "gauge", "How many nodes are in a state.");
    for (int i = 0; i < HFM_VERDICTS; i++) {
        fprintf(out, "apelink_hfm_nodes{state=\"%s\"} %u\n", hfm_verdict_name((enum hfm_verdict)i),
                count[i]);
    }
    head(out, "unacknowledged", "gauge", "Nodes whose alarm nobody has acknowledged.");
    count[0] = 0;
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        count[0] += state->node->known[i].fault != 0 && !state->node->known[i].acked;
    }
    fprintf(out, "apelink_hfm_unacknowledged %u\n", count[0]);
}

static void print_host(FILE *out, const struct hfm_state *state)
{
    const struct hfm_host_values *values = &state->host->values;

    print_gauge(out, "host_fault", "The host's status, as in host_watchdog from bit 1 on.",
                state->host->fault);
    if (values->has_memory) {
        print_gauge(out, "host_memory_available_bytes", "MemAvailable.",
                    (double)values->available_kib * 1024);
        print_gauge(out, "host_memory_corrupt_bytes", "HardwareCorrupted.",
                    (double)values->corrupt_kib * 1024);
    }
    if (values->has_edac) {
        print_counter(out, "host_memory_corrected_errors_total",
                      "Memory errors since the daemon began, corrected.", values->corrected);
        print_counter(out, "host_memory_uncorrected_errors_total",
                      "Memory errors since the daemon began, not corrected.", values->uncorrected);
    }
    if (values->has_network) {
        print_counter(out, "host_network_errors_total",
                      "Errors of the service network's interface since the daemon began.",
                      values->network_errors);
    }
    if (values->has_hwmon) {
        print_gauge(out, "host_hottest_celsius", "The hottest sensor.",
                    values->hottest_mc / 1000.0);
    }
}

/* How long state changes took until they were known, in powers of two from 16 us on. */
static void print_took(FILE *out, const struct hfm_counts *counts)
{
    head(out, "took_seconds", "histogram",
         "Until a change of state was known, from when it was seen otherwise for the last time.");
    for (unsigned i = 0; i < TOOK_BUCKETS; i++) {
        fprintf(out, "apelink_hfm_took_seconds_bucket{le=\"%.9g\"} %llu\n",
                (double)(1U << (i + 4)) / 1e6, (unsigned long long)counts->took_us[i]);
    }
    fprintf(out,
            "apelink_hfm_took_seconds_bucket{le=\"+Inf\"} %llu\n"
            "apelink_hfm_took_seconds_sum %.6f\napelink_hfm_took_seconds_count %llu\n",
            (unsigned long long)counts->took_count, (double)counts->took_sum_us / 1e6,
            (unsigned long long)counts->took_count);
}

void hfm_print_metrics(FILE *out, const struct hfm_state *state)
{
    const struct hfm_counts *counts = state->counts;
    uint32_t master = hfm_node_master(state->node, state->now);

    head(out, "info", "gauge", "Which daemon this is.");
    fprintf(out, "apelink_hfm_info{version=\"%s\",node=\"%u\"} 1\n", state->version,
            state->config->here);
    print_gauge(out, "acts", "1: this daemon is the master.", state->node->acts);
    print_gauge(out, "master", "The node of the master; -1: none is heard.",
                master == UINT32_MAX ? -1.0 : (double)master);
    print_gauge(out, "service_network_broken", "1: no master answers this daemon.",
                state->node->service == DNP_BROKEN);
    print_nodes(out, state);
    print_host(out, state);
    print_counter(out, "messages_sent_total", "Messages sent.", counts->sent);
    print_counter(out, "messages_unsent_total", "Messages that the socket did not take.",
                  counts->unsent);
    print_counter(out, "messages_received_total", "Messages taken.", counts->received);
    print_counter(out, "messages_refused_total",
                  "Datagrams that were no message, or made without the key.", counts->refused);
    print_counter(out, "state_changes_total", "Changes of nodes' states.",
                  counts->events[HFM_EVENT_STATE]);
    print_took(out, counts);
}
