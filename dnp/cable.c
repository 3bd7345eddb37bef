/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of words between cards. */
#include "dnp/cable.h"

#include <string.h>

#include <apeni/torus.h>

#include "base/assert.h"
#include "base/bits.h"

enum { VERSION = 3, MAC = 8, FIFO_BIT = 11 };
_Static_assert(DNP_FRAME_WORDS < 1 << FIFO_BIT, "words and the size of FIFOs lie side by side");
static const uint8_t MAGIC[4] = {'A', 'P', 'E', 'C'};

void dnp_cable_init(struct dnp_cable *cable, const struct dnp_key *key, unsigned link,
                    uint64_t session)
{
    NI_ASSERT(session != 0 && link < DNP_LINKS);
    *cable = (struct dnp_cable){.key = *key, .link = link, .session = session};
}

/* The head of the next frame. */
static void put_head(struct dnp_cable *cable, const struct dnp_register_file *registers, uint32_t n,
                     uint8_t *bytes)
{
    uint32_t said = n | (cable->fifo != 0 ? ni_ilog2(cable->fifo) << FIFO_BIT : 0);

    NI_ASSERT(n <= DNP_FRAME_WORDS);
    memcpy(bytes, MAGIC, sizeof MAGIC);
    bytes[4] = VERSION;
    bytes[5] = (uint8_t)cable->link;
    bytes[6] = (uint8_t)said;
    bytes[7] = (uint8_t)(said >> 8);
    apelink_bytes_put64(bytes + 8, cable->session);
    apelink_bytes_put64(bytes + 16, cable->peer_session);
    apelink_bytes_put64(bytes + 24, ++cable->sent);
    apelink_bytes_put64(bytes + 32, dnp_get(registers, DNP_REG_board_place, 0) |
                                        (uint64_t)dnp_get(registers, DNP_REG_board_torus, 0) << 32);
}

size_t dnp_cable_pack(struct dnp_cable *cable, const struct dnp_register_file *registers,
                      const struct apelink_word *words, uint32_t n, uint8_t *bytes)
{
    size_t len = DNP_FRAME_HEAD + (size_t)n * APELINK_WORD;

    put_head(cable, registers, n, bytes);
    apelink_words_to(words, bytes + DNP_FRAME_HEAD, n);
    apelink_bytes_put64(bytes + len, dnp_mac(&cable->key, bytes, len));
    return len + MAC;
}

void dnp_cable_pack_head(struct dnp_cable *cable, const struct dnp_register_file *registers,
                         uint32_t n, uint8_t bytes[DNP_FRAME_EMPTY])
{
    put_head(cable, registers, n, bytes);
    apelink_bytes_put64(bytes + DNP_FRAME_HEAD, dnp_mac(&cable->key, bytes, DNP_FRAME_HEAD));
}

static uint32_t words_of(const uint8_t *bytes)
{
    return (bytes[6] | (uint32_t)bytes[7] << 8) & ((1U << FIFO_BIT) - 1);
}

static uint32_t fifo_of(const uint8_t *bytes)
{
    unsigned log = bytes[7] >> (FIFO_BIT - 8);

    return log != 0 ? 1U << log : 0;
}

/* Whether these bytes begin a frame of this version. */
static bool well_formed(const uint8_t *bytes)
{
    return memcmp(bytes, MAGIC, sizeof MAGIC) == 0 && bytes[4] == VERSION && bytes[5] < DNP_LINKS &&
           words_of(bytes) <= DNP_FRAME_WORDS;
}

/* Whether a frame comes from the node to which the torus has our link lead, by its other end. */
static bool from_neighbour(struct dnp_cable *cable, const struct dnp_register_file *registers,
                           const uint8_t *bytes)
{
    uint64_t theirs = apelink_bytes_get64(bytes + 32);
    uint32_t place = dnp_get(registers, DNP_REG_board_place, 0);
    uint32_t torus = dnp_get(registers, DNP_REG_board_torus, 0);
    uint32_t low = cable->link / 2 * 10; /* of the coordinate along the link */
    uint32_t at = place >> low & 0x3ff, size = torus >> low & 0x3ff;
    uint32_t next = (at + (cable->link % 2 == 0 ? 1 : size - 1)) % size;

    cable->peer_place =
        (struct apelink_place){(uint16_t)(theirs & 0x3ff), (uint16_t)(theirs >> 10 & 0x3ff),
                               (uint16_t)(theirs >> 20 & 0x3ff)};
    return bytes[5] == (cable->link ^ 1) && theirs >> 32 == torus &&
           (uint32_t)theirs == ((place & ~(0x3ffU << low)) | next << low);
}

/* Of len bytes and their MAC. */
static enum dnp_frame_verdict judge(struct dnp_cable *cable,
                                    const struct dnp_register_file *registers, const uint8_t *bytes,
                                    size_t len)
{
    uint64_t session, sequence;

    if (dnp_mac(&cable->key, bytes, len) != apelink_bytes_get64(bytes + len)) {
        return DNP_FRAME_STRANGER;
    }
    if (!from_neighbour(cable, registers, bytes)) {
        return DNP_FRAME_MISPLACED;
    }
    if (fifo_of(bytes) != cable->fifo) {
        cable->peer_fifo = fifo_of(bytes);
        return DNP_FRAME_MISFIT;
    }
    session = apelink_bytes_get64(bytes + 8);
    sequence = apelink_bytes_get64(bytes + 24);
    if (session < cable->peer_session ||
        (session == cable->peer_session && sequence <= cable->peer_sent)) {
        return DNP_FRAME_STALE;
    }
    if (apelink_bytes_get64(bytes + 16) != cable->session) {
        /* It does not know us yet. A later session is believed: only who has the key can say so. */
        if (session > cable->peer_session) {
            cable->peer_session = session;
            cable->peer_sent = 0;
        }
        return DNP_FRAME_STALE;
    }
    cable->peer_session = session;
    cable->peer_sent = sequence;
    return DNP_FRAME_GOOD;
}

size_t dnp_frame_length(const uint8_t head[DNP_FRAME_HEAD])
{
    return well_formed(head) ? DNP_FRAME_EMPTY + (size_t)words_of(head) * APELINK_WORD : 0;
}

enum dnp_frame_verdict dnp_cable_take(struct dnp_cable *cable,
                                      const struct dnp_register_file *registers,
                                      const uint8_t *bytes, size_t len,
                                      struct apelink_word words[DNP_FRAME_WORDS], uint32_t *n)
{
    enum dnp_frame_verdict verdict = DNP_FRAME_MALFORMED;

    if (len >= DNP_FRAME_EMPTY && len == dnp_frame_length(bytes)) {
        verdict = judge(cable, registers, bytes, len - MAC);
    }
    *n = verdict == DNP_FRAME_GOOD ? words_of(bytes) : 0;
    apelink_words_from(bytes + DNP_FRAME_HEAD, words, *n);
    cable->verdicts[verdict]++;
    return verdict;
}

enum dnp_frame_verdict dnp_cable_take_head(struct dnp_cable *cable,
                                           const struct dnp_register_file *registers,
                                           const uint8_t bytes[DNP_FRAME_EMPTY], uint32_t *n)
{
    enum dnp_frame_verdict verdict = DNP_FRAME_MALFORMED;

    if (well_formed(bytes)) {
        verdict = judge(cable, registers, bytes, DNP_FRAME_HEAD);
    }
    *n = verdict == DNP_FRAME_GOOD ? words_of(bytes) : 0;
    cable->verdicts[verdict]++;
    return verdict;
}

uint32_t dnp_cable_spoil(const struct dnp_cable_faults *faults, struct ni_rng *rng,
                         struct apelink_word *words, uint32_t n)
{
    uint32_t left = 0;

    if (!faults->broken && faults->lose_ppm == 0 && faults->corrupt_ppm == 0) {
        return n;
    }
    for (uint32_t i = 0; i < n && !faults->broken; i++) {
        uint64_t draw = ni_rng_below(rng, 1000000);

        words[left] = words[i];
        if (draw < faults->lose_ppm) {
            continue;
        }
        if (draw - faults->lose_ppm < faults->corrupt_ppm) {
            words[left].lo ^= (uint64_t)1 << ni_rng_below(rng, 64);
        }
        left++;
    }
    return left;
}

const char *dnp_frame_verdict_name(enum dnp_frame_verdict verdict)
{
    static const char *const names[] = {"good",      "malformed", "stranger",
                                        "misplaced", "misfit",    "stale"};

    return (unsigned)verdict < DNP_FRAME_VERDICTS ? names[verdict] : "none";
}
