/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that stands in for libcuda: it takes ranges of host memory for memory of a GPU, or for
 * memory that both share, as the program says. What is on the GPU is there with other bits, so that
 * code that reads it without a copy is found out.
 */
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
void cuda_like_mark(const void *begin, uint64_t bytes, unsigned managed);
int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes);
int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes);
#pragma GCC visibility pop

enum { OTHER_BITS = 0x55, INVALID_CONTEXT = 201 };
enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    CONTEXT = 1,
    MEMORY_TYPE = 2,
    IS_MANAGED = 8,
    DEVICE = 2,
    RANGES = 4
};

static struct range {
    uintptr_t begin, end;
    unsigned managed;
} ranges[RANGES];
static unsigned count;

void cuda_like_mark(const void *begin, uint64_t bytes, unsigned managed)
{
    ranges[count % RANGES] =
        (struct range){(uintptr_t)begin, (uintptr_t)begin + (uintptr_t)bytes, managed};
    count++;
}

static char the_context;
static _Thread_local int contexts; /* that are current */

static const struct range *range_of(unsigned long long pointer)
{
    for (unsigned i = 0; i < count && i < RANGES; i++) {
        if (pointer >= ranges[i].begin && pointer < ranges[i].end) {
            return &ranges[i];
        }
    }
    return NULL;
}

int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer)
{
    const struct range *range = range_of(pointer);

    if (range == NULL) {
        return INVALID_VALUE;
    }
    if (attribute == CONTEXT) {
        *(void **)value = &the_context;
    } else {
        *(unsigned *)value = attribute == MEMORY_TYPE  ? DEVICE
                             : attribute == IS_MANAGED ? range->managed
                                                       : 0;
    }
    return SUCCESS;
}

int cuCtxPushCurrent_v2(void *context)
{
    contexts += context == &the_context;
    return context == &the_context ? SUCCESS : INVALID_VALUE;
}

int cuCtxPopCurrent_v2(void **context)
{
    *context = &the_context;
    return contexts-- > 0 ? SUCCESS : INVALID_CONTEXT;
}

static int copy(char *to, const char *from, size_t bytes, const struct range *range,
                unsigned long long on_device)
{
    if (contexts != 1) {
        return INVALID_CONTEXT;
    }
    if (range == NULL || on_device + bytes > range->end) {
        return INVALID_VALUE;
    }
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (char)(from[i] ^ OTHER_BITS);
    }
    return SUCCESS;
}

int cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    return copy(to, (const char *)(uintptr_t)from, bytes, range_of(from), from);
}

int cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    return copy((char *)(uintptr_t)to, from, bytes, range_of(to), to);
}
