/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a daemon as a page. */
#include "hfm/print.h"

void hfm_print_page(FILE *out, const struct hfm_state *state)
{
    hfm_print_text(out, state);
}
