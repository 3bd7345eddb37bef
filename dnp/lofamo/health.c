/* SPDX-License-Identifier: BSD-3-Clause */
/* Self tests of links, core and sensors. */
#include "dnp/lofamo/health.h"

#include <string.h>

#include "base/bits.h"
#include "dnp/sensors.h"

static uint32_t errors_of(const struct dnp_register_file *file, unsigned link)
{
    return dnp_get(file, DNP_REG_link_crc_errors, link) +
           dnp_get(file, DNP_REG_link_cut_packets, link);
}

void dnp_link_health_begin(struct dnp_link_health *health, const struct dnp_register_file *file,
                           unsigned link)
{
    health->words = dnp_get64(file, DNP_REG_link_words, link);
    health->lost = dnp_get(file, DNP_REG_link_lost_words, link);
    health->errors = errors_of(file, link);
}

enum dnp_status dnp_link_health_look(struct dnp_link_health *health,
                                     const struct dnp_register_file *file, unsigned link, bool down)
{
    uint32_t reg = dnp_get(file, DNP_REG_link_sick, 0);
    uint32_t few = DNP_FIELD_GET(reg, link_sick_errors);
    uint64_t window = (uint64_t)DNP_FIELD_GET(reg, link_sick_kibibytes) * 1024;
    uint32_t errors = errors_of(file, link) - health->errors;
    uint64_t bytes = (dnp_get64(file, DNP_REG_link_words, link) - health->words +
                      (dnp_get(file, DNP_REG_link_lost_words, link) - health->lost)) *
                     APELINK_WORD;
    bool sick = few > 0 && errors >= few && errors * window >= few * bytes;

    if (sick || bytes >= window || few == 0) {
        health->sick = sick;
        dnp_link_health_begin(health, file, link);
    }
    if (down) {
        return DNP_BROKEN;
    }
    return health->sick ? DNP_SICK : DNP_NORMAL;
}

uint64_t dnp_cycles_of_ms(const struct dnp_register_file *file, uint32_t ms)
{
    uint64_t ns = ni_max_u64(dnp_get(file, DNP_REG_board_cycle, 0), 1);

    return ((uint64_t)ms * 1000000 + ns - 1) / ns;
}

enum dnp_status dnp_core_health_look(struct dnp_core_health *health,
                                     const struct dnp_register_file *file,
                                     const struct dnp_core_work *work, uint64_t now)
{
    uint32_t reg = dnp_get(file, DNP_REG_fault_core, 0);
    uint64_t sick = dnp_cycles_of_ms(file, DNP_FIELD_GET(reg, fault_core_sick_ms));
    uint64_t broken = dnp_cycles_of_ms(file, DNP_FIELD_GET(reg, fault_core_broken_ms));

    if (!work->waiting || work->progress != health->progress) {
        health->progress = work->progress;
        health->since = now;
    }
    if (broken > 0 && now - health->since >= broken) {
        return DNP_BROKEN;
    }
    return sick > 0 && now - health->since >= sick ? DNP_SICK : DNP_NORMAL;
}

static enum dnp_status temperature(const struct dnp_register_file *file, int32_t value)
{
    uint32_t hot = dnp_get(file, DNP_REG_fault_thresholds, 0);
    uint32_t cold = dnp_get(file, DNP_REG_fault_cold, 0);

    if (value >= (int32_t)DNP_FIELD_GET(hot, fault_thresholds_temperature_alarm) * 1000 ||
        value <= (int8_t)DNP_FIELD_GET(cold, fault_cold_temperature_alarm) * 1000) {
        return DNP_BROKEN;
    }
    return value >= (int32_t)DNP_FIELD_GET(hot, fault_thresholds_temperature_warning) * 1000 ||
                   value <= (int8_t)DNP_FIELD_GET(cold, fault_cold_temperature_warning) * 1000
               ? DNP_SICK
               : DNP_NORMAL;
}

static enum dnp_status supply(const struct dnp_register_file *file, int64_t value, int64_t nominal)
{
    uint32_t reg = dnp_get(file, DNP_REG_fault_thresholds, 0);
    int64_t deviation = (value > nominal ? value - nominal : nominal - value) * 100;

    if (deviation >= nominal * DNP_FIELD_GET(reg, fault_thresholds_supply_alarm)) {
        return DNP_BROKEN;
    }
    return deviation >= nominal * DNP_FIELD_GET(reg, fault_thresholds_supply_warning) ? DNP_SICK
                                                                                      : DNP_NORMAL;
}

uint32_t dnp_sensors_look(const struct dnp_register_file *file)
{
    uint32_t fault = 0;

    for (size_t i = 0; i < dnp_sensor_count; i++) {
        const struct dnp_sensor *sensor = &dnp_sensors[i];
        int32_t value = (int32_t)dnp_get(file, sensor->reg, 0);
        uint32_t status, low;

        switch (sensor->kind) {
        case DNP_SENSOR_TEMPERATURE:
            status = temperature(file, value);
            low = DNP_LOW_remote_fault_temperature;
            break;
        case DNP_SENSOR_CURRENT:
            status = supply(file, value, sensor->nominal);
            low = DNP_LOW_remote_fault_current;
            break;
        default:
            status = supply(file, value, sensor->nominal);
            low = DNP_LOW_remote_fault_voltage;
            break;
        }
        fault = dnp_fault_worst(fault, status << low);
    }
    return fault;
}
