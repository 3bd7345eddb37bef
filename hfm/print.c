/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a daemon as text and as JSON. */
#include "hfm/print.h"

#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "hfm/verdict.h"

enum { EVENTS = 200 /* that are printed as JSON */, RECENT = 10 /* as text */ };

void hfm_print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < 32 || c >= 127) {
            fprintf(out, "\\u%04x", c);
        } else {
            fprintf(out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
    }
    fputc('"', out);
}

int hfm_print_exit(const struct hfm_state *state)
{
    enum hfm_verdict worst = HFM_NORMAL;

    if (hfm_node_master(state->node, state->now) == UINT32_MAX) {
        return HFM_EXIT_UNKNOWN;
    }
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        enum hfm_verdict verdict = hfm_verdict_of(state->node->known[i].fault);

        if (!state->node->known[i].acked && verdict > worst) {
            worst = verdict;
        }
    }
    return worst == HFM_NORMAL ? HFM_EXIT_NORMAL
           : worst == HFM_SICK ? HFM_EXIT_SICK
                               : HFM_EXIT_BROKEN;
}

static void print_place(FILE *out, const struct hfm_state *state, uint32_t node)
{
    struct ni_torus_place place = ni_torus_at(&state->config->torus, node);

    fprintf(out, "%u %u %u", place.at[0], place.at[1], place.at[2]);
}

static void print_time(FILE *out, const struct hfm_state *state, uint64_t at)
{
    uint64_t ns = (uint64_t)((int64_t)at + state->history->realtime);
    time_t seconds = (time_t)(ns / 1000000000U);
    struct tm parts;
    char text[40];

    localtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    fprintf(out, "%s.%03u", text, (unsigned)(ns / 1000000 % 1000));
}

static void text_head(FILE *out, const struct hfm_state *state)
{
    uint32_t master = hfm_node_master(state->node, state->now);
    unsigned count[HFM_VERDICTS] = {0};

    for (uint32_t i = 0; i < state->config->nodes; i++) {
        count[hfm_verdict_of(state->node->known[i].fault)]++;
    }
    fprintf(out, "torus %ux%ux%u, this is node %u; ", state->config->torus.size[0],
            state->config->torus.size[1], state->config->torus.size[2], state->config->here);
    if (master == UINT32_MAX) {
        fprintf(out, "no master is heard, what follows may be old\n");
    } else {
        fprintf(out, "node %u is the master\n", master);
    }
    fprintf(out, "%u nodes normal, %u sick, %u broken, %u lost\n", count[HFM_NORMAL],
            count[HFM_SICK], count[HFM_BROKEN], count[HFM_LOST]);
    if (state->card != NULL) {
        fprintf(out, "card %s: %s\n", state->config->device, state->card);
    }
    if (state->host->why[0] != '\0') {
        fprintf(out, "this host: %s\n", state->host->why);
    }
}

void hfm_print_text(FILE *out, const struct hfm_state *state)
{
    uint32_t events = hfm_history_length(state->history);
    char text[200];

    text_head(out, state);
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        const struct hfm_known *known = &state->node->known[i];

        if (known->fault == 0) {
            continue;
        }
        hfm_fault_print(known->fault, text, sizeof text);
        fprintf(out, "node %u %s%s(", i, state->config->node[i].name,
                state->config->node[i].name[0] != '\0' ? " " : "");
        print_place(out, state, i);
        fprintf(out, ") is %s: %s%s\n", hfm_verdict_name(hfm_verdict_of(known->fault)), text,
                known->acked ? "; acknowledged" : "");
        hfm_path_print(i, known->via, known->subject, text, sizeof text);
        fprintf(out, "    since ");
        print_time(out, state, known->at);
        fprintf(out, ", by %s; seen otherwise %u.%03u ms before\n", text, known->age_us / 1000,
                known->age_us % 1000);
    }
    if (events > 0) {
        fprintf(out, "last events:\n");
    }
    for (uint32_t i = ni_min_u64(events, RECENT); i > 0; i--) {
        const struct hfm_event *event = hfm_history_back(state->history, i - 1);

        fprintf(out, "    ");
        print_time(out, state, event->at);
        fprintf(out, " ");
        hfm_event_text(out, event);
        fprintf(out, "\n");
    }
}

static void json_host(FILE *out, const struct hfm_state *state)
{
    const struct hfm_host_values *values = &state->host->values;

    fprintf(out, "  \"host\": {\"why\": ");
    hfm_print_quoted(out, state->host->why);
    if (values->has_memory) {
        fprintf(out,
                ", \"memory_kib\": %llu, \"available_kib\": %llu, "
                "\"corrupt_kib\": %llu",
                (unsigned long long)values->total_kib, (unsigned long long)values->available_kib,
                (unsigned long long)values->corrupt_kib);
    }
    if (values->has_edac) {
        fprintf(out, ", \"corrected_errors\": %llu, \"uncorrected_errors\": %llu",
                (unsigned long long)values->corrected, (unsigned long long)values->uncorrected);
    }
    if (values->has_network) {
        fprintf(out, ", \"network_errors\": %llu, \"carrier\": %s",
                (unsigned long long)values->network_errors, values->carrier ? "true" : "false");
    }
    if (values->has_hwmon) {
        fprintf(out, ", \"hottest_c\": %.1f, \"hottest\": ", values->hottest_mc / 1000.0);
        hfm_print_quoted(out, values->hottest);
        fprintf(out, ", \"sensor_alarms\": %u", values->alarms);
    }
    fprintf(out, ", \"service_network\": \"%s\"},\n",
            state->node->service == DNP_BROKEN ? "broken" : "normal");
}

static void json_nodes(FILE *out, const struct hfm_state *state)
{
    char text[200];

    fprintf(out, "  \"nodes\": [\n");
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        const struct hfm_known *known = &state->node->known[i];
        struct ni_torus_place place = ni_torus_at(&state->config->torus, i);

        fprintf(out, "    {\"node\": %u, \"name\": ", i);
        hfm_print_quoted(out, state->config->node[i].name);
        hfm_fault_print(known->fault, text, sizeof text);
        fprintf(out,
                ", \"place\": [%u, %u, %u], \"state\": \"%s\", \"fault\": \"%s\", \"word\": %u, "
                "\"acknowledged\": %s",
                place.at[0], place.at[1], place.at[2],
                hfm_verdict_name(hfm_verdict_of(known->fault)), text, known->fault,
                known->acked ? "true" : "false");
        if (known->at != 0) {
            hfm_path_print(i, known->via, known->subject, text, sizeof text);
            fprintf(out,
                    ", \"since_unix_s\": %.6f, \"via\": %u, \"path\": \"%s\", \"took_us\": "
                    "%u",
                    (double)((int64_t)known->at + state->history->realtime) / 1e9, known->via, text,
                    known->age_us);
        }
        fprintf(out, "}%s\n", i + 1 < state->config->nodes ? "," : "");
    }
    fprintf(out, "  ],\n");
}

void hfm_print_json(FILE *out, const struct hfm_state *state)
{
    uint32_t master = hfm_node_master(state->node, state->now);
    uint32_t events = (uint32_t)ni_min_u64(hfm_history_length(state->history), EVENTS);

    fprintf(out, "{\n  \"version\": \"%s\", \"node\": %u, \"torus\": [%u, %u, %u],\n",
            state->version, state->config->here, state->config->torus.size[0],
            state->config->torus.size[1], state->config->torus.size[2]);
    if (master == UINT32_MAX) {
        fprintf(out, "  \"master\": null, ");
    } else {
        fprintf(out, "  \"master\": %u, ", master);
    }
    fprintf(out, "\"acts\": %s, \"term\": %llu, \"exit\": %d,\n",
            state->node->acts ? "true" : "false", (unsigned long long)state->node->term,
            hfm_print_exit(state));
    fprintf(out, "  \"card\": ");
    if (state->card == NULL) {
        fprintf(out, "null,\n");
    } else {
        hfm_print_quoted(out, state->card);
        fprintf(out, ",\n");
    }
    json_host(out, state);
    fprintf(out,
            "  \"messages\": {\"sent\": %llu, \"unsent\": %llu, \"received\": %llu, \"refused\": "
            "%llu},\n",
            (unsigned long long)state->counts->sent, (unsigned long long)state->counts->unsent,
            (unsigned long long)state->counts->received,
            (unsigned long long)state->counts->refused);
    json_nodes(out, state);
    fprintf(out, "  \"events\": [\n");
    for (uint32_t i = events; i > 0; i--) {
        fprintf(out, "    ");
        hfm_event_json(out, state->history, hfm_history_back(state->history, i - 1));
        fprintf(out, "%s\n", i > 1 ? "," : "");
    }
    fprintf(out, "  ]\n}\n");
}
