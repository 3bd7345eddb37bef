# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of dnp and driver.

DNP_UNIT_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)
DNP_UNIT_LIBS = dnp/libdnp.la $(CMOCKA_LIBS)

unit_tests += \
    tests/unit/test_dnp_board_config \
    tests/unit/test_dnp_cable \
    tests/unit/test_dnp_card \
    tests/unit/test_dnp_channel \
    tests/unit/test_dnp_deadlock \
    tests/unit/test_dnp_fault \
    tests/unit/test_dnp_health \
    tests/unit/test_dnp_link \
    tests/unit/test_dnp_lofamo \
    tests/unit/test_dnp_lofamo_scenario \
    tests/unit/test_dnp_machine \
    tests/unit/test_dnp_maps \
    tests/unit/test_dnp_memory \
    tests/unit/test_dnp_packet \
    tests/unit/test_dnp_registers \
    tests/unit/test_dnp_route \
    tests/unit/test_dnp_sensors \
    tests/unit/test_dnp_tcp \
    tests/unit/test_dnp_way \
    tests/unit/test_driver_ioctl

noinst_HEADERS += tests/unit/dnp_fixture.h tests/unit/dnp_host.h tests/unit/dnp_torus.h

unit_scripts += tests/unit/dnp_board.sh tests/unit/dnp_device.sh tests/unit/dnp_lofamo.sh \
    tests/unit/dnp_lofamo_plot.sh \
    tests/unit/dnp_registers.sh

tests_unit_test_dnp_registers_SOURCES = tests/unit/test_dnp_registers.c
tests_unit_test_dnp_registers_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_registers_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_link_SOURCES = tests/unit/test_dnp_link.c
tests_unit_test_dnp_link_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_link_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_fault_SOURCES = tests/unit/test_dnp_fault.c
tests_unit_test_dnp_fault_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_fault_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_health_SOURCES = tests/unit/test_dnp_health.c
tests_unit_test_dnp_health_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_health_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_lofamo_SOURCES = tests/unit/test_dnp_lofamo.c
tests_unit_test_dnp_lofamo_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_lofamo_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_lofamo_scenario_SOURCES = \
    tests/model/lofamo_cluster.c \
    tests/unit/test_dnp_lofamo_scenario.c
tests_unit_test_dnp_lofamo_scenario_CPPFLAGS = $(DNP_UNIT_CPPFLAGS) -I$(top_srcdir)/tests/model
tests_unit_test_dnp_lofamo_scenario_LDADD = hfm/libhfm.la $(CMOCKA_LIBS)

tests_unit_test_dnp_packet_SOURCES = tests/unit/test_dnp_packet.c
tests_unit_test_dnp_packet_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_packet_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_route_SOURCES = tests/unit/test_dnp_route.c
tests_unit_test_dnp_route_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_route_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_deadlock_SOURCES = tests/unit/test_dnp_deadlock.c
tests_unit_test_dnp_deadlock_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_deadlock_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_card_SOURCES = tests/unit/test_dnp_card.c
tests_unit_test_dnp_card_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_card_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_way_SOURCES = tests/unit/test_dnp_way.c
tests_unit_test_dnp_way_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_way_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_channel_SOURCES = tests/unit/test_dnp_channel.c
tests_unit_test_dnp_channel_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_channel_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_sensors_SOURCES = tests/unit/test_dnp_sensors.c
tests_unit_test_dnp_sensors_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_sensors_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_driver_ioctl_SOURCES = tests/unit/test_driver_ioctl.c
tests_unit_test_driver_ioctl_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_driver_ioctl_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_cable_SOURCES = tests/unit/test_dnp_cable.c
tests_unit_test_dnp_cable_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_cable_LDADD = $(DNP_UNIT_LIBS)

tests_unit_test_dnp_board_config_SOURCES = tests/unit/test_dnp_board_config.c
tests_unit_test_dnp_board_config_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_board_config_LDADD = dnp/libboard.la $(CMOCKA_LIBS)

tests_unit_test_dnp_machine_SOURCES = tests/unit/test_dnp_machine.c
tests_unit_test_dnp_machine_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_machine_LDADD = dnp/libboard.la $(CMOCKA_LIBS)

tests_unit_test_dnp_maps_SOURCES = tests/unit/test_dnp_maps.c
tests_unit_test_dnp_maps_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_maps_LDADD = dnp/libboard.la $(CMOCKA_LIBS)

tests_unit_test_dnp_memory_SOURCES = tests/unit/test_dnp_memory.c
tests_unit_test_dnp_memory_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_memory_LDADD = dnp/libboard.la $(CMOCKA_LIBS)

tests_unit_test_dnp_tcp_SOURCES = tests/unit/test_dnp_tcp.c
tests_unit_test_dnp_tcp_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_test_dnp_tcp_LDADD = dnp/libboard.la $(CMOCKA_LIBS)

if HAVE_LIBEVENT
unit_tests += tests/unit/test_dnp_ivshmem

tests_unit_test_dnp_ivshmem_SOURCES = \
    dnp/board/ivshmem.c \
    dnp/board/socket.c \
    tests/unit/test_dnp_ivshmem.c
tests_unit_test_dnp_ivshmem_CPPFLAGS = $(DNP_UNIT_CPPFLAGS) $(LIBEVENT_CFLAGS)
tests_unit_test_dnp_ivshmem_LDADD = dnp/libboard.la $(LIBEVENT_LIBS) $(CMOCKA_LIBS)
endif

# The neighbours that dnp_board.sh gives to a board.
check_PROGRAMS += tests/unit/dnp_board_ends

tests_unit_dnp_board_ends_SOURCES = tests/unit/dnp_board_ends.c
tests_unit_dnp_board_ends_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_dnp_board_ends_LDADD = dnp/libboard.la

# The programs that dnp_device.sh runs, and tools/stages/machine in virtual machines.
check_PROGRAMS += tests/unit/dnp_device_client tests/unit/dnp_device_memory tests/unit/dnp_device_pair

tests_unit_dnp_device_memory_SOURCES = \
    tests/unit/dnp_device_memory.c \
    tests/unit/dnp_device_memory.h \
    tests/unit/dnp_device_pins.c
tests_unit_dnp_device_memory_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_dnp_device_memory_LDADD = dnp/libdnp.la

tests_unit_dnp_device_pair_SOURCES = tests/unit/dnp_device_pair.c
tests_unit_dnp_device_pair_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_dnp_device_pair_LDADD = dnp/libdnp.la

tests_unit_dnp_device_client_SOURCES = tests/unit/dnp_device_client.c
tests_unit_dnp_device_client_CPPFLAGS = $(DNP_UNIT_CPPFLAGS)
tests_unit_dnp_device_client_LDADD = dnp/libdnp.la
