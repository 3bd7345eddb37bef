/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads sensors from the host's. */
#include "dnp/board/sensor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <apeni/log.h>

enum { TEXT = 32 };

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

bool board_sensors_read(struct board_config *config, struct dnp_register_file *registers)
{
    bool all = true;

    for (unsigned i = 0; i < config->sensor_count; i++) {
        struct board_sensor *sensor = &config->sensor[i];
        int32_t value;
        const char *wrong = read_value(sensor->path, &value);

        if (wrong == NULL) {
            dnp_set(registers, sensor->sensor->reg, 0, (uint32_t)value);
        } else if (!sensor->lost) {
            ni_log(NI_LOG_ERROR, "apelink-board: %s of %s: %s; see \"sensor\" of the configuration",
                   sensor->path, sensor->sensor->name, wrong);
        }
        sensor->lost = wrong != NULL;
        all = all && wrong == NULL;
    }
    return all;
}
