/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_HOOK_H
#define HFM_DAEMON_HOOK_H

#include <stdbool.h>
#include <stdint.h>

struct hfm_daemon;

/*
 * A program that is called at each change of a node's state, on the master:
 *
 *   HOOK NODE HOST STATE BEFORE "WHAT"        such as   HOOK 3 node3 lost normal "host lost"
 *
 * One at a time, in the order of the changes; of changes of one node that wait, the last: STATE is
 * what is, BEFORE what the hook was told last. One that takes longer than a minute is killed. One
 * that fails is called again after some seconds, later after a minute, until it does not. Its group
 * of processes is its own, its priority the ordinary one.
 */
struct hfm_hooks;

/* NULL: no memory. */
struct hfm_hooks *hfm_hooks_open(struct hfm_daemon *daemon);
/* Before the first change, and behind the loss of rights. false: logged. */
bool hfm_hooks_start(struct hfm_hooks *hooks);
/* NULL does nothing. false: its thread waits, and uses *hooks until the process ends. */
bool hfm_hooks_close(struct hfm_hooks *hooks);

/* The state of a node has changed. acts: this is the master, which calls the hook; otherwise
 * another has called its own. */
void hfm_hooks_changed(struct hfm_hooks *hooks, uint32_t node, bool acts);

#endif
