/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_UCX_WIRE_H
#define NI_LINK_UCX_WIRE_H

#include <stddef.h>
#include <stdint.h>

/* What travels between the links of two hosts, beside the packets themselves. */

enum {
    NI_UCX_VERSION = 4,
    NI_UCX_ADDRESS = 640, /* the longest address of a UCP worker, bytes */
};

enum ni_ucx_type {
    NI_UCX_HELLO = 1,   /* data: struct ni_ucx_hello */
    NI_UCX_WELCOME = 2, /* the answer, the same */
    NI_UCX_LINES = 3,   /* data: lines, for `position` */
    NI_UCX_BULK = 4,    /* header: struct ni_ucx_bulk; data: the payload of its packet */
    NI_UCX_CREDIT = 5,  /* nothing but what the header says */
    NI_UCX_BYE = 6,     /* `position`: where the lane ends; `lines`: enum ni_ucx_bye */
};

enum ni_ucx_bye { NI_UCX_CLOSED = 0, NI_UCX_REFUSED = 1, NI_UCX_BROKEN = 2 };

/* The header of every active message. */
struct ni_ucx_head {
    uint8_t magic;
    uint8_t version;
    uint8_t type;   /* enum ni_ucx_type */
    uint8_t wishes; /* enum ni_wish */
    uint32_t position;
    uint64_t token;    /* what the receiver calls the sender; 0 in a hello */
    uint32_t consumed; /* credits: lines of the opposite lane that were read */
    uint32_t lines;
};
_Static_assert(sizeof(struct ni_ucx_head) == 24, "on the wire");

#define NI_UCX_MAGIC 0xa9

struct ni_ucx_bulk {
    struct ni_ucx_head head;
    uint64_t line[8];
};
_Static_assert(sizeof(struct ni_ucx_bulk) == 88, "on the wire");

/* How to reach an NI, and in a hello who comes. */
struct ni_ucx_blob {
    uint32_t magic;
    uint16_t version;
    uint16_t address_len;
    uint64_t key;     /* random: who says it has this blob */
    uint64_t job_key; /* 0: any */
    uint64_t name;    /* of the NI */
    uint8_t address[NI_UCX_ADDRESS];
};
enum { NI_UCX_BLOB_HEAD = 32 };
_Static_assert(offsetof(struct ni_ucx_blob, address) == NI_UCX_BLOB_HEAD, "given to other NIs");

#define NI_UCX_BLOB_MAGIC UINT32_C(0x78637561) /* "aucx" */

struct ni_ucx_hello {
    uint64_t key;            /* the receiver's, from its blob */
    uint64_t token;          /* what the sender wants to be called by the receiver */
    uint32_t ring;           /* lines of the lane of the sender of this */
    uint32_t bulk;           /* bytes of its bulk area */
    struct ni_ucx_blob blob; /* the sender's; as long as its address */
};
enum { NI_UCX_HELLO_HEAD = 24, NI_UCX_RING_MAX = 1 << 16, NI_UCX_BULK_MAX = 64 << 20 };

#endif
