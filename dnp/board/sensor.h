/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_SENSOR_H
#define DNP_BOARD_SENSOR_H

#include <stdbool.h>

#include "dnp/board/config.h"
#include "dnp/registers.h"

/* Read the sensors that have files, as hwmon's have: one number each, in thousandths of a degree,
 * mV or mA. One that cannot be read keeps its value, and is logged when that begins. Returns
 * whether all could be read. */
bool board_sensors_read(struct board_config *config, struct dnp_register_file *registers);

#endif
