/* SPDX-License-Identifier: BSD-3-Clause */
/* Marks that stand for a rank's own objects: only their addresses are used. Programs hold copies of
 * them, whose size must never change; so they are none of the structs that the header says they
 * are, and this file includes nothing. */

#define MARK __attribute__((visibility("default"))) _Alignas(64) char

extern MARK presto_comm_world[64], presto_comm_self[64], presto_message_no_proc[64];
MARK presto_comm_world[64];
MARK presto_comm_self[64];
MARK presto_message_no_proc[64];
