/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_LINKS_SUITE_QUEUES_H
#define TESTS_LINKS_SUITE_QUEUES_H

#include "suite.h"

/* suite_queues_messages.c: a case. */
void queues_items_by_message(struct suite *suite);

#endif
