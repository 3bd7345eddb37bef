/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_COMPILER_H
#define NI_BASE_COMPILER_H

/*
 * The few compiler properties that the core relies on, under names that say what they are for.
 */

/* The unit in which cores exchange memory. Fixed, because it is part of what processes share. */
#define NI_CACHE_LINE 64

#define NI_LIKELY(x)   __builtin_expect(!!(x), 1)
#define NI_UNLIKELY(x) __builtin_expect(!!(x), 0)

/* A function that logs, allocates or handles errors: kept out of line and away from the hot
 * code. */
#define NI_COLD __attribute__((noinline, cold))

/* A function whose registers its caller should not pay for. */
#define NI_NOINLINE __attribute__((noinline))

/* A function of the hot path that must not become a call, whatever its size. */
#define NI_ALWAYS_INLINE static inline __attribute__((always_inline))

/* For declarations of hot variables: reached without the indirection that an exported one needs. */
#define NI_HIDDEN __attribute__((visibility("hidden")))

/* The member or variable begins a cache line of its own. */
#define NI_LINE_ALIGNED _Alignas(NI_CACHE_LINE)

/* Tell the core that it spins: the other hardware thread gets its units, the exit is cheaper. */
static inline void ni_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Read a word that is polled no sooner than what was read before is here. Otherwise several reads
 * of it are under way at a time, and all that follows them starts anew when it changes. */
static inline void ni_read_apart(void)
{
#if defined(__x86_64__)
    __builtin_ia32_lfence();
#else
    ni_pause();
#endif
}

/* Ask for the line, to be written. Some processors bring it, and a store to it does not wait then;
 * others do not. */
static inline void ni_prefetch_write(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

/* 1 when the program is built with AddressSanitizer, ThreadSanitizer (gcc and clang say it
 * differently). */
#if defined(__SANITIZE_ADDRESS__)
#define NI_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define NI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NI_ASAN 1
#elif __has_feature(thread_sanitizer)
#define NI_TSAN 1
#endif
#endif
#ifndef NI_ASAN
#define NI_ASAN 0
#endif
#ifndef NI_TSAN
#define NI_TSAN 0
#endif

#endif
