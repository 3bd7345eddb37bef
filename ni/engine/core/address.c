/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <apeni/ni.h>

#include "engine/core/address.h"
#include "engine/core/links.h"

/*
 * Address blobs. One has a part for each link of its NI:
 *
 *   0  magic 'APNI'   4  version   5  number of parts   6  length of all parts   8  the parts
 *
 * and a part is
 *
 *   0  id of the link   1  0   2  length of the rest   4  what the link gives
 *
 * The last part is not of a link but says which host it is, if there is room for it:
 *
 *   4  number of the node, or all bits 1   8  name of the host
 */

enum { BLOB_VERSION = 2, BLOB_HEAD = 8, PART_HEAD = 4, HOST_PART = 128, HOST_HEAD = 4 };
static const uint8_t blob_magic[4] = {'A', 'P', 'N', 'I'};

static void put_u16(uint8_t *bytes, size_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
}

static size_t get_u16(const uint8_t *bytes)
{
    return (size_t)bytes[0] | (size_t)bytes[1] << 8;
}

/* ---- ours ------------------------------------------------------------------------------------ */

static size_t write_part(struct ni_link *link, uint8_t *bytes, size_t size)
{
    size_t len;

    if (size < PART_HEAD) {
        return 0;
    }
    len = link->ops->blob(link, bytes + PART_HEAD, size - PART_HEAD);
    if (len == 0) {
        return 0;
    }
    bytes[0] = (uint8_t)link->ops->id;
    bytes[1] = 0;
    put_u16(bytes + 2, len);
    return PART_HEAD + len;
}

/* Nothing, if it is not known, or does not fit. */
static size_t write_host(const struct ni_host_name *host, uint8_t *bytes, size_t size)
{
    size_t len = strlen(host->name);

    if (len == 0 || size < PART_HEAD + HOST_HEAD + len) {
        return 0;
    }
    bytes[0] = HOST_PART;
    bytes[1] = 0;
    put_u16(bytes + 2, HOST_HEAD + len);
    put_u16(bytes + PART_HEAD, host->number);
    put_u16(bytes + PART_HEAD + 2, host->number >> 16);
    memcpy(bytes + PART_HEAD + HOST_HEAD, host->name, len);
    return PART_HEAD + HOST_HEAD + len;
}

size_t ni_address(const struct ni *ni, void *blob, size_t size)
{
    uint8_t *bytes = blob;
    size_t end = BLOB_HEAD, host;

    if (size < BLOB_HEAD) {
        return 0;
    }
    for (unsigned i = 0; i < ni->life.link_count; i++) {
        size_t len = write_part(ni->life.links[i], bytes + end, size - end);

        if (len == 0) {
            return 0;
        }
        end += len;
    }
    host = write_host(&ni->life.host, bytes + end, size - end);
    end += host;
    memcpy(bytes, blob_magic, sizeof(blob_magic));
    bytes[4] = BLOB_VERSION;
    bytes[5] = (uint8_t)(ni->life.link_count + (host != 0));
    put_u16(bytes + 6, end - BLOB_HEAD);
    return end;
}

/* ---- anybody's ------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static ni_status refuse(ni_status status, char *reason,
                                                              size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(reason, size, format, args);
    va_end(args);
    return status;
}

/* The part that begins at *at, which is then where the next one does. False: there is no whole
 * one. */
static bool next_part(const uint8_t *bytes, size_t len, size_t *at, unsigned *id,
                      const uint8_t **part, size_t *part_len)
{
    if (len - *at < PART_HEAD) {
        return false;
    }
    *id = bytes[*at];
    *part_len = get_u16(bytes + *at + 2);
    *part = bytes + *at + PART_HEAD;
    *at += PART_HEAD;
    if (*part_len == 0 || *part_len > len - *at) {
        return false;
    }
    *at += *part_len;
    return true;
}

/* NI_OK: its parts are whole, and are all that there is. */
static ni_status check_address(const uint8_t *bytes, size_t len, char *reason, size_t size)
{
    size_t at = BLOB_HEAD, part_len;
    const uint8_t *part;
    unsigned id;

    if (len < BLOB_HEAD || len > NI_BLOB_MAX ||
        memcmp(bytes, blob_magic, sizeof(blob_magic)) != 0) {
        return refuse(NI_ERR_PROTOCOL, reason, size,
                      "not an address of a network interface (%zu bytes)", len);
    }
    if (bytes[4] != BLOB_VERSION) {
        return refuse(NI_ERR_PROTOCOL, reason, size,
                      "its address has version %u, ours is %u: use the same release on both sides",
                      bytes[4], BLOB_VERSION);
    }
    if (get_u16(bytes + 6) != len - BLOB_HEAD) {
        return refuse(NI_ERR_PROTOCOL, reason, size,
                      "its address is damaged (length %zu, expected %zu)", len - BLOB_HEAD,
                      get_u16(bytes + 6));
    }
    for (unsigned i = 0; i < bytes[5]; i++) {
        if (!next_part(bytes, len, &at, &id, &part, &part_len)) {
            return refuse(NI_ERR_PROTOCOL, reason, size,
                          "its address is damaged (part %u of %u is not whole)", i + 1, bytes[5]);
        }
    }
    return at == len
               ? NI_OK
               : refuse(NI_ERR_PROTOCOL, reason, size,
                        "its address is damaged (%zu bytes behind %u parts)", len - at, bytes[5]);
}

/* The part for a link; of several the first. */
static bool find_part(const uint8_t *bytes, size_t len, unsigned id, struct ni_route *route)
{
    size_t at = BLOB_HEAD;
    unsigned found;

    while (next_part(bytes, len, &at, &found, &route->part, &route->len)) {
        if (found == id) {
            return true;
        }
    }
    return false;
}

bool ni_address_host(const void *blob, size_t len, struct ni_host_name *host)
{
    struct ni_route route;
    char unused[1];

    if (check_address(blob, len, unused, sizeof(unused)) != NI_OK ||
        !find_part(blob, len, HOST_PART, &route) || route.len <= HOST_HEAD ||
        route.len - HOST_HEAD >= sizeof(host->name)) {
        return false;
    }
    host->number = (uint32_t)(get_u16(route.part) | get_u16(route.part + 2) << 16);
    memset(host->name, 0, sizeof(host->name));
    memcpy(host->name, route.part + HOST_HEAD, route.len - HOST_HEAD);
    return host->name[0] != '\0';
}

bool ni_elsewhere(const struct ni *ni, const void *blob, size_t len)
{
    struct ni_route route;
    char unused[1];

    if (check_address(blob, len, unused, sizeof(unused)) != NI_OK) {
        return false;
    }
    for (unsigned i = 0; i < ni->life.link_count; i++) {
        struct ni_link *link = ni->life.links[i];

        if (link->ops->elsewhere != NULL && find_part(blob, len, link->ops->id, &route)) {
            return link->ops->elsewhere(link, route.part, route.len);
        }
    }
    return false;
}

ni_status ni_links_route(const struct ni *ni, const void *blob, size_t len, struct ni_route *route,
                         char *reason, size_t reason_size)
{
    ni_status status = check_address(blob, len, reason, reason_size);
    ni_status reached = NI_ERR_UNREACHABLE;
    bool tried = false;

    for (unsigned i = 0; status == NI_OK && i < ni->life.link_count; i++) {
        route->link = ni->life.links[i];
        if (!find_part(blob, len, route->link->ops->id, route)) {
            continue;
        }
        tried = true; /* what the last one says counts: it reaches further */
        reached =
            route->link->ops->reach(route->link, route->part, route->len, reason, reason_size);
        if (reached == NI_OK) {
            return NI_OK;
        }
    }
    if (status == NI_OK && !tried) {
        return refuse(NI_ERR_UNREACHABLE, reason, reason_size, "it uses another link than ours, %s",
                      ni->life.links[0]->ops->name);
    }
    return status != NI_OK ? status : reached;
}

bool ni_reaches_hosts(const struct ni *ni)
{
    for (unsigned i = 0; i < ni->life.link_count; i++) {
        if (ni->life.links[i]->ops != &ni_link_shm && ni->life.links[i]->ops != &ni_link_inproc) {
            return true;
        }
    }
    return false;
}
