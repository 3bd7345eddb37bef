/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_BENCH_LETTERS_H
#define OSU_BENCH_LETTERS_H

#include <getopt.h>
#include <stdio.h>

/* Options of one letter, of which -h and -v are also --help and --version. */

/* As getopt: the next letter, '?' for none of ours, or -1 at the end. */
static inline int next_letter(int argc, char **argv, const char *letters)
{
    static const struct option words[] = {
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'v'}, {NULL, 0, NULL, 0}};

    opterr = 0;
    return getopt_long(argc, argv, letters, words, NULL);
}

/* After '?', say what is wrong. */
static inline void refuse_letter(const char *program, char **argv)
{
    if (optopt != 0) {
        fprintf(stderr, "%s: no option -%c, or its value is missing; try -h\n", program, optopt);
    } else {
        fprintf(stderr, "%s: no option %s; try -h\n", program, argv[optind - 1]);
    }
}

#endif
