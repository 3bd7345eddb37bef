/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"

/*
 * Stands in for libFuzzer in builds without it: runs the fuzzer over its corpus and over inputs
 * drawn from a fixed seed, so that "make check" exercises every fuzzer with every compiler.
 *
 *   fuzz_NAME [FILE...]      the files instead
 *
 * The corpus is the files in $APELINK_SRCDIR/tests/fuzz/corpus/NAME.tar.gz.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 16, RANDOM_INPUTS = 2000 };

static uint8_t buffer[INPUT_MAX];

/* Its own block of just its size: a read behind the end is seen by AddressSanitizer. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + (size == 0));

    if (copy == NULL) {
        perror("malloc");
        exit(1);
    }
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size;

    if (file == NULL) {
        perror(path);
        exit(1);
    }
    size = fread(buffer, 1, sizeof(buffer), file);
    fclose(file);
    run(buffer, size);
}

/* The folder's files; it is removed with them. */
static unsigned run_folder(const char *path)
{
    DIR *dir = opendir(path);
    unsigned files = 0;
    struct dirent *entry;

    if (dir == NULL) {
        perror(path);
        exit(1);
    }
    while ((entry = readdir(dir)) != NULL) {
        char file[PATH_MAX + sizeof(entry->d_name)];

        if (entry->d_name[0] != '.') {
            snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
            run_file(file);
            unlink(file);
            files++;
        }
    }
    closedir(dir);
    rmdir(path);
    return files;
}

static void unpack(char *archive, char *folder)
{
    char *command[] = {(char[]){"tar"}, (char[]){"-xzf"}, archive, (char[]){"-C"}, folder, NULL};
    int status = -1;
    pid_t tar;

    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(1);
    }
    if (posix_spawnp(&tar, command[0], NULL, NULL, command, environ) != 0 ||
        waitpid(tar, &status, 0) != tar || status != 0) {
        fprintf(stderr, "%s: tar could not unpack it\n", archive);
        rmdir(folder);
        exit(1);
    }
}

static unsigned run_corpus(const char *program)
{
    const char *source = getenv("APELINK_SRCDIR");
    const char *temporary = getenv("TMPDIR");
    const char *name = strstr(program, "fuzz_");
    char archive[PATH_MAX], folder[PATH_MAX];

    for (const char *next = name; next != NULL; next = strstr(next + 1, "fuzz_")) {
        name = next;
    }
    if (source == NULL || name == NULL) {
        return 0;
    }
    snprintf(archive, sizeof(archive), "%s/tests/fuzz/corpus/%s.tar.gz", source,
             name + strlen("fuzz_"));
    snprintf(folder, sizeof(folder), "%s/fuzz-XXXXXX", temporary != NULL ? temporary : "/tmp");
    unpack(archive, folder);
    return run_folder(folder);
}

/* Random bytes, of which runs are 0 or 0xff: lengths and flags that random bytes seldom hit. */
static void run_random(struct ni_rng *rng)
{
    size_t size = ni_rng_below(rng, 1U << (1 + ni_rng_below(rng, 12)));

    for (size_t i = 0; i < size; i++) {
        buffer[i] = (uint8_t)ni_rng_next(rng);
    }
    for (uint64_t runs = ni_rng_below(rng, 8); size != 0 && runs > 0; runs--) {
        size_t at = ni_rng_below(rng, size);
        size_t len = ni_rng_below(rng, size - at + 1) % 64;

        memset(buffer + at, ni_rng_below(rng, 3) == 0 ? 0xff : 0, len);
    }
    run(buffer, size);
}

int main(int argc, char **argv)
{
    struct ni_rng rng;
    unsigned files;

    for (int i = 1; i < argc; i++) {
        run_file(argv[i]);
    }
    if (argc > 1) {
        return 0;
    }
    files = run_corpus(argv[0]);
    ni_rng_seed(&rng, 1);
    for (int i = 0; i < RANDOM_INPUTS; i++) {
        run_random(&rng);
    }
    printf("%u files of the corpus, %d random inputs\n", files, RANDOM_INPUTS);
    return 0;
}
