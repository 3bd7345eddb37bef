# SPDX-License-Identifier: BSD-3-Clause
# Each test is one program or script; its exit status is 0 passed, 1 failed, 77 skipped, and it prints why.

include tests/unit/local.mk
include tests/model/local.mk
include tests/links/local.mk
include tests/stress/local.mk
include tests/fault/local.mk
include tests/fuzz/local.mk
include tests/mpi/local.mk
include tests/abi/local.mk
include tests/tree/local.mk
