/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_DEVICE_MEMORY_H
#define DNP_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/client.h"

/* What the files of the program dnp_device_memory share. */

enum { PAGE = 4096 };

extern struct apelink_client device;
extern uint8_t *memory, *window; /* each of many pages; GETs go into the window */

void check(bool good, const char *what); /* or say so with errno, and end */
void *map_at(void *address, size_t len); /* NULL: anywhere */
uint32_t reg(const void *address, size_t len, uint32_t access);
void dereg(uint32_t handle);
unsigned get(const void *address, uint32_t len); /* 0, or a positive ni_status */
bool sees(const void *address, uint32_t len);    /* a GET brings these bytes */
void fill(uint8_t *at, size_t len, unsigned seed);

/* Verbs and parts of them. */
void protected(void);
void holed(void);
void raced(void);
void unheard(void);
void limited(void);
void costs(void);

#endif
