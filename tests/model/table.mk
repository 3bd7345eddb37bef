# SPDX-License-Identifier: BSD-3-Clause
# Models of ni/table.

model_tests += \
    tests/model/model_rcache \
    tests/model/model_table

tests_model_model_rcache_SOURCES = \
    tests/model/model_rcache.c \
    tests/model/rcache_model.c \
    tests/model/rcache_model.h
tests_model_model_rcache_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_rcache_LDADD = $(MODEL_LIBS)

tests_model_model_table_SOURCES = tests/model/model_table.c
tests_model_model_table_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_table_LDADD = $(MODEL_LIBS)
