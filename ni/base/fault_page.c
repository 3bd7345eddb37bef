/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host's fault manager knows, as a file. */
#include "base/fault_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

enum { VERSION = 4, WORDS = sizeof(struct ni_fault_entry) / 4, TRIES = 1000, PATH = 200 };
static const char MAGIC[8] = "NIFAULT";

struct head {
    char magic[8];
    uint32_t version;
    uint32_t entry_bytes;
    uint32_t nodes;
    uint32_t torus[3];
    uint32_t self;
    _Atomic uint32_t master;
    _Atomic uint64_t beat;
    _Atomic uint64_t changes;
    uint64_t layout;
};
_Static_assert(sizeof(struct head) == 64, "the head of a fault page");

struct slot {
    _Atomic uint32_t sequence;
    _Atomic uint32_t word[WORDS];
    uint32_t pad;
};
_Static_assert(sizeof(struct ni_fault_entry) == 440 && sizeof(struct slot) == 448,
               "an entry of a fault page");

struct ni_fault_page {
    struct head *head;
    struct slot *slot;
    size_t bytes;
    uint32_t nodes; /* that are in the file */
    dev_t device;   /* of a writer: which file it is */
    ino_t inode;
    char path[PATH]; /* of a writer; empty: a reader */
};

static struct ni_fault_page *map_page(int fd, size_t bytes, int protection)
{
    struct ni_fault_page *page = ni_calloc(1, sizeof *page);
    void *at = page != NULL ? mmap(NULL, bytes, protection, MAP_SHARED, fd, 0) : MAP_FAILED;

    if (at == MAP_FAILED) {
        ni_free(page);
        return NULL;
    }
    page->head = at;
    page->slot = (struct slot *)(page->head + 1);
    page->bytes = bytes;
    return page;
}

struct ni_fault_page *ni_fault_page_create(const char *path, const struct ni_fault_about *about)
{
    size_t bytes = sizeof(struct head) + about->nodes * sizeof(struct slot);
    struct ni_fault_page *page = NULL;
    char temporary[PATH + 20];
    struct stat file;
    int fd, error;

    if (strlen(path) >= PATH) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    snprintf(temporary, sizeof temporary, "%s.%d", path, (int)getpid());
    (void)unlink(temporary);
    fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0) {
        return NULL;
    }
    error = posix_fallocate(fd, 0, (off_t)bytes);
    page = error == 0 && fchmod(fd, 0644) == 0 && fstat(fd, &file) == 0
               ? map_page(fd, bytes, PROT_READ | PROT_WRITE)
               : NULL;
    if (page != NULL) {
        memcpy(page->head->magic, MAGIC, sizeof MAGIC);
        page->head->version = VERSION;
        page->head->entry_bytes = sizeof(struct slot);
        page->head->nodes = page->nodes = about->nodes;
        memcpy(page->head->torus, about->torus, sizeof about->torus);
        page->head->self = about->self;
        page->head->layout = about->layout;
        ni_fault_page_beat(page, about->master, about->beat_ns);
        strcpy(page->path, path);
        page->device = file.st_dev;
        page->inode = file.st_ino;
        if (rename(temporary, path) != 0) {
            page->path[0] = '\0';
            ni_fault_page_close(page);
            page = NULL;
        }
    }
    error = page == NULL && error == 0 ? errno : error;
    if (page == NULL) {
        (void)unlink(temporary);
    }
    close(fd);
    errno = error;
    return page;
}

void ni_fault_page_set(struct ni_fault_page *page, uint32_t node,
                       const struct ni_fault_entry *entry)
{
    struct slot *slot = &page->slot[node];
    uint32_t sequence = atomic_load_explicit(&slot->sequence, memory_order_relaxed) | 1;
    uint32_t words[WORDS];

    memcpy(words, entry, sizeof words);
    atomic_store_explicit(&slot->sequence, sequence, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* pairs with the acquire fence of a reader */
    for (unsigned i = 0; i < WORDS; i++) {
        atomic_store_explicit(&slot->word[i], words[i], memory_order_relaxed);
    }
    /* Pairs with a reader's first look. */
    atomic_store_explicit(&slot->sequence, sequence + 1, memory_order_release);
    /* Pairs with the acquire load in ni_fault_page_about: who sees the number finds the entry. */
    atomic_fetch_add_explicit(&page->head->changes, 1, memory_order_release);
}

void ni_fault_page_beat(struct ni_fault_page *page, uint32_t master, uint64_t now)
{
    atomic_store_explicit(&page->head->master, master, memory_order_relaxed);
    atomic_store_explicit(&page->head->beat, now, memory_order_relaxed);
}

/* With the nodes, read once. */
static ni_status judge_page(struct ni_fault_page *page)
{
    const struct head *head = page->head;

    page->nodes = *(const volatile uint32_t *)&head->nodes;

    return memcmp(head->magic, MAGIC, sizeof MAGIC) == 0 && head->version == VERSION &&
                   head->entry_bytes == sizeof(struct slot) && page->nodes >= 1 &&
                   page->nodes <= NI_FAULT_NODES_MAX &&
                   sizeof *head + page->nodes * sizeof(struct slot) <= page->bytes
               ? NI_OK
               : NI_ERR_PROTOCOL;
}

ni_status ni_fault_page_open(const char *path, struct ni_fault_page **page)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat about;
    ni_status status = NI_OK;

    *page = NULL;
    if (fd < 0) {
        return errno == ENOENT ? NI_ERR_NOTFOUND : NI_ERR_SYSTEM;
    }
    if (fstat(fd, &about) != 0) {
        status = NI_ERR_SYSTEM;
    } else if (about.st_uid != 0 && about.st_uid != geteuid()) {
        status = NI_ERR_ACCESS;
    } else if (!S_ISREG(about.st_mode) || (size_t)about.st_size < sizeof(struct head)) {
        status = NI_ERR_PROTOCOL;
    } else {
        *page = map_page(fd, (size_t)about.st_size, PROT_READ);
        status = *page != NULL ? judge_page(*page) : NI_ERR_SYSTEM;
    }
    close(fd);
    if (status != NI_OK) {
        ni_fault_page_close(*page);
        *page = NULL;
    }
    return status;
}

void ni_fault_page_about(const struct ni_fault_page *page, struct ni_fault_about *about)
{
    const struct head *head = page->head;

    *about = (struct ni_fault_about){
        .nodes = page->nodes,
        .torus = {head->torus[0], head->torus[1], head->torus[2]},
        .self = head->self,
        .master = atomic_load_explicit(&head->master, memory_order_relaxed),
        .beat_ns = atomic_load_explicit(&head->beat, memory_order_relaxed),
        .changes = atomic_load_explicit(&head->changes, memory_order_acquire),
        .layout = head->layout};
}

bool ni_fault_page_is_current(const struct ni_fault_about *about, uint64_t now)
{
    return about->beat_ns <= now && now - about->beat_ns <= NI_FAULT_BEAT_NS &&
           about->master < about->nodes;
}

bool ni_fault_entry_is_lost(const struct ni_fault_entry *entry, const struct ni_fault_about *about,
                            uint64_t now)
{
    return entry->state == NI_FAULT_LOST &&
           ((entry->word & NI_FAULT_GONE) != 0 ||
            (entry->word & NI_FAULT_HOST_FIELD) == NI_FAULT_HOST_LOST) &&
           (entry->word & NI_FAULT_UNHEARD) == 0 && entry->via < about->nodes &&
           entry->at_ns != 0 && entry->at_ns <= now && entry->what[0] != '\0' &&
           entry->how[0] != '\0';
}

bool ni_fault_entry_is_parted(const struct ni_fault_entry *entry, uint64_t now)
{
    return entry->parted_ns != 0 && entry->parted_ns <= now && entry->parted[0] != '\0';
}

bool ni_fault_same_host(const char *a, const char *b)
{
    size_t short_a = strcspn(a, "."), short_b = strcspn(b, ".");

    if (strcmp(a, b) == 0) {
        return a[0] != '\0';
    }
    return short_a == short_b && short_a != 0 && strncmp(a, b, short_a) == 0 &&
           (a[short_a] == '\0' || b[short_b] == '\0');
}

bool ni_fault_page_read(const struct ni_fault_page *page, uint32_t node,
                        struct ni_fault_entry *entry)
{
    for (int i = 0; node < page->nodes && i < TRIES; i++) {
        struct slot *slot = &page->slot[node];
        uint32_t first = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        uint32_t words[WORDS];

        for (unsigned w = 0; w < WORDS; w++) {
            words[w] = atomic_load_explicit(&slot->word[w], memory_order_relaxed);
        }
        atomic_thread_fence(memory_order_acquire); /* pairs with the writer's release fence */
        if ((first & 1) == 0 &&
            atomic_load_explicit(&slot->sequence, memory_order_relaxed) == first) {
            memcpy(entry, words, sizeof words);
            entry->host[NI_FAULT_HOST - 1] = '\0';
            entry->what[NI_FAULT_WHAT - 1] = '\0';
            entry->how[NI_FAULT_HOW - 1] = '\0';
            entry->parted[NI_FAULT_PARTED - 1] = '\0';
            return true;
        }
    }
    return false;
}

void ni_fault_page_close(struct ni_fault_page *page)
{
    struct stat now;

    if (page == NULL) {
        return;
    }
    /* Not the file of a writer that came after us. */
    if (page->path[0] != '\0' && lstat(page->path, &now) == 0 && now.st_dev == page->device &&
        now.st_ino == page->inode) {
        (void)unlink(page->path);
    }
    munmap(page->head, page->bytes);
    ni_free(page);
}

const char *ni_fault_state_name(uint32_t state)
{
    static const char *const names[] = {"normal", "sick", "broken", "lost"};

    return state < NI_FAULT_STATES ? names[state] : "unknown";
}
