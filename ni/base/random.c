/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/random.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <apeni/log.h>

uint64_t ni_random_key(void)
{
    uint64_t key = 0;

    while (key == 0) {
        ssize_t n = getrandom(&key, sizeof key, 0);

        if (n == (ssize_t)sizeof key) {
            continue;
        }
        key = 0;
        if (n < 0 && errno != EINTR) {
            ni_log(NI_LOG_ERROR,
                   "getrandom: %s. Without random bytes from the kernel, keys would be guessable; "
                   "allow this system call in the sandbox or container.",
                   strerror(errno));
            abort();
        }
    }
    return key;
}
