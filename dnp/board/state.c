/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a card as JSON. */
#include "dnp/board/state.h"

#include <inttypes.h>

#include <apeni/torus.h>

static void print_register(FILE *out, const struct dnp_register_file *file,
                           const struct dnp_register *reg)
{
    fprintf(out, "    \"%s\": %s", reg->name, reg->count > 1 ? "[" : "");
    for (unsigned i = 0; i < reg->count; i++) {
        uint64_t value = reg->width == 64 ? dnp_get64(file, (enum dnp_offset)reg->offset, i)
                                          : dnp_get(file, (enum dnp_offset)reg->offset, i);

        fprintf(out, "%s%" PRIu64, i > 0 ? ", " : "", value);
    }
    fputs(reg->count > 1 ? "]" : "", out);
}

static void print_cable(FILE *out, unsigned link, const struct dnp_cable *cable)
{
    fprintf(out, "    \"%s\": ", ni_torus_direction_name((enum ni_torus_direction)link));
    if (cable == NULL) {
        fputs("null", out);
        return;
    }
    fprintf(out, "{\"known\": %s, \"sent\": %" PRIu64, cable->peer_session != 0 ? "true" : "false",
            cable->sent);
    for (unsigned i = 0; i < DNP_FRAME_VERDICTS; i++) {
        fprintf(out, ", \"%s\": %" PRIu64, dnp_frame_verdict_name((enum dnp_frame_verdict)i),
                cable->verdicts[i]);
    }
    fputs("}", out);
}

void board_state_print(FILE *out, const struct dnp_card *card,
                       const struct dnp_cable *const cables[DNP_LINKS])
{
    fputs("{\n  \"registers\": {\n", out);
    for (size_t i = 0; i < dnp_register_count; i++) {
        print_register(out, &card->registers, &dnp_registers[i]);
        fputs(i + 1 < dnp_register_count ? ",\n" : "\n", out);
    }
    fputs("  },\n  \"cables\": {\n", out);
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        print_cable(out, link, cables[link]);
        fputs(link + 1 < DNP_LINKS ? ",\n" : "\n", out);
    }
    fputs("  }\n}\n", out);
}
