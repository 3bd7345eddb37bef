# SPDX-License-Identifier: BSD-3-Clause
# The kernel module's buffers and pin-down cache, compiled for a model of Linux: all headers of the kernel are tests/model/kernel.h.

model_tests += tests/model/model_driver_pins

tests_model_model_driver_pins_SOURCES = \
    driver/linux/buffer.c \
    driver/linux/dormant.c \
    driver/linux/pin.c \
    tests/model/kernel.h \
    tests/model/model_driver_pins.c \
    tests/model/pins_card.c \
    tests/model/pins_linux.c \
    tests/model/pins_model.h
tests_model_model_driver_pins_CPPFLAGS = -Itests/model/kernel $(MODEL_CPPFLAGS) -I$(top_srcdir)/tests/model -I$(top_srcdir)

kernel_headers = build_bug capability err gfp interval_tree kref list miscdevice mm mmu_notifier moduleparam mutex pci rwsem \
    sched/signal slab uaccess wait workqueue xarray

tests/model/kernel/stamp: tests/model/driver.mk
	$(AM_V_GEN)$(MKDIR_P) tests/model/kernel/linux/sched && for header in $(kernel_headers); do \
	    echo '#include "kernel.h"' >tests/model/kernel/linux/$$header.h || exit; done && touch $@
$(tests_model_model_driver_pins_OBJECTS): tests/model/kernel/stamp
CLEANFILES += tests/model/kernel/stamp $(kernel_headers:%=tests/model/kernel/linux/%.h)
