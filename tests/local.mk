# SPDX-License-Identifier: BSD-3-Clause
# Each test is one program or script (NAME.sh). Its exit status is 0 passed, 1 failed, 77 skipped, and a test that
# is skipped prints why in its last line. tests/run-one runs it, with a time limit, in the top build folder.

TEST_EXTENSIONS = .sh
LOG_COMPILER = $(top_srcdir)/tests/run-one
SH_LOG_COMPILER = $(top_srcdir)/tests/run-one

AM_TESTS_ENVIRONMENT = \
    APELINK_SRCDIR='$(abs_top_srcdir)'; export APELINK_SRCDIR; \
    APELINK_BUILDDIR='$(abs_top_builddir)'; export APELINK_BUILDDIR; \
    APELINK_SANITIZER='$(SAN_NAMES)'; export APELINK_SANITIZER; \
    MPICC='$(MPICC)'; export MPICC; \
    MPIRUN='$(MPIRUN)'; export MPIRUN; \
    CC='$(CC)'; export CC; \
    CXX='$(CXX)'; export CXX; \
    NM='$(NM)'; export NM;

# The stage "kunit" compiles them within Linux.
EXTRA_DIST += \
    tests/kunit/Kbuild \
    tests/kunit/Kconfig \
    tests/kunit/buffers.c \
    tests/kunit/config \
    tests/kunit/fixture.c \
    tests/kunit/fixture.h \
    tests/kunit/layouts.c \
    tests/kunit/mailbox.c \
    tests/kunit/rings.c

EXTRA_DIST += \
    tests/machine/init.sh \
    tests/machine/line.py \
    tests/run-one \
    tests/sanitizer/lsan.supp \
    tests/sanitizer/tsan.supp

include tests/unit/local.mk
include tests/model/local.mk
include tests/links/local.mk
include tests/stress/local.mk
include tests/fault/local.mk
include tests/fuzz/local.mk
include tests/mpi/local.mk
include tests/hooks/local.mk
include tests/presto/local.mk
include tests/legacy/local.mk
include tests/sheet/local.mk
include tests/hosts/local.mk
include tests/abi/local.mk
include tests/tree/local.mk
