/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_SENSOR_H
#define DNP_BOARD_SENSOR_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "dnp/board/config.h"
#include "dnp/registers.h"

/*
 * Sensors that have files, as hwmon's have: one number each, in thousandths of a degree, mV or mA.
 * At first they are read at once, then each second by a thread with the ordinary priority: a chip
 * may take long to answer, and the card must not wait for it. One that cannot be read keeps its
 * value, and is logged when that begins.
 */
struct board_sensors {
    pthread_t thread;
    bool started;
    int ends; /* eventfd */
    struct board_config *config;
    _Atomic int32_t value[BOARD_SENSORS_MAX];
};

/* Read them. Returns whether all could be read. */
bool board_sensors_read(struct board_config *config, struct dnp_register_file *registers);

/* Read them from now on. What the configuration has of sensors is the thread's now. false: logged.
 */
bool board_sensors_start(struct board_sensors *sensors, struct board_config *config,
                         const struct dnp_register_file *registers);

/* What was read last goes to the registers. */
void board_sensors_take(struct board_sensors *sensors, struct dnp_register_file *registers);

/* Also if there is no thread. false: it waits for a file, and uses *sensors and the configuration
 * until the process ends. */
bool board_sensors_stop(struct board_sensors *sensors);

#endif
