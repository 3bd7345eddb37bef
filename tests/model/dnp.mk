# SPDX-License-Identifier: BSD-3-Clause
# Models of dnp.

model_tests += \
    tests/model/model_dnp_link

tests_model_model_dnp_link_SOURCES = tests/model/model_dnp_link.c
tests_model_model_dnp_link_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_link_LDADD = dnp/libdnp.la
