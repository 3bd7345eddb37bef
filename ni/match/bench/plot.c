/* SPDX-License-Identifier: BSD-3-Clause */
#include "match/bench/bench.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * The panels of MATCH Figs. 6 and 7, by gnuplot: for each length the total time, the time per
 * entry that is passed, and the time relative to the linear list (to hardware there).
 */

enum { PANEL_WIDTH = 420, PANEL_HEIGHT = 340, PANELS = 3 };

static const char *terminal_of(const char *file)
{
    const char *suffix = strrchr(file, '.');

    if (suffix != NULL && strcmp(suffix, ".svg") == 0) {
        return "svg";
    }
    return suffix != NULL && strcmp(suffix, ".png") == 0 ? "png" : NULL;
}

/* A string of gnuplot in single quotes, in which a quote is written twice. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    }
    fputc('\'', out);
}

/* Columns: position, then total, per entry and relative of each kind. */
static void put_data(FILE *out, const struct match_settings *settings, match_results results)
{
    for (size_t i = 0; i < settings->lengths; i++) {
        fprintf(out, "$d%zu << EOD\n", i);
        for (unsigned position = 0; position < MATCH_POSITIONS; position++) {
            size_t items = match_place(settings->length[i], position) + 1;

            fprintf(out, "%u", position * 10);
            for (unsigned kind = 0; kind < MATCH_LIST_KINDS; kind++) {
                double time = results[i][kind][position].median;

                fprintf(out, " %g %g %g", time, time / (double)(MATCH_HEADERS * items),
                        time / results[i][1][position].median);
            }
            fputc('\n', out);
        }
        fprintf(out, "EOD\n");
    }
}

static void put_panel(FILE *out, size_t number, size_t length, unsigned panel)
{
    static const char *const label[PANELS] = {"64 matches, ns", "ns per entry passed",
                                              "time relative to linear"};

    fprintf(out, "set title '%zu entries'\nset ylabel '%s'\nplot ", length, label[panel]);
    for (unsigned kind = 0; kind < MATCH_LIST_KINDS; kind++) {
        fprintf(out, "%s$d%zu using 1:%u with linespoints linecolor %u pointtype %u title '%s'",
                kind > 0 ? ", " : "", number, 2 + PANELS * kind + panel, kind + 1, kind + 1,
                match_list_kinds[kind]->name);
    }
    fprintf(out, "\n");
}

static void put_script(FILE *out, const struct match_settings *settings, match_results results)
{
    put_data(out, settings, results);
    fprintf(out, "set terminal %s noenhanced size %zu,%d%s\nset output ",
            terminal_of(settings->plot), settings->lengths * PANEL_WIDTH, PANELS * PANEL_HEIGHT,
            strcmp(terminal_of(settings->plot), "svg") == 0 ? " background 'white'" : "");
    put_quoted(out, settings->plot);
    fprintf(out,
            "\nset grid\nset logscale y 10\nset key above\n"
            "set xlabel 'match at, %% of the list'\nset multiplot layout %d,%zu\n",
            PANELS, settings->lengths);
    for (unsigned panel = 0; panel < PANELS; panel++) {
        for (size_t i = 0; i < settings->lengths; i++) {
            put_panel(out, i, settings->length[i], panel);
        }
    }
    fprintf(out, "unset multiplot\nset output\n");
}

bool match_can_plot(const struct match_settings *settings)
{
    if (terminal_of(settings->plot) == NULL) {
        fprintf(stderr, "ni_match_list: --plot %s: the name must end in .svg or .png\n",
                settings->plot);
        return false;
    }
    if (system("command -v gnuplot >/dev/null") != 0) {
        fprintf(stderr, "ni_match_list: no gnuplot in PATH, so there is no plot; Debian: "
                        "gnuplot-nox\n");
        return false;
    }
    return true;
}

bool match_plot(const struct match_settings *settings, match_results results)
{
    FILE *gnuplot = NULL;

    signal(SIGPIPE, SIG_IGN); /* a gnuplot that ends early is told by its status */
    gnuplot = popen("gnuplot", "w");
    if (gnuplot == NULL) {
        perror("ni_match_list: gnuplot");
        return false;
    }
    put_script(gnuplot, settings, results);
    if (pclose(gnuplot) != 0) {
        fprintf(stderr, "ni_match_list: gnuplot could not draw %s\n", settings->plot);
        return false;
    }
    return true;
}
