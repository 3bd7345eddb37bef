# SPDX-License-Identifier: BSD-3-Clause
# Models of ni/match.

model_tests += \
    tests/model/model_match_headers \
    tests/model/model_match_list \
    tests/model/model_overflow \
    tests/model/model_portals \
    tests/model/model_requests

tests_model_model_match_headers_SOURCES = \
    tests/model/match_model.c \
    tests/model/match_model.h \
    tests/model/match_trace.c \
    tests/model/match_trace.h \
    tests/model/model_match_headers.c
tests_model_model_match_headers_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_match_headers_LDADD = $(MODEL_LIBS)

tests_model_model_match_list_SOURCES = \
    tests/model/match_model.c \
    tests/model/match_model.h \
    tests/model/match_trace.c \
    tests/model/match_trace.h \
    tests/model/model_match_list.c
tests_model_model_match_list_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_match_list_LDADD = $(MODEL_LIBS)

tests_model_model_overflow_SOURCES = \
    tests/model/model_overflow.c \
    tests/model/overflow_model.c \
    tests/model/overflow_model.h
tests_model_model_overflow_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_overflow_LDADD = $(MODEL_LIBS)

tests_model_model_portals_SOURCES = \
    tests/model/match_model.c \
    tests/model/match_model.h \
    tests/model/model_portals.c
tests_model_model_portals_CPPFLAGS = $(MODEL_CPPFLAGS)
tests_model_model_portals_LDADD = $(MODEL_LIBS)

tests_model_model_requests_SOURCES = \
    tests/links/portal_model.c \
    tests/links/portal_model.h \
    tests/model/match_model.c \
    tests/model/match_model.h \
    tests/model/model_requests.c \
    tests/model/request_calls.c \
    tests/model/request_calls.h \
    tests/model/request_events.c \
    tests/model/request_events.h \
    tests/model/request_model.c \
    tests/model/request_model.h
tests_model_model_requests_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)/tests/links
tests_model_model_requests_LDADD = $(MODEL_LIBS)
