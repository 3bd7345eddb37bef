# SPDX-License-Identifier: BSD-3-Clause
# The acceptance sheet. tools/sheet compiles its programs, with mpicc and with prestocc.

EXTRA_DIST += \
    tests/sheet/blocked_large_send.c \
    tests/sheet/bounded_memory.c \
    tests/sheet/connect_storm.c \
    tests/sheet/exchange.c \
    tests/sheet/idle_cpu.c \
    tests/sheet/incast.c \
    tests/sheet/isolated \
    tests/sheet/rows \
    tests/sheet/settings \
    tests/sheet/transports
