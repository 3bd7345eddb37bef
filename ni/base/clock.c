/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <pthread.h>

#define CALIBRATE_NS 1000000

static pthread_once_t once = PTHREAD_ONCE_INIT;
static double ns_per_cycle;

/* Reads both clocks as close together as it gets: the try with the shortest time between two
 * readings of ni_cycles was not interrupted. */
static void read_both(uint64_t *ns, uint64_t *cycles)
{
    uint64_t shortest = UINT64_MAX;

    for (int i = 0; i < 10; i++) {
        uint64_t before = ni_cycles();
        uint64_t now = ni_now_ns();
        uint64_t after = ni_cycles();

        if (after - before < shortest) {
            shortest = after - before;
            *ns = now;
            *cycles = before + shortest / 2;
        }
    }
}

static void calibrate(void)
{
    uint64_t ns0 = 0, ns1 = 0, cycles0 = 0, cycles1 = 0;

    read_both(&ns0, &cycles0);
    do {
        read_both(&ns1, &cycles1);
    } while (ns1 - ns0 < CALIBRATE_NS || cycles1 == cycles0);
    ns_per_cycle = (double)(ns1 - ns0) / (double)(cycles1 - cycles0);
}

double ni_cycles_to_ns(uint64_t cycles)
{
    pthread_once(&once, calibrate);
    return (double)cycles * ns_per_cycle;
}
