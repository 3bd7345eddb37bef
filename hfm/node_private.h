/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_NODE_PRIVATE_H
#define HFM_NODE_PRIVATE_H

#include "hfm/node.h"

/* What the parts of a node share. */

/* Send, or take at once what is for this node itself. */
void hfm_node_send(struct hfm_node *node, uint32_t to, struct hfm_message *message);
void hfm_node_tell(struct hfm_node *node, const struct hfm_event *event);

/* A master acts, with this term. */
void hfm_node_follow(struct hfm_node *node, uint32_t master, uint64_t term);

/* The master's part (node_master.c). Look whether this node has to begin or to end. */
void hfm_node_duty(struct hfm_node *node);
/* Look at all nodes anew: somebody has become silent, or is heard again. */
void hfm_node_review(struct hfm_node *node);
/* Ask the hosts of those who are silent, if that is due. */
void hfm_node_ask(struct hfm_node *node);
void hfm_node_take_report(struct hfm_node *node, const struct hfm_message *message);
/* A node has less than the master. */
void hfm_node_catch_up(struct hfm_node *node, uint32_t to, uint64_t have);
void hfm_node_close_duty(struct hfm_node *node);

#endif
