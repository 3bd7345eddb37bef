/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: dnp/board/config.c, dnp/board/sensor.c, dnp/board/state.c. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/board/config.h"
#include "dnp/board/sensor.h"
#include "dnp/board/state.h"

#define WHOLE "torus 4x2x1\nplace 1 0 0\nkey /k\n"

static void test_a_whole_configuration(void **state)
{
    struct board_config config;
    char error[300] = "";

    (void)state;
    assert_int_equal(board_config_parse(
                         &config,
                         "# ours\n" WHOLE "\tcable X+  127.0.0.1:7000 10.0.0.2:65535 # near\r\n"
                         "cable Z- 127.0.0.1:7001 127.0.0.1:7002 lose 10 corrupt "
                         "1000000 broken\n"
                         "cable Y+ memory /y lose 7 delay 9\n"
                         "cable Y- tcp 127.0.0.1:7003 127.0.0.1:7004 delay 3\n"
                         "control /c\nsensors /s\ndevice /d 640\nmachine /m /r\nfifo 512\n"
                         "cycle 1000000\nrealtime 40\nset fault_timer 0x00080005\nset fault_mask 1",
                         error, sizeof error),
                     NI_OK);
    assert_int_equal(config.torus.size[0], 4);
    assert_int_equal(config.place.at[0], 1);
    assert_string_equal(config.key, "/k");
    assert_string_equal(config.control, "/c");
    assert_string_equal(config.sensors, "/s");
    assert_string_equal(config.device, "/d");
    assert_int_equal(config.device_mode, 0640);
    assert_string_equal(config.machine, "/m");
    assert_string_equal(config.machine_memory, "/r");
    assert_int_equal(config.fifo, 512);
    assert_int_equal(config.cycle_ns, 1000000);
    assert_int_equal(config.realtime, 40);
    assert_int_equal(config.sets, 2);
    assert_int_equal(config.set[0].offset, 0x464);
    assert_int_equal(config.set[0].value, 0x00080005);
    assert_int_equal(config.set[1].offset, 0x468);
    assert_true(config.cable[NI_TORUS_X_PLUS].used && config.cable[NI_TORUS_Z_MINUS].used);
    assert_false(config.cable[NI_TORUS_X_MINUS].used);
    assert_string_equal(config.cable[NI_TORUS_Y_PLUS].memory, "/y");
    assert_int_equal(config.cable[NI_TORUS_Y_PLUS].faults.lose_ppm, 7);
    assert_int_equal(config.cable[NI_TORUS_Y_PLUS].delay_us, 9);
    assert_string_equal(config.cable[NI_TORUS_X_PLUS].memory, "");
    assert_false(config.cable[NI_TORUS_X_PLUS].tcp);
    assert_true(config.cable[NI_TORUS_Y_MINUS].tcp);
    assert_int_equal(ntohs(config.cable[NI_TORUS_Y_MINUS].here.sin_port), 7003);
    assert_int_equal(ntohs(config.cable[NI_TORUS_Y_MINUS].there.sin_port), 7004);
    assert_int_equal(config.cable[NI_TORUS_Y_MINUS].delay_us, 3);
    assert_int_equal(ntohs(config.cable[NI_TORUS_X_PLUS].there.sin_port), 65535);
    assert_int_equal(config.cable[NI_TORUS_Z_MINUS].faults.lose_ppm, 10);
    assert_int_equal(config.cable[NI_TORUS_Z_MINUS].faults.corrupt_ppm, 1000000);
    assert_true(config.cable[NI_TORUS_Z_MINUS].faults.broken);
}

struct wrong {
    const char *text, *says;
};

static void test_what_is_left_out(void **state)
{
    struct board_config config;
    char error[300] = "";

    (void)state;
    assert_int_equal(board_config_parse(&config, WHOLE, error, sizeof error), NI_OK);
    assert_int_equal(config.fifo, DNP_FIFO_MAX);
    assert_int_equal(config.cycle_ns, 1000);
    assert_int_equal(config.realtime, 0);
}

static void assert_refused(const struct wrong *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct board_config config;
        char error[300] = "";

        assert_int_equal(board_config_parse(&config, rows[i].text, error, sizeof error),
                         NI_ERR_PARAM);
        unit_assert_contains(error, rows[i].says);
    }
}

static void test_what_is_wrong_is_named(void **state)
{
    static const struct wrong rows[] = {
        {"", "there is no line \"torus\""},
        {"torus 2x1x1\nkey /k", "no line \"place\""},
        {"torus 2x1x1\nplace 2 0 0\nkey /k", "the place is not in the torus"},
        {"torus 2x1x1\nplace 1 0 0", "no line \"key\""},
        {"sensor", "\"\" is no sensor"},
        {"sensor board /x", "\"board\" is no sensor; one is board_temperature"},
        {"sensor voltage_12v", "\"voltage_12v\" needs a path of at most 99 characters"},
        {WHOLE "cables", "line 4: \"cables\" is no setting; settings are torus,"},
        {"torus", "line 1: \"torus\" needs a shape"},
        {"torus 0x1", "line 1: "},
        {"torus 1024", "more than 1023 nodes"},
        {"place 1 0", "\"0\" needs a number behind it"},
        {"place 1 0 0 0", "\"0\" is one coordinate too many"},
        {"place 1 -1 0", "\"-1\" is no number from 0 to 1022"},
        {"device", "\"device\" needs one word"},
        {"device /d 0666", "\"0666\" is no mode of three octal digits such as 660"},
        {"device /d 868", "\"868\" is no mode"},
        {"device /d 666 x", "\"x\" is one word too many"},
        {"machine /m", "\"machine\" needs two paths of at most 99 characters, a socket and"},
        {"machine /m /r x", "\"machine\" needs two paths"},
        {"fifo 600", "\"600\" is no power of two"},
        {"fifo 256", "is no number from 512 to 16384"},
        {"cycle 0", "is no number from 1 to 1000000"},
        {"realtime", "\"realtime\" needs a number behind it"},
        {"realtime high", "\"high\" is no number from 0 to 99"},
        {"realtime 100", "\"100\" is no number from 0 to 99"},
        {"realtime 1 2", "\"2\" is one word too many; one priority is wanted, 0 for none"},
        {"set", "\"\" is no register that can be set"},
        {"set board_magic 1", "\"board_magic\" is no register that can be set, such as"},
        {"set remote_fault 1", "\"remote_fault\" is no register that can be set"},
        {"set fault_mask", "\"fault_mask\" needs a number behind it"},
        {"set fault_mask 4294967296", "is no number from 0 to 4294967295"},
        {"set fault_mask 1 2", "\"2\" is one word too many"},
        {"set fault_timer 0x00050005", "\"0x00050005\" is a value that this register cannot have"},
        {"key a b", "\"key\" needs one word"},
        {"key 1 2 3 4 5 6 7 8 9 10 11 12", "\"12\" is one word too many"},
    };

    (void)state;
    assert_refused(rows, NI_ARRAY_LENGTH(rows));
}

static void test_wrong_cables_are_named(void **state)
{
    static const struct wrong rows[] = {
        {"cable", "\"cable\" names no link"},
        {"cable W+ a b", "\"W+\" names no link; links are X+,"},
        {"cable X+ 1.2.3.4:5", "\"X+\" needs two addresses"},
        {"cable X+ 1.2.3.4:5 1.2.3.4", "\"1.2.3.4\" is no address such as"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:0", "is no address such as"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:65536", "is no address such as"},
        {"cable X+ 1.2.3.4:5 here:7", "\"here:7\" is no address such as"},
        {"cable X+ 1.2.3.4:5 111111111111111111111111111.2.3.4:5", "is no address such as"},
        {"cable X+ tcp 1.2.3.4:5", "\"X+\" needs two addresses"},
        {"cable X+ tcp 1.2.3.4:5 here:7", "\"here:7\" is no address such as"},
        {"cable X+ memory", "\"X+\" needs two addresses"},
        {"cable X+ memory /m slow", "\"slow\" is none of lose, corrupt, delay and broken"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:6 slow",
         "\"slow\" is none of lose, corrupt, delay and broken"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:6 lose", "\"lose\" needs a number behind it"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:6 lose 1000001", "is no number from 0 to 1000000"},
        {"cable X+ 1.2.3.4:5 1.2.3.4:6\ncable X+ 1.2.3.4:5 1.2.3.4:6",
         "line 2: \"X+\" has a cable"},
    };

    (void)state;
    assert_refused(rows, NI_ARRAY_LENGTH(rows));
}

static void test_long_lines(void **state)
{
    struct board_config config;
    char text[1000], error[300] = "";

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "key ", 4);
    text[450] = '\0';
    assert_int_equal(board_config_parse(&config, text, error, sizeof error), NI_ERR_PARAM);
    unit_assert_contains(error, "too long");
    text[104] = '\0';
    assert_int_equal(board_config_parse(&config, text, error, sizeof error), NI_ERR_PARAM);
    unit_assert_contains(error, "at most 99 characters");
}

static void test_keys(void **state)
{
    struct dnp_key key;

    (void)state;
    assert_true(board_key_parse("0123456789abcdefFEDCBA9876543210\n", &key));
    assert_true(key.half[0] == 0x0123456789abcdefU && key.half[1] == 0xfedcba9876543210U);
    assert_false(board_key_parse("", &key));
    assert_false(board_key_parse("0123456789abcdefFEDCBA987654321", &key));
    assert_false(board_key_parse("0123456789abcdefFEDCBA98765432100", &key));
    assert_false(board_key_parse("0123456789abcdefFEDCBA987654321g", &key));
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

/* One that cannot be read any more keeps what it had. */
static void test_sensors_of_the_host(void **state)
{
    static struct dnp_register_file registers;
    char path[] = "/tmp/test_sensorXXXXXX", text[300], error[300] = "";
    int file = mkstemp(path);
    struct board_config config;

    (void)state;
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text, WHOLE "sensor core_temperature %s\nsensor voltage_1v1 %s\n", path,
             path);
    assert_int_equal(board_config_parse(&config, text, error, sizeof error), NI_OK);
    write_file(path, "-1500\n");
    assert_true(board_sensors_read(&config, &registers));
    assert_int_equal((int32_t)dnp_get(&registers, DNP_REG_sensor_core_temperature, 0), -1500);
    assert_int_equal((int32_t)dnp_get(&registers, DNP_REG_sensor_voltage_1v1, 0), -1500);
    write_file(path, "warm\n");
    assert_false(board_sensors_read(&config, &registers));
    write_file(path, "");
    assert_false(board_sensors_read(&config, &registers));
    unlink(path);
    assert_false(board_sensors_read(&config, &registers));
    assert_int_equal((int32_t)dnp_get(&registers, DNP_REG_sensor_core_temperature, 0), -1500);
}

/* A thread reads them each second; what cannot be read keeps its value. */
static void test_sensors_are_read_on(void **state)
{
    static struct dnp_register_file registers;
    static struct board_sensors sensors;
    char path[] = "/tmp/test_sensorXXXXXX", text[300], error[300] = "";
    int file = mkstemp(path);
    struct board_config config;

    (void)state;
    assert_true(file >= 0);
    close(file);
    snprintf(text, sizeof text, WHOLE "sensor core_temperature %s\n", path);
    assert_int_equal(board_config_parse(&config, text, error, sizeof error), NI_OK);
    assert_true(board_sensors_stop(&sensors)); /* there is none */
    write_file(path, "20000\n");
    assert_true(board_sensors_read(&config, &registers));
    assert_true(board_sensors_start(&sensors, &config, &registers));
    board_sensors_take(&sensors, &registers);
    assert_int_equal(dnp_get(&registers, DNP_REG_sensor_core_temperature, 0), 20000);
    write_file(path, "21000\n");
    while (dnp_get(&registers, DNP_REG_sensor_core_temperature, 0) != 21000) {
        usleep(10000);
        board_sensors_take(&sensors, &registers);
        assert_true(dnp_get(&registers, DNP_REG_sensor_core_temperature, 0) >= 20000);
    }
    assert_true(board_sensors_stop(&sensors));
    assert_true(board_sensors_stop(&sensors));
    unlink(path);
}

/* Every register is there. */
static void test_state(void **state)
{
    struct dnp_card *card = ni_aligned_zero(NI_CACHE_LINE, sizeof *card);
    const struct dnp_cable cable = {.peer_session = 1, .sent = 77, .verdicts = {5, 6}};
    const struct dnp_cable *cables[DNP_LINKS] = {[NI_TORUS_Y_MINUS] = &cable};
    const struct dnp_host host = {0};
    char *text = NULL, name[64];
    size_t size;
    FILE *out = open_memstream(&text, &size);

    (void)state;
    assert_int_equal(dnp_card_init(card, 512, &host, 0), NI_OK);
    board_state_print(out, card, cables);
    fclose(out);
    for (size_t i = 0; i < dnp_register_count; i++) {
        snprintf(name, sizeof name, "    \"%s\": ", dnp_registers[i].name);
        unit_assert_contains(text, name);
    }
    unit_assert_contains(text, "\"link_crc_errors\": [0, 0, 0, 0, 0, 0],");
    unit_assert_contains(text,
                         "\"Y-\": {\"known\": true, \"sent\": 77, \"good\": 5, \"malformed\": 6");
    unit_assert_contains(text, "\"X+\": null");
    dnp_card_fini(card);
    free(card);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_configuration),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_what_is_wrong_is_named),
        cmocka_unit_test(test_wrong_cables_are_named),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_sensors_of_the_host),
        cmocka_unit_test(test_sensors_are_read_on),
        cmocka_unit_test(test_state),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
