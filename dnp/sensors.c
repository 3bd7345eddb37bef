/* SPDX-License-Identifier: BSD-3-Clause */
/* Sensors and the text that has their values. */
#include "dnp/sensors.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/number.h"

const struct dnp_sensor dnp_sensors[] = {
    {"board_temperature", DNP_SENSOR_TEMPERATURE, DNP_REG_sensor_board_temperature, 40000,
     "thousandths of a degree Celsius"},
    {"core_temperature", DNP_SENSOR_TEMPERATURE, DNP_REG_sensor_core_temperature, 50000,
     "thousandths of a degree Celsius"},
    {"current_12v", DNP_SENSOR_CURRENT, DNP_REG_sensor_current_12v, 2000, "mA"},
    {"voltage_12v", DNP_SENSOR_VOLTAGE, DNP_REG_sensor_voltage_12v, 12000, "mV"},
    {"voltage_3v3", DNP_SENSOR_VOLTAGE, DNP_REG_sensor_voltage_3v3, 3300, "mV"},
    {"voltage_1v1", DNP_SENSOR_VOLTAGE, DNP_REG_sensor_voltage_1v1, 1100, "mV"},
    {"voltage_1v4", DNP_SENSOR_VOLTAGE, DNP_REG_sensor_voltage_1v4, 1400, "mV"},
};
const size_t dnp_sensor_count = NI_ARRAY_LENGTH(dnp_sensors);

void dnp_sensors_reset(struct dnp_register_file *file)
{
    for (size_t i = 0; i < dnp_sensor_count; i++) {
        dnp_set(file, dnp_sensors[i].reg, 0, (uint32_t)dnp_sensors[i].nominal);
    }
}

static const char BLANKS[] = " \t\r";

/* The next word of a line; its length, 0 at the end. */
static size_t next_word(const char **at, const char *end)
{
    const char *begin;

    while (*at < end && strchr(BLANKS, **at) != NULL) {
        ++*at;
    }
    begin = *at;
    while (*at < end && strchr(BLANKS, **at) == NULL) {
        ++*at;
    }
    return (size_t)(*at - begin);
}

const struct dnp_sensor *dnp_sensor_find(const char *name, size_t length)
{
    for (size_t i = 0; i < dnp_sensor_count; i++) {
        if (strlen(dnp_sensors[i].name) == length &&
            memcmp(dnp_sensors[i].name, name, length) == 0) {
            return &dnp_sensors[i];
        }
    }
    return NULL;
}

bool dnp_sensor_value(const char *text, size_t length, int32_t *value)
{
    bool negative = length > 0 && text[0] == '-';
    uint64_t number;

    if (ni_number_parse(text + negative, length - negative, false, &number) != NULL ||
        number > INT32_MAX) {
        return false;
    }
    *value = negative ? -(int32_t)number : (int32_t)number;
    return true;
}

/* Take a line without its comment; NULL, or what is wrong with it. */
static const char *take_line(struct dnp_register_file *file, const char *line, const char *end)
{
    const char *at = line;
    size_t name_length = next_word(&at, end), length;
    const struct dnp_sensor *sensor = dnp_sensor_find(at - name_length, name_length);
    int32_t value;

    if (name_length == 0) {
        return NULL;
    }
    if (sensor == NULL) {
        return "its first word names no sensor";
    }
    length = next_word(&at, end);
    if (!dnp_sensor_value(at - length, length, &value)) {
        return "its second word is no number of up to 2147483647";
    }
    if (next_word(&at, end) != 0) {
        return "there is something behind the value";
    }
    dnp_set(file, sensor->reg, 0, (uint32_t)value);
    return NULL;
}

ni_status dnp_sensors_parse(struct dnp_register_file *file, const char *text, char *error,
                            size_t error_size)
{
    struct dnp_register_file changed = *file;
    unsigned number = 1;

    for (const char *line = text; *line != '\0'; number++) {
        const char *next = line + strcspn(line, "\n");
        const char *end = line + strcspn(line, "#\n");
        const char *wrong = take_line(&changed, line, end);

        if (wrong != NULL) {
            snprintf(error, error_size,
                     "line %u, \"%.*s\": %s; wanted is NAME VALUE, such as \"board_temperature "
                     "41500\"",
                     number, (int)ni_min_u64((uint64_t)(end - line), 60), line, wrong);
            return NI_ERR_PARAM;
        }
        line = *next == '\n' ? next + 1 : next;
    }
    *file = changed;
    return NI_OK;
}
