/* SPDX-License-Identifier: BSD-3-Clause */
/* The record's file: its layout, its description, and the memory for it. */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/names.h"

struct record record_own;

static int record_fd = -1;
static uint32_t peers_allocated; /* entries for which the file system has set memory aside */

enum { PAGE = 4096, PEERS_AT_ONCE = 16 };

/* ---- layout ---------------------------------------------------------------------------------- */

#define FIELD(name, type) {#name, RECORD_TYPE_##type, #type, offsetof(struct PART, name), 1},
#define ARRAY(name, type, count) \
    {#name, RECORD_TYPE_##type, #type, offsetof(struct PART, name), count},
#define LAST                              \
    {                                     \
        NULL, RECORD_TYPE_U64, NULL, 0, 0 \
    }

static const struct record_field head_fields[] = {
#define PART record_head
#define HEAD_FIELDS
#include "record/fields.def"
#undef HEAD_FIELDS
#undef PART
    LAST};

static const struct record_field call_fields[] = {
#define PART record_call_entry
#define CALL_FIELDS
#include "record/fields.def"
#undef CALL_FIELDS
#undef PART
    LAST};

static const struct record_field class_fields[] = {
#define PART record_class
#define CLASS_FIELDS
#include "record/fields.def"
#undef CLASS_FIELDS
#undef PART
    LAST};

static const struct record_field slice_fields[] = {
#define PART record_slice
#define SLICE_FIELDS
#include "record/fields.def"
#undef SLICE_FIELDS
#undef PART
    LAST};

static const struct record_field pending_fields[] = {
#define PART record_pending
#define PENDING_FIELDS
#include "record/fields.def"
#undef PENDING_FIELDS
#undef PART
    LAST};

static const struct record_field fault_fields[] = {
#define PART record_fault
#define FAULT_FIELDS
#include "record/fields.def"
#undef FAULT_FIELDS
#undef PART
    LAST};

static const struct record_field peer_fields[] = {
#define PART record_peer
#define PEER_FIELDS
#include "record/fields.def"
#undef PEER_FIELDS
#undef PART
    LAST};

#undef FIELD
#undef ARRAY
#undef LAST

enum part { HEAD, CALL, CLASS, SLICE, PENDING, FAULT, PEER, PARTS };
enum { SCHEMA_AT = PAGE, SCHEMA_ROOM = 2 * PAGE };

_Static_assert(sizeof(struct record_head) <= SCHEMA_AT, "the head is one page");
_Static_assert(SCHEMA_AT + SCHEMA_ROOM == RECORD_CALLS_AT, "the description lies before the calls");

static struct record_part parts[PARTS + 1] = {
    [HEAD] = {"head", "heads", head_fields, sizeof(struct record_head), 1, 0},
    [CALL] = {"call", "calls", call_fields, sizeof(struct record_call_entry), RECORD_CALLS, 0},
    [CLASS] = {"class", "classes", class_fields, sizeof(struct record_class), RECORD_CLASSES, 0},
    [SLICE] = {"slice", "slices", slice_fields, sizeof(struct record_slice), RECORD_SLICES, 0},
    [PENDING] = {"pending", "pending", pending_fields, sizeof(struct record_pending),
                 RECORD_PENDING, 0},
    [FAULT] = {"fault", "faults", fault_fields, sizeof(struct record_fault), RECORD_FAULTS, 0},
    [PEER] = {"peer", "peers", peer_fields, sizeof(struct record_peer), 0, 0},
};

/* The peers are the last part, which may grow. */
static void place_parts(void)
{
    size_t at = RECORD_CALLS_AT;

    for (int part = CALL; part < PARTS; part++) {
        parts[part].offset = at;
        at = RECORD_PAGE_UP(at + parts[part].stride * parts[part].room);
    }
}

const struct record_part *record_parts(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, place_parts);
    return parts;
}

size_t record_peers_at(void)
{
    return record_parts()[PEER].offset;
}

size_t record_used(void)
{
    return record_peers_at() + record_own.head->peer_count * sizeof(struct record_peer);
}

size_t record_part_count(const struct record_head *head, const struct record_part *part)
{
    const size_t counts[PARTS] = {
        [HEAD] = 1,
        [CALL] = head->call_count,
        [CLASS] = head->class_count,
        [SLICE] = head->slice_count,
        [PENDING] = head->pending_count,
        [FAULT] = head->fault_count,
        [PEER] = head->peer_count,
    };

    return counts[part - parts];
}

static void append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    (void)vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

/* Write the description of all parts, and the names that numbers stand for. */
static size_t write_schema(char *text, size_t size)
{
    text[0] = '\0';
    for (const struct record_part *part = record_parts(); part->name != NULL; part++) {
        append(text, size, "part %s %s %zu %zu\n", part->name, part->plural, part->offset,
               part->stride);
        for (const struct record_field *field = part->fields; field->name != NULL; field++) {
            append(text, size, "field %s %s %zu %zu\n", field->name, field->type_name,
                   field->offset, field->count);
        }
    }
    for (uint32_t i = 0; i < RECORD_CALL_KINDS; i++) {
        append(text, size, "call-kind %u %s\n", i, record_call_name(i));
    }
    for (uint32_t i = 0; i < RECORD_CLASSES; i++) {
        append(text, size, "tag-class %u %s\n", i, record_class_name(i));
    }
    for (uint32_t i = 0; i < RECORD_FAULT_KINDS; i++) {
        append(text, size, "fault-kind %u %s\n", i, record_fault_name(i));
    }
    return strlen(text);
}

/* ---- the file -------------------------------------------------------------------------------- */

void record_file_name(char *name, size_t size, uint32_t job, uint32_t rank)
{
    (void)snprintf(name, size, "apelink-hooks.%u.%u.%u", (unsigned)getuid(), (unsigned)job,
                   (unsigned)rank);
}

/* The most that a file may have by this process's limit, in bytes. */
static size_t file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    return (size_t)limit.rlim_cur;
}

/* Open a file of this name that is new. One that is left of a process of the same name is removed.
 */
static int make_file(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0 && errno == EEXIST && unlink(path) == 0) {
        fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    return fd;
}

bool record_grow(uint32_t peers)
{
    size_t begin = (size_t)((const char *)record_own.peers - (const char *)record_own.head);
    uint32_t room = record_own.head->peer_room, wanted;

    if (peers <= peers_allocated) {
        return true;
    }
    if (peers > room) {
        return false;
    }
    wanted = peers + PEERS_AT_ONCE < room ? peers + PEERS_AT_ONCE : room;
    if (posix_fallocate(record_fd, (off_t)begin, (off_t)(wanted * sizeof(struct record_peer))) !=
        0) {
        record_own.head->peer_room = peers_allocated;
        return false;
    }
    peers_allocated = wanted;
    return true;
}

static void set_pointers(char *memory, size_t size)
{
    struct record *record = &record_own;
    const struct record_part *part = record_parts();

    record->size = size;
    record->head = (struct record_head *)memory;
    record->calls = (struct record_call_entry *)(memory + part[CALL].offset);
    record->classes = (struct record_class *)(memory + part[CLASS].offset);
    record->slices = (struct record_slice *)(memory + part[SLICE].offset);
    record->pending = (struct record_pending *)(memory + part[PENDING].offset);
    record->faults = (struct record_fault *)(memory + part[FAULT].offset);
    record->peers = (struct record_peer *)(memory + part[PEER].offset);
}

static uint32_t hash(const char *text, size_t length)
{
    uint32_t value = 2166136261u;

    for (size_t i = 0; i < length; i++) {
        value = (value ^ (unsigned char)text[i]) * 16777619u;
    }
    return value;
}

static const char *fail(const char *what)
{
    static char text[384];
    int error = errno;

    (void)snprintf(text, sizeof(text), "%s %s: %s", what, record_own.path, strerror(error));
    record_close(true);
    return text;
}

const char *record_open(const char *directory, uint32_t job, uint32_t rank, uint32_t peers)
{
    size_t peers_at = record_peers_at(), limit = file_limit(), size;
    char name[64];
    void *memory;
    int error;

    record_file_name(name, sizeof(name), job, rank);
    (void)snprintf(record_own.path, sizeof(record_own.path), "%s/%s", directory, name);
    size = peers_at + RECORD_PAGE_UP(peers * sizeof(struct record_peer));
    if (size > limit && limit > peers_at) {
        peers = (uint32_t)((limit - peers_at) / sizeof(struct record_peer));
        size = peers_at + peers * sizeof(struct record_peer);
    }
    if (size > limit) {
        errno = EFBIG;
        return fail("the limit of file sizes (ulimit -f) leaves no room for");
    }
    record_fd = make_file(record_own.path);
    if (record_fd < 0) {
        return fail("cannot make");
    }
    error = posix_fallocate(record_fd, 0, (off_t)peers_at);
    if (error != 0 || ftruncate(record_fd, (off_t)size) != 0) {
        errno = error != 0 ? error : errno;
        return fail("no memory for");
    }
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, record_fd, 0);
    if (memory == MAP_FAILED) {
        return fail("cannot map");
    }
    set_pointers(memory, size);
    record_own.head->peer_room = peers;
    record_own.head->schema_offset = SCHEMA_AT;
    record_own.head->schema_size = (uint32_t)write_schema((char *)memory + SCHEMA_AT, SCHEMA_ROOM);
    record_own.head->schema_hash = hash((char *)memory + SCHEMA_AT, record_own.head->schema_size);
    return NULL;
}

void record_folder(char *folder, size_t size)
{
    const char *slash = strrchr(record_own.path, '/');

    (void)snprintf(folder, size, "%.*s", (int)(slash - record_own.path), record_own.path);
}

const struct record_head *record_map(uint32_t job, uint32_t rank, size_t *size)
{
    char name[64], folder[sizeof(record_own.path)], path[sizeof(folder) + sizeof(name)];
    const struct record_head *head = MAP_FAILED;
    struct stat status;
    int fd;

    record_file_name(name, sizeof(name), job, rank);
    record_folder(folder, sizeof(folder));
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &status) == 0 && status.st_uid == getuid() &&
        (size_t)status.st_size >= record_peers_at()) {
        *size = (size_t)status.st_size;
        head = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
    }
    (void)close(fd);
    if (head == MAP_FAILED) {
        return NULL;
    }
    if (head->magic != RECORD_MAGIC || head->version != RECORD_VERSION) {
        (void)munmap((void *)(uintptr_t)head, *size);
        return NULL;
    }
    return head;
}

void record_close(bool remove)
{
    if (record_own.head != NULL) {
        (void)munmap(record_own.head, record_own.size);
    }
    if (record_fd >= 0) {
        (void)close(record_fd);
        record_fd = -1;
        if (remove) {
            (void)unlink(record_own.path);
        }
    }
    peers_allocated = 0;
    memset(&record_own, 0, sizeof(record_own));
}
