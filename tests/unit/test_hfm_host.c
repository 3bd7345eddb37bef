/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/host.c, hfm/host.h. Over a folder that looks like the kernel's. */
#include "unit.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dnp/lofamo/fault.h"
#include "hfm/host.h"

#define SECOND 1000000000ULL
#define NET_HEAD                                                                                   \
    "Inter-|   Receive                                                |  Transmit\n face |bytes\n" \
    "    lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"

static char top[64];
static struct hfm_host host;
static uint64_t now;

/* Write a file below the folder, with the folders that it needs. */
static void put(const char *path, const char *text)
{
    char whole[300];
    FILE *file;

    snprintf(whole, sizeof whole, "%s/%s", top, path);
    for (char *at = strchr(whole + strlen(top) + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(whole, 0755);
        *at = '/';
    }
    file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_errors(unsigned long received)
{
    char text[400];

    snprintf(text, sizeof text, NET_HEAD "  eth1: 100 200 %lu 0 0 0 0 0 300 400 0 0 0 0 0 0\n",
             received);
    put("proc/net/dev", text);
}

static int setup(void **state)
{
    struct hfm_host_limits limits;

    (void)state;
    strcpy(top, "/tmp/test_hfm_host.XXXXXX");
    assert_non_null(mkdtemp(top));
    hfm_host_defaults(&limits);
    snprintf(limits.proc, sizeof limits.proc, "%s/proc", top);
    snprintf(limits.sys, sizeof limits.sys, "%s/sys", top);
    strcpy(limits.interface, "eth1");
    limits.memory_broken = 2;
    limits.corrected_broken = 1000;
    put("proc/meminfo", "MemTotal:  1000000 kB\nMemFree: 1 kB\nMemAvailable: 500000 kB\n"
                        "HardwareCorrupted:     0 kB\n");
    put("sys/devices/system/edac/mc/mc0/ce_count", "70\n");
    put("sys/devices/system/edac/mc/mc0/ue_count", "3\n");
    put("sys/class/net/eth1/carrier", "1\n");
    put("sys/class/hwmon/hwmon0/temp1_input", "45000\n");
    put("sys/class/hwmon/hwmon0/temp1_alarm", "0\n");
    put("sys/class/hwmon/hwmon1/temp3_input", "51500\n");
    put_errors(20);
    hfm_host_init(&host, &limits);
    now = 5 * SECOND;
    assert_int_equal(hfm_host_look(&host, now), 0); /* what was before is no fault */
    assert_string_equal(host.why, "");
    return 0;
}

static int teardown(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", top);
    return system(command);
}

static uint32_t look(unsigned seconds)
{
    now += seconds * SECOND;
    return hfm_host_look(&host, now);
}

static void test_values_are_read(void **state)
{
    (void)state;
    assert_true(host.values.has_memory && host.values.has_edac && host.values.has_network &&
                host.values.has_hwmon);
    assert_int_equal(host.values.available_kib, 500000);
    assert_int_equal(host.values.hottest_mc, 51500);
    assert_string_equal(host.values.hottest, "hwmon1/temp3_input");
    assert_true(host.values.carrier);
}

static void test_memory(void **state)
{
    (void)state;
    put("proc/meminfo", "MemTotal:  1000000 kB\nMemAvailable: 45000 kB\nHardwareCorrupted: 0 kB\n");
    assert_int_equal(look(1), DNP_SICK << 2);
    unit_assert_contains(host.why, "4 % of memory are available");
    put("proc/meminfo", "MemTotal:  1000000 kB\nMemAvailable: 15000 kB\nHardwareCorrupted: 0 kB\n");
    assert_int_equal(look(1), DNP_BROKEN << 2);
    put("proc/meminfo",
        "MemTotal:  1000000 kB\nMemAvailable: 500000 kB\nHardwareCorrupted: 4 kB\n");
    assert_int_equal(look(1), DNP_SICK << 2);
    unit_assert_contains(host.why, "4 KiB of memory are corrupt");
}

static void test_errors_of_memory_are_of_the_last_hour(void **state)
{
    (void)state;
    put("sys/devices/system/edac/mc/mc0/ce_count", "169\n");
    assert_int_equal(look(1), 0);
    put("sys/devices/system/edac/mc/mc0/ce_count", "170\n");
    assert_int_equal(look(1), DNP_SICK << 2);
    unit_assert_contains(host.why, "100 corrected memory errors in the last hour");
    for (int i = 0; i < 12; i++) {
        assert_int_equal(look(300), DNP_SICK << 2);
    }
    assert_int_equal(look(300), 0);
    assert_int_equal(host.values.corrected, 100);
    put("sys/devices/system/edac/mc/mc0/ce_count", "1170\n");
    assert_int_equal(look(1), DNP_BROKEN << 2);
    put("sys/devices/system/edac/mc/mc0/ce_count", "0\n"); /* its driver was loaded again */
    assert_int_equal(look(1), 0);
    put("sys/devices/system/edac/mc/mc0/ue_count", "4\n");
    assert_int_equal(look(1), DNP_BROKEN << 2);
    assert_int_equal(look(7200), DNP_BROKEN << 2); /* for good */
}

static void test_the_service_network(void **state)
{
    (void)state;
    put_errors(120);
    assert_int_equal(look(1), DNP_SICK);
    unit_assert_contains(host.why, "eth1 had 100 errors in the last hour");
    put("sys/class/net/eth1/carrier", "0\n");
    assert_int_equal(look(1), DNP_BROKEN);
    unit_assert_contains(host.why, "eth1 has no carrier");
    assert_false(host.values.carrier);
}

static void test_sensors(void **state)
{
    (void)state;
    put("sys/class/hwmon/hwmon0/temp1_input", "91000\n");
    assert_int_equal(look(1), DNP_SICK << 4);
    unit_assert_contains(host.why, "hwmon0/temp1_input has 91 degrees");
    put("sys/class/hwmon/hwmon0/temp1_input", "105000\n");
    assert_int_equal(look(1), DNP_BROKEN << 4);
    put("sys/class/hwmon/hwmon0/temp1_input", "nonsense\n");
    put("sys/class/hwmon/hwmon0/temp1_alarm", "1\n");
    assert_int_equal(look(1), DNP_SICK << 4);
    unit_assert_contains(host.why, "1 sensors say alarm or fault");
}

static void test_files_that_are_not_there_say_nothing(void **state)
{
    struct hfm_host_limits limits = host.limits;

    (void)state;
    strcpy(limits.proc, "/nowhere");
    strcpy(limits.sys, "/nowhere");
    hfm_host_init(&host, &limits);
    assert_int_equal(look(1), 0);
    assert_false(host.values.has_memory || host.values.has_edac || host.values.has_network ||
                 host.values.has_hwmon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(test_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_errors_of_memory_are_of_the_last_hour, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_the_service_network, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sensors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_that_are_not_there_say_nothing, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
