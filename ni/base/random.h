/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_RANDOM_H
#define NI_BASE_RANDOM_H

#include <stdint.h>

/*
 * Two kinds of random numbers: a fast repeatable generator (xoshiro256**, seeded through
 * splitmix64) for tests, fault injection and back-off, and keys that a peer cannot guess, from the
 * kernel.
 */

struct ni_rng {
    uint64_t state[4];
};

/* The next value of a splitmix64 sequence; also a good 64-bit hash finaliser when state is not
 * reused. */
static inline uint64_t ni_splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15U);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/* Equal seeds give equal sequences, on every machine; any seed is good, 0 too. */
static inline void ni_rng_seed(struct ni_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        rng->state[i] = ni_splitmix64(&seed);
    }
}

/* 64 random bits. Not thread-safe, like all of ni_rng. */
static inline uint64_t ni_rng_next(struct ni_rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t x = s[1] * 5;
    uint64_t result = ((x << 7) | (x >> 57)) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

/* A value of [0, n), each equally likely. n must not be 0. */
static inline uint64_t ni_rng_below(struct ni_rng *rng, uint64_t n)
{
    /* The first 2^64 mod n values would make the low results likelier; they are drawn again. */
    uint64_t unfair = -n % n;
    uint64_t x = ni_rng_next(rng);

    while (x < unfair) {
        x = ni_rng_next(rng);
    }
    return x % n;
}

/* A key for a region or a connection, from getrandom(2). Never 0, so that 0 can mean "no key".
 * Thread-safe. Ends the program if the kernel gives no random bytes: a guessable key would be a
 * silent hole. */
uint64_t ni_random_key(void);

#endif
