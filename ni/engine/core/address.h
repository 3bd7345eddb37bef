/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_ENGINE_ADDRESS_H
#define NI_ENGINE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/core/parts.h"

/* The host that an address blob, which may be anything, names. False: none. */
bool ni_address_host(const void *blob, size_t len, struct ni_host_name *host);

#endif
