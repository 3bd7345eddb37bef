/* SPDX-License-Identifier: BSD-3-Clause */
/* How this was built, and for what processor the code chooses at run time. */
#include "info.h"

#include <stdio.h>

#include "apelink_config.h"
#include "base/assert.h"
#include "base/compiler.h"
#include "base/cpu.h"
#include "link/link.h"

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif
#ifndef TSAN
#define TSAN 0
#endif

/* "shm (processes of this host), ..." */
static void add_links(struct info_facts *facts)
{
    char text[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < ni_link_count && used < sizeof(text); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%s)", i == 0 ? "" : ", ",
                                 ni_links[i]->name, ni_links[i]->help);
    }
    info_add_text(facts, "links", "%s", text);
}

void info_gather_build(struct info_facts *facts)
{
    facts->key = "build";
    facts->title = "Build";
    info_add_text(facts, "version", "%s", PACKAGE_VERSION);
#if defined(__clang__)
    info_add_text(facts, "compiler", "%s", __VERSION__);
#else
    info_add_text(facts, "compiler", "gcc %s", __VERSION__);
#endif
    info_add_flag(facts, "assertions", NI_DEBUG, NULL);
    info_add_text(facts, "sanitizer", "%s", NI_ASAN ? "address" : TSAN ? "thread" : "none");
    add_links(facts);
#ifdef NI_HAVE_HWLOC
    info_add_flag(facts, "hwloc", true, NULL);
#else
    info_add_flag(facts, "hwloc", false, NULL);
#endif
}

void info_gather_cpu(struct info_facts *facts)
{
    struct ni_cpu cpu = ni_cpu_probe();

    facts->key = "processor";
    facts->title = "Processor";
    info_add_flag(facts, "sse4_2", cpu.sse42, NULL);
    info_add_flag(facts, "avx2", cpu.avx2, NULL);
    info_add_flag(facts, "avx512f", cpu.avx512f, NULL);
    info_add_flag(facts, "avx512bw", cpu.avx512bw, NULL);
    info_add_flag(facts, "avx512vl", cpu.avx512vl, NULL);
    info_add_flag(facts, "clflushopt", cpu.clflushopt, NULL);
    info_add_flag(facts, "movdir64b", cpu.movdir64b, NULL);
    info_add_text(facts, "vector_code", "%s", ni_simd_name(ni_cpu_simd()));
}
