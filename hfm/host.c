/* SPDX-License-Identifier: BSD-3-Clause */
/* The status of the host, from files of the kernel. */
#include "hfm/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "dnp/lofamo/fault.h"

enum { HOUR_PART_S = 300, MEMORY = 2, PERIPHERAL = 4 };

void hfm_host_defaults(struct hfm_host_limits *limits)
{
    *limits = (struct hfm_host_limits){
        .proc = "/proc",
        .sys = "/sys",
        .look_ms = 1000,
        .memory_sick = 5,
        .memory_broken = 0,
        .corrupt_sick = 1,
        .corrupt_broken = 0,
        .corrected_sick = 100,
        .corrected_broken = 0,
        .uncorrected_broken = 1,
        .network_sick = 100,
        .network_broken = 0,
        .hot_sick = 90,
        .hot_broken = 105,
    };
}

void hfm_host_init(struct hfm_host *host, const struct hfm_host_limits *limits)
{
    memset(host, 0, sizeof *host);
    host->limits = *limits;
}

/* A file that is read by lines, without the C library's streams (dnp/board/realtime.h). */
struct lines {
    int fd;
    size_t at, end;
    char bytes[2000];
};

/* The next byte, or -1. */
static int next_byte(struct lines *lines)
{
    if (lines->at == lines->end) {
        ssize_t n = read(lines->fd, lines->bytes, sizeof lines->bytes);

        if (n <= 0) {
            return -1;
        }
        lines->at = 0;
        lines->end = (size_t)n;
    }
    return (unsigned char)lines->bytes[lines->at++];
}

/* The next line without its end, or as much of it as there is room for. false: there is none. */
static bool next_line(struct lines *lines, char *line, size_t size)
{
    int c = next_byte(lines);
    size_t length = 0;
    bool any = c >= 0;

    for (; c >= 0 && c != '\n'; c = next_byte(lines)) {
        if (length + 1 < size) {
            line[length++] = (char)c;
        }
    }
    line[length] = '\0';
    return any;
}

/* The first line of a file, or of those behind the prefix the rest. false: there is none. */
static bool find_line(const char *path, const char *prefix, char *rest, size_t size)
{
    struct lines lines = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    char line[400];
    bool found = false;

    while (!found && lines.fd >= 0 && next_line(&lines, line, sizeof line)) {
        const char *text = line + strspn(line, " ");

        found = strncmp(text, prefix, strlen(prefix)) == 0;
        if (found) {
            snprintf(rest, size, "%s", text + strlen(prefix));
        }
    }
    if (lines.fd >= 0) {
        close(lines.fd);
    }
    return found;
}

/* Call for each name in a folder, without the C library's, which allocates. */
static void each_name(struct hfm_host *host, const char *folder,
                      void (*call)(struct hfm_host *host, const char *folder, const char *name))
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _Alignas(struct dirent64) char bytes[2000];
    ssize_t n;

    while (fd >= 0 && (n = getdents64(fd, bytes, sizeof bytes)) > 0) {
        for (ssize_t at = 0; at < n;) {
            const struct dirent64 *entry = (const struct dirent64 *)(const void *)(bytes + at);

            call(host, folder, entry->d_name);
            at += entry->d_reclen;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

static bool read_number(const char *path, const char *prefix, long long *value)
{
    char text[400], *end;

    if (!find_line(path, prefix, text, sizeof text)) {
        return false;
    }
    *value = strtoll(text, &end, 10);
    return end != text;
}

/* Set a field of the fault word, and say why if it is the first. */
static void blame(struct hfm_host *host, unsigned field, enum dnp_status status, const char *why)
{
    size_t used = strlen(host->why);

    if (status != DNP_NORMAL) {
        host->fault = dnp_fault_worst(host->fault, (uint32_t)status << field);
        snprintf(host->why + used, sizeof host->why - used, "%s%s", used > 0 ? "; " : "", why);
    }
}

/* A value that must not exceed; limits of 0 do not count. */
static enum dnp_status above(uint64_t value, uint32_t sick, uint32_t broken)
{
    if (broken != 0 && value >= broken) {
        return DNP_BROKEN;
    }
    return sick != 0 && value >= sick ? DNP_SICK : DNP_NORMAL;
}

static void counter_take(struct hfm_host_counter *counter, uint64_t value)
{
    if (!counter->begun || value < counter->last) { /* it began anew with its driver */
        *counter = (struct hfm_host_counter){.begun = true, .first = value, .last = value};
        for (unsigned i = 0; i < HFM_HOST_PARTS; i++) {
            counter->past[i] = value;
        }
    }
    counter->last = value;
}

static void counter_part_ends(struct hfm_host_counter *counter)
{
    counter->past[counter->at] = counter->last;
    counter->at = (counter->at + 1) % HFM_HOST_PARTS;
}

/* In the last hour. past[at] is the oldest. */
static uint64_t counter_recent(const struct hfm_host_counter *counter)
{
    return counter->last - counter->past[counter->at];
}

static void look_at_memory(struct hfm_host *host)
{
    const struct hfm_host_limits *limits = &host->limits;
    struct hfm_host_values *values = &host->values;
    char path[HFM_HOST_PATH + 20], why[100];
    long long total = 0, available = 0, corrupt = 0;
    uint64_t percent;
    enum dnp_status status;

    snprintf(path, sizeof path, "%s/meminfo", limits->proc);
    values->has_memory = read_number(path, "MemTotal:", &total) && total > 0 &&
                         read_number(path, "MemAvailable:", &available) && available >= 0;
    if (!values->has_memory) {
        return;
    }
    (void)read_number(path, "HardwareCorrupted:", &corrupt);
    values->total_kib = (uint64_t)total;
    values->available_kib = (uint64_t)available;
    values->corrupt_kib = corrupt > 0 ? (uint64_t)corrupt : 0;
    percent = values->available_kib / ni_max_u64(values->total_kib / 100, 1);
    status = percent < limits->memory_broken ? DNP_BROKEN
             : percent < limits->memory_sick ? DNP_SICK
                                             : DNP_NORMAL;
    snprintf(why, sizeof why, "%llu %% of memory are available", (unsigned long long)percent);
    blame(host, MEMORY, status, why);
    snprintf(why, sizeof why, "%llu KiB of memory are corrupt",
             (unsigned long long)values->corrupt_kib);
    blame(host, MEMORY, above(values->corrupt_kib, limits->corrupt_sick, limits->corrupt_broken),
          why);
}

static void look_at_edac(struct hfm_host *host)
{
    const struct hfm_host_limits *limits = &host->limits;
    char path[HFM_HOST_PATH + 80], why[100];
    uint64_t corrected = 0, uncorrected = 0;
    long long ce, ue;

    host->values.has_edac = false;
    for (unsigned mc = 0; mc < 64; mc++) {
        snprintf(path, sizeof path, "%s/devices/system/edac/mc/mc%u/ce_count", limits->sys, mc);
        if (!read_number(path, "", &ce)) {
            break;
        }
        snprintf(path, sizeof path, "%s/devices/system/edac/mc/mc%u/ue_count", limits->sys, mc);
        host->values.has_edac = true;
        corrected += ce > 0 ? (uint64_t)ce : 0;
        uncorrected += read_number(path, "", &ue) && ue > 0 ? (uint64_t)ue : 0;
    }
    if (!host->values.has_edac) {
        return;
    }
    counter_take(&host->corrected, corrected);
    counter_take(&host->uncorrected, uncorrected);
    host->values.corrected = host->corrected.last - host->corrected.first;
    host->values.uncorrected = host->uncorrected.last - host->uncorrected.first;
    snprintf(why, sizeof why, "%llu corrected memory errors in the last hour",
             (unsigned long long)counter_recent(&host->corrected));
    blame(host, MEMORY,
          above(counter_recent(&host->corrected), limits->corrected_sick, limits->corrected_broken),
          why);
    snprintf(why, sizeof why, "%llu uncorrected memory errors",
             (unsigned long long)host->values.uncorrected);
    blame(host, MEMORY, above(host->values.uncorrected, 0, limits->uncorrected_broken), why);
}

static void look_at_network(struct hfm_host *host)
{
    const struct hfm_host_limits *limits = &host->limits;
    char path[HFM_HOST_PATH + 60], prefix[20], text[400], why[100];
    unsigned long long received, transmitted;
    long long carrier = 1;

    snprintf(path, sizeof path, "%s/net/dev", limits->proc);
    snprintf(prefix, sizeof prefix, "%s:", limits->interface);
    host->values.has_network =
        limits->interface[0] != '\0' && find_line(path, prefix, text, sizeof text) &&
        sscanf(text, "%*u %*u %llu %*u %*u %*u %*u %*u %*u %*u %llu", &received, &transmitted) == 2;
    if (!host->values.has_network) {
        return;
    }
    counter_take(&host->network, received + transmitted);
    host->values.network_errors = host->network.last - host->network.first;
    snprintf(path, sizeof path, "%s/class/net/%s/carrier", limits->sys, limits->interface);
    (void)read_number(path, "", &carrier);
    host->values.carrier = carrier != 0;
    snprintf(why, sizeof why, "%s has no carrier", limits->interface);
    blame(host, 0, host->values.carrier ? DNP_NORMAL : DNP_BROKEN, why);
    snprintf(why, sizeof why, "%s had %llu errors in the last hour", limits->interface,
             (unsigned long long)counter_recent(&host->network));
    blame(host, 0,
          above(counter_recent(&host->network), limits->network_sick, limits->network_broken), why);
}

/* One sensor's file of a hwmon folder. */
static void look_at_sensor(struct hfm_host *host, const char *folder, const char *file)
{
    char path[HFM_HOST_PATH + 600];
    const char *tail = strrchr(file, '_');
    long long value;

    if (tail == NULL) {
        return;
    }
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (strncmp(file, "temp", 4) == 0 && strcmp(tail, "_input") == 0 &&
        read_number(path, "", &value) && value > -300000 && value < 1000000) {
        if (!host->values.has_hwmon || value > host->values.hottest_mc) {
            host->values.hottest_mc = (int32_t)value;
            snprintf(host->values.hottest, sizeof host->values.hottest, "%.40s/%.20s",
                     strrchr(folder, '/') + 1, file);
        }
        host->values.has_hwmon = true;
    }
    if ((strcmp(tail, "_alarm") == 0 || strcmp(tail, "_fault") == 0) &&
        read_number(path, "", &value) && value != 0) {
        host->values.alarms++;
    }
}

static void look_at_chip(struct hfm_host *host, const char *top, const char *name)
{
    char folder[HFM_HOST_PATH + 300];

    if (strncmp(name, "hwmon", 5) == 0) {
        snprintf(folder, sizeof folder, "%s/%s", top, name);
        each_name(host, folder, look_at_sensor);
    }
}

static void look_at_hwmon(struct hfm_host *host)
{
    const struct hfm_host_limits *limits = &host->limits;
    char top[HFM_HOST_PATH + 20], why[140];

    host->values.has_hwmon = false;
    host->values.alarms = 0;
    host->values.hottest_mc = 0;
    snprintf(top, sizeof top, "%s/class/hwmon", limits->sys);
    each_name(host, top, look_at_chip);
    snprintf(why, sizeof why, "%s has %d degrees", host->values.hottest,
             (int)host->values.hottest_mc / 1000);
    if (host->values.has_hwmon && host->values.hottest_mc > 0) {
        blame(host, PERIPHERAL,
              above((uint64_t)host->values.hottest_mc / 1000, limits->hot_sick, limits->hot_broken),
              why);
    }
    snprintf(why, sizeof why, "%u sensors say alarm or fault", host->values.alarms);
    blame(host, PERIPHERAL, host->values.alarms > 0 ? DNP_SICK : DNP_NORMAL, why);
}

uint32_t hfm_host_look(struct hfm_host *host, uint64_t now)
{
    host->fault = 0;
    host->why[0] = '\0';
    if (host->part_began == 0) {
        host->part_began = now;
    }
    while (now - host->part_began >= (uint64_t)HOUR_PART_S * 1000000000U) {
        counter_part_ends(&host->corrected);
        counter_part_ends(&host->network);
        host->part_began += (uint64_t)HOUR_PART_S * 1000000000U;
    }
    look_at_memory(host);
    look_at_edac(host);
    look_at_network(host);
    look_at_hwmon(host);
    return host->fault;
}
