/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_CPU_H
#define NI_BASE_CPU_H

#include <stdbool.h>

#include "base/config.h"

/*
 * What the processor can do, asked at run time: one binary serves all machines. Code for a feature
 * is compiled with __attribute__((target("..."))) and chosen by ni_cpu_simd when an NI is opened.
 */

struct ni_cpu {
    bool sse42;
    bool avx2;
    bool avx512f;
    bool avx512bw;
    bool avx512vl;
    bool clflushopt;
    bool movdir64b; /* stores a whole cache line at once */
};

/* The features of this processor that the kernel has enabled. */
struct ni_cpu ni_cpu_probe(void);

/* The kind of vector code to use on a processor, at most `wanted`, a value of the parameter simd:
 * NI_SIMD_AVX512 (F, BW and VL), NI_SIMD_AVX2 or NI_SIMD_SCALAR; never NI_SIMD_AUTO. Pure. */
enum ni_simd ni_cpu_choose(const struct ni_cpu *cpu, enum ni_simd wanted);

/* ni_cpu_choose for this processor and the parameter simd. Says so, once, if the parameter asks
 * for more than the processor has. Thread-safe. */
enum ni_simd ni_cpu_simd(void);

/* "avx512", "avx2", "scalar", "auto". */
const char *ni_simd_name(enum ni_simd simd);

#endif
