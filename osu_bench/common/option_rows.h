/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_COMMON_OPTION_ROWS_H
#define OSU_COMMON_OPTION_ROWS_H

/* The options of all programs together. */

#include "common/options.h"

#define OSU_MOST_OPTION_ROWS 32

/* One row per option: parsing and help both come from here. A letter may have two rows with
 * different programs. */
struct osu_option_row {
    int letter;
    const char *name; /* long name */
    /* The name of the value in the help text; NULL: takes none; "[..]": may be left out. */
    const char *argument;
    const char *help;
    /* Returns NULL, or a sentence that says what is wanted. */
    const char *(*parse)(const char *value, struct osu_options *out);
};

extern const struct osu_option_row osu_option_rows[];
extern const int osu_option_row_count;

#endif
