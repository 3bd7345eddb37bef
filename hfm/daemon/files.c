/* SPDX-License-Identifier: BSD-3-Clause */
/* What a daemon opens. */
#include <errno.h>
#include <string.h>

#include <apeni/log.h>

#include "base/clock.h"
#include "hfm/daemon/control.h"
#include "hfm/daemon/daemon.h"
#include "hfm/daemon/hook.h"
#include "hfm/daemon/http.h"
#include "hfm/daemon/rights.h"
#include "hfm/verdict.h"
#include "hfm/watchdog.h"

_Static_assert(NI_FAULT_GONE == HFM_GONE && NI_FAULT_UNHEARD == HFM_UNHEARD &&
                   NI_FAULT_HOST_FIELD == DNP_FAULT_HOST &&
                   NI_FAULT_HOST_LOST == DNP_FAULT_HOST_LOST,
               "what makes a node lost, for the processes of a host");

void hfm_files_show(struct hfm_daemon *daemon, uint32_t node)
{
    const struct hfm_known *known = &daemon->node.known[node];
    const struct hfm_parted *parted = &daemon->parted[node];
    struct ni_fault_entry entry = {.state = (uint32_t)hfm_verdict_of(known->fault),
                                   .word = known->fault,
                                   .via = known->via,
                                   .unseen_us = known->age_us,
                                   .at_ns = known->at,
                                   .parted_ns = parted->since};

    snprintf(entry.host, sizeof entry.host, "%s", daemon->config.node[node].name);
    (void)hfm_fault_print(known->fault, entry.what, sizeof entry.what);
    if (known->at != 0) {
        (void)hfm_path_print(node, known->via, known->subject, entry.how, sizeof entry.how);
    }
    if (parted->since != 0) {
        (void)hfm_parted_print(parted->broken, entry.parted, sizeof entry.parted);
    }
    ni_fault_page_set(daemon->page, node, &entry);
}

/* Which node has which number, as a number: where a daemon is begun again with other ones,
 * processes that know their peers' old numbers find them by name. */
static uint64_t layout_of(const struct hfm_config *config)
{
    uint64_t hash = 0xcbf29ce484222325U; /* FNV-1a */

    for (uint32_t i = 0; i < config->nodes; i++) {
        const struct hfm_config_node *node = &config->node[i];
        char text[HFM_NAME_MAX + 40];
        int length =
            snprintf(text, sizeof text, "%u %x %u %s\n", i, ntohl(node->address.sin_addr.s_addr),
                     ntohs(node->address.sin_port), node->name);

        for (int at = 0; at < length; at++) {
            hash = (hash ^ (uint8_t)text[at]) * 0x100000001b3U;
        }
    }
    return hash;
}

/* Others may write to its folder, and must not keep the daemon from its work: it goes on without.
 */
static void open_page(struct hfm_daemon *daemon)
{
    const struct hfm_config *config = &daemon->config;
    struct ni_fault_about about = {.nodes = config->nodes,
                                   .self = config->here,
                                   .master = UINT32_MAX,
                                   .beat_ns = ni_now_ns(),
                                   .layout = layout_of(config)};

    memcpy(about.torus, config->torus.size, sizeof about.torus);
    daemon->page = ni_fault_page_create(config->page, &about);
    if (daemon->page == NULL) {
        ni_log(NI_LOG_ERROR,
               "apelink-hfm: page %s: %s; processes of this host are not told what fails until it "
               "is begun again",
               config->page, strerror(errno));
    }
    for (uint32_t i = 0; i < config->nodes && daemon->page != NULL; i++) {
        hfm_files_show(daemon, i);
    }
}

bool hfm_files_open(struct hfm_daemon *daemon)
{
    const struct hfm_config *config = &daemon->config;
    struct board_record record = {.file = -1,
                                  .path = config->record,
                                  .owner = config->user[0] != '\0' ? config->user : "root"};

    daemon->socket = hfm_network_open(&config->node[config->here].address);
    if (daemon->socket < 0) {
        return false;
    }
    if (config->record[0] != '\0') {
        record.file = board_writer_open(config->record);
        if (record.file < 0) {
            ni_log(NI_LOG_ERROR, "apelink-hfm: record %s: %s", config->record, strerror(errno));
            return false;
        }
        hfm_rights_give(config->user, config->record);
    }
    if (config->control[0] != '\0') {
        daemon->control = hfm_control_open(daemon);
        if (daemon->control == NULL) {
            return false;
        }
        hfm_rights_give(config->user, config->control);
    }
    if (ntohs(config->http.sin_port) != 0) {
        daemon->http = hfm_http_open(daemon);
        if (daemon->http == NULL) {
            return false;
        }
    }
    if (config->hook[0] != '\0') {
        daemon->hooks = hfm_hooks_open(daemon);
        if (daemon->hooks == NULL) {
            return false;
        }
    }
    if (config->page[0] != '\0') {
        open_page(daemon);
    }
    return hfm_rights_drop(config->user, config->device[0] != '\0') &&
           board_writer_start(&daemon->log, "apelink-hfm", NULL) &&
           (record.file < 0 || board_writer_start(&daemon->record, "apelink-hfm", &record)) &&
           (daemon->hooks == NULL || hfm_hooks_start(daemon->hooks)) &&
           look_thread_start(&daemon->look, &config->host) &&
           (config->device[0] == '\0' || card_thread_start(&daemon->card, config));
}
