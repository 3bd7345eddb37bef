/* SPDX-License-Identifier: BSD-3-Clause */
#include "ompi_glue/code_of.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static bool is_one_of(const char *path, const char *const *names)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;

    for (; *names != NULL; names++) {
        if (strncmp(base, *names, strlen(*names)) == 0) {
            return true;
        }
    }
    return false;
}

bool ompi_glue_is_code_of(struct ompi_glue_code_known *known, uintptr_t address,
                          const char *const *names)
{
    Dl_info info;
    bool found;

    if (atomic_load_explicit(&known->yes, memory_order_relaxed) == address) {
        return true;
    }
    if (atomic_load_explicit(&known->no, memory_order_relaxed) == address) {
        return false;
    }
    if (dladdr((void *)address, &info) == 0 || info.dli_fname == NULL) {
        return false;
    }
    found = is_one_of(info.dli_fname, names);
    /* Each word says all about one address, so no order with others is needed. */
    atomic_store_explicit(found ? &known->yes : &known->no, address, memory_order_relaxed);
    return found;
}
