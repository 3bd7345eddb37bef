/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APENI_STATUS_H
#define APENI_STATUS_H

/*
 * One status for the whole stack. Negative values are grouped by the largest entity that is
 * permanently affected: the call, the region, the peer, the NI. NI_AGAIN is back-pressure, not a
 * failure. The function that detects a failure logs it; callers pass it on.
 */

/* What follows is exported by libapeni; everything else of it is hidden. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, text) */
#define NI_STATUS_LIST(X)                                                                    \
    X(NI_OK, 0, "success")                                                                   \
    X(NI_INPROGRESS, 1, "accepted, completion follows")                                      \
    X(NI_AGAIN, 2, "no resources now, try again after progress")                             \
    /* this call only */                                                                     \
    X(NI_ERR_INVALID, -1, "invalid argument")                                                \
    X(NI_ERR_NOMEM, -2, "out of memory")                                                     \
    X(NI_ERR_UNSUPPORTED, -3, "operation not supported by this link or build")               \
    X(NI_ERR_NOTFOUND, -4, "no such entry")                                                  \
    X(NI_ERR_EXISTS, -5, "entry exists already")                                             \
    X(NI_ERR_LIMIT, -6, "a limit is reached")                                                \
    X(NI_ERR_TRUNCATED, -7, "buffer too short, data truncated")                              \
    X(NI_ERR_CANCELED, -8, "operation canceled")                                             \
    X(NI_ERR_TIMEOUT, -9, "time-out")                                                        \
    X(NI_ERR_SYSTEM, -10, "system call failed")                                              \
    X(NI_ERR_PARAM, -11, "bad parameter value or name")                                      \
    /* the region named by a remote access: the access was refused, no memory was touched */ \
    X(NI_ERR_REGION, -20, "no such region or stale handle")                                  \
    X(NI_ERR_KEY, -21, "wrong region key")                                                   \
    X(NI_ERR_BOUNDS, -22, "access outside of the region")                                    \
    X(NI_ERR_ACCESS, -23, "region does not allow this access")                               \
    X(NI_ERR_ALIGN, -24, "address not aligned for this operation")                           \
    /* the peer: nothing more can be exchanged with it */                                    \
    X(NI_ERR_UNREACHABLE, -40, "peer cannot be reached")                                     \
    X(NI_ERR_PEER_DEAD, -41, "peer has died")                                                \
    X(NI_ERR_PEER_CLOSED, -42, "peer has closed its interface")                              \
    X(NI_ERR_PROTOCOL, -43, "peer broke the protocol")                                       \
    X(NI_ERR_CABLE, -44, "the way to the peer's card is broken")                             \
    X(NI_ERR_CARD, -45, "our card has gone")                                                 \
    /* the NI: nothing works any more */                                                     \
    X(NI_ERR_FORKED, -60, "interface belongs to the parent process")                         \
    X(NI_ERR_CLOSED, -61, "interface is closed")

typedef enum ni_status {
#define NI_STATUS_ENUM(name, value, text) name = value,
    NI_STATUS_LIST(NI_STATUS_ENUM)
#undef NI_STATUS_ENUM
} ni_status;

/* A static English text for a status; never NULL, also for values out of range. Thread-safe. */
const char *ni_status_text(ni_status status);

/* The identifier of a status, such as "NI_ERR_KEY"; never NULL. Thread-safe. */
const char *ni_status_name(ni_status status);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop

#endif
