/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a daemon as a page: the torus drawn, what fails and how that became known. */
#include <string.h>
#include <time.h>

#include "base/bits.h"
#include "dnp/lofamo/fault.h"
#include "hfm/print.h"
#include "hfm/verdict.h"

enum { STEP = 64, RADIUS = 15, MARGIN = 40, EVENTS = 200, DRAWN_MAX = 1024 };

static const char *const style =
    "<style>:root{--fg:#222;--bg:#fff;--line:#bbb;--normal:#3a8f4d;--sick:#d9a400;--broken:#d9541e;"
    "--lost:#a3122f}@media(prefers-color-scheme:dark){:root{--fg:#ddd;--bg:#181a1b;--line:#555}}"
    "body{font:15px/1.4 sans-serif;color:var(--fg);background:var(--bg);margin:1.5em}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.2em .8em .2em 0;"
    "border-bottom:1px solid var(--line);vertical-align:top}"
    ".normal{fill:var(--normal);color:var(--normal)}.sick{fill:var(--sick);color:var(--sick)}"
    ".broken{fill:var(--broken);color:var(--broken)}.lost{fill:var(--lost);color:var(--lost)}"
    "b.normal,b.sick,b.broken,b.lost{font-weight:bold}line{stroke:var(--line);stroke-width:2}"
    "line.sick{stroke:var(--sick);stroke-width:4}line.broken{stroke:var(--broken);stroke-width:4}"
    "text{fill:#fff;font:11px sans-serif;text-anchor:middle}circle.acked{stroke:var(--fg);"
    "stroke-width:3;stroke-dasharray:4 3}</style>";

/* Text within HTML. */
static void put(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void put_time(FILE *out, const struct hfm_state *state, uint64_t at)
{
    uint64_t ns = (uint64_t)((int64_t)at + state->history->realtime);
    time_t seconds = (time_t)(ns / 1000000000U);
    struct tm parts;
    char text[40];

    localtime_r(&seconds, &parts);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    fprintf(out, "%s.%03u", text, (unsigned)(ns / 1000000 % 1000));
}

/* Where a place is drawn: X to the right, Y down, Z to the right and down a little, so that layers
 * do not hide each other. */
static void spot(const uint32_t at[NI_TORUS_DIMENSIONS], int *x, int *y)
{
    *x = MARGIN + (int)at[0] * STEP + (int)at[2] * (STEP / 3);
    *y = MARGIN + (int)at[1] * STEP + (int)at[2] * (STEP / 3);
}

static unsigned link_status(const struct hfm_state *state, uint32_t node, unsigned link)
{
    return state->node->known[node].fault >> dnp_fault_link_low(link) & 3;
}

/* The link in an increasing direction, by the worse of what its ends say; one that closes a ring
 * is a stub at both of its ends. */
static void draw_link(FILE *out, const struct hfm_state *state, uint32_t node, unsigned link)
{
    static const char *const names[] = {"normal", "sick", "broken", "broken"};
    const struct ni_torus *torus = &state->config->torus;
    uint32_t there = ni_torus_neighbour(torus, node, (enum ni_torus_direction)link);
    struct ni_torus_place a = ni_torus_at(torus, node), b = ni_torus_at(torus, there);
    unsigned worst =
        ni_max_u64(link_status(state, node, link), link_status(state, there, link ^ 1));
    int x1, y1, x2, y2, dx = link / 2 == 1 ? 0 : STEP / 3, dy = link / 2 == 0 ? 0 : STEP / 3;

    spot(a.at, &x1, &y1);
    spot(b.at, &x2, &y2);
    if (b.at[link / 2] == a.at[link / 2] + 1) {
        fprintf(out, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", names[worst],
                x1, y1, x2, y2);
    } else {
        fprintf(out, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", names[worst],
                x1, y1, x1 + dx, y1 + dy);
        fprintf(out, "<line class=\"%s\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>\n", names[worst],
                x2, y2, x2 - dx, y2 - dy);
    }
}

static void draw_node(FILE *out, const struct hfm_state *state, uint32_t node)
{
    const struct hfm_known *known = &state->node->known[node];
    struct ni_torus_place place = ni_torus_at(&state->config->torus, node);
    char text[200];
    int x, y;

    spot(place.at, &x, &y);
    hfm_fault_print(known->fault, text, sizeof text);
    fprintf(out, "<circle class=\"%s%s\" cx=\"%d\" cy=\"%d\" r=\"%d\"><title>node %u ",
            hfm_verdict_name(hfm_verdict_of(known->fault)), known->acked ? " acked" : "", x, y,
            RADIUS, node);
    put(out, state->config->node[node].name);
    fprintf(out, " at %u %u %u: %s</title></circle><text x=\"%d\" y=\"%d\">%u</text>\n",
            place.at[0], place.at[1], place.at[2], text, x, y + 4, node);
}

static void draw_torus(FILE *out, const struct hfm_state *state)
{
    const struct ni_torus *torus = &state->config->torus;
    const uint32_t last[3] = {torus->size[0] - 1, torus->size[1] - 1, torus->size[2] - 1};
    int width, height;

    if (state->config->nodes > DRAWN_MAX) {
        fprintf(out, "<p>A torus of more than %d nodes is not drawn.</p>\n", DRAWN_MAX);
        return;
    }
    spot(last, &width, &height);
    fprintf(out,
            "<svg role=\"img\" aria-label=\"the torus\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n",
            width + MARGIN, height + MARGIN, width + MARGIN, height + MARGIN);
    for (uint32_t node = 0; node < state->config->nodes; node++) {
        for (unsigned link = 0; link < NI_TORUS_DIRECTIONS; link += 2) {
            if (torus->size[link / 2] > 1) {
                draw_link(out, state, node, link);
            }
        }
    }
    for (uint32_t node = 0; node < state->config->nodes; node++) {
        draw_node(out, state, node);
    }
    fprintf(out, "</svg>\n");
}

static void list_failures(FILE *out, const struct hfm_state *state)
{
    unsigned listed = 0;
    char text[200];

    fprintf(out, "<h2>What fails</h2>\n<table><tr><th>node<th>state<th>what<th>since<th>known by"
                 "<th>seen otherwise before that\n");
    for (uint32_t i = 0; i < state->config->nodes; i++) {
        const struct hfm_known *known = &state->node->known[i];
        const char *name = hfm_verdict_name(hfm_verdict_of(known->fault));

        if (known->fault == 0) {
            continue;
        }
        listed++;
        fprintf(out, "<tr><td>%u ", i);
        put(out, state->config->node[i].name);
        hfm_fault_print(known->fault, text, sizeof text);
        fprintf(out, "<td><b class=\"%s\">%s</b>%s<td>%s<td>", name, name,
                known->acked ? ", acknowledged" : "", text);
        put_time(out, state, known->at);
        hfm_path_print(i, known->via, known->subject, text, sizeof text);
        fprintf(out, "<td>%s<td>%u.%03u ms\n", text, known->age_us / 1000, known->age_us % 1000);
    }
    fprintf(out, "</table>\n%s", listed == 0 ? "<p>Nothing.</p>\n" : "");
}

static void list_history(FILE *out, const struct hfm_state *state)
{
    uint32_t events = (uint32_t)ni_min_u64(hfm_history_length(state->history), EVENTS);

    fprintf(out, "<h2>History</h2>\n<table>\n");
    for (uint32_t i = 0; i < events; i++) {
        const struct hfm_event *event = hfm_history_back(state->history, i);

        fprintf(out, "<tr><td>");
        put_time(out, state, event->at);
        fprintf(out, "<td>");
        hfm_event_text(out, event);
        fprintf(out, "\n");
    }
    fprintf(out, "</table>\n");
}

void hfm_print_page(FILE *out, const struct hfm_state *state)
{
    static const char *const words[] = {"all is normal", "something is sick",
                                        "something is broken or lost", "no master is heard"};
    static const char *const classes[] = {"normal", "sick", "broken", "lost"};
    uint32_t master = hfm_node_master(state->node, state->now);
    int status = hfm_print_exit(state);

    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
            "http-equiv=\"refresh\" content=\"5\"><title>apelink-hfm: %s</title>%s</head><body>\n",
            words[status], style);
    fprintf(out, "<h1>Torus %ux%ux%u: <b class=\"%s\">%s</b></h1>\n<p>As node %u ",
            state->config->torus.size[0], state->config->torus.size[1],
            state->config->torus.size[2], classes[status], words[status], state->config->here);
    put(out, state->config->node[state->config->here].name);
    fprintf(out, " knows it at ");
    put_time(out, state, state->now);
    if (master == UINT32_MAX) {
        fprintf(out, "; what follows may be old.");
    } else {
        fprintf(out, "; node %u is the master.", master);
    }
    if (state->card != NULL) {
        fprintf(out, " Its card: ");
        put(out, state->card);
        fputc('.', out);
    }
    if (state->host->why[0] != '\0') {
        fprintf(out, " This host: ");
        put(out, state->host->why);
        fputc('.', out);
    }
    fprintf(out, "</p>\n");
    draw_torus(out, state);
    list_failures(out, state);
    list_history(out, state);
    fprintf(out, "</body></html>\n");
}
