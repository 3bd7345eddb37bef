/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "link/shm/shm.h"

/*
 * What makes two processes neighbours: the same boot of the same kernel. Containers on one host
 * share it; virtual machines do not. Namespaces decide which ways there are from one to the other.
 */

static uint64_t hash_text(const char *text, size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ (uint8_t)text[i]) * UINT64_C(1099511628211);
    }
    return hash;
}

static uint64_t boot_id(void)
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

static uint64_t name_space(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

struct ni_shm_host ni_shm_host_find(uint64_t host_key)
{
    return (struct ni_shm_host){
        .host = boot_id() ^ host_key * UINT64_C(0x9e3779b97f4a7c15), /* odd: keys stay apart */
        .pid_ns = name_space("/proc/self/ns/pid"),
        .net_ns = name_space("/proc/self/ns/net"),
        .user_ns = name_space("/proc/self/ns/user"),
        .uid = (uint32_t)geteuid(),
        .real_uid = (uint32_t)getuid(),
    };
}

static ni_status refuse(ni_status status, const char *why, char *reason, size_t reason_size)
{
    if (reason != NULL && reason_size != 0) {
        snprintf(reason, reason_size, "%s", why);
    }
    return status;
}

ni_status ni_shm_blob_check(const struct ni_shm_link *link, const void *bytes, size_t len,
                            struct ni_shm_blob *result, char *reason, size_t reason_size)
{
    const struct ni_shm_host *host = &link->host;
    struct ni_shm_blob blob;

    if (len != sizeof(blob)) {
        return refuse(NI_ERR_PROTOCOL, "not an address of the shared memory link", reason,
                      reason_size);
    }
    memcpy(&blob, bytes, sizeof(blob));
    if (blob.magic != NI_SHM_BLOB_MAGIC || blob.size != sizeof(blob) || blob.pid == 0 ||
        blob.pid > INT32_MAX || blob.fd > INT32_MAX) {
        return refuse(NI_ERR_PROTOCOL, "not an address of the shared memory link", reason,
                      reason_size);
    }
    if (blob.version != NI_SHM_VERSION) {
        return refuse(NI_ERR_UNREACHABLE,
                      "the peer runs another version of apelink; use one version for all", reason,
                      reason_size);
    }
    if (blob.host != host->host) {
        return refuse(NI_ERR_UNREACHABLE, "the peer is on another host", reason, reason_size);
    }
    if (blob.job_key != link->blob.job_key && blob.job_key != 0 && link->blob.job_key != 0) {
        return refuse(NI_ERR_UNREACHABLE, "the peer belongs to another job", reason, reason_size);
    }
    if (blob.user_ns == host->user_ns && blob.uid != host->uid && blob.uid != 0 && host->uid != 0) {
        return refuse(NI_ERR_UNREACHABLE, "the peer belongs to another user", reason, reason_size);
    }
    if (blob.pid_ns != host->pid_ns && blob.net_ns != host->net_ns) {
        return refuse(NI_ERR_UNREACHABLE,
                      "the peer is in another container: neither its processes nor its sockets "
                      "are visible; share the pid or the network namespace",
                      reason, reason_size);
    }
    *result = blob;
    return NI_OK;
}

bool ni_shm_elsewhere(struct ni_link *base, const void *bytes, size_t len)
{
    struct ni_shm_blob blob;

    if (len != sizeof(blob)) {
        return false;
    }
    memcpy(&blob, bytes, sizeof(blob));
    return blob.magic == NI_SHM_BLOB_MAGIC && blob.version == NI_SHM_VERSION &&
           blob.host != ni_shm_link_of(base)->host.host;
}
