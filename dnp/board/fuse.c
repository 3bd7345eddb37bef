/* SPDX-License-Identifier: BSD-3-Clause */
/* Serves a device by FUSE. */
#include "dnp/board/fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <apeni/log.h>

#include "base/alloc.h"
#include "dnp/board/fuse_protocol.h"

enum {
    ROOT = FUSE_ROOT_ID,
    INODE = 2,     /* the number of the file's inode, as programs see it */
    REQUESTS = 16, /* taken at once */
};

struct request {
    struct board_fuse *fuse;
    const struct fuse_in_header *header;
    const void *body;
    size_t len; /* of the body */
};

bool board_fuse_answer(int fd, uint64_t unique, int error, const void *first, size_t first_len,
                       const void *second, size_t second_len)
{
    bool good = error >= 0;
    struct fuse_out_header header = {.len = sizeof header, .error = error, .unique = unique};
    struct iovec parts[3] = {{&header, sizeof header},
                             {(void *)(uintptr_t)first, good ? first_len : 0},
                             {(void *)(uintptr_t)second, good ? second_len : 0}};

    header.len += (uint32_t)(parts[1].iov_len + parts[2].iov_len);
    return writev(fd, parts, 3) >= 0;
}

static void answer(const struct request *request, int error, const void *bytes, size_t len)
{
    (void)board_fuse_answer(request->fuse->fd, request->header->unique, error, bytes, len, NULL, 0);
}

static struct fuse_attr attributes(const struct board_fuse *fuse, uint64_t node)
{
    struct fuse_attr attr = {.ino = ROOT,
                             .mode = S_IFDIR | 0755,
                             .nlink = 2,
                             .uid = fuse->user,
                             .gid = fuse->group,
                             .blksize = DNP_PAGE};

    if (node != ROOT) {
        attr.ino = INODE;
        attr.mode = S_IFREG | fuse->mode;
        attr.nlink = 1;
        attr.size = BOARD_MEMORY;
    }
    return attr;
}

/* Each time another inode, so that each open has memory of its own. */
static void do_lookup(const struct request *request)
{
    struct fuse_entry_out out = {.nodeid = 0};
    size_t len = sizeof BOARD_DEVICE_NAME;

    if (request->header->nodeid != ROOT || request->len < len ||
        memcmp(request->body, BOARD_DEVICE_NAME, len) != 0) {
        answer(request, -ENOENT, NULL, 0);
        return;
    }
    out.nodeid = ++request->fuse->node;
    out.attr = attributes(request->fuse, out.nodeid);
    answer(request, 0, &out, sizeof out);
}

static void do_getattr(const struct request *request)
{
    struct fuse_attr_out out = {.attr_valid = 1};

    out.attr = attributes(request->fuse, request->header->nodeid);
    answer(request, 0, &out, sizeof out);
}

/* Give an inode memory; 0 or a negative errno. */
static int back(struct board_open *open)
{
    struct board_fuse_backing_map map = {.fd = open->file.memory_fd};

    open->backing = ioctl(open->fuse->fd, BOARD_FUSE_BACKING_OPEN, &map);
    return open->backing > 0 ? 0 : -errno;
}

static void forget_file(struct board_open *open)
{
    struct board_open **at = &open->fuse->files;
    uint32_t backing = (uint32_t)open->backing;

    while (*at != open) {
        at = &(*at)->next;
    }
    *at = open->next;
    open->fuse->count--;
    board_wait_end_all(open, -ENOTCONN);
    board_death_forget(open);
    (void)ioctl(open->fuse->fd, BOARD_FUSE_BACKING_CLOSE, &backing);
    board_file_close(&open->file);
    free(open);
}

/* The new file is the first of the list. */
static int open_file(struct board_fuse *fuse, uint64_t node, bool writable)
{
    struct board_open *open;
    int error;

    for (open = fuse->files; open != NULL; open = open->next) {
        if (open->node == node) {
            return -EBUSY; /* by /proc/PID/fd: its memory is another's */
        }
    }
    open = fuse->count < BOARD_FILES_MAX ? ni_calloc(1, sizeof *open) : NULL;
    if (open == NULL) {
        return fuse->count < BOARD_FILES_MAX ? -ENOMEM : -ENFILE;
    }
    open->fuse = fuse;
    open->node = node;
    open->process_fd = -1;
    error = board_file_open(fuse->device, &open->file, writable);
    if (error == 0) {
        error = back(open);
        if (error != 0) {
            board_file_close(&open->file);
        }
    }
    if (error != 0) {
        free(open);
        return error;
    }
    open->next = fuse->files;
    fuse->files = open;
    fuse->count++;
    return 0;
}

static void do_open(const struct request *request)
{
    const struct fuse_open_in *in = request->body;
    struct board_fuse *fuse = request->fuse;
    struct board_fuse_open_out out = {.open_flags = FOPEN_DIRECT_IO | BOARD_FOPEN_PASSTHROUGH};
    bool writable = (in->flags & O_ACCMODE) == O_RDWR;
    int error = request->header->nodeid == ROOT
                    ? -EISDIR
                    : open_file(fuse, request->header->nodeid, writable);

    if (error != 0) {
        answer(request, error, NULL, 0);
        return;
    }
    out.fh = (uint64_t)(uintptr_t)fuse->files;
    out.backing_id = fuse->files->backing;
    if (!board_fuse_answer(fuse->fd, request->header->unique, 0, &out, sizeof out, NULL, 0)) {
        forget_file(fuse->files); /* there will be no release */
    }
}

/* Our own number of an open file, which the kernel gives back. */
static struct board_open *opened(uint64_t fh)
{
    return (struct board_open *)(uintptr_t)fh;
}

static void do_release(const struct request *request)
{
    const struct fuse_release_in *in = request->body;

    forget_file(opened(in->fh));
    answer(request, 0, NULL, 0);
}

static void do_ioctl(const struct request *request)
{
    const struct fuse_ioctl_in *in = request->body;
    struct board_caller caller = {.thread = (pid_t)request->header->pid,
                                  .privileged = request->header->uid == 0};
    struct board_open *open = opened(in->fh);
    struct fuse_ioctl_out out = {0};
    struct apelink_wait wait;
    uint8_t structure[FUSE_ANSWER_MAX];
    size_t len = in->in_size;
    int status;

    if (len > sizeof structure || request->len < sizeof *in + len) {
        answer(request, -EINVAL, NULL, 0);
        return;
    }
    memcpy(structure, in + 1, len);
    status = board_file_ioctl(&open->file, &caller, in->cmd, structure, len, &wait);
    if (status == 0 && open->file.port >= 0 && open->process_fd < 0) {
        status = board_death_watch(open);
        if (status != 0) {
            board_file_leave(&open->file);
        }
    }
    if (status == BOARD_LATER) {
        status = board_wait_begin(open, request->header->unique, &wait, structure, len);
        if (status == 0) {
            return;
        }
    }
    (void)board_fuse_answer(request->fuse->fd, request->header->unique, status, &out, sizeof out,
                            structure, in->out_size < len ? in->out_size : len);
}

static void do_poll(const struct request *request)
{
    const struct fuse_poll_in *in = request->body;
    struct board_open *open = opened(in->fh);
    struct fuse_poll_out out = {0};

    out.revents = open->file.port < 0                  ? POLLERR
                  : board_file_has_events(&open->file) ? POLLIN | POLLRDNORM
                                                       : 0;
    if ((in->flags & FUSE_POLL_SCHEDULE_NOTIFY) != 0) {
        open->poll_handle = in->kh;
        open->polled = true;
    }
    answer(request, 0, &out, sizeof out);
}

static void put_entry(uint8_t *bytes, size_t *len, const char *name, uint64_t inode, mode_t type)
{
    struct fuse_dirent entry = {.ino = inode,
                                .off = *len + 1,
                                .namelen = (uint32_t)strlen(name),
                                .type = (uint32_t)type >> 12};

    memcpy(bytes + *len, &entry, FUSE_NAME_OFFSET);
    memcpy(bytes + *len + FUSE_NAME_OFFSET, name, entry.namelen);
    *len += FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + entry.namelen);
}

/* All at once: they are few. */
static void do_readdir(const struct request *request)
{
    const struct fuse_read_in *in = request->body;
    _Alignas(8) uint8_t bytes[256] = {0};
    size_t len = 0;

    if (in->offset == 0 && in->size >= sizeof bytes) {
        put_entry(bytes, &len, ".", ROOT, S_IFDIR);
        put_entry(bytes, &len, "..", ROOT, S_IFDIR);
        put_entry(bytes, &len, BOARD_DEVICE_NAME, INODE, S_IFREG);
    }
    answer(request, 0, bytes, len);
}

static void do_request(const struct request *request)
{
    static const struct fuse_open_out directory;
    static const struct fuse_statfs_out statistics;
    const struct fuse_interrupt_in *interrupt = request->body;

    switch (request->header->opcode) {
    case FUSE_LOOKUP:
        do_lookup(request);
        break;
    case FUSE_GETATTR:
        do_getattr(request);
        break;
    case FUSE_OPEN:
        do_open(request);
        break;
    case FUSE_RELEASE:
        do_release(request);
        break;
    case FUSE_IOCTL:
        do_ioctl(request);
        break;
    case FUSE_POLL:
        do_poll(request);
        break;
    case FUSE_OPENDIR:
        answer(request, 0, &directory, sizeof directory);
        break;
    case FUSE_READDIR:
        do_readdir(request);
        break;
    case FUSE_RELEASEDIR:
        answer(request, 0, NULL, 0);
        break;
    case FUSE_STATFS:
        answer(request, 0, &statistics, sizeof statistics);
        break;
    case FUSE_INTERRUPT:
        board_wait_interrupt(request->fuse, interrupt->unique);
        break;
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
        break; /* inodes take no memory here; no answer is wanted */
    case FUSE_READ:
    case FUSE_WRITE:
        answer(request, -EINVAL, NULL, 0);
        break;
    case FUSE_SETATTR:
        answer(request, -EPERM, NULL, 0);
        break;
    default:
        answer(request, -ENOSYS, NULL, 0);
    }
}

static void on_request(evutil_socket_t fd, short what, void *arg)
{
    struct board_fuse *fuse = arg;
    _Alignas(8) uint8_t bytes[FUSE_REQUEST_MAX];

    (void)what;
    fuse->before(fuse->arg);
    for (int i = 0; i < REQUESTS; i++) {
        ssize_t len = read(fd, bytes, sizeof bytes);
        struct request request = {.fuse = fuse, .header = (const struct fuse_in_header *)bytes};

        if (len < 0 && errno == ENODEV) {
            ni_log(NI_LOG_WARN, "apelink-board: device %s was unmounted; programs cannot open it",
                   fuse->directory);
            event_del(fuse->readable);
        }
        if (len < (ssize_t)sizeof *request.header) {
            break;
        }
        request.body = request.header + 1;
        request.len = (size_t)len - sizeof *request.header;
        do_request(&request);
    }
    fuse->after(fuse->arg);
}

ni_status board_fuse_open(struct board_fuse *fuse, struct board_device *device,
                          const char *directory, mode_t mode, struct event_base *base,
                          void (*before)(void *arg), void (*after)(void *arg), void *arg)
{
    *fuse = (struct board_fuse){.device = device,
                                .base = base,
                                .directory = directory,
                                .mode = mode,
                                .node = ROOT,
                                .before = before,
                                .after = after,
                                .arg = arg};
    fuse->fd = board_fuse_mount(fuse);
    if (fuse->fd < 0) {
        return NI_ERR_SYSTEM;
    }
    fuse->readable = event_new(base, fuse->fd, EV_READ | EV_PERSIST, on_request, fuse);
    return fuse->readable != NULL && event_add(fuse->readable, NULL) == 0 ? NI_OK : NI_ERR_NOMEM;
}

void board_fuse_close(struct board_fuse *fuse)
{
    if (fuse->fd < 0) {
        return;
    }
    while (fuse->files != NULL) {
        forget_file(fuse->files);
    }
    if (fuse->readable != NULL) {
        event_free(fuse->readable);
    }
    board_fuse_unmount(fuse->directory);
    close(fuse->fd);
    fuse->fd = -1;
}

void board_fuse_wake(struct board_fuse *fuse, unsigned channels)
{
    for (struct board_open *open = fuse->files; open != NULL && channels != 0; open = open->next) {
        if (open->file.port >= 0 && (channels & 1U << open->file.port) != 0) {
            board_wait_wake(open);
        }
    }
}
