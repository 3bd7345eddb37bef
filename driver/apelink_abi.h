/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APELINK_ABI_H
#define APELINK_ABI_H

#include "apelink_ioctl.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <string.h>
#endif

/*
 * How a driver takes a structure of any version of apelink_ioctl.h, the same in the kernel and
 * outside. Pure.
 */

/* Structures may be as long as this, whatever versions to come add. */
#define APELINK_STRUCT_MAX 4096

/* Bytes of the structure in version 1, or 0: there is no such ioctl. Programs of all versions have
 * at least these. */
static inline __u32 apelink_struct_first(unsigned int command)
{
    switch (_IOC_NR(command)) {
    case _IOC_NR(APELINK_GET_FEATURES):
        return sizeof(struct apelink_features);
    case _IOC_NR(APELINK_OPEN_CHANNEL):
        return sizeof(struct apelink_channel);
    case _IOC_NR(APELINK_REGISTER):
        return sizeof(struct apelink_register);
    case _IOC_NR(APELINK_DEREGISTER):
        return sizeof(struct apelink_deregister);
    case _IOC_NR(APELINK_READ_REGISTER):
    case _IOC_NR(APELINK_WRITE_REGISTER):
        return sizeof(struct apelink_access);
    case _IOC_NR(APELINK_WAIT):
        return sizeof(struct apelink_wait);
    case _IOC_NR(APELINK_LIST):
        return sizeof(struct apelink_list);
    default:
        return 0;
    }
}

/*
 * Take what a program has given: given bytes, which the code of the ioctl says, into the driver's
 * own structure of `own` bytes. 0, or as negative errno: EINVAL: its size field is not what was
 * given, or less than version 1 has; E2BIG: it asks for something that this driver does not know.
 */
static inline int apelink_struct_take(void *to, __u64 own, const void *from, __u64 given,
                                      __u64 first)
{
    const unsigned char *bytes = from;
    __u64 size, i;

    if (given < first || given < sizeof size || given > APELINK_STRUCT_MAX) {
        return -EINVAL;
    }
    memcpy(&size, from, sizeof size);
    if (size != given) {
        return -EINVAL;
    }
    for (i = own; i < given; i++) {
        if (bytes[i] != 0) {
            return -E2BIG;
        }
    }
    memset(to, 0, own);
    memcpy(to, from, given < own ? given : own);
    return 0;
}

/* Give it back: no more than the program has, whose size field stays as it was. */
static inline void apelink_struct_give(void *to, __u64 given, const void *from, __u64 own)
{
    memcpy((unsigned char *)to + sizeof(__u64), (const unsigned char *)from + sizeof(__u64),
           (given < own ? given : own) - sizeof(__u64));
}

/* Whether bytes that have no meaning are 0. */
static inline int apelink_all_zero(const void *from, __u64 len)
{
    const unsigned char *bytes = from;

    while (len > 0) {
        if (bytes[--len] != 0) {
            return 0;
        }
    }
    return 1;
}

/* Whether a list can be done. */
static inline int apelink_list_makes_sense(const struct apelink_list *list)
{
    __u32 i;

    if (list->count == 0 || list->count > APELINK_LIST_ITEMS || list->reserved0 != 0 ||
        !apelink_all_zero(list->reserved, sizeof list->reserved)) {
        return 0;
    }
    for (i = 0; i < list->count; i++) {
        const struct apelink_item *item = &list->item[i];

        if ((item->flags & ~APELINK_ITEM_WRITE) != 0 || (item->flags != 0 && item->wanted != 0)) {
            return 0;
        }
    }
    return 1;
}

/* Do one item: 0 or a negative errno. */
typedef int apelink_reach(void *arg, struct apelink_item *item);

/* Do a list, by one item after the other. 0, or EINVAL as a negative errno: nothing was done. */
static inline int apelink_list_run(struct apelink_list *list, apelink_reach *reach, void *arg)
{
    struct apelink_item *item;
    int error;

    if (!apelink_list_makes_sense(list)) {
        return -EINVAL;
    }
    list->error = 0;
    for (list->done = 0; list->done < list->count;) {
        item = &list->item[list->done];
        error = reach(arg, item);
        if (error != 0) {
            list->error = (__u32)-error;
            break;
        }
        list->done++;
        if (item->wanted != 0 && (item->value & item->wanted) == 0) {
            break;
        }
    }
    return 0;
}

#endif
