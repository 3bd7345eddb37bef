/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_LIST_H
#define NI_BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bits.h"

/*
 * Intrusive doubly linked list: the links are a member of the listed objects, so inserting and
 * removing never allocates. The list is a ring through a head node: no operation has a case for
 * "first" or "last".
 *
 *      head <-> a <-> b <-> c <-> (head)
 *
 * A node that is in no list points to itself, so ni_list_remove may be called twice and
 * ni_list_linked can be asked. Nodes must be initialised before use. Not thread-safe.
 */

struct ni_list {
    struct ni_list *next;
    struct ni_list *prev;
};

/* Make an empty list, or a node that is in no list. */
static inline void ni_list_init(struct ni_list *node)
{
    node->next = node;
    node->prev = node;
}

static inline bool ni_list_empty(const struct ni_list *head)
{
    return head->next == head;
}

/* Whether the node is in a list. */
static inline bool ni_list_linked(const struct ni_list *node)
{
    return node->next != node;
}

/* Put a node that is in no list behind another one; behind the head this is the first place. */
static inline void ni_list_insert_after(struct ni_list *where, struct ni_list *node)
{
    node->prev = where;
    node->next = where->next;
    where->next->prev = node;
    where->next = node;
}

static inline void ni_list_push_front(struct ni_list *head, struct ni_list *node)
{
    ni_list_insert_after(head, node);
}

static inline void ni_list_push_back(struct ni_list *head, struct ni_list *node)
{
    ni_list_insert_after(head->prev, node);
}

/* Take a node out of whatever list it is in; does nothing if it is in none. */
static inline void ni_list_remove(struct ni_list *node)
{
    node->prev->next = node->next;
    node->next->prev = node->prev;
    ni_list_init(node);
}

/* Take the first node out of the list; NULL if the list is empty. */
static inline struct ni_list *ni_list_pop_front(struct ni_list *head)
{
    struct ni_list *node = head->next;

    if (node == head) {
        return NULL;
    }
    ni_list_remove(node);
    return node;
}

/* Move all nodes of from, in order, to the end of to; from is empty then. */
static inline void ni_list_splice_back(struct ni_list *to, struct ni_list *from)
{
    if (ni_list_empty(from)) {
        return;
    }
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    ni_list_init(from);
}

/* The number of nodes, by walking. */
static inline size_t ni_list_length(const struct ni_list *head)
{
    size_t n = 0;

    for (const struct ni_list *node = head->next; node != head; node = node->next) {
        n++;
    }
    return n;
}

/* Loop headers: for (NI_LIST_EACH(node, head)) { ... ni_container_of(node, type, member) ... }
 * With NI_LIST_EACH the body must not remove node; with NI_LIST_EACH_SAFE it may remove node, and
 * no other. */
#define NI_LIST_EACH(node, head)         \
    struct ni_list *node = (head)->next; \
    node != (head);                      \
    node = node->next

#define NI_LIST_EACH_SAFE(node, head)                               \
    struct ni_list *node = (head)->next, *node##_next = node->next; \
    node != (head);                                                 \
    node = node##_next, node##_next = node->next

#endif
