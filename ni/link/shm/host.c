/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <unistd.h>

#include "base/boot.h"
#include "link/shm/shm.h"

/*
 * What makes two processes neighbours: the same boot of the same kernel. Containers on one host
 * share it; virtual machines do not. Namespaces decide which ways there are from one to the other.
 */

struct ni_shm_host ni_shm_host_find(uint64_t host_key)
{
    return (struct ni_shm_host){
        .host = ni_boot_id() ^ host_key * UINT64_C(0x9e3779b97f4a7c15), /* odd: keys stay apart */
        .pid_ns = ni_name_space("/proc/self/ns/pid"),
        .net_ns = ni_name_space("/proc/self/ns/net"),
        .user_ns = ni_name_space("/proc/self/ns/user"),
        .uid = (uint32_t)geteuid(),
        .real_uid = (uint32_t)getuid(),
    };
}

ni_status ni_shm_blob_check(const struct ni_shm_link *link, const void *bytes, size_t len,
                            struct ni_shm_blob *result, char *reason, size_t reason_size)
{
    const struct ni_shm_host *host = &link->host;
    struct ni_shm_blob blob;

    if (len != sizeof(blob)) {
        return ni_link_refuse(NI_ERR_PROTOCOL, "not an address of the shared memory link", reason,
                              reason_size);
    }
    memcpy(&blob, bytes, sizeof(blob));
    if (blob.magic != NI_SHM_BLOB_MAGIC || blob.size != sizeof(blob) || blob.pid == 0 ||
        blob.pid > INT32_MAX || blob.fd > INT32_MAX) {
        return ni_link_refuse(NI_ERR_PROTOCOL, "not an address of the shared memory link", reason,
                              reason_size);
    }
    if (blob.version != NI_SHM_VERSION) {
        return ni_link_refuse(NI_ERR_UNREACHABLE,
                              "the peer runs another version of apelink; use one version for all",
                              reason, reason_size);
    }
    if (blob.host != host->host) {
        return ni_link_refuse(NI_ERR_UNREACHABLE, "the peer is on another host", reason,
                              reason_size);
    }
    if (blob.job_key != link->blob.job_key && blob.job_key != 0 && link->blob.job_key != 0) {
        return ni_link_refuse(NI_ERR_UNREACHABLE, "the peer belongs to another job", reason,
                              reason_size);
    }
    if (blob.user_ns == host->user_ns && blob.uid != host->uid && blob.uid != 0 && host->uid != 0) {
        return ni_link_refuse(NI_ERR_UNREACHABLE, "the peer belongs to another user", reason,
                              reason_size);
    }
    if (blob.pid_ns != host->pid_ns && blob.net_ns != host->net_ns) {
        return ni_link_refuse(
            NI_ERR_UNREACHABLE,
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
