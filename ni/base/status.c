/* SPDX-License-Identifier: BSD-3-Clause */
#include <apeni/status.h>

const char *ni_status_text(ni_status status)
{
    switch (status) {
#define NI_STATUS_TEXT(name, value, text) \
    case name:                            \
        return text;
        NI_STATUS_LIST(NI_STATUS_TEXT)
#undef NI_STATUS_TEXT
    }
    return "unknown status";
}

const char *ni_status_name(ni_status status)
{
    switch (status) {
#define NI_STATUS_NAME(name, value, text) \
    case name:                            \
        return #name;
        NI_STATUS_LIST(NI_STATUS_NAME)
#undef NI_STATUS_NAME
    }
    return "NI_UNKNOWN";
}
