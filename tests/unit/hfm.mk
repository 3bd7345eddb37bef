# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of hfm.

HFM_UNIT_LIBS = hfm/libhfm.la $(CMOCKA_LIBS)

unit_scripts += tests/unit/hfm_cards.sh tests/unit/hfm_daemon.sh tests/unit/hfm_late.sh \
    tests/unit/hfm_load.sh

unit_tests += \
    tests/unit/test_hfm_config \
    tests/unit/test_hfm_gone \
    tests/unit/test_hfm_host \
    tests/unit/test_hfm_lease \
    tests/unit/test_hfm_message \
    tests/unit/test_hfm_presence \
    tests/unit/test_hfm_print \
    tests/unit/test_hfm_report \
    tests/unit/test_hfm_service \
    tests/unit/test_hfm_setup \
    tests/unit/test_hfm_spawn \
    tests/unit/test_hfm_watchdog

tests_unit_test_hfm_message_SOURCES = tests/unit/test_hfm_message.c
tests_unit_test_hfm_message_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_message_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_report_SOURCES = tests/unit/test_hfm_report.c
tests_unit_test_hfm_report_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_report_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_service_SOURCES = tests/unit/test_hfm_service.c
tests_unit_test_hfm_service_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_service_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_watchdog_SOURCES = tests/unit/test_hfm_watchdog.c
tests_unit_test_hfm_watchdog_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_watchdog_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_config_SOURCES = tests/unit/test_hfm_config.c
tests_unit_test_hfm_config_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_config_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_host_SOURCES = tests/unit/test_hfm_host.c
tests_unit_test_hfm_host_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_host_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_gone_SOURCES = tests/unit/test_hfm_gone.c
tests_unit_test_hfm_gone_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_gone_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_lease_SOURCES = tests/unit/test_hfm_lease.c
tests_unit_test_hfm_lease_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_lease_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_presence_SOURCES = tests/unit/test_hfm_presence.c
tests_unit_test_hfm_presence_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_presence_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_print_SOURCES = tests/unit/test_hfm_print.c
tests_unit_test_hfm_print_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_print_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_setup_SOURCES = tests/unit/test_hfm_setup.c
tests_unit_test_hfm_setup_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_setup_LDADD = $(HFM_UNIT_LIBS)

tests_unit_test_hfm_spawn_SOURCES = \
    hfm/daemon/spawn.c \
    tests/unit/test_hfm_spawn.c
tests_unit_test_hfm_spawn_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_hfm_spawn_LDADD = $(HFM_UNIT_LIBS) -lpthread
