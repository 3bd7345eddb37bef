/* SPDX-License-Identifier: BSD-3-Clause */
/* SipHash-2-4. */
#include "dnp/mac.h"

#include "driver/word.h"

struct state {
    uint64_t v[4];
};

static inline uint64_t turned(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void round_once(struct state *s)
{
    s->v[0] += s->v[1];
    s->v[2] += s->v[3];
    s->v[1] = turned(s->v[1], 13) ^ s->v[0];
    s->v[3] = turned(s->v[3], 16) ^ s->v[2];
    s->v[0] = turned(s->v[0], 32);
    s->v[2] += s->v[1];
    s->v[0] += s->v[3];
    s->v[1] = turned(s->v[1], 17) ^ s->v[2];
    s->v[3] = turned(s->v[3], 21) ^ s->v[0];
    s->v[2] = turned(s->v[2], 32);
}

static inline void mix(struct state *s, uint64_t word)
{
    s->v[3] ^= word;
    round_once(s);
    round_once(s);
    s->v[0] ^= word;
}

uint64_t dnp_mac(const struct dnp_key *key, const uint8_t *bytes, size_t len)
{
    struct state s = {{key->half[0] ^ 0x736f6d6570736575U, key->half[1] ^ 0x646f72616e646f6dU,
                       key->half[0] ^ 0x6c7967656e657261U, key->half[1] ^ 0x7465646279746573U}};
    uint64_t last = (uint64_t)len << 56;
    size_t whole = len / 8 * 8;

    for (size_t at = 0; at < whole; at += 8) {
        mix(&s, apelink_bytes_get64(bytes + at));
    }
    for (size_t at = whole; at < len; at++) {
        last |= (uint64_t)bytes[at] << 8 * (at - whole);
    }
    mix(&s, last);
    s.v[2] ^= 0xff;
    for (int i = 0; i < 4; i++) {
        round_once(&s);
    }
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}
