/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "dnp/registers.h"
#include "perf_cards.h"

enum { TX = 256, EVENTS = 1024 };

void perf_card_check(int error, const char *what, const char *device)
{
    if (error != 0) {
        perf_fail("%s: %s: %s; see docs/board.md", device, what, strerror(-error));
    }
}

static void open_card(struct perf_card *card, const char *device)
{
    perf_card_check(apelink_client_open(&card->client, device, TX, EVENTS), "it cannot be opened",
                    device);
    for (unsigned i = 0; i < 3; i++) {
        card->at[i] = (uint16_t)(card->client.features.place >> 10 * i & 0x3ff);
        card->size[i] = (uint16_t)(card->client.features.torus >> 10 * i & 0x3ff);
    }
}

static bool is_up(struct perf_card *card, unsigned link, const char *device)
{
    uint32_t up;

    perf_card_check(apelink_client_read(&card->client, (uint32_t)DNP_REG_link_up + 4 * link, &up),
                    "its registers cannot be read", device);
    return up != 0;
}

/* A card to which no packet gets: along an axis on which no link has a cable. */
static void find_nowhere(struct perf_cards *bench, const char *device)
{
    struct perf_card *card = &bench->card[0];

    for (unsigned axis = 0; axis < 3 && !bench->can_drop; axis++) {
        bench->can_drop = card->size[axis] > 1 && !is_up(card, 2 * axis, device) &&
                          !is_up(card, 2 * axis + 1, device);
        memcpy(bench->nowhere, card->at, sizeof bench->nowhere);
        bench->nowhere[axis] = (uint16_t)(card->at[axis] > 0 ? card->at[axis] - 1 : 1);
    }
}

void *perf_card_map(uint64_t len, int kind)
{
    void *memory =
        mmap(NULL, len, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (memory == MAP_FAILED) {
        perf_fail("no memory for %" PRIu64 " bytes", len);
    }
    return memory;
}

void perf_cards_open(struct perf_cards *bench, const struct perf_options *options)
{
    char first[256], *second;
    uint64_t len = options->sizes[options->size_count - 1];
    uint32_t handle;

    if (options->devices == NULL) {
        perf_bad_use("the mode board needs --devices, such as /run/apelink/apelink0: of one card "
                     "for loop-back, or of two");
    }
    snprintf(first, sizeof first, "%s", options->devices);
    second = strchr(first, ',');
    if (second != NULL) {
        *second++ = '\0';
    }
    open_card(&bench->card[0], first);
    bench->to = second != NULL ? &bench->card[1] : &bench->card[0];
    if (second != NULL) {
        open_card(bench->to, second);
    }
    find_nowhere(bench, first);
    bench->source = perf_card_map(len, MAP_SHARED);
    bench->target = perf_card_map(len, MAP_SHARED);
    for (uint64_t i = 0; i < len; i++) {
        bench->source[i] = (uint8_t)(i * 7 + i / 251);
    }
    for (unsigned i = 0; i <= (second != NULL); i++) {
        struct apelink_client *client = &bench->card[i].client;

        perf_card_check(
            apelink_client_register(client, bench->source, len, APELINK_ACCESS_READ, &handle),
            "memory cannot be registered", options->devices);
        perf_card_check(
            apelink_client_register(client, bench->target, len, APELINK_ACCESS_WRITE, &handle),
            "memory cannot be registered", options->devices);
    }
}

void perf_cards_close(struct perf_cards *bench)
{
    if (bench->to != &bench->card[0]) {
        apelink_client_close(&bench->to->client);
    }
    apelink_client_close(&bench->card[0].client);
}
