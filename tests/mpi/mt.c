/* SPDX-License-Identifier: BSD-3-Clause */
#include "mt.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

int mt_rank = -1;
int mt_size;

static const char *mt_program = "?";
/* A statistic: no other data depends on it, so relaxed order will do. */
static _Atomic long long mt_checks;

static void set_program(int *argc, char ***argv)
{
    if (argc && *argc > 0) {
        const char *slash = strrchr((*argv)[0], '/');
        mt_program = slash ? slash + 1 : (*argv)[0];
    }
    /* libtool runs uninstalled programs under this prefix */
    if (0 == strncmp(mt_program, "lt-", 3)) {
        mt_program += 3;
    }
}

void mt_init_thread(int *argc, char ***argv, int required)
{
    int provided = MPI_THREAD_SINGLE;

    set_program(argc, argv);
    MPI_Init_thread(argc, argv, required, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
    if (provided < required) {
        mt_fail("thread level %d wanted, only %d provided", required, provided);
    }
}

void mt_init(int *argc, char ***argv)
{
    set_program(argc, argv);
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &mt_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mt_size);
}

void mt_need(int least)
{
    if (mt_size < least) {
        mt_fail("needs %d ranks or more, has %d", least, mt_size);
    }
}

/* Keep our components mapped when MPI_Finalize unloads them, so that a report of what they leak can
 * name the code. */
static int keep_mapped(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    if (strstr(info->dlpi_name, "/mca_btl_apelink.so") != NULL ||
        strstr(info->dlpi_name, "/mca_mtl_match.so") != NULL ||
        strstr(info->dlpi_name, "/mca_pml_match.so") != NULL) {
        (void)dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
    return 0;
}

/* Says that this rank has come out of MPI_Finalize: a file of its name. */
static void leave_mark(void)
{
    const char *folder = getenv("APELINK_MT_ENDS");
    char name[4096];

    if (folder != NULL) {
        snprintf(name, sizeof name, "%s/%d", folder, mt_rank);
        FILE *file = fopen(name, "we");
        if (file != NULL) {
            fclose(file);
        }
    }
}

void mt_path(char *path, size_t size, const char *dir, const char *name)
{
    const char *other = getenv("TMPDIR");
    long pid = getpid();
    MPI_Bcast(&pid, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, size, "%s/%s.%ld",
             dir != NULL     ? dir
             : other != NULL ? other
                             : "/tmp",
             name, pid);
}

void mt_close_and_delete(MPI_File file, const char *path)
{
    mt_ok(MPI_File_close(&file));
    mt_check(file == MPI_FILE_NULL, "the handle");
    MPI_Barrier(MPI_COMM_WORLD);
    if (mt_rank == 0) {
        mt_ok(MPI_File_delete(path, MPI_INFO_NULL));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int mt_bytes(const MPI_Status *status)
{
    int n;
    MPI_Get_count(status, MPI_BYTE, &n);
    return n;
}

int mt_finish(void)
{
    long long mine = atomic_load_explicit(&mt_checks, memory_order_relaxed);
    long long all = 0;

    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == mt_rank) {
        printf("MT-OK %s checks=%lld\n", mt_program, all);
        fflush(stdout);
    }
    if (NULL != getenv("APELINK_MT_LEAKS")) {
        (void)dl_iterate_phdr(keep_mapped, NULL);
    }
    MPI_Finalize();
    leave_mark();
    return 0;
}

static _Noreturn void fail_v(const char *file, int line, const char *extra, const char *fmt,
                             va_list ap)
{
    char text[512];

    vsnprintf(text, sizeof text, fmt, ap);
    fprintf(stderr, "MT-FAIL %s rank %d: %s%s (%s:%d)\n", mt_program, mt_rank, text, extra, file,
            line);
    fflush(NULL);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

void mt_fail_at(const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fail_v(file, line, "", fmt, ap);
}

static void count_check(void)
{
    atomic_fetch_add_explicit(&mt_checks, 1, memory_order_relaxed);
}

void mt_check_at(bool ok, const char *file, int line, const char *fmt, ...)
{
    va_list ap;

    count_check();
    if (ok) {
        return;
    }
    va_start(ap, fmt);
    fail_v(file, line, "", fmt, ap);
}

void mt_equal_at(long long got, long long want, const char *file, int line, const char *fmt, ...)
{
    char extra[96];
    va_list ap;

    count_check();
    if (got == want) {
        return;
    }
    snprintf(extra, sizeof extra, ": got %lld, want %lld", got, want);
    va_start(ap, fmt);
    fail_v(file, line, extra, fmt, ap);
}

void mt_ok_at(int rc, const char *file, int line)
{
    char text[MPI_MAX_ERROR_STRING];
    int len = 0;

    count_check();
    if (MPI_SUCCESS == rc) {
        return;
    }
    MPI_Error_string(rc, text, &len);
    mt_fail_at(file, line, "MPI error %d: %.*s", rc, len, text);
}

void mt_class_at(int rc, int want, const char *file, int line)
{
    int got = -1;

    count_check();
    MPI_Error_class(rc, &got);
    if (got != want) {
        mt_fail_at(file, line, "error class %d, want %d", got, want);
    }
}

uint64_t mt_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t mt_below(uint64_t *state, uint64_t n)
{
    return mt_next(state) % n;
}

uint64_t mt_seed(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t s = a;

    s = mt_next(&s) ^ b;
    s = mt_next(&s) ^ c;
    s = mt_next(&s) ^ d;
    return mt_next(&s);
}

/* Eight bytes of the pattern: cheap, and never the same at two places of one buffer. */
static uint64_t word_of(uint64_t seed, size_t i)
{
    uint64_t w = (seed + i) * UINT64_C(0x9e3779b97f4a7c15);

    return w ^ (w >> 29);
}

void mt_fill(void *buf, size_t n, uint64_t seed)
{
    unsigned char *p = buf;
    size_t i = 0;
    uint64_t w;

    for (; i < n / 8; ++i) {
        w = word_of(seed, i);
        memcpy(p + 8 * i, &w, 8);
    }
    w = word_of(seed, i);
    memcpy(p + 8 * i, &w, n % 8);
}

static size_t first_difference(const unsigned char *p, uint64_t w, size_t n)
{
    const unsigned char *q = (const unsigned char *)&w;
    size_t k = 0;

    while (k < n && p[k] == q[k]) {
        ++k;
    }
    return k;
}

size_t mt_differs(const void *buf, size_t n, uint64_t seed)
{
    const unsigned char *p = buf;
    size_t i = 0;
    uint64_t w;

    for (; i < n / 8; ++i) {
        w = word_of(seed, i);
        if (0 != memcmp(p + 8 * i, &w, 8)) {
            return 8 * i + first_difference(p + 8 * i, w, 8);
        }
    }
    return 8 * i + first_difference(p + 8 * i, word_of(seed, i), n % 8);
}

void mt_verify_at(const void *buf, size_t n, uint64_t seed, const char *file, int line,
                  const char *fmt, ...)
{
    size_t at = mt_differs(buf, n, seed);
    char extra[128];
    uint64_t w;
    va_list ap;

    count_check();
    if (at == n) {
        return;
    }
    w = word_of(seed, at / 8);
    snprintf(extra, sizeof extra, ": byte %zu of %zu is 0x%02x, want 0x%02x", at, n,
             ((const unsigned char *)buf)[at], ((const unsigned char *)&w)[at % 8]);
    va_start(ap, fmt);
    fail_v(file, line, extra, fmt, ap);
}

/* In front of the user's bytes: 64 bytes that hold the size, then 64 bytes of canary. */
enum { GUARD = 64, CANARY_SEED = 0x5afe };

void *mt_alloc(size_t n)
{
    size_t room = (3 * GUARD + n + 63) / 64 * 64;
    unsigned char *base = aligned_alloc(64, room);

    if (!base) {
        mt_fail("no memory for %zu bytes", n);
    }
    memcpy(base, &n, sizeof n);
    mt_fill(base + GUARD, GUARD, CANARY_SEED);
    memset(base + 2 * GUARD, 0xee, n);
    mt_fill(base + 2 * GUARD + n, GUARD, CANARY_SEED + 1);
    return base + 2 * GUARD;
}

void mt_guards(const void *p)
{
    const unsigned char *user = p;
    size_t n;

    memcpy(&n, user - 2 * GUARD, sizeof n);
    mt_verify(user - GUARD, GUARD, CANARY_SEED, "memory before a buffer of %zu bytes", n);
    mt_verify(user + n, GUARD, CANARY_SEED + 1, "memory after a buffer of %zu bytes", n);
}

void mt_free(void *p)
{
    if (!p) {
        return;
    }
    mt_guards(p);
    free((unsigned char *)p - 2 * GUARD);
}

size_t mt_sizes(size_t *out, size_t max, size_t limit)
{
    /* the last two: less the header of a matched message, less a typical segment header */
    static const int delta[] = {-64, -14, -1, 0, 1};
    size_t k = 0;

    out[k++] = 0;
    for (size_t p = 1; p <= limit; p *= 2) {
        for (size_t d = 0; d < sizeof delta / sizeof *delta; ++d) {
            long long s = (long long)p + delta[d];
            bool near = delta[d] >= -1 || p >= 1024;
            if (near && s > (long long)out[k - 1] && (size_t)s <= limit && k < max) {
                out[k++] = (size_t)s;
            }
        }
    }
    return k;
}

const char *mt_text(int argc, char **argv, const char *name)
{
    for (int i = 1; i + 1 < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return argv[i + 1];
        }
    }
    return NULL;
}

long mt_option(int argc, char **argv, const char *name, long dflt)
{
    const char *text = mt_text(argc, argv, name);
    char *end;
    long v;

    if (!text) {
        return dflt;
    }
    v = strtol(text, &end, 10);
    if (end == text || *end) {
        mt_fail("%s: '%s' is no number", name, text);
    }
    return v;
}

bool mt_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; ++i) {
        if (0 == strcmp(argv[i], name)) {
            return true;
        }
    }
    return false;
}

long mt_memory(const char *which)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof line, f)) {
        if (0 == strncmp(line, which, strlen(which))) {
            kib = strtol(line + strlen(which), NULL, 10);
        }
    }
    if (f) {
        fclose(f);
    }
    mt_check(kib > 0, "no %s in /proc/self/status", which);
    return kib;
}

void mt_sleep(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000L};

    nanosleep(&t, NULL);
}
