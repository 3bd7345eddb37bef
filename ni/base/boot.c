/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/boot.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

uint64_t ni_boot_id(void)
{
    char text[64];
    struct utsname name;
    ssize_t len = -1;
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        len = read(fd, text, sizeof(text));
        close(fd);
    }
    if (len > 0) {
        return hash_text(text, (size_t)len);
    }
    /* Without /proc: the host's name has to do; a wrong guess is noticed when the segment is not
     * there. */
    return uname(&name) == 0 ? hash_text(name.nodename, strlen(name.nodename)) : 0;
}

uint64_t ni_name_space(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

uint64_t ni_clock_name(void)
{
    return ni_boot_id() ^ ni_name_space("/proc/self/ns/time") * UINT64_C(0x9e3779b97f4a7c15);
}
