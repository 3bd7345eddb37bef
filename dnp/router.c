/* SPDX-License-Identifier: BSD-3-Clause */
/* The switch of a card. */
#include "dnp/router.h"

#include "base/assert.h"
#include "base/bits.h"

void dnp_router_init(struct dnp_router *router, struct dnp_register_file *registers,
                     struct dnp_link *links, struct apelink_word *inject,
                     struct apelink_word *deliver, uint32_t size)
{
    NI_ASSERT(ni_is_pow2(size) && size >= DNP_PACKET_WORDS);
    *router = (struct dnp_router){.registers = registers, .link = links, .burst = 1};
    dnp_fifo_init(&router->inject, inject, size);
    dnp_fifo_init(&router->deliver, deliver, size);
    for (unsigned output = 0; output < DNP_OUTPUTS; output++) {
        router->source[output] = DNP_INPUTS;
    }
}

static struct dnp_fifo *input_fifo(struct dnp_router *router, unsigned input)
{
    return input == DNP_INPUT_INJECT ? &router->inject
                                     : &router->link[input / DNP_VCS].rx.fifo[input % DNP_VCS];
}

/* The inputs of which a packet is under way, one bit each. */
static uint32_t busy_inputs(struct dnp_router *router)
{
    uint32_t busy = 0;

    for (unsigned output = 0; output < DNP_OUTPUTS; output++) {
        bool over = output == DNP_OUTPUT_DELIVER ? router->deliver_left == 0
                                                 : !dnp_link_busy(&router->link[output]);

        if (over) {
            router->source[output] = DNP_INPUTS;
        } else {
            busy |= 1U << router->source[output];
        }
    }
    return busy;
}

static bool output_free(const struct dnp_router *router, unsigned output)
{
    return router->source[output] == DNP_INPUTS;
}

/* What the first packet of an input wants. */
struct want {
    uint32_t words; /* 0: nothing */
    uint8_t output;
    uint8_t vc;
};

/* The links on which nothing may leave, a bit each. */
static uint32_t links_shut(struct dnp_router *router, uint64_t now)
{
    uint32_t shut = 0;

    for (unsigned i = 0; i < DNP_LINKS; i++) {
        (void)dnp_link_down(&router->link[i], now); /* keeps link_up */
        shut |= dnp_link_shut(&router->link[i], now) ? 1U << i : 0;
    }
    return shut;
}

/* Look at the first packet of an input; those that can go nowhere, or have come by a link that is
 * shut since, are dropped. */
static struct want look(struct dnp_router *router, unsigned input, uint64_t now)
{
    struct dnp_fifo *fifo = input_fifo(router, input);
    bool own = input == DNP_INPUT_INJECT;
    uint32_t shut = links_shut(router, now);
    bool old = !own && dnp_link_refuses(&router->link[input / DNP_VCS], now);

    while (dnp_fifo_ready(fifo) > 0) {
        struct apelink_header header;
        bool good = apelink_header_unpack(dnp_fifo_peek(fifo, 0), &header);
        uint32_t words = apelink_packet_words(header.len);
        struct dnp_route route;

        NI_ASSERT(good && words <= dnp_fifo_ready(fifo));
        (void)good;
        route = dnp_route(router->registers, header.to,
                          own ? NI_TORUS_DIRECTIONS : (enum ni_torus_direction)(input / DNP_VCS),
                          (uint8_t)(input % DNP_VCS), shut);
        if (old) {
            dnp_add(router->registers, DNP_REG_link_bad_packets, input / DNP_VCS, 1);
        } else if (route.exit == DNP_EXIT_HERE) {
            return (struct want){words, DNP_OUTPUT_DELIVER, 0};
        } else if (route.exit == DNP_EXIT_REFUSED) {
            dnp_add(router->registers, DNP_REG_route_refused, 0, 1);
        } else if (route.exit == DNP_EXIT_UNREACHABLE) {
            dnp_add(router->registers, DNP_REG_link_unsent, route.link, 1);
        } else {
            return (struct want){words, (uint8_t)route.link, route.vc};
        }
        dnp_fifo_skip(fifo, words);
    }
    return (struct want){0, 0, 0};
}

/* Begin what an input wants, if the output has room for it. */
static bool begin(struct dnp_router *router, unsigned input, const struct want *want)
{
    if (want->output == DNP_OUTPUT_DELIVER) {
        if (dnp_fifo_room(&router->deliver) < want->words) {
            return false;
        }
        router->deliver_left = want->words;
    } else {
        struct dnp_link *link = &router->link[want->output];

        if (!dnp_link_room(link, want->vc, want->words)) {
            return false;
        }
        dnp_link_begin(link, input_fifo(router, input), want->vc, want->words);
    }
    router->source[want->output] = (uint8_t)input;
    return true;
}

static void deliver_words(struct dnp_router *router)
{
    uint32_t n = (uint32_t)ni_min_u64(router->burst, router->deliver_left);
    struct dnp_fifo *from;

    if (n == 0) {
        return;
    }
    from = input_fifo(router, router->source[DNP_OUTPUT_DELIVER]);
    router->deliver_left -= n;
    while (n > 0) {
        const struct apelink_word *words;
        uint32_t run = dnp_fifo_run(from, n, &words);

        dnp_fifo_put_run(&router->deliver, words, run);
        dnp_fifo_skip(from, run);
        n -= run;
    }
    if (router->deliver_left == 0) {
        dnp_fifo_commit(&router->deliver);
    }
}

/* Let the input whose turn it is, or the next that can, have the output. waiting: those that want
 * anything, a bit each. */
static void arbitrate(struct dnp_router *router, unsigned output, const struct want *want,
                      uint32_t waiting)
{
    unsigned first = router->turn[output];

    for (unsigned i = 0; i < DNP_INPUTS; i++) {
        unsigned input = (first + i) % DNP_INPUTS;

        if ((waiting & 1U << input) != 0 && want[input].output == output &&
            begin(router, input, &want[input])) {
            router->turn[output] = (uint8_t)((input + 1) % DNP_INPUTS);
            return;
        }
    }
}

bool dnp_router_step(struct dnp_router *router, uint64_t now)
{
    uint32_t busy = busy_inputs(router);
    uint32_t waiting = 0, wanted = 0; /* inputs, outputs */
    struct want want[DNP_INPUTS];     /* of those that wait */

    for (unsigned input = 0; input < DNP_INPUTS; input++) {
        if ((busy & 1U << input) != 0 || dnp_fifo_ready(input_fifo(router, input)) == 0) {
            continue;
        }
        want[input] = look(router, input, now);
        if (want[input].words != 0) {
            waiting |= 1U << input;
            wanted |= 1U << want[input].output;
        }
    }
    for (unsigned output = 0; wanted != 0 && output < DNP_OUTPUTS; output++) {
        if ((wanted & 1U << output) != 0 && output_free(router, output)) {
            arbitrate(router, output, want, waiting);
        }
    }
    deliver_words(router);
    return (busy | waiting) != 0;
}
