/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef OSU_NATIVE_P2P_H
#define OSU_NATIVE_P2P_H

/* See common/p2p.h. */

#include "native/native.h"

typedef pr_req_t osu_request;

static inline void osu_native_check(int error, const char *what)
{
    if (__builtin_expect(error != PR_OK, 0)) {
        osu_native_must(error, what);
    }
}

static inline void osu_send(const void *data, size_t bytes, int peer, int tag)
{
    osu_native_check(pr_send_bytes(osu_native, peer, tag, data, bytes), "send");
}

static inline void osu_recv(void *data, size_t bytes, int peer, int tag)
{
    osu_native_check(pr_recv_bytes(osu_native, peer, tag, data, bytes, NULL), "receive");
}

static inline void osu_isend(const void *data, size_t bytes, int peer, int tag,
                             osu_request *request)
{
    osu_native_check(pr_isend_bytes(osu_native, peer, tag, data, bytes, request), "send");
}

static inline void osu_irecv(void *data, size_t bytes, int peer, int tag, osu_request *request)
{
    osu_native_check(pr_irecv_bytes(osu_native, peer, tag, data, bytes, request), "receive");
}

static inline void osu_waitall(osu_request *requests, int count)
{
    osu_native_check(pr_waitall(osu_native, requests, (size_t)count), "wait");
}

static inline void osu_barrier(void)
{
    osu_native_barrier();
}

#endif
