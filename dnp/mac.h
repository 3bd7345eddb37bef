/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_MAC_H
#define DNP_MAC_H

#include <stddef.h>
#include <stdint.h>

/* The key that the cards of a cluster share. */
struct dnp_key {
    uint64_t half[2];
};

/* SipHash-2-4: what only those who have the key can compute of these bytes. Pure. */
uint64_t dnp_mac(const struct dnp_key *key, const uint8_t *bytes, size_t len);

#endif
