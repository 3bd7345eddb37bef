# SPDX-License-Identifier: BSD-3-Clause
# The engine: what packets mean. The folders, each of which knows those above it in this list only.

ni_libapeni_core_la_SOURCES += ni/engine/engine.h

include ni/engine/core/local.mk
include ni/engine/send/local.mk
include ni/engine/bulk/local.mk
include ni/engine/object/counter/local.mk
include ni/engine/object/queue/local.mk
include ni/engine/object/store/local.mk
include ni/engine/object/notify/local.mk
include ni/engine/arrive/local.mk
include ni/engine/drive/local.mk
include ni/engine/life/local.mk
