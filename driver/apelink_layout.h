/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_LAYOUT_H
#define APELINK_LAYOUT_H

/*
 * Where the fields of version 1 of apelink_ioctl.h lie, which stays as it is: programs that were
 * built with it are there. For compilers of the kernel, and for a test of programs. SIZE(STRUCT,
 * BYTES) and AT(STRUCT, FIELD, OFFSET) are what to do with each.
 */
#define APELINK_LAYOUTS(SIZE, AT)           \
    SIZE(apelink_features, 72)              \
    AT(apelink_features, version, 8)        \
    AT(apelink_features, board_version, 12) \
    AT(apelink_features, features, 16)      \
    AT(apelink_features, channels, 24)      \
    AT(apelink_features, channels_free, 28) \
    AT(apelink_features, ring_max, 32)      \
    AT(apelink_features, page_size, 36)     \
    AT(apelink_features, place, 40)         \
    AT(apelink_features, torus, 48)         \
    SIZE(apelink_doorbell, 128)             \
    AT(apelink_doorbell, event_rd_ptr, 4)   \
    AT(apelink_doorbell, rd_ptr, 64)        \
    AT(apelink_doorbell, event_wr_ptr, 68)  \
    AT(apelink_doorbell, event_lost, 72)    \
    AT(apelink_doorbell, tx_refused, 76)    \
    SIZE(apelink_channel, 96)               \
    AT(apelink_channel, tx_entries, 8)      \
    AT(apelink_channel, event_entries, 12)  \
    AT(apelink_channel, flags, 16)          \
    AT(apelink_channel, port, 24)           \
    AT(apelink_channel, tx_key, 32)         \
    AT(apelink_channel, event_key, 48)      \
    AT(apelink_channel, doorbell_key, 64)   \
    AT(apelink_channel, doorbell_bytes, 72) \
    SIZE(apelink_register, 56)              \
    AT(apelink_register, address, 8)        \
    AT(apelink_register, len, 16)           \
    AT(apelink_register, access, 24)        \
    AT(apelink_register, handle, 32)        \
    SIZE(apelink_deregister, 16)            \
    SIZE(apelink_access, 24)                \
    AT(apelink_access, offset, 8)           \
    AT(apelink_access, value, 12)           \
    SIZE(apelink_wait, 32)                  \
    AT(apelink_wait, timeout_ns, 8)         \
    AT(apelink_wait, seen, 16)              \
    AT(apelink_wait, event_wr_ptr, 20)      \
    SIZE(apelink_item, 16)                  \
    AT(apelink_item, value, 4)              \
    AT(apelink_item, flags, 8)              \
    AT(apelink_item, wanted, 12)            \
    SIZE(apelink_list, 296)                 \
    AT(apelink_list, count, 8)              \
    AT(apelink_list, done, 12)              \
    AT(apelink_list, error, 16)             \
    AT(apelink_list, item, 40)

#endif
