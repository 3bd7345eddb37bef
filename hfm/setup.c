/* SPDX-License-Identifier: BSD-3-Clause */
/* How a card's fault manager is started. */
#include "hfm/setup.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "dnp/lofamo/fault.h"

void hfm_setup_init(struct hfm_setup *setup, const struct hfm_card *card,
                    const struct hfm_config *config)
{
    *setup = (struct hfm_setup){.card = card, .config = config};
}

uint32_t hfm_setup_mask(const struct hfm_config *config)
{
    uint32_t mask = config->masked;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        if ((config->links >> link & 1) == 0) {
            mask |= 3U << (dnp_fault_link_low(link) + 1) | dnp_fault_neighbour(link);
        }
    }
    return mask;
}

uint32_t hfm_setup_missing(const struct hfm_config *config)
{
    uint32_t fault = 0;

    for (unsigned link = 0; link < DNP_LINKS; link++) {
        if ((config->links >> link & 1) == 0 && config->torus.size[link / 2] > 1) {
            fault |= (uint32_t)DNP_BROKEN << dnp_fault_link_low(link);
        }
    }
    return fault;
}

static bool failed(struct hfm_setup *setup, const char *what, int error)
{
    snprintf(setup->text, sizeof setup->text, "%s: %s", what, strerror(-error));
    return false;
}

static bool read_card(struct hfm_setup *setup, uint32_t offset, uint32_t *value)
{
    int error = setup->card->read(setup->card->arg, offset, value);

    return error == 0 || failed(setup, "its registers cannot be read", error);
}

static bool write_card(struct hfm_setup *setup, uint32_t offset, uint32_t value)
{
    int error = setup->card->write(setup->card->arg, offset, value);

    return error == 0 || failed(setup, "its registers cannot be written, which takes root", error);
}

/* The card has to be where the configuration has this node. */
static bool topology(struct hfm_setup *setup)
{
    const struct hfm_config *config = setup->config;
    struct ni_torus_place place = ni_torus_at(&config->torus, config->here);
    uint32_t torus, at;

    if (!read_card(setup, DNP_REG_board_torus, &torus) ||
        !read_card(setup, DNP_REG_board_place, &at)) {
        return false;
    }
    for (unsigned i = 0; i < NI_TORUS_DIMENSIONS; i++) {
        if ((torus >> 10 * i & 1023) != config->torus.size[i] ||
            (at >> 10 * i & 1023) != place.at[i]) {
            snprintf(setup->text, sizeof setup->text,
                     "the card is at %u %u %u of a torus of %ux%ux%u, where the configuration has "
                     "node %u at %u %u %u of %ux%ux%u: look at both",
                     at & 1023, at >> 10 & 1023, at >> 20 & 1023, torus & 1023, torus >> 10 & 1023,
                     torus >> 20 & 1023, config->here, place.at[0], place.at[1], place.at[2],
                     config->torus.size[0], config->torus.size[1], config->torus.size[2]);
            return false;
        }
    }
    return true;
}

/* Whether all links that have cables are up; text names those that are not. */
static bool links_up(struct hfm_setup *setup, bool *all)
{
    size_t used = 0;

    *all = true;
    setup->text[0] = '\0';
    for (unsigned link = 0; link < DNP_LINKS; link++) {
        uint32_t up = 1;

        if ((setup->config->links >> link & 1) != 0 &&
            !read_card(setup, DNP_REG_link_up + 4 * link, &up)) {
            return false;
        }
        if (up == 0) {
            used += (size_t)snprintf(setup->text + used, sizeof setup->text - used, "%s%s",
                                     used > 0 ? ", " : "",
                                     ni_torus_direction_name((enum ni_torus_direction)link));
            *all = false;
        }
    }
    return true;
}

static bool configure(struct hfm_setup *setup)
{
    const struct hfm_config *config = setup->config;
    uint32_t mask = hfm_setup_mask(config);
    uint32_t timer = DNP_FIELD_PUT(0, fault_timer_write_ms, config->write_ms);
    bool good = true;

    for (unsigned i = 0; i < config->sets && good; i++) {
        good = write_card(setup, config->set[i].offset, config->set[i].value);
    }
    return good && write_card(setup, DNP_REG_fault_mask, mask) &&
           write_card(setup, DNP_REG_fault_timer,
                      DNP_FIELD_PUT(timer, fault_timer_read_ms, config->read_ms)) &&
           write_card(setup, DNP_REG_fault_mask, mask | 1);
}

enum hfm_setup_state hfm_setup_step(struct hfm_setup *setup, uint64_t now)
{
    char down[sizeof setup->text];
    bool all;

    if (setup->until == 0) {
        if (!topology(setup)) {
            return HFM_SETUP_FAILED;
        }
        setup->until = now + setup->config->align_ms * 1000000ULL;
    }
    if (!links_up(setup, &all)) {
        return HFM_SETUP_FAILED;
    }
    if (!all && now < setup->until) {
        return HFM_SETUP_WAITS;
    }
    memcpy(down, setup->text, sizeof down);
    if (!configure(setup)) {
        return HFM_SETUP_FAILED;
    }
    memcpy(setup->text, down, sizeof down);
    return HFM_SETUP_DONE;
}
