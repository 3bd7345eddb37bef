/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sensors from the host's. */
#include "dnp/board/sensor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <apeni/log.h>

#include "dnp/board/realtime.h"

enum { TEXT = 32, EACH_MS = 1000 };

/* NULL, or why the file has no value. */
static const char *read_value(const char *path, int32_t *value)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char text[TEXT];
    ssize_t len = fd >= 0 ? read(fd, text, sizeof text) : -1;
    int error = errno;

    if (fd >= 0) {
        close(fd);
    }
    if (len < 0) {
        return strerror(error);
    }
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL) {
        len--;
    }
    return dnp_sensor_value(text, (size_t)len, value) ? NULL
                                                      : "wanted is one number, such as 41500";
}

/* false: it keeps what it has. */
static bool read_sensor(struct board_sensor *sensor, int32_t *value)
{
    const char *wrong = read_value(sensor->path, value);

    if (wrong != NULL && !sensor->lost) {
        ni_log(NI_LOG_ERROR, "apelink-board: %s of %s: %s; see \"sensor\" of the configuration",
               sensor->path, sensor->sensor->name, wrong);
    }
    sensor->lost = wrong != NULL;
    return wrong == NULL;
}

bool board_sensors_read(struct board_config *config, struct dnp_register_file *registers)
{
    bool all = true;

    for (unsigned i = 0; i < config->sensor_count; i++) {
        int32_t value;

        if (read_sensor(&config->sensor[i], &value)) {
            dnp_set(registers, config->sensor[i].sensor->reg, 0, (uint32_t)value);
        } else {
            all = false;
        }
    }
    return all;
}

/* Values are all that is shared: relaxed. */
static void *run(void *arg)
{
    struct board_sensors *sensors = arg;
    struct pollfd ends = {.fd = sensors->ends, .events = POLLIN};

    while (poll(&ends, 1, EACH_MS) == 0) {
        for (unsigned i = 0; i < sensors->config->sensor_count; i++) {
            int32_t value;

            if (read_sensor(&sensors->config->sensor[i], &value)) {
                atomic_store_explicit(&sensors->value[i], value, memory_order_relaxed);
            }
        }
    }
    return NULL;
}

bool board_sensors_start(struct board_sensors *sensors, struct board_config *config,
                         const struct dnp_register_file *registers)
{
    int error;

    memset(sensors, 0, sizeof *sensors);
    sensors->config = config;
    for (unsigned i = 0; i < config->sensor_count; i++) {
        atomic_store_explicit(&sensors->value[i],
                              (int32_t)dnp_get(registers, config->sensor[i].sensor->reg, 0),
                              memory_order_relaxed);
    }
    sensors->ends = eventfd(0, EFD_CLOEXEC);
    error = sensors->ends < 0 ? errno : board_thread_start(&sensors->thread, run, sensors, true);
    sensors->started = error == 0;
    if (error != 0) {
        ni_log(NI_LOG_ERROR, "apelink-board: no thread for sensors: %s", strerror(error));
        if (sensors->ends >= 0) {
            close(sensors->ends);
        }
    }
    return error == 0;
}

void board_sensors_take(struct board_sensors *sensors, struct dnp_register_file *registers)
{
    for (unsigned i = 0; i < sensors->config->sensor_count; i++) {
        dnp_set(registers, sensors->config->sensor[i].sensor->reg, 0,
                (uint32_t)atomic_load_explicit(&sensors->value[i], memory_order_relaxed));
    }
}

bool board_sensors_stop(struct board_sensors *sensors)
{
    uint64_t one = 1;

    if (!sensors->started) {
        return true;
    }
    (void)!write(sensors->ends, &one, sizeof one);
    if (!board_thread_end(sensors->thread)) {
        return false;
    }
    sensors->started = false;
    close(sensors->ends);
    return true;
}
