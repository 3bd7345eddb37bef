/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_SOCKET_H
#define DNP_BOARD_SOCKET_H

/* Listen at a path. setting: its name in the configuration. -1: failed, which is logged. One that
 * was left behind is replaced. */
int board_socket_open(const char *setting, const char *path);

#endif
