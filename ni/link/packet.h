/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_PACKET_H
#define NI_LINK_PACKET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The packet, as it lies in a lane: one or more whole cache lines, of which the first begins with
 * the header.
 *
 *   word 0   bits 0-31   sequence number in the lane; the word is stored last (release), see lane.h
 *            bits 32-39  kind, enum ni_packet_kind, and NI_PACKET_IN_BULK
 *            bits 40-47  head: offset of the payload from the start of the packet, 16..64
 *            bits 48-63  tag: of a message; operation and width of an atomic; status of an ack
 *   word 1   bits 0-31   payload length in bytes
 *            bits 32-63  handle of the target region
 *   then     fields that depend on the kind (struct ni_packet_remote, _ack, _copy), then, at head,
 *            the payload
 *
 * Payload of up to 48 bytes travels in the header's line. A longer payload's head is chosen by the
 * sender such that the part that is copied last starts a line. With NI_PACKET_IN_BULK the payload
 * lies in the lane's bulk area. All fields are untrusted until checked.
 */

enum { NI_LINE = 64, NI_PACKET_HEADER = 16, NI_PACKET_INLINE = NI_LINE - NI_PACKET_HEADER };

enum ni_packet_kind {
    NI_PACKET_MESSAGE = 1, /* Write to a QUEUE region, no ack */
    NI_PACKET_WRITE = 2,   /* Write with address and ack token: struct ni_packet_remote */
    NI_PACKET_READ = 3,    /* Read: struct ni_packet_remote, operand = length */
    NI_PACKET_ATOMIC = 4,  /* Read-modify-write: struct ni_packet_remote, tag = op | width << 8 */
    NI_PACKET_ACK =
        5, /* Write to an ack address: struct ni_packet_ack; payload of a Read follows */
    NI_PACKET_COPY = 6,     /* a transfer that either side may do: struct ni_packet_copy */
    NI_PACKET_NOP = 7,      /* takes room in the lane, means nothing */
    NI_PACKET_PUT = 8,      /* Write to the PORTAL region: struct ni_packet_put */
    NI_PACKET_PUT_LONG = 9, /* its header only: struct ni_packet_put_long */
    NI_PACKET_PUT_ACK = 10, /* what became of it: struct ni_packet_ack */
    NI_PACKET_GET = 11,     /* Read of a portal table entry: struct ni_packet_put_long */
    NI_PACKET_COMBINE = 12, /* an atomic on one: struct ni_packet_combine */
    NI_PACKET_REPLY = 13,   /* success of a get or fetching atomic: struct ni_packet_ack */
    NI_PACKET_KINDS = 14,

    NI_PACKET_IN_BULK =
        0x80, /* flag: payload in the bulk area, at the offset in struct ni_packet_bulk */
};

struct ni_packet {
    _Atomic uint64_t word0;
    uint64_t word1;
    uint64_t body[6];
};
_Static_assert(sizeof(struct ni_packet) == NI_LINE, "the header's line is one cache line");

/* What NI_FAULT_CORRUPT does: length and handle become others, the length one that is never
 * right. */
static inline void ni_packet_damage(struct ni_packet *packet)
{
    packet->word1 = ~packet->word1;
}

/* WRITE, READ, ATOMIC: starts at body[0]. */
struct ni_packet_remote {
    uint64_t addr;
    uint64_t key;
    uint64_t token;   /* echoed in the ack; 0 wants none */
    uint64_t operand; /* ATOMIC; length of a READ */
    uint64_t compare; /* ATOMIC */
};

/* Tag of a WRITE, bits. */
enum {
    NI_WRITE_HOLD = 1,  /* for a queue: wait for room; nobody would be told of a refusal */
    NI_WRITE_NOTED = 2, /* to memory: the last packet, with a note */
    /* Whole: only a refusal is answered, and that with `offset` 1, for the token names all Writes
     * up to the next packet that has it and not this bit. */
    NI_WRITE_UNACKED = 4,
};

/* What begins the payload of the last packet of a WRITE with NI_WRITE_NOTED. */
struct ni_packet_note {
    uint64_t addr; /* of the word, if the region is MEMORY */
    uint64_t key;
    uint64_t value;
    uint32_t handle; /* of the region that is told */
    uint32_t zero;
};

_Static_assert(sizeof(struct ni_packet_note) == 32, "on the wire");

/* Tag of a READ. */
enum ni_read_tag {
    NI_READ_MEMORY = 0,
    NI_READ_DEQUEUE = 1, /* of a multi-reader queue: operand = item size, addr unused */
    NI_READ_CANCEL = 2,  /* the DEQUEUE of that token, if it waits still */
    /* Items as MESSAGEs to a queue of the reader's: addr = its handle, their number << 32. An ACK
     * when all are sent. */
    NI_READ_DEQUEUE_TO = 3,
    /* Nothing: an ACK when all packets before it have been taken. */
    NI_READ_NOTHING = 4,
};

/* A WRITE whose payload begins here is whole, and has neither operand (offset 0) nor compare (the
 * payload's length): so that up to 24 bytes lie in its first line. */
enum { NI_WRITE_WHOLE_HEAD = NI_PACKET_HEADER + (int)offsetof(struct ni_packet_remote, operand) };

/* WRITE with this in `operand`, which holds a handle besides: no ack, but the bytes are added to
 * that COUNTER, whose key is `token`. One packet, whole. */
#define NI_WRITE_COUNTED ((uint64_t)1 << 63)

/* WRITE with this as `operand`: a word of 1, 2, 4 or 8 bytes by itself, whose bits are its number.
 * In memory it appears at once, stored with release. */
#define NI_WRITE_WORD ((uint64_t)1 << 62)

/*
 * A WRITE with this in `operand` is a part of a transfer that is spread over rails
 * (engine/send/multipath.h). The rest of `operand` are flags and the offset; the payload begins
 * with struct ni_packet_part, then, with NI_PART_NOTED, struct ni_packet_note; neither is counted
 * by offset and total.
 */
#define NI_WRITE_PART   ((uint64_t)1 << 61)
#define NI_PART_ORDERED ((uint64_t)1 << 60) /* the last part waits for all parts before it */
#define NI_PART_NOTED   ((uint64_t)1 << 59) /* last part only */
#define NI_PART_ANSWER  ((uint64_t)1 << 58) /* to a Read: no region or addr, `key` is the status */
#define NI_PART_OFFSET  (((uint64_t)1 << 56) - 1)

struct ni_packet_part {
    uint32_t seq;     /* among all parts from this NI */
    uint16_t counter; /* neither ORDERED nor ANSWER: which counts the bytes of the transfer */
    uint16_t zero;
};
_Static_assert(sizeof(struct ni_packet_part) == 8, "on the wire");

/* Tag of a NOP; those of probes are in probe.c. Fields of TAKEN: all parts before this
 * number have been taken. */
enum {
    NI_NOP_TAKEN = 3,
    NI_NOP_STAMP = 4, /* times of the packet before it: engine/core/stamps.h */
    NI_NOP_RING = 5,  /* the last of its ring: the lane goes on in a larger one, see lane.h */
    NI_NOP_FIRST = 6, /* the same: in its first one */
    NI_NOP_BULK = 7,  /* nothing of the lane's bulk area is there any more */
};

/* A WRITE to a COUNTER: 8 bytes are added; or it is set: the payload is the beginning of this, with
 * `count` notices. */
struct ni_packet_notice {
    uint64_t peer; /* at 2: whom; the address condensed (counter_config.c) */
    uint64_t key;
    uint64_t addr;
    uint64_t value;
    uint32_t handle;
    uint8_t at;    /* enum ni_notice_at */
    uint8_t width; /* 4 or 8 */
    uint16_t zero;
};

struct ni_packet_setting {
    uint32_t flags; /* enum ni_counter_set_flags */
    uint32_t count; /* 0 to 4 */
    int64_t value;
    int64_t reload;
    struct ni_packet_notice notices[4];
};
_Static_assert(sizeof(struct ni_packet_notice) == 40, "on the wire");
_Static_assert(sizeof(struct ni_packet_setting) == 184, "on the wire");

static inline uint32_t ni_packet_setting_size(uint32_t count)
{
    return (uint32_t)(offsetof(struct ni_packet_setting, notices) +
                      count * sizeof(struct ni_packet_notice));
}

/* ACK: starts at body[0]; the tag is the status. That of a DEQUEUE carries its item behind the
 * token or behind all fields. A response to a Read carries its payload at offset. */
struct ni_packet_ack {
    uint64_t token;
    uint64_t value;
    uint64_t offset;
};

/* COPY: what the initiator asks of the target for the transfer that number `index` of the lane
 * describes. */
enum ni_copy_request {
    NI_COPY_REQUEST_SHARE = 0, /* copy chunks, as both sides claim them */
    NI_COPY_REQUEST_PULL = 1,  /* answer as to a READ, if the claim is still open */
    NI_COPY_REQUEST_PUSH =
        2, /* the payload is all of a WRITE: take it, if the claim is still open */
};

struct ni_packet_copy {
    uint64_t key;
    uint64_t claim; /* first value of the shared copy's claim word: generation */
    uint32_t index;
    uint32_t what;  /* enum ni_copy_request */
    uint64_t token; /* ANSWER, TAKE: of the answer */
};

/*
 * The portal table of an NI is one region of type PORTAL. Its handle is the same in all NIs: a
 * generation that no other region has.
 */
enum { NI_HANDLE_PORTAL = 0xfffff };

/* In the tag of PUT and PUT_LONG: bits 0-7 the index in the portal table. */
enum ni_put_tag {
    NI_PUT_INDEX = 0xff,
    NI_PUT_MORE = 0x100, /* struct ni_packet_put_more is there */
    NI_PUT_TAG_BITS = 0x1ff,
};

/* In the tag of PUT_ACK: how the put ended; enum ni_ni_fail of portals.h. */
enum { NI_PUT_DROPPED = 3 };

/* PUT: starts at body[0]. Up to 32 bytes of payload share the line. */
struct ni_packet_put {
    uint64_t match_bits;
    uint64_t hdr_data;
};

/* PUT with NI_PUT_MORE: behind the above. */
struct ni_packet_put_more {
    uint64_t token; /* of the PUT_ACK; 0 wants none */
    uint64_t remote_offset;
};

/* PUT_LONG: starts at body[0]; a Read of the initiator's region gives the data. Without NI_PUT_MORE
 * there is no payload and the offset is 0. */
struct ni_packet_put_long {
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t token; /* of the PUT_ACK, which also ends the initiator's region */
    uint64_t addr;
    uint64_t key;
    uint32_t handle;
    uint32_t length; /* bits 0-31 */
};

/* PUT_LONG with NI_PUT_MORE: its payload. */
struct ni_packet_put_long_more {
    uint64_t remote_offset;
    uint64_t length; /* all of it; `length` above means nothing then */
};

/* GET has the fields of PUT_LONG, hdr_data 0; region and address are where the data goes when it
 * does not come in the REPLY. Handle 0: there is none, allowed up to so many bytes. */
enum { NI_REPLY_INLINE = 24 };

/* COMBINE: starts at body[0]. Payload: struct ni_packet_combine_reply if handle is not 0, the
 * operand of an operation that has one (8 bytes, or those of a longer element), the data. */
struct ni_packet_combine {
    uint64_t match_bits;
    uint64_t hdr_data;
    uint64_t token; /* of the PUT_ACK or REPLY; 0 wants none */
    uint64_t remote_offset;
    uint8_t op;    /* enum ni_ptl_op */
    uint8_t type;  /* enum ni_ptl_datatype */
    uint8_t fetch; /* 1: the old values are wanted */
    uint8_t zero;
    uint32_t handle; /* where they go, as for GET */
};

struct ni_packet_combine_reply {
    uint64_t addr;
    uint64_t key;
};

/* With NI_PACKET_IN_BULK: the last 8 bytes of the header's line. */
struct ni_packet_bulk {
    uint32_t offset; /* of the payload's first byte in the bulk area */
    uint32_t zero;
};
enum { NI_PACKET_BULK_AT = NI_LINE - (int)sizeof(struct ni_packet_bulk) };

/*
 * The rider of a line (lane.h), its last 24 bytes: a PUT of up to 8 bytes behind one to the same
 * portal table, or a MESSAGE of up to 24 behind one to the same queue. The word that it has in
 * common with the packet of its line is the put's hdr_data, or the message's first 8 bytes; what
 * follows that, or comes before, is here.
 */
struct ni_packet_rider {
    _Atomic uint64_t word0; /* as a packet's, with the payload's length in place of its offset */
    uint64_t rest[2];       /* match_bits, payload; or bytes 8 to 23 */
};

enum {
    NI_RIDER_AT = NI_LINE - (int)sizeof(struct ni_packet_rider),
    NI_RIDER_BODY = (NI_RIDER_AT - NI_PACKET_HEADER) / 8, /* the same, of a packet's body */
    NI_RIDER_PUT = 8,                                     /* bytes of payload */
    NI_RIDER_MESSAGE = 24                                 /* the same, of a message */
};
_Static_assert(NI_RIDER_AT == 40, "a whole number of words behind a put of 8 bytes");

static inline uint64_t ni_packet_word0(uint32_t seq, unsigned kind, unsigned head, uint16_t tag)
{
    return (uint64_t)seq | (uint64_t)kind << 32 | (uint64_t)head << 40 | (uint64_t)tag << 48;
}

static inline uint64_t ni_packet_word1(uint32_t len, uint32_t region)
{
    return (uint64_t)len | (uint64_t)region << 32;
}

static inline uint32_t ni_packet_seq(uint64_t word0)
{
    return (uint32_t)word0;
}

static inline unsigned ni_packet_kind(uint64_t word0)
{
    return (word0 >> 32) & 0x7f;
}

static inline bool ni_packet_in_bulk(uint64_t word0)
{
    return (word0 >> 32) & NI_PACKET_IN_BULK;
}

static inline unsigned ni_packet_head(uint64_t word0)
{
    return (word0 >> 40) & 0xff;
}

static inline uint16_t ni_packet_tag(uint64_t word0)
{
    return (uint16_t)(word0 >> 48);
}

static inline uint32_t ni_packet_len(uint64_t word1)
{
    return (uint32_t)word1;
}

static inline uint32_t ni_packet_region(uint64_t word1)
{
    return (uint32_t)(word1 >> 32);
}

/* A PUT of one line without ni_packet_put_more: what matching must be fast for. */
static inline bool ni_packet_is_short_put(uint64_t word0, uint64_t word1)
{
    return (word0 >> 32 & 0xff00ffff) ==
               (NI_PACKET_PUT | (NI_PACKET_HEADER + sizeof(struct ni_packet_put)) << 8) &&
           word1 - ((uint64_t)NI_HANDLE_PORTAL << 32) <=
               NI_LINE - NI_PACKET_HEADER - sizeof(struct ni_packet_put);
}

/* The same of several lines, the payload starting the second. */
static inline bool ni_packet_is_lines_put(uint64_t word0, uint64_t word1)
{
    return (word0 >> 32 & 0xff00ffff) == (NI_PACKET_PUT | NI_LINE << 8) &&
           ni_packet_region(word1) == NI_HANDLE_PORTAL;
}

/* The same with its payload in the bulk area. */
static inline bool ni_packet_is_bulk_put(uint64_t word0, uint64_t word1)
{
    return (word0 >> 32 & 0xff0000ff) == (NI_PACKET_PUT | NI_PACKET_IN_BULK) &&
           ni_packet_region(word1) == NI_HANDLE_PORTAL;
}

/* One line with a place for a rider. */
static inline bool ni_packet_is_rideable(uint64_t word0, uint64_t word1)
{
    unsigned kind = (word0 >> 32) & 0xff;

    return (kind == NI_PACKET_PUT || kind == NI_PACKET_MESSAGE) &&
           ni_packet_head(word0) + (uint64_t)ni_packet_len(word1) <= NI_RIDER_AT;
}

/* A WRITE, READ, ATOMIC or ACK that lies in its first line. */
static inline bool ni_packet_is_line_of_memory(uint64_t word0, uint64_t word1)
{
    uint64_t head = ni_packet_head(word0);

    return (word0 >> 32 & 0xff) - NI_PACKET_WRITE <= NI_PACKET_ACK - NI_PACKET_WRITE &&
           head >= NI_PACKET_HEADER && head + ni_packet_len(word1) <= NI_LINE;
}

/* Lines that a packet takes in its lane. No overflow for any head and len of 8 and 32 bits. */
static inline uint32_t ni_packet_lines(unsigned head, uint32_t len)
{
    return (uint32_t)(((uint64_t)head + len + NI_LINE - 1) / NI_LINE);
}

#endif
