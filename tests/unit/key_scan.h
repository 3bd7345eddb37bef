/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_KEY_SCAN_H
#define TESTS_UNIT_KEY_SCAN_H

/*
 * Whether the key of an interface is where anybody of this machine can read it: on the command line
 * of a process, or in the environment of one, which its user and those who have his rights can
 * read.
 */

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "link/ucx/ucx.h"

/* The key of the ucx link in an address blob; 0: there is none. */
static inline uint64_t key_of(const uint8_t *blob, size_t len)
{
    uint32_t magic = NI_UCX_BLOB_MAGIC;
    const uint8_t *part = memmem(blob, len, &magic, sizeof(magic));
    struct ni_ucx_blob found;

    if (part == NULL || len - (size_t)(part - blob) < NI_UCX_BLOB_HEAD) {
        return 0;
    }
    memcpy(&found, part, NI_UCX_BLOB_HEAD);
    return found.key;
}

/* The whole file, at most a megabyte; returns its length. */
static inline size_t key_read(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t len = file != NULL ? fread(text, 1, size, file) : 0;

    if (file != NULL) {
        (void)fclose(file);
    }
    return len;
}

/* Whether a file has the key: its bytes, or a number in one of the ways to write it. */
static inline bool key_is_in(const char *path, uint64_t key)
{
    enum { SIZE = 1 << 20 };
    static char text[SIZE];
    char forms[4][32];
    size_t len = key_read(path, text, SIZE);

    snprintf(forms[0], sizeof(forms[0]), "%" PRIx64, key);
    snprintf(forms[1], sizeof(forms[1]), "%" PRIX64, key);
    snprintf(forms[2], sizeof(forms[2]), "%" PRIu64, key);
    snprintf(forms[3], sizeof(forms[3]), "%" PRId64, (int64_t)key);
    for (size_t i = 0; i < 4; i++) {
        if (memmem(text, len, forms[i], strlen(forms[i])) != NULL) {
            return true;
        }
    }
    return memmem(text, len, &key, sizeof(key)) != NULL;
}

/* In how many command lines and environments it is. */
static inline unsigned key_count(uint64_t key)
{
    unsigned count = 0;
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    char path[300];

    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9') {
            continue;
        }
        snprintf(path, sizeof(path), "/proc/%s/cmdline", entry->d_name);
        count += key_is_in(path, key);
        snprintf(path, sizeof(path), "/proc/%s/environ", entry->d_name);
        count += key_is_in(path, key);
    }
    if (processes != NULL) {
        (void)closedir(processes);
    }
    return count;
}

/* A process that has the key in both, each in another form; it sleeps until it is killed. */
static inline pid_t key_betray(uint64_t key)
{
    char argument[32], setting[40];
    char *const arguments[] = {argument, (char[]){"60"}, NULL};
    char *const settings[] = {setting, NULL};
    pid_t child;

    snprintf(argument, sizeof(argument), "%" PRIx64, key);
    snprintf(setting, sizeof(setting), "KEY=%" PRIu64, key);
    child = fork();
    if (child == 0) {
        (void)execve("/bin/sleep", arguments, settings);
        _exit(1);
    }
    return child;
}

/* Whether the key of this blob is nowhere, and would be found. Says what is wrong. */
static inline bool key_is_kept(const uint8_t *blob, size_t len)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    uint64_t key = key_of(blob, len);
    unsigned found = 0;
    pid_t child;

    if (key == 0) {
        fprintf(stderr, "the address has no part for the ucx link\n");
        return false;
    }
    child = key_betray(key);
    for (int i = 0; child > 0 && i < 1000 && found < 2; i++) {
        (void)nanosleep(&pause, NULL);
        found = key_count(key);
    }
    if (child > 0) {
        (void)kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (child < 0 || found != 2) {
        fprintf(stderr, "the key was put into two places and found in %u\n", found);
        return false;
    }
    found = key_count(key);
    if (found != 0) {
        fprintf(stderr, "the key is in %u command lines and environments\n", found);
    }
    return found == 0;
}

#endif
