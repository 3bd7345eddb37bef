/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef NI_BASE_DESCRIPTOR_H
#define NI_BASE_DESCRIPTOR_H

/*
 * File descriptors that a program keeps without knowing of them.
 *
 * Where the program was started without standard input, output or error, the next descriptor that
 * is opened takes that number, and what the program prints goes into it: into memory that processes
 * share, say.
 */

/* fd, or in its place a duplicate that is none of 0, 1 and 2: then fd is closed. What opened fd may
 * have failed: -1 is passed on. -1, with errno, also if there is no duplicate. Thread-safe. */
int ni_descriptor_keep(int fd);

#endif
