/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state folder: one folder for each instance, with sockets, the host file and the file "lock",
 * which the switch of the instance has locked as long as it lives. A folder whose lock is free is
 * stale. Making and taking away folders is done under a lock of the folder above.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosts.h"

static const char *base(void)
{
    const char *set = getenv("APELINK_HOSTS_DIR");

    return set != NULL && *set != '\0' ? set : "/run/apelink-hosts";
}

bool hosts_name_ok(const char *name)
{
    size_t length = strlen(name);

    return length > 0 && length < HOSTS_NAME_MAX && name[0] != '-' && name[length - 1] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static void folder_of(const char *name, char folder[HOSTS_PATH_MAX])
{
    int length = snprintf(folder, HOSTS_PATH_MAX, "%s/%s", base(), name);

    /* The names of sockets in the folder come on top, and a socket's path has at most 107 bytes. */
    if (length < 0 || length > 107 - 1 - (HOSTS_NAME_MAX + 4) || *folder != '/') {
        hosts_die("APELINK_HOSTS_DIR = \"%s\": an absolute path of at most 50 bytes is wanted",
                  base());
    }
}

/* The file "lock" of a folder, locked; -1: somebody has locked it, or the folder is gone. */
static int lock_of(const char *folder, int flags)
{
    char path[HOSTS_PATH_MAX + 8];
    int fd;

    snprintf(path, sizeof path, "%s/lock", folder);
    fd = open(path, flags | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Locks the folder above; closing the result unlocks it. */
static int lock_base(void)
{
    struct stat status;
    int fd;

    if (mkdir(base(), 0700) != 0 && errno != EEXIST) {
        hosts_die("cannot make %s: %s; set APELINK_HOSTS_DIR to a folder that can be written",
                  base(), strerror(errno));
    }
    fd = open(base(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    /* A user who can write there can run commands on the hosts. */
    if (fd < 0 || fstat(fd, &status) != 0 || status.st_uid != geteuid() ||
        (status.st_mode & 022) != 0) {
        hosts_die("%s is not a folder that only its owner, you, can write; set APELINK_HOSTS_DIR "
                  "to another one",
                  base());
    }
    flock(fd, LOCK_EX);
    return fd;
}

void hosts_state_remove(const char *folder)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;

    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        /* "own" is a folder: where each host has mounted its own. */
        if (unlinkat(dirfd(open_folder), entry->d_name, 0) != 0) {
            unlinkat(dirfd(open_folder), entry->d_name, AT_REMOVEDIR);
        }
    }
    if (open_folder != NULL) {
        closedir(open_folder);
    }
    rmdir(folder);
}

unsigned hosts_state_each(void (*each)(const char *folder, void *context), void *context)
{
    DIR *open_base = opendir(base());
    const struct dirent *entry;
    unsigned count = 0;

    while (open_base != NULL && (entry = readdir(open_base)) != NULL) {
        char folder[HOSTS_PATH_MAX], path[HOSTS_PATH_MAX + 8];

        if (!hosts_name_ok(entry->d_name)) {
            continue;
        }
        folder_of(entry->d_name, folder);
        snprintf(path, sizeof path, "%s/control", folder);
        if (access(path, F_OK) == 0) {
            count++;
            each(folder, context);
        }
    }
    if (open_base != NULL) {
        closedir(open_base);
    }
    return count;
}

static void sweep_locked(void)
{
    DIR *open_base = opendir(base());
    const struct dirent *entry;

    while (open_base != NULL && (entry = readdir(open_base)) != NULL) {
        char folder[HOSTS_PATH_MAX];
        int lock;

        if (!hosts_name_ok(entry->d_name)) {
            continue;
        }
        folder_of(entry->d_name, folder);
        lock = lock_of(folder, O_CREAT);
        if (lock >= 0) {
            hosts_state_remove(folder);
            close(lock);
        }
    }
    if (open_base != NULL) {
        closedir(open_base);
    }
}

void hosts_sweep(void)
{
    int above = lock_base();

    sweep_locked();
    close(above);
}

static void write_lists(const struct hosts_setup *setup)
{
    char path[HOSTS_PATH_MAX + 16], name[HOSTS_NAME_MAX + 4];
    char *hosts, *hostfile;
    size_t hosts_size, hostfile_size;
    FILE *to_hosts = open_memstream(&hosts, &hosts_size);
    FILE *to_hostfile = open_memstream(&hostfile, &hostfile_size);

    if (to_hosts == NULL || to_hostfile == NULL) {
        hosts_die("no memory");
    }
    fprintf(to_hosts, "127.0.0.1 localhost\n");
    for (unsigned number = 1; number <= setup->count; number++) {
        hosts_host_name(setup, number, name);
        fprintf(to_hosts, "10.77.0.%u %s\n", number, name);
        fprintf(to_hostfile, "%s slots=%u\n", name, setup->slots);
    }
    fclose(to_hosts);
    fclose(to_hostfile);
    snprintf(path, sizeof path, "%s/hosts", setup->folder);
    hosts_write_file(path, "%s", hosts);
    snprintf(path, sizeof path, "%s/hostfile", setup->folder);
    hosts_write_file(path, "%s", hostfile);
    free(hosts);
    free(hostfile);
}

void hosts_state_create(struct hosts_setup *setup)
{
    int above = lock_base();

    sweep_locked();
    folder_of(setup->name, setup->folder);
    if (mkdir(setup->folder, 0700) != 0) {
        hosts_die(errno == EEXIST ? "\"%s\" is in use; give another --name, or take it down first"
                                  : "cannot make a folder for \"%s\"",
                  setup->name);
    }
    setup->lock = lock_of(setup->folder, O_CREAT);
    if (setup->lock < 0) {
        hosts_die("cannot lock %s/lock: %s", setup->folder, strerror(errno));
    }
    write_lists(setup);
    close(above);
}

static void note_folder(const char *folder, void *context)
{
    snprintf(context, HOSTS_PATH_MAX, "%s", folder);
}

void hosts_state_find(const char *name, char folder[HOSTS_PATH_MAX])
{
    char path[HOSTS_PATH_MAX + 8];
    unsigned count;

    if (name == NULL) {
        name = getenv("APELINK_HOSTS");
    }
    if (name == NULL) {
        count = hosts_state_each(note_folder, folder);
        if (count != 1) {
            hosts_die(count == 0 ? "there are no hosts; make them with apelink-hosts up"
                                 : "there are several sets of hosts; say which with --name, "
                                   "apelink-hosts ls lists them");
        }
        return;
    }
    if (!hosts_name_ok(name)) {
        hosts_die("--name \"%s\": lower case letters, digits and inner hyphens are wanted, up to "
                  "%d of them",
                  name, HOSTS_NAME_MAX - 1);
    }
    folder_of(name, folder);
    snprintf(path, sizeof path, "%s/control", folder);
    if (access(path, F_OK) != 0) {
        hosts_die("there are no hosts \"%s\"; apelink-hosts ls lists what there is", name);
    }
}
