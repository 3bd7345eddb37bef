/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef DNP_BOARD_CONFIG_H
#define DNP_BOARD_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>
#include <apeni/torus.h>

#include "dnp/cable.h"
#include "dnp/sensors.h"

/*
 * The configuration of apelink-board: one setting a line, "#" begins a comment.
 *
 *   torus 4x2x1                   of all cards
 *   place 1 0 0                   of this one
 *   key FILE                      32 hexadecimal digits, the same for all cards
 *   cable X+ HERE THERE [FAULTS]  a link, by UDP between two addresses such as 10.0.0.1:7000
 *   cable X+ tcp HERE THERE ...   the same by TCP: X+, Y+ and Z+ call, the others listen
 *   cable X+ memory FILE ...      the same through a file that a board of this machine has, too
 *     lose PPM, corrupt PPM,      FAULTS, of words that arrive, for tests
 *     delay US, broken
 *   control PATH                  a Unix socket that gives the state as JSON to who connects
 *   sensors FILE                  values of sensors (dnp/sensors.h)
 *   sensor NAME FILE              one of them, each second, from a file such as hwmon's
 *   device DIRECTORY [MODE]       programs of this host reach the card by DIRECTORY/apelink0
 *   machine SOCKET MEMORY         a virtual machine does by ivshmem-doorbell
 *   fifo WORDS                    of each receiving FIFO, the same for all cards; 16384 unless set
 *   cycle NS                      how long a cycle of the card is; 1000 unless set
 *   realtime N                    priority of SCHED_RR; 0, which is none, unless set
 *   set REGISTER VALUE            of those for which dnp_register_administered is true, in order
 */

enum { BOARD_PATH_MAX = 100, BOARD_SETS_MAX = 32, BOARD_SENSORS_MAX = 16 };

struct board_cable {
    bool used;
    bool tcp;
    char memory[BOARD_PATH_MAX]; /* empty: by TCP or UDP */
    struct sockaddr_in here;
    struct sockaddr_in there;
    struct dnp_cable_faults faults;
    uint32_t delay_us; /* of what arrives */
};

struct board_set {
    uint32_t offset;
    uint32_t value;
};

struct board_sensor {
    const struct dnp_sensor *sensor;
    char path[BOARD_PATH_MAX];
    bool lost; /* it could not be read */
};

struct board_config {
    struct ni_torus torus;
    struct ni_torus_place place;
    char key[BOARD_PATH_MAX]; /* paths; empty: none */
    char control[BOARD_PATH_MAX];
    char sensors[BOARD_PATH_MAX];
    char device[BOARD_PATH_MAX];
    char machine[BOARD_PATH_MAX];
    char machine_memory[BOARD_PATH_MAX];
    uint32_t device_mode;
    uint32_t fifo;
    uint32_t cycle_ns;
    uint32_t realtime; /* priority; 0: none */
    struct board_cable cable[NI_TORUS_DIRECTIONS];
    struct board_set set[BOARD_SETS_MAX];
    unsigned sets;
    struct board_sensor sensor[BOARD_SENSORS_MAX];
    unsigned sensor_count;
};

/* Read a configuration. NI_ERR_PARAM: error gets a sentence that names the line, what is wrong and
 * what is wanted. torus, place and key have to be there. */
ni_status board_config_parse(struct board_config *config, const char *text, char *error,
                             size_t error_size);

/* A key as its file has it: 32 hexadecimal digits, white space behind them. */
bool board_key_parse(const char *text, struct dnp_key *key);

#endif
