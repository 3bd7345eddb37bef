/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops for processors with vectors of 32 bytes. */
#if defined(__x86_64__)
#define LOOP_TARGET __attribute__((target("avx2")))
#include "type/op_loops.h"

pri_op_loop *const pri_op_loops_avx2[PRI_KINDS][PRI_OPS] = {NUMBER_ROWS};
#else
#include "type/op.h"

pri_op_loop *const pri_op_loops_avx2[PRI_KINDS][PRI_OPS];
#endif
