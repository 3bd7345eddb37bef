/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/descriptor.h"
#include "base/log.h"
#include "link/shm/shm.h"

/*
 * Segments handed out by their owners, for those who may not open /proc/<pid>/fd/<n>: across user
 * or pid namespaces.
 *
 * Each NI has one datagram socket with an abstract name, which vanishes with the process. Who wants
 * a segment sends ASK with the segment's key; the owner, when it next makes progress, answers GIVE
 * with a descriptor. Both come with the credentials of the sender as the kernel sees them: the user
 * must be ours or root. A question or an answer that is lost, because a queue is full, is simply
 * asked again.
 *
 * Whatever does not know a secret of the receiver's gets no place in its queue, which is short:
 * others could keep it full. Questions and wakes know the key of the segment, answers the nonce of
 * whom they answer; the kernel drops all else before it is queued.
 *
 * Descriptors that nobody waits for are never received: see segment.h for what closing one could
 * do. So a datagram is looked at first, and then received with room for what is expected.
 *
 * Who sleeps on descriptors of several links is woken by a datagram, WAKE, which says nothing else
 * and is dropped. If it finds the queue full, another one has woken the sleeper.
 */

enum { KIND_ASK = 1, KIND_GIVE = 2, KIND_WAKE = 3, POLL_MAX = 16 };
#define MESSAGE_MAGIC UINT32_C(0x51536e41)

struct message {
    uint32_t magic;
    uint32_t kind;
    uint64_t nonce; /* of who asks, repeated in the answer */
    uint64_t key;   /* of the segment: asked for, given, or whose owner is woken */
};
_Static_assert(sizeof(struct message) == 24, "a filter looks at it");

/* A received message with what came beside it. */
struct arrival {
    struct message message;
    struct sockaddr_un from;
    socklen_t from_len;
    struct ucred cred;
    bool has_cred;
    int fd;   /* -1: none */
    bool cut; /* there was something that this process could not have */
};

static socklen_t make_name(uint64_t name, struct sockaddr_un *address)
{
    int len;

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    /* Abstract names begin with a zero byte and have no terminating one. */
    len = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "apelink-%016llx",
                   (unsigned long long)name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

static int make_socket(void)
{
    return ni_descriptor_keep(socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

/* The word at this place of a datagram. */
#define LOAD(place) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(place))
/* Skip so many statements if what was loaded is this, or otherwise so many. */
#define SKIP_IF(value, so, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, so, otherwise)

/* Have the kernel queue only what is a message with this key or this nonce. */
static bool filter(int fd, uint64_t key, uint64_t nonce)
{
    enum { KEY = offsetof(struct message, key), NONCE = offsetof(struct message, nonce) };
    uint32_t keys[2], nonces[2]; /* as they lie in memory */

    memcpy(keys, &key, sizeof(key));
    memcpy(nonces, &nonce, sizeof(nonce));
    {
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
            SKIP_IF(sizeof(struct message), 0, 9),
            LOAD(KEY),
            SKIP_IF(htonl(keys[0]), 0, 2),
            LOAD(KEY + 4),
            SKIP_IF(htonl(keys[1]), 4, 0),
            LOAD(NONCE),
            SKIP_IF(htonl(nonces[0]), 0, 3),
            LOAD(NONCE + 4),
            SKIP_IF(htonl(nonces[1]), 0, 1),
            BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
            BPF_STMT(BPF_RET | BPF_K, 0),
        };
        const struct sock_fprog program = {NI_ARRAY_LENGTH(code), code};

        return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0;
    }
}

int ni_shm_socket_open(const struct ni_shm_blob *blob, uint64_t nonce)
{
    struct sockaddr_un address;
    socklen_t len = make_name(blob->socket, &address);
    int on = 1;
    int fd = make_socket();

    if (fd < 0) {
        ni_log(NI_LOG_INFO, "no socket for peers in other namespaces: %s", strerror(errno));
        return -1;
    }
    if (!filter(fd, blob->key, nonce)) {
        ni_log(NI_LOG_INFO, "others may fill the socket for peers in other namespaces: %s",
               strerror(errno));
    }
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0 ||
        bind(fd, (struct sockaddr *)&address, len) != 0) {
        ni_log(NI_LOG_INFO, "no socket for peers in other namespaces: %s", strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

ni_status ni_shm_socket_ask(struct ni_shm_link *link, const struct ni_shm_peer *peer)
{
    struct message message = {
        .magic = MESSAGE_MAGIC, .kind = KIND_ASK, .nonce = link->nonce, .key = peer->blob.key};
    struct sockaddr_un address;
    socklen_t len = make_name(peer->blob.socket, &address);

    if (link->socket < 0) {
        return NI_ERR_UNREACHABLE;
    }
    if (sendto(link->socket, &message, sizeof(message), MSG_NOSIGNAL, (struct sockaddr *)&address,
               len) >= 0) {
        return NI_OK;
    }
    return errno == EAGAIN || errno == EINTR || errno == ENOBUFS || errno == ENOMEM
               ? NI_OK
               : NI_ERR_UNREACHABLE;
}

/* One socket for all that this process wakes, made at first need and never closed. */
static int waker(void)
{
    static _Atomic int shared = -1;
    int fd = atomic_load_explicit(&shared, memory_order_relaxed);
    int none = -1;

    if (fd < 0) {
        fd = make_socket();
        if (fd >= 0 && !atomic_compare_exchange_strong_explicit(
                           &shared, &none, fd, memory_order_relaxed, memory_order_relaxed)) {
            close(fd);
            fd = none; /* another thread's */
        }
    }
    return fd;
}

void ni_shm_socket_wake(uint64_t name, uint64_t key)
{
    const struct message message = {.magic = MESSAGE_MAGIC, .kind = KIND_WAKE, .key = key};
    struct sockaddr_un address;
    socklen_t len = make_name(name, &address);

    /* If it fails, the sleeper wakes by itself before long. */
    (void)sendto(waker(), &message, sizeof(message), MSG_NOSIGNAL, (struct sockaddr *)&address,
                 len);
}

static void give_descriptor(struct ni_shm_link *link, const struct arrival *arrival)
{
    struct message message = arrival->message;
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec iov = {.iov_base = &message, .iov_len = sizeof(message)};
    struct sockaddr_un to = arrival->from;
    struct msghdr header = {.msg_name = &to,
                            .msg_namelen = arrival->from_len,
                            .msg_iov = &iov,
                            .msg_iovlen = 1,
                            .msg_control = control.bytes,
                            .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *cmsg = CMSG_FIRSTHDR(&header);

    message.kind = KIND_GIVE;
    cmsg->cmsg_level = SOL_SOCKET;
    cmsg->cmsg_type = SCM_RIGHTS;
    cmsg->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(cmsg), &link->segment->fd, sizeof(int));
    /* If it fails, the other side asks again. */
    (void)sendmsg(link->socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void read_control(struct msghdr *header, struct arrival *arrival)
{
    for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(header); cmsg != NULL;
         cmsg = CMSG_NXTHDR(header, cmsg)) {
        if (cmsg->cmsg_level != SOL_SOCKET) {
            continue;
        }
        if (cmsg->cmsg_type == SCM_CREDENTIALS &&
            cmsg->cmsg_len >= CMSG_LEN(sizeof(arrival->cred))) {
            memcpy(&arrival->cred, CMSG_DATA(cmsg), sizeof(arrival->cred));
            arrival->has_cred = true;
        } else if (cmsg->cmsg_type == SCM_RIGHTS) {
            size_t count = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);

            /* Padding may make room for a second one. */
            for (size_t i = 0; i < count; i++) {
                int fd;

                memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(int));
                if (arrival->fd < 0) {
                    arrival->fd = fd;
                } else {
                    ni_shm_discard(fd);
                }
            }
        }
    }
}

/* The next datagram, with a descriptor only if wanted. false: it was none of ours. */
static bool receive(int fd, bool with_fd, struct arrival *arrival)
{
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = {.iov_base = &arrival->message, .iov_len = sizeof(arrival->message)};
    struct msghdr header = {
        .msg_name = &arrival->from,
        .msg_namelen = sizeof(arrival->from),
        .msg_iov = &iov,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        /* The kernel puts credentials first and drops descriptors that find no room. */
        .msg_controllen = with_fd ? sizeof(control.bytes) : CMSG_SPACE(sizeof(struct ucred))};
    ssize_t len = recvmsg(fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

    arrival->fd = -1;
    arrival->has_cred = false;
    arrival->from_len = header.msg_namelen;
    arrival->cut = (header.msg_flags & MSG_CTRUNC) != 0;
    if (len < 0) {
        return false;
    }
    read_control(&header, arrival);
    return len == (ssize_t)sizeof(arrival->message);
}

/* The peer that waits for this answer. */
static struct ni_shm_peer *find_asker(struct ni_shm_link *link, const struct message *answer)
{
    struct ni_shm_peer *found = NULL;

    pthread_mutex_lock(&link->lock);
    for (NI_LIST_EACH(node, &link->peers)) {
        struct ni_shm_peer *peer = ni_container_of(node, struct ni_shm_peer, list);

        if (peer->asked && answer->nonce == link->nonce && answer->key == peer->key) {
            found = peer;
            break;
        }
    }
    pthread_mutex_unlock(&link->lock);
    return found;
}

/* Credentials tell the real user. */
static bool trusted(const struct ni_shm_link *link, const struct arrival *arrival)
{
    return arrival->has_cred && (arrival->cred.uid == link->host.real_uid ||
                                 arrival->cred.uid == link->host.uid || arrival->cred.uid == 0);
}

static void take_socket_answer(struct ni_shm_link *link, struct arrival *arrival)
{
    static struct ni_log_limit limit = NI_LOG_LIMIT(1);
    struct ni_shm_peer *peer = find_asker(link, &arrival->message);
    struct ni_shm_segment *segment;
    ni_status status;

    if (arrival->fd < 0) {
        if (arrival->cut) {
            ni_log_limited(&limit, NI_LOG_WARN,
                           "no descriptor is left for another process of the host; trying "
                           "again. Raise the limit of open files (ulimit -n)");
        }
        return;
    }
    if (peer == NULL || !trusted(link, arrival)) {
        ni_shm_discard(arrival->fd);
        return;
    }
    status = ni_shm_segment_adopt(arrival->fd, &peer->blob, &segment);
    peer->asked = false;
    atomic_fetch_sub_explicit(&link->connecting, 1, memory_order_relaxed);
    if (status != NI_OK) {
        ni_shm_end(peer, status);
        return;
    }
    peer->pid = arrival->cred.pid > 0 ? arrival->cred.pid : 0;
    atomic_store_explicit(&peer->segment, segment, memory_order_release); /* E3 */
}

void ni_shm_socket_poll(struct ni_shm_link *link)
{
    struct message peek;
    ssize_t len;

    if (link->socket < 0) {
        return;
    }
    for (int i = 0; i < POLL_MAX; i++) {
        struct arrival arrival;
        bool is_answer;

        len = recv(link->socket, &peek, sizeof(peek), MSG_PEEK | MSG_DONTWAIT);
        if (len < 0) {
            return;
        }
        is_answer = len == (ssize_t)sizeof(peek) && peek.magic == MESSAGE_MAGIC &&
                    peek.kind == KIND_GIVE && find_asker(link, &peek) != NULL;
        if (!receive(link->socket, is_answer, &arrival)) {
            if (arrival.fd >= 0) {
                ni_shm_discard(arrival.fd);
            }
        } else if (is_answer) {
            take_socket_answer(link, &arrival);
        } else if (arrival.message.magic == MESSAGE_MAGIC && arrival.message.kind == KIND_ASK &&
                   arrival.message.key == link->blob.key && trusted(link, &arrival)) {
            give_descriptor(link, &arrival);
        }
    }
}
