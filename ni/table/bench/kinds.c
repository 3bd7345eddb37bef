/* SPDX-License-Identifier: BSD-3-Clause */
#include "table/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "table/table_inl.h"

static void *must_allocate(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "ni_table: out of memory: try fewer tables (-c) or entries (-n)\n");
        exit(1);
    }
    return memory;
}

static void *core_table_make(void)
{
    struct ni_table *table = must_allocate(ni_aligned(NI_CACHE_LINE, sizeof(*table)));

    if (ni_table_init(table) != NI_OK) {
        fprintf(stderr, "ni_table: the table cannot be made\n");
        exit(1);
    }
    return table;
}

static void core_table_end(void *table)
{
    ni_table_fini(table);
    ni_free(table);
}

static void core_append(void *table, uint64_t base, uint64_t len)
{
    ni_handle handle = 0;

    if (ni_table_add(table, NI_REGION_MEMORY, base, len, NI_ACCESS_ALL, base, &handle) != NI_OK) {
        must_allocate(NULL);
    }
}

static uint64_t core_table_search(void *table, uint64_t start, uint64_t len)
{
    return ni_table_find(table, start, len);
}

static void core_remove(void *table, uint64_t base, uint64_t len)
{
    ni_handle handle = ni_table_find(table, base, len);

    if (handle != 0) {
        ni_table_remove(table, handle);
    }
}

const struct table_kind table_of_core = {
    .name = "table",
    .make = core_table_make,
    .end = core_table_end,
    .append = core_append,
    .search = core_table_search,
    .remove = core_remove,
};

struct list_link {
    struct list_link *next;
    struct list_link *prev;
};

/* The record of APEnet+ 4.4.1, with 64 bits for the length. */
struct list_buffer {
    struct list_link link; /* first: a link is its buffer */
    uint64_t base;
    uint64_t len;
    uint64_t flags;
    uint64_t key;
};

static void *list_make(void)
{
    struct list_link *head = must_allocate(malloc(sizeof(*head)));

    head->next = head;
    head->prev = head;
    return head;
}

static void list_unlink(struct list_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    free(link);
}

static void list_end(void *table)
{
    struct list_link *head = table;

    while (head->next != head) {
        list_unlink(head->next);
    }
    free(head);
}

static void list_append(void *table, uint64_t base, uint64_t len)
{
    struct list_link *head = table;
    struct list_buffer *buffer = must_allocate(malloc(sizeof(*buffer)));

    *buffer = (struct list_buffer){.link = {.next = head, .prev = head->prev},
                                   .base = base,
                                   .len = len,
                                   .flags = NI_ACCESS_ALL,
                                   .key = base};
    head->prev->next = &buffer->link;
    head->prev = &buffer->link;
}

static uint64_t list_search(void *table, uint64_t start, uint64_t len)
{
    struct list_link *head = table;

    for (struct list_link *link = head->next; link != head; link = link->next) {
        const struct list_buffer *buffer = (struct list_buffer *)link;

        if (buffer->base <= start && start + len <= buffer->base + buffer->len) {
            return (uintptr_t)buffer;
        }
    }
    return 0;
}

static void list_remove(void *table, uint64_t base, uint64_t len)
{
    struct list_link *head = table;

    for (struct list_link *link = head->next; link != head; link = link->next) {
        const struct list_buffer *buffer = (struct list_buffer *)link;

        if (buffer->base == base && buffer->len == len) {
            list_unlink(link);
            return;
        }
    }
}

const struct table_kind table_of_list = {
    .name = "list",
    .make = list_make,
    .end = list_end,
    .append = list_append,
    .search = list_search,
    .remove = list_remove,
};
