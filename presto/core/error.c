/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/rank.h"

static const char *const texts[] = {
#define PRI_ERROR_TEXT(name, value, text) [value] = text,
    PRI_ERROR_LIST(PRI_ERROR_TEXT)
#undef PRI_ERROR_TEXT
};

const char *pri_status_text(ni_status status)
{
    return status == NI_ERR_NOMEM ? texts[PRI_ERR_NOMEM] : ni_status_text(status);
}

const char *pri_error_text(int error)
{
    if (error < 0 || (size_t)error >= sizeof(texts) / sizeof(texts[0])) {
        return "unknown error";
    }
    return texts[error];
}
