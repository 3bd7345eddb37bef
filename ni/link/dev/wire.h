/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_LINK_DEV_WIRE_H
#define NI_LINK_DEV_WIRE_H

#include <stdint.h>

#include "driver/packet.h"
#include "link/lane.h"
#include "link/packet.h"

/* What two NIs over APEnet+ cards say to each other, and where it lies: see dev.h. */

enum {
    NI_DEV_VERSION = 1,
    NI_DEV_RUN = APELINK_PAYLOAD_MAX / NI_LINE, /* lines of a PUT, and of a packet */
    NI_DEV_PORTS = 4,                           /* channels of a card */
    NI_DEV_RING_MAX = 1 << 16,                  /* lines */
    NI_DEV_BULK_MAX = 64 << 20,
};

/* ---- between NIs ----------------------------------------------------------------------------- */

/* How to reach an NI. */
struct ni_dev_blob {
    uint32_t magic;
    uint16_t version;
    uint16_t port;
    uint32_t place; /* as the register board_place has it */
    uint32_t torus;
    uint64_t key; /* random: who knows it has this blob */
    uint64_t job_key;
    uint64_t name; /* of the NI */
    uint64_t mailbox;
    uint64_t identity; /* address of a struct ni_dev_state with its key */
    uint32_t ring;     /* lines of the lane of this NI to others */
    uint32_t bulk;     /* bytes of the bulk area beside it */
};
_Static_assert(sizeof(struct ni_dev_blob) == 64, "given to other NIs");

#define NI_DEV_BLOB_MAGIC UINT32_C(0x76656461) /* "adev" */

enum ni_dev_said { NI_DEV_HELLO = 1, NI_DEV_WELCOME = 2 };

/* What is PUT into the mailbox of the receiver, at the place of the sender's card and port. */
struct ni_dev_hello {
    uint64_t key; /* the receiver's, from its blob */
    struct ni_dev_blob blob;
    uint32_t said;
    uint32_t refused; /* of a welcome: nobody will read */
    uint64_t told;    /* where the receiver PUTs its state */
    uint64_t state;   /* where the receiver GETs the sender's */
    uint64_t stage;   /* where the receiver PUTs lines of its lane */
    uint64_t bulk;    /* where the receiver GETs payloads of the sender's lane */
    uint32_t serial;  /* as in the sender's state */
    uint32_t reserved[5];
};
_Static_assert(sizeof(struct ni_dev_hello) == 136, "on the wire");
enum { NI_DEV_MAIL = 192 }; /* bytes of a place in a mailbox */

enum ni_dev_bye { NI_DEV_STAYS = 0, NI_DEV_CLOSED = 1, NI_DEV_REFUSED = 2, NI_DEV_BROKEN = 3 };

/* What an NI says of itself to one peer. All but `bye` and `wishes` only grow. */
struct ni_dev_state {
    uint64_t key;      /* of its blob */
    uint64_t bye;      /* bits 32-63: enum ni_dev_bye, 0-31: where its lane ends */
    uint32_t received; /* lines of the peer's lane, without a gap */
    uint32_t consumed; /* of these, what the engine has read */
    uint32_t gaps;     /* times that something was missing */
    uint32_t wishes;   /* enum ni_wish */
    uint32_t fetched;  /* the payloads of all lines before this one have been fetched */
    uint32_t serial;   /* of the connection: another one may have the memory by now */
    uint32_t heard;    /* 1: the peer's bye */
    uint32_t reserved[5];
};
_Static_assert(sizeof(struct ni_dev_state) == 64, "on the wire");

/* ---- what cards reach ------------------------------------------------------------------------ */

/* Of a peer, to be read by cards. Behind it the ring and the bulk area of the lane towards it. */
struct ni_dev_out {
    struct ni_dev_state state;
    struct ni_dev_hello said[2]; /* hello and welcome */
    uint8_t to_line[48];
};
_Static_assert(sizeof(struct ni_dev_out) % NI_LINE == 0, "the ring begins on a line");

/* Of the link, to be read by those who have our blob. */
struct ni_dev_identity {
    struct ni_dev_state state; /* of which the key counts */
    struct ni_dev_hello refusal;
};

/* Of a peer, to be written by cards. Behind it the stage and the bulk area of the lane from it. */
struct ni_dev_in {
    struct ni_dev_state told;  /* PUT by the peer */
    struct ni_dev_state asked; /* by a GET of ours */
};

#endif
