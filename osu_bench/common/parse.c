/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/parse.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The counts of MPI calls are ints; a power of two below INT_MAX leaves room for headers. */
#define MAX_MESSAGE ((size_t)1 << 30)
#define MAX_THREADS 128
/* Each entry needs a tag and a request of its own. */
#define MAX_DEPTH ((size_t)1 << 20)

static const char *const want_int = "a whole number within the range that --help states";
static const char *const want_bytes = "a number of bytes up to 1G, with K, M or G behind it or not";
static const char *const want_sizes =
    "[MIN:]MAX in bytes (1:4M), or a list (8,256,4K), with MIN not above MAX";
static const char *const want_depths =
    "a list of up to 64 depths, each at most 1048576, such as 0,100,10000";
static const char *const want_threads =
    "RECEIVERS or SENDERS:RECEIVERS, each from 1 to 128, such as 4 or 2:2";
static const char *const want_percentiles =
    "up to five numbers above 0 and at most 100, such as 50,90,99";

const char *osu_parse_int(const char *text, int low, int high, int *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return want_int;
    }
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno != 0 || *end != '\0' || value < low || value > high) {
        return want_int;
    }
    *out = (int)value;
    return NULL;
}

static size_t suffix_factor(char suffix)
{
    switch (toupper((unsigned char)suffix)) {
    case 'K':
        return (size_t)1 << 10;
    case 'M':
        return (size_t)1 << 20;
    case 'G':
        return (size_t)1 << 30;
    default:
        return 0;
    }
}

/* Parse bytes up to a character of stops or the end; returns where it stopped, NULL if it is no
 * size. */
static const char *scan_bytes(const char *text, const char *stops, size_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return NULL;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0 || value > MAX_MESSAGE) {
        return NULL;
    }
    size_t factor = suffix_factor(*end);
    if (factor != 0) {
        if (value > MAX_MESSAGE / factor) {
            return NULL;
        }
        value *= factor;
        end++;
    }
    if (*end != '\0' && strchr(stops, *end) == NULL) {
        return NULL;
    }
    *out = (size_t)value;
    return end;
}

const char *osu_parse_bytes(const char *text, size_t *out)
{
    return scan_bytes(text, "", out) != NULL ? NULL : want_bytes;
}

/* OSU_MAX_SIZES numbers up to most at the most; returns how many, 0 if the text is no such list. */
static int parse_list(const char *text, size_t most, size_t *list)
{
    size_t values[OSU_MAX_SIZES];
    int count = 0;

    for (;;) {
        if (count == OSU_MAX_SIZES) {
            return 0;
        }
        const char *end = scan_bytes(text, ",", &values[count]);
        if (end == NULL || values[count] > most) {
            return 0;
        }
        count++;
        if (*end == '\0') {
            break;
        }
        text = end + 1;
    }
    memcpy(list, values, (size_t)count * sizeof(values[0]));
    return count;
}

static const char *parse_size_list(const char *text, struct osu_options *out)
{
    int count = parse_list(text, MAX_MESSAGE, out->sizes);
    if (count == 0) {
        return want_sizes;
    }
    out->size_count = count;
    return NULL;
}

const char *osu_parse_depths(const char *text, struct osu_options *out)
{
    int count = parse_list(text, MAX_DEPTH, out->depths);
    if (count == 0) {
        return want_depths;
    }
    out->depth_count = count;
    return NULL;
}

const char *osu_parse_one_size(const char *text, struct osu_options *out)
{
    const char *wanted = osu_parse_bytes(text, &out->sizes[0]);
    if (wanted == NULL) {
        out->size_count = 1;
    }
    return wanted;
}

const char *osu_parse_sizes(const char *text, struct osu_options *out)
{
    size_t first = out->sizes[0];
    size_t last = out->sizes[out->size_count - 1];

    if (strchr(text, ',') != NULL) {
        return parse_size_list(text, out);
    }
    const char *colon = strchr(text, ':');
    if (colon != NULL) {
        if (colon != text && scan_bytes(text, ":", &first) != colon) {
            return want_sizes;
        }
        text = colon + 1;
    }
    bool open_end = colon != NULL && *text == '\0';
    if (!open_end && scan_bytes(text, "", &last) == NULL) {
        return want_sizes;
    }
    /* A maximum alone may lie below the default minimum: that size is what is wanted then. */
    if (colon == NULL && last < first) {
        first = last;
    }
    if (first > last) {
        return want_sizes;
    }
    osu_set_size_range(out, first, last);
    return NULL;
}

const char *osu_parse_threads(const char *text, struct osu_options *out)
{
    char senders[8] = "1";
    int send = 0;
    int receive = 0;
    const char *colon = strchr(text, ':');

    if (colon != NULL) {
        size_t length = (size_t)(colon - text);
        if (length >= sizeof(senders)) {
            return want_threads;
        }
        memcpy(senders, text, length);
        senders[length] = '\0';
        text = colon + 1;
    }
    if (osu_parse_int(senders, 1, MAX_THREADS, &send) != NULL ||
        osu_parse_int(text, 1, MAX_THREADS, &receive) != NULL) {
        return want_threads;
    }
    out->send_threads = send;
    out->recv_threads = receive;
    return NULL;
}

const char *osu_parse_percentiles(const char *text, struct osu_options *out)
{
    double values[OSU_MAX_PERCENTILES];
    int count = 0;

    if (text == NULL) {
        text = "50,90,99";
    }
    for (;;) {
        char *end;
        if (count == OSU_MAX_PERCENTILES || !isdigit((unsigned char)*text)) {
            return want_percentiles;
        }
        double value = strtod(text, &end);
        if (!(value > 0 && value <= 100) || (*end != '\0' && *end != ',')) {
            return want_percentiles;
        }
        values[count++] = value;
        if (*end == '\0') {
            break;
        }
        text = end + 1;
    }
    memcpy(out->percentiles, values, sizeof(values));
    out->percentile_count = count;
    return NULL;
}
