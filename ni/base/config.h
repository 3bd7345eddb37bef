/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_CONFIG_H
#define NI_BASE_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include <apeni/log.h>
#include <apeni/param.h>

/*
 * The values of all parameters: struct ni_config has one field per row of params.def, named like
 * it. UINT, SIZE (bytes), BOOL (0 or 1) and ENUM (a constant below) are uint64_t, STRING is a
 * const char * that is never NULL and belongs to the configuration.
 *
 * To add an ENUM parameter: a list of its values here, an array of their names in param_table.c,
 * the row in params.def.
 */

/* X(constant, text). The constants count from 0 in this order. */
#define NI_SHM_COPY_LIST(X)                 \
    X(NI_SHM_COPY_AUTO, "auto")             \
    X(NI_SHM_COPY_PROCESS_VM, "process_vm") \
    X(NI_SHM_COPY_COPY, "copy")

#define NI_PLACE_LIST(X)     \
    X(NI_PLACE_AUTO, "auto") \
    X(NI_PLACE_TILE, "tile") \
    X(NI_PLACE_EDGE, "edge") \
    X(NI_PLACE_SPLIT, "split")

#define NI_LINKS_LIST(X)     \
    X(NI_LINKS_AUTO, "auto") \
    X(NI_LINKS_SHM, "shm")   \
    X(NI_LINKS_UCX, "ucx")   \
    X(NI_LINKS_BOTH, "both") \
    X(NI_LINKS_DEV, "dev")

#define NI_MULTIPATH_LIST(X)                \
    X(NI_MULTIPATH_BY_COUNTERS, "counters") \
    X(NI_MULTIPATH_BY_ORDER, "resequence")

#define NI_SIMD_LIST(X)         \
    X(NI_SIMD_AUTO, "auto")     \
    X(NI_SIMD_AVX512, "avx512") \
    X(NI_SIMD_AVX2, "avx2")     \
    X(NI_SIMD_SCALAR, "scalar")

/* The constants are those of enum ni_log_level. */
#define NI_LOG_LEVEL_LIST(X) \
    X(NI_LOG_ERROR, "error") \
    X(NI_LOG_WARN, "warn")   \
    X(NI_LOG_INFO, "info")   \
    X(NI_LOG_DEBUG, "debug")

#define NI_CONFIG_CONSTANT(constant, text) constant,
enum ni_shm_copy { NI_SHM_COPY_LIST(NI_CONFIG_CONSTANT) };
enum ni_place_value { NI_PLACE_LIST(NI_CONFIG_CONSTANT) };
enum ni_links_value { NI_LINKS_LIST(NI_CONFIG_CONSTANT) };
enum ni_multipath_value { NI_MULTIPATH_LIST(NI_CONFIG_CONSTANT) };
enum ni_simd { NI_SIMD_LIST(NI_CONFIG_CONSTANT) };
#undef NI_CONFIG_CONSTANT

typedef uint64_t ni_config_UINT;
typedef uint64_t ni_config_SIZE;
typedef uint64_t ni_config_BOOL;
typedef uint64_t ni_config_ENUM;
typedef const char *ni_config_STRING;

struct ni_config {
#define NI_PARAM_ROW(field, type, default_text, min, max, unit, names, help) ni_config_##type field;
#include "base/params.def"
#undef NI_PARAM_ROW
};

/* The name under which the user has set a parameter or would set it: that of its MCA variable if
 * that did it, otherwise that of the environment variable. For messages. */
void ni_config_name(const char *name, char *text, size_t size);

/* Forget everything that was set: defaults, then the environment as it is now. For tests; not
 * while an NI is open. */
void ni_config_reload(void);

#endif
