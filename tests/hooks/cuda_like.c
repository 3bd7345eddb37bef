/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library that stands in for libcuda: it takes ranges of host memory for memory of a GPU, or for
 * memory that both share, as the program says.
 */
#include <stdint.h>

#pragma GCC visibility push(default)
void cuda_like_mark(const void *begin, uint64_t bytes, unsigned managed);
int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer);
#pragma GCC visibility pop

enum { SUCCESS = 0, INVALID_VALUE = 1, MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE = 2, RANGES = 4 };

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

int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer)
{
    for (unsigned i = 0; i < count && i < RANGES; i++) {
        if (pointer >= ranges[i].begin && pointer < ranges[i].end) {
            *(unsigned *)value = attribute == MEMORY_TYPE  ? DEVICE
                                 : attribute == IS_MANAGED ? ranges[i].managed
                                                           : 0;
            return SUCCESS;
        }
    }
    return INVALID_VALUE;
}
