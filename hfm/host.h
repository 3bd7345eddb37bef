/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_HOST_H
#define HFM_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The status of the host (APEnet+ 2.4), from files of the kernel:
 *
 *   PROC/meminfo                     memory that is available, memory the kernel found corrupt
 *   SYS/devices/system/edac/mc/      memory errors, corrected and not
 *   PROC/net/dev, SYS/class/net/     errors and carrier of the service network's interface
 *   SYS/class/hwmon/                 temperatures and alarms of sensors
 *
 * Counters count from the first look, so that what has happened before a daemon began is no fault.
 * Corrected errors and errors of an interface are judged over the last hour. A file that is not
 * there says nothing. Not thread-safe.
 */

enum { HFM_HOST_PATH = 128, HFM_HOST_PARTS = 13 };

/* 0 turns a judgement off. */
struct hfm_host_limits {
    char proc[HFM_HOST_PATH], sys[HFM_HOST_PATH]; /* folders; "/proc", "/sys" */
    char interface[16];                           /* empty: the service network is not looked at */
    uint32_t look_ms;
    uint32_t memory_sick, memory_broken;       /* percent available, below which it is */
    uint32_t corrupt_sick, corrupt_broken;     /* KiB of HardwareCorrupted */
    uint32_t corrected_sick, corrected_broken; /* errors an hour */
    uint32_t uncorrected_broken;               /* errors */
    uint32_t network_sick, network_broken;     /* errors an hour */
    uint32_t hot_sick, hot_broken;             /* degrees Celsius */
};

/* What was read, for the state of the daemon. */
struct hfm_host_values {
    bool has_memory, has_edac, has_network, has_hwmon;
    uint64_t total_kib, available_kib, corrupt_kib;
    uint64_t corrected, uncorrected; /* since the first look */
    uint64_t network_errors;         /* since the first look */
    bool carrier;
    int32_t hottest_mc; /* thousandths of a degree */
    char hottest[64];   /* which sensor */
    unsigned alarms;    /* of sensors */
};

/* A counter, and what it had at the ends of the last parts of five minutes: an hour and more. */
struct hfm_host_counter {
    bool begun;
    uint64_t first, last;
    uint64_t past[HFM_HOST_PARTS];
    unsigned at;
};

struct hfm_host {
    struct hfm_host_limits limits;
    struct hfm_host_values values;
    struct hfm_host_counter corrected, uncorrected, network;
    uint64_t part_began; /* ns */
    uint32_t fault;      /* service network, memory and peripheral of a fault word */
    char why[200];       /* what is not normal */
};

void hfm_host_defaults(struct hfm_host_limits *limits);
void hfm_host_init(struct hfm_host *host, const struct hfm_host_limits *limits);

/* Read all files and judge them; now in ns. Returns the fault word. */
uint32_t hfm_host_look(struct hfm_host *host, uint64_t now);

#endif
