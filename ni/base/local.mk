# SPDX-License-Identifier: BSD-3-Clause
# The base of the core: no notion of a network interface.

ni_libapeni_core_la_SOURCES += \
    ni/base/alloc.c \
    ni/base/alloc.h \
    ni/base/ascii.h \
    ni/base/assert.c \
    ni/base/assert.h \
    ni/base/bits.h \
    ni/base/boot.c \
    ni/base/boot.h \
    ni/base/clock.c \
    ni/base/clock.h \
    ni/base/compiler.h \
    ni/base/config.c \
    ni/base/config.h \
    ni/base/copy.c \
    ni/base/copy.h \
    ni/base/cpu.c \
    ni/base/cpu.h \
    ni/base/descriptor.c \
    ni/base/descriptor.h \
    ni/base/fault.c \
    ni/base/fault_inl.h \
    ni/base/fault_page.c \
    ni/base/fault_page.h \
    ni/base/fault_parse.c \
    ni/base/list.h \
    ni/base/log.c \
    ni/base/log.h \
    ni/base/memory_node.c \
    ni/base/memory_node.h \
    ni/base/number.c \
    ni/base/number.h \
    ni/base/param_table.c \
    ni/base/param_text.c \
    ni/base/param_text.h \
    ni/base/params.def \
    ni/base/pool.c \
    ni/base/pool.h \
    ni/base/random.c \
    ni/base/random.h \
    ni/base/remedy.h \
    ni/base/standard.h \
    ni/base/stats.c \
    ni/base/stats.def \
    ni/base/stats.h \
    ni/base/status.c \
    ni/base/topology.c \
    ni/base/topology.h
