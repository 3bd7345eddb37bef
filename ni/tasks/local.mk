# SPDX-License-Identifier: BSD-3-Clause
# Locks and task pools, on the public interface.

ni_libapeni_core_la_SOURCES += \
    ni/tasks/central.c \
    ni/tasks/distributed.c \
    ni/tasks/mutex.c \
    ni/tasks/tasks.c \
    ni/tasks/tasks.h
