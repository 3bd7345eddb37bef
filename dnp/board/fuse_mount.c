/* SPDX-License-Identifier: BSD-3-Clause */
/* Mounts the file system of a device. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <apeni/log.h>

#include "dnp/board/fuse_protocol.h"

enum { FUSE_MAGIC = 0x65735546, MAX_WRITE = 4096, MINOR = 40 };

void board_fuse_unmount(const char *directory)
{
    (void)umount2(directory, MNT_DETACH);
}

/* Look at the directory: not there, or served by another board? */
static bool look_at(struct board_fuse *fuse)
{
    struct stat about;
    struct statfs system;

    /* What stat says may be remembered from before; statfs always asks. */
    if (statfs(fuse->directory, &system) != 0 && errno == ENOTCONN) {
        board_fuse_unmount(fuse->directory); /* left behind by one that was killed */
    }
    if (stat(fuse->directory, &about) != 0 || statfs(fuse->directory, &system) != 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: device %s: %s; a directory is wanted", fuse->directory,
               strerror(errno));
        return false;
    }
    if (!S_ISDIR(about.st_mode)) {
        ni_log(NI_LOG_ERROR, "apelink-board: device %s is no directory", fuse->directory);
        return false;
    }
    if (system.f_type == FUSE_MAGIC) {
        ni_log(NI_LOG_ERROR, "apelink-board: device %s: a file system of FUSE is there already",
               fuse->directory);
        return false;
    }
    fuse->user = about.st_uid;
    fuse->group = about.st_gid;
    return true;
}

/* The kernel's first request says what it can. */
static bool shake_hands(const struct board_fuse *fuse, int fd)
{
    _Alignas(8) uint8_t request[FUSE_REQUEST_MAX];
    const struct fuse_in_header *header = (const struct fuse_in_header *)request;
    const struct fuse_init_in *in = (const struct fuse_init_in *)(header + 1);
    struct board_fuse_init_out out = {
        .major = FUSE_KERNEL_VERSION,
        .minor = MINOR,
        .flags = BOARD_FUSE_INIT_EXT,
        .max_background = 16,
        .congestion_threshold = 12,
        .max_write = MAX_WRITE,
        .time_gran = 1,
        .flags2 = BOARD_FUSE_PASSTHROUGH,
        .max_stack_depth = 1,
    };
    ssize_t len = read(fd, request, sizeof request);

    if (len < (ssize_t)(sizeof *header + sizeof *in) || header->opcode != FUSE_INIT ||
        in->major != FUSE_KERNEL_VERSION || (in->flags & BOARD_FUSE_INIT_EXT) == 0 ||
        (in->flags2 & BOARD_FUSE_PASSTHROUGH) == 0) {
        ni_log(NI_LOG_ERROR,
               "apelink-board: device %s: this kernel has no FUSE passthrough; Linux 6.9 or newer "
               "with CONFIG_FUSE_PASSTHROUGH is wanted",
               fuse->directory);
        return false;
    }
    (void)board_fuse_answer(fd, header->unique, 0, &out, sizeof out, NULL, 0);
    return true;
}

int board_fuse_mount(struct board_fuse *fuse)
{
    char options[200];
    int fd;

    if (!look_at(fuse)) {
        return -1;
    }
    fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: device %s: /dev/fuse: %s; modprobe fuse",
               fuse->directory, strerror(errno));
        return -1;
    }
    snprintf(options, sizeof options,
             "fd=%d,rootmode=40000,user_id=%u,group_id=%u,allow_other,default_permissions", fd,
             (unsigned)geteuid(), (unsigned)getegid());
    if (mount("apelink", fuse->directory, "fuse", MS_NOSUID | MS_NODEV | MS_NOEXEC, options) != 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: device %s: mount: %s; only root may serve a device",
               fuse->directory, strerror(errno));
        close(fd);
        return -1;
    }
    if (!shake_hands(fuse, fd) || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        board_fuse_unmount(fuse->directory);
        close(fd);
        return -1;
    }
    return fd;
}
