/* SPDX-License-Identifier: BSD-3-Clause */
#include "portals/portals.h"

/* Event queues, and how the engine's results look in events. */

const char *ni_ni_fail_name(enum ni_ni_fail fail)
{
    static const char *const names[] = {
        [NI_NI_OK] = "NI_NI_OK",
        [NI_NI_UNDELIVERABLE] = "NI_NI_UNDELIVERABLE",
        [NI_NI_PT_DISABLED] = "NI_NI_PT_DISABLED",
        [NI_NI_DROPPED] = "NI_NI_DROPPED",
        [NI_NI_PERM_VIOLATION] = "NI_NI_PERM_VIOLATION",
        [NI_NI_OP_VIOLATION] = "NI_NI_OP_VIOLATION",
        [NI_NI_NO_MATCH] = "NI_NI_NO_MATCH",
        [NI_NI_SEGV] = "NI_NI_SEGV",
        [NI_NI_NO_SPACE] = "NI_NI_NO_SPACE",
    };

    return (unsigned)fail < sizeof(names) / sizeof(names[0]) ? names[fail] : "unknown failure";
}

const char *ni_ptl_result_name(int result)
{
    static const char *const names[] = {
        "NI_PTL_ARG_INVALID", "NI_PTL_IN_USE",    "NI_PTL_NO_SPACE",     "NI_PTL_NO_INIT",
        "NI_PTL_PT_FULL",     "NI_PTL_PT_IN_USE", "NI_PTL_PT_EQ_NEEDED", "NI_PTL_NO_MATCH",
        "NI_PTL_SENT",        "NI_PTL_EQ_EMPTY",  "NI_PTL_EQ_DROPPED",   "NI_PTL_CT_NONE_REACHED",
    };
    unsigned i = (unsigned)result - NI_PTL_ARG_INVALID;

    _Static_assert(sizeof(names) / sizeof(names[0]) ==
                       NI_PTL_CT_NONE_REACHED - NI_PTL_ARG_INVALID + 1,
                   "each result has its name");
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : ni_status_name((ni_status)result);
}

enum ni_ni_fail ni_fail_of(ni_status status)
{
    switch (status) {
    case NI_OK:
        return NI_NI_OK;
    case NI_ERR_REGION:
    case NI_ERR_KEY:
    case NI_ERR_ACCESS:
        return NI_NI_PERM_VIOLATION;
    case NI_ERR_BOUNDS:
        return NI_NI_SEGV;
    case NI_ERR_NOMEM:
        return NI_NI_NO_SPACE;
    default:
        return NI_NI_UNDELIVERABLE;
    }
}

int ni_eq_alloc_handler(struct ni *ni, ni_event_fn fn, void *arg, struct ni_eq **made)
{
    int result = ni_eq_make(ni, fn, arg, made);

    if (result == NI_OK && ni_later_wrap(ni, *made) != NI_OK) {
        (void)ni_eq_free(ni, *made);
        result = NI_PTL_NO_SPACE;
    }
    return result;
}

int ni_eq_make(struct ni *ni, ni_event_fn fn, void *arg, struct ni_eq **made)
{
    struct ni_eq *eq;
    bool full;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    if (fn == NULL) {
        return NI_PTL_ARG_INVALID;
    }
    eq = ni_calloc(1, sizeof(*eq));
    if (eq == NULL) {
        return NI_PTL_NO_SPACE;
    }
    eq->fn = fn;
    eq->arg = arg;
    ni_portals_lock(ni);
    full = ni->portals->eq_count == ni->portals->limits.max_eqs;
    if (!full) {
        ni_list_push_back(&ni->portals->eqs, &eq->all);
        ni->portals->eq_count++;
    }
    ni_portals_unlock(ni);
    if (full) {
        ni_free(eq);
        return NI_PTL_NO_SPACE;
    }
    *made = eq;
    return NI_OK;
}

void ni_eq_release(struct ni_eq *eq)
{
    ni_free(eq->ring);
    ni_free(eq);
}

int ni_eq_free(struct ni *ni, struct ni_eq *eq)
{
    uint32_t users;

    if (ni->portals == NULL) {
        return NI_PTL_NO_INIT;
    }
    ni_portals_lock(ni);
    users = eq->users;
    if (users == 0) {
        ni_list_remove(&eq->all);
        ni->portals->eq_count--;
    }
    ni_portals_unlock(ni);
    if (users != 0) {
        return NI_PTL_IN_USE;
    }
    ni_later_forget(ni, eq);
    ni_eq_release(eq);
    return NI_OK;
}
