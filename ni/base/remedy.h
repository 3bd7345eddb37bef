/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_REMEDY_H
#define NI_BASE_REMEDY_H

#include <errno.h>

/* What to do about a system call that has failed for want of something, or that is forbidden, which
 * strerror does not tell: for the end of a message. "" where that is not known. */
static inline const char *ni_remedy(int error)
{
    switch (error) {
    case EMFILE:
        return "; raise the limit of open files (ulimit -n)";
    case ENOSPC:
    case ENOMEM:
        return "; free memory or raise the memory limit of this container or user";
    case EPERM:
    case EACCES:
    case ENOSYS:
        return "; a seccomp filter, such as a container's profile, forbids this system call: allow "
               "it there";
    default:
        return "";
    }
}

#endif
