/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"

#include <pthread.h>

#include "base/bits.h"
#include "base/log.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

/* Leaf 7, for the features that __builtin_cpu_supports of gcc 12 or clang 14 does not name. */
#define LEAF7_EBX_CLFLUSHOPT (1U << 23)
#define LEAF7_ECX_MOVDIR64B  (1U << 28)

struct ni_cpu ni_cpu_probe(void)
{
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;

    __builtin_cpu_init();
    (void)__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx);
    return (struct ni_cpu){
        .sse42 = __builtin_cpu_supports("sse4.2"),
        .avx2 = __builtin_cpu_supports("avx2"),
        .avx512f = __builtin_cpu_supports("avx512f"),
        .avx512bw = __builtin_cpu_supports("avx512bw"),
        .avx512vl = __builtin_cpu_supports("avx512vl"),
        .clflushopt = (ebx & LEAF7_EBX_CLFLUSHOPT) != 0,
        .movdir64b = (ecx & LEAF7_ECX_MOVDIR64B) != 0,
    };
}
#else
struct ni_cpu ni_cpu_probe(void)
{
    return (struct ni_cpu){0};
}
#endif

static enum ni_simd widest(const struct ni_cpu *cpu)
{
    if (cpu->avx512f && cpu->avx512bw && cpu->avx512vl) {
        return NI_SIMD_AVX512;
    }
    return cpu->avx2 ? NI_SIMD_AVX2 : NI_SIMD_SCALAR;
}

/* The constants behind NI_SIMD_AUTO count from wide to narrow, so the narrower of two is the
 * larger. */
_Static_assert(NI_SIMD_AVX512 < NI_SIMD_AVX2 && NI_SIMD_AVX2 < NI_SIMD_SCALAR, "order of simd");

enum ni_simd ni_cpu_choose(const struct ni_cpu *cpu, enum ni_simd wanted)
{
    enum ni_simd best = widest(cpu);

    if (wanted == NI_SIMD_AUTO || wanted < best) {
        return best;
    }
    return wanted;
}

/* This processor's. Asking it takes a microsecond, on virtual machines hundreds. */
static struct ni_cpu own;

static void probe_own(void)
{
    own = ni_cpu_probe();
}

enum ni_simd ni_cpu_simd(void)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, probe_own);

    enum ni_simd wanted = (enum ni_simd)ni_config_get()->simd;
    enum ni_simd chosen = ni_cpu_choose(&own, wanted);

    if (wanted != NI_SIMD_AUTO && chosen != wanted) {
        ni_log_limited(&limit, NI_LOG_WARN, "simd = %s, but this processor has only %s; using that",
                       ni_simd_name(wanted), ni_simd_name(chosen));
    }
    return chosen;
}

const char *ni_simd_name(enum ni_simd simd)
{
#define NI_SIMD_TEXT(constant, text) text,
    static const char *const names[] = {NI_SIMD_LIST(NI_SIMD_TEXT)};
#undef NI_SIMD_TEXT

    return (unsigned)simd < NI_ARRAY_LENGTH(names) ? names[simd] : "unknown";
}
