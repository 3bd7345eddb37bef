/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_SENSORS_H
#define DNP_SENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

#include "dnp/registers.h"

/*
 * The sensors of a card (APEnet+ 3.1.1.4), whose values the card's owner brings: from a file, or
 * from those of the host. Each has a register; the names are those of registers without "sensor_".
 */

enum dnp_sensor_kind {
    DNP_SENSOR_TEMPERATURE,
    DNP_SENSOR_CURRENT,
    DNP_SENSOR_VOLTAGE,
};

struct dnp_sensor {
    const char *name;
    enum dnp_sensor_kind kind;
    enum dnp_offset reg;
    int32_t nominal; /* mV or mA; thousandths of a degree: what it is without any other source */
    const char *unit;
};

extern const struct dnp_sensor dnp_sensors[];
extern const size_t dnp_sensor_count;

/* All sensors at what they are without a source. */
void dnp_sensors_reset(struct dnp_register_file *file);

/* That of a name of so many characters, or NULL. */
const struct dnp_sensor *dnp_sensor_find(const char *name, size_t length);

/* A number as a register of a sensor can have it; false: the text is none. */
bool dnp_sensor_value(const char *text, size_t length, int32_t *value);

/*
 * Read lines "NAME VALUE", as in "board_temperature 41500"; "#" begins a comment, values may be
 * negative. Sensors that are not named keep what they have. NI_ERR_PARAM: a line is none, and error
 * gets a sentence that names it and what is wanted; then nothing has changed.
 */
ni_status dnp_sensors_parse(struct dnp_register_file *file, const char *text, char *error,
                            size_t error_size);

#endif
