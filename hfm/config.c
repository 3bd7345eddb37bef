/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the configuration of a daemon. */
#include "hfm/config.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bits.h"
#include "dnp/lines.h"
#include "dnp/lofamo/fault.h"
#include "hfm/setup.h"

/* Settings that are one or two numbers. */
struct number_setting {
    const char *name;
    size_t to[2]; /* where they go; 0: there is no second */
    uint32_t least, most;
};

/* News of a master between two steps: some milliseconds, of the lease that its votes last. */
enum { NEWS_A_STEP = 512, ANSWERS = 3 /* pings that a host has at least to answer */ };

#define AT(field) offsetof(struct hfm_config, field)

static const struct number_setting numbers[] = {
    {"ping", {AT(ping_ms), 0}, 1, 60000},
    {"silent", {AT(silent), 0}, 2, 1000},
    {"gone", {AT(gone), 0}, 2, 1000},
    {"hold", {AT(hold_ms), 0}, 1, 3600000},
    {"ask", {AT(ask), 0}, 0, 1},
    {"lease", {AT(lease), 0}, 2, 1000},
    {"quorum", {AT(quorum), 0}, 1, HFM_VOTERS_MAX},
    {"grace", {AT(grace_ms), 0}, 0, 3600000},
    {"here", {AT(here), 0}, 0, HFM_NODES_MAX - 1},
    {"watchdog", {AT(write_ms), AT(read_ms)}, 1, 65535},
    {"align", {AT(align_ms), 0}, 0, 3600000},
    {"look", {AT(host.look_ms), 0}, 1, 3600000},
    {"memory", {AT(host.memory_sick), AT(host.memory_broken)}, 0, 100},
    {"corrupt", {AT(host.corrupt_sick), AT(host.corrupt_broken)}, 0, UINT32_MAX},
    {"corrected", {AT(host.corrected_sick), AT(host.corrected_broken)}, 0, UINT32_MAX},
    {"uncorrected", {AT(host.uncorrected_broken), 0}, 0, UINT32_MAX},
    {"network", {AT(host.network_sick), AT(host.network_broken)}, 0, UINT32_MAX},
    {"temperature", {AT(host.hot_sick), AT(host.hot_broken)}, 0, 200},
    {"history", {AT(history), 0}, 16, 1 << 20},
    {"realtime", {AT(realtime), 0}, 0, 99},
};

/* Settings that are one word. */
static const struct word_setting {
    const char *name;
    size_t to, size;
} words[] = {
    {"key", AT(key), HFM_PATH_MAX},         {"device", AT(device), HFM_PATH_MAX},
    {"control", AT(control), HFM_PATH_MAX}, {"page", AT(page), HFM_PATH_MAX},
    {"hook", AT(hook), HFM_PATH_MAX},       {"record", AT(record), HFM_PATH_MAX},
    {"user", AT(user), HFM_NAME_MAX},       {"proc", AT(host.proc), HFM_HOST_PATH},
    {"sys", AT(host.sys), HFM_HOST_PATH},   {"interface", AT(host.interface), 16},
};

static bool take_number(struct hfm_config *config, const struct number_setting *setting,
                        const struct dnp_line *line, struct dnp_complaint *complaint)
{
    unsigned wanted = setting->to[1] != 0 ? 2 : 1;

    for (unsigned i = 0; i < wanted; i++) {
        if (!dnp_line_number(line, 1 + i, setting->least, setting->most,
                             (uint32_t *)((char *)config + setting->to[i]), complaint)) {
            return false;
        }
    }
    return line->words == 1 + wanted ||
           dnp_line_wrong(complaint, "is one word too many", line->word[1 + wanted]);
}

static bool take_torus(struct hfm_config *config, const struct dnp_line *line,
                       struct dnp_complaint *complaint)
{
    if (line->words != 2) {
        return dnp_line_wrong(complaint, "needs a shape such as 4x2x2", line->word[0]);
    }
    if (config->node != NULL) {
        return dnp_line_wrong(complaint, "is the second shape", line->word[1]);
    }
    if (ni_torus_parse(line->word[1], &config->torus, complaint->text, sizeof complaint->text) !=
        NI_OK) {
        return false;
    }
    config->nodes = ni_torus_nodes(&config->torus);
    if (config->nodes > HFM_NODES_MAX) {
        return dnp_line_wrong(complaint, "has more than 4096 nodes", line->word[1]);
    }
    config->node = ni_calloc(config->nodes, sizeof *config->node);
    return config->node != NULL ||
           dnp_line_wrong(complaint, "needs more memory than there is", line->word[1]);
}

static bool take_role(struct hfm_config *config, uint32_t number, const char *role,
                      struct dnp_complaint *complaint)
{
    if (strcmp(role, "master") == 0) {
        if (config->masters == HFM_MASTERS_MAX) {
            return dnp_line_wrong(complaint, "is one master too many; 8 are enough", role);
        }
        config->master[config->masters++] = number;
        config->node[number].master = true;
        return true;
    }
    if (strcmp(role, "witness") == 0) {
        if (config->witnesses == HFM_VOTERS_MAX - HFM_MASTERS_MAX) {
            return dnp_line_wrong(complaint, "is one witness too many; 8 are enough", role);
        }
        config->witness[config->witnesses++] = number;
        config->node[number].witness = true;
        return true;
    }
    return dnp_line_wrong(complaint, "is neither master nor witness", role);
}

/* node NUMBER ADDRESS [NAME] [master | witness] */
static bool take_node(struct hfm_config *config, const struct dnp_line *line,
                      struct dnp_complaint *complaint)
{
    struct hfm_config_node *node;
    uint32_t number;

    if (config->node == NULL) {
        return dnp_line_wrong(complaint, "comes before the line \"torus\"", line->word[0]);
    }
    if (!dnp_line_number(line, 1, 0, config->nodes - 1, &number, complaint)) {
        return false;
    }
    node = &config->node[number];
    if (node->given) {
        return dnp_line_wrong(complaint, "is a node that has a line already", line->word[1]);
    }
    if (line->words < 3) {
        return dnp_line_wrong(complaint, "needs the address of its daemon, such as 10.0.0.1:7100",
                              line->word[1]);
    }
    node->given = true;
    if (!dnp_line_address(line->word[2], &node->address, complaint)) {
        return false;
    }
    for (unsigned i = 3; i < line->words; i++) {
        bool role = strcmp(line->word[i], "master") == 0 || strcmp(line->word[i], "witness") == 0;

        if (i == 3 && !role && strlen(line->word[i]) < HFM_NAME_MAX) {
            strcpy(node->name, line->word[i]);
        } else if (i + 1 < line->words || !take_role(config, number, line->word[i], complaint)) {
            return i + 1 < line->words
                       ? dnp_line_wrong(complaint, "is one word too many", line->word[i + 1])
                       : false;
        }
    }
    return true;
}

static bool take_links(struct hfm_config *config, const struct dnp_line *line,
                       struct dnp_complaint *complaint)
{
    config->links = 0;
    for (unsigned i = 1; i < line->words; i++) {
        unsigned link = dnp_line_direction(line->word[i]);

        if (link == NI_TORUS_DIRECTIONS) {
            return dnp_line_wrong(complaint, "names no link; links are X+, X-, Y+, Y-, Z+ and Z-",
                                  line->word[i]);
        }
        config->links |= (uint8_t)(1U << link);
    }
    return true;
}

/* mask FIELD...: names of fields of dnp_watchdog. */
static bool take_mask(struct hfm_config *config, const struct dnp_line *line,
                      struct dnp_complaint *complaint)
{
    for (unsigned i = 1; i < line->words; i++) {
        size_t f = 0;

        while (f < dnp_field_count && (strcmp(dnp_fields[f].reg, "dnp_watchdog") != 0 ||
                                       strcmp(dnp_fields[f].name, line->word[i]) != 0)) {
            f++;
        }
        if (f == dnp_field_count || dnp_fields[f].low == 0 || dnp_fields[f].high > 26) {
            return dnp_line_wrong(complaint,
                                  "is no field of dnp_watchdog that can be masked, such as core, "
                                  "current, link_x_plus or neighbour_x_plus",
                                  line->word[i]);
        }
        config->masked |= ((2U << (dnp_fields[f].high - dnp_fields[f].low)) - 1)
                          << dnp_fields[f].low;
    }
    return true;
}

static bool take_set(struct hfm_config *config, const struct dnp_line *line,
                     struct dnp_complaint *complaint)
{
    struct hfm_config_set *set = &config->set[config->sets];

    if (config->sets == HFM_SETS_MAX) {
        return dnp_line_wrong(complaint, "is one register too many", line->word[0]);
    }
    if (!dnp_line_set(line, &set->offset, &set->value, complaint)) {
        return false;
    }
    if (set->offset == DNP_REG_fault_mask || set->offset == DNP_REG_fault_timer ||
        set->offset == DNP_REG_host_watchdog) {
        return dnp_line_wrong(complaint, "is what the daemon sets by \"mask\" and \"watchdog\"",
                              line->word[1]);
    }
    config->sets++;
    return true;
}

static bool take(void *arg, struct dnp_line *line, struct dnp_complaint *complaint)
{
    struct hfm_config *config = arg;
    const char *name = line->word[0];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            return take_number(config, &numbers[i], line, complaint);
        }
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(name, words[i].name) == 0) {
            return dnp_line_word(line, (char *)config + words[i].to, words[i].size, complaint);
        }
    }
    if (strcmp(name, "torus") == 0) {
        return take_torus(config, line, complaint);
    }
    if (strcmp(name, "node") == 0) {
        return take_node(config, line, complaint);
    }
    if (strcmp(name, "links") == 0) {
        return take_links(config, line, complaint);
    }
    if (strcmp(name, "mask") == 0) {
        return take_mask(config, line, complaint);
    }
    if (strcmp(name, "set") == 0) {
        return take_set(config, line, complaint);
    }
    if (strcmp(name, "http") == 0) {
        return line->words == 2
                   ? dnp_line_address(line->word[1], &config->http, complaint)
                   : dnp_line_wrong(complaint, "needs one address such as 127.0.0.1:7180", name);
    }
    return dnp_line_wrong(
        complaint, "is no setting; docs/hfm.md and the manual page apelink-hfm list them", name);
}

/* What the whole lacks, or NULL. */
static const char *lacks(const struct hfm_config *config)
{
    unsigned voters = config->masters + config->witnesses;

    if (config->node == NULL) {
        return "there is no line \"torus\", such as torus 4x2x1";
    }
    if (config->key[0] == '\0') {
        return "there is no line \"key\" with the file of the cluster's key";
    }
    if (config->masters == 0) {
        return "no node is a master; put \"master\" behind the line of one, or of three";
    }
    if (config->quorum > voters) {
        return "the quorum is more than there are masters and witnesses";
    }
    if (config->write_ms >= config->read_ms) {
        return "\"watchdog\" needs a period to write that is below that to read, such as 5 10";
    }
    if (config->gone < config->silent) {
        return "\"gone\" is less than \"silent\"";
    }
    return NULL;
}

static void defaults(struct hfm_config *config)
{
    *config = (struct hfm_config){.here = UINT32_MAX,
                                  .ping_ms = 10,
                                  .silent = 4,
                                  .gone = 8,
                                  .hold_ms = 2000,
                                  .ask = 1,
                                  .lease = 3,
                                  .grace_ms = 10000,
                                  .write_ms = 5,
                                  .read_ms = 10,
                                  .align_ms = 10000,
                                  .links = 0xff,
                                  .history = 4096,
                                  .realtime = 1};
    hfm_host_defaults(&config->host);
}

ni_status hfm_config_parse(struct hfm_config *config, const char *text, char *error,
                           size_t error_size)
{
    struct dnp_complaint complaint;
    unsigned line;

    defaults(config);
    line = dnp_lines_each(text, take, config, &complaint);
    if (line != 0) {
        snprintf(error, error_size, "line %u: %s", line, complaint.text);
        return NI_ERR_PARAM;
    }
    if (lacks(config) != NULL) {
        snprintf(error, error_size, "%s", lacks(config));
        return NI_ERR_PARAM;
    }
    for (uint32_t i = 0; i < config->nodes; i++) {
        if (!config->node[i].given) {
            snprintf(error, error_size, "node %u has no line, such as node %u 10.0.0.1:7100", i, i);
            return NI_ERR_PARAM;
        }
        for (uint32_t j = 0; j < i; j++) {
            if (memcmp(&config->node[i].address, &config->node[j].address,
                       sizeof config->node[i].address) == 0) {
                snprintf(error, error_size, "nodes %u and %u have one address and port", j, i);
                return NI_ERR_PARAM;
            }
        }
    }
    if (config->links == 0xff) {
        for (unsigned link = 0; link < NI_TORUS_DIRECTIONS; link++) {
            config->links &= (uint8_t) ~(config->torus.size[link / 2] == 1 ? 1U << link : 0);
        }
        config->links &= 0x3f;
    }
    return NI_OK;
}

void hfm_config_free(struct hfm_config *config)
{
    ni_free(config->node);
    config->node = NULL;
}

ni_status hfm_config_here(struct hfm_config *config, uint32_t number, const char *host, char *error,
                          size_t error_size)
{
    size_t length = strcspn(host, ".");

    config->here = number != UINT32_MAX ? number : config->here;
    for (uint32_t i = 0; i < config->nodes && config->here == UINT32_MAX; i++) {
        const char *name = config->node[i].name;
        size_t first = strcspn(name, ".");

        if (strcmp(name, host) == 0 ||
            (first == length && length > 0 && strncmp(name, host, length) == 0 &&
             (name[first] == '\0' || host[length] == '\0'))) {
            config->here = i;
        }
    }
    if (config->here >= config->nodes) {
        snprintf(error, error_size,
                 config->here == UINT32_MAX
                     ? "no line \"node\" has the name of this host, %.60s; add it, or say which "
                       "node this is by --node or \"here\""
                     : "\"here\" or --node is no node of the torus on host %.60s",
                 host);
        return NI_ERR_PARAM;
    }
    return NI_OK;
}

void hfm_config_cluster(const struct hfm_config *config, struct hfm_cluster *cluster)
{
    uint64_t ms = 1000000, ping = config->ping_ms * ms;

    *cluster = (struct hfm_cluster){
        .torus = config->torus,
        .nodes = config->nodes,
        .self = config->here,
        .masters = config->masters,
        .period = ping,
        .silent = config->silent * ping,
        .gone = config->gone * ping,
        .lease = config->lease * ping,
        .grace = config->grace_ms * ms,
        .news = NEWS_A_STEP,
        .cards = config->device[0] != '\0',
        .hold = ni_max_u64(config->hold_ms * ms, (config->silent + ANSWERS * config->ask) * ping),
        .asks = config->ask != 0,
        .mask = hfm_setup_mask(config) >> 1};
    for (unsigned i = 0; i < config->masters; i++) {
        cluster->voter[cluster->voters++] = config->master[i];
    }
    for (unsigned i = 0; i < config->witnesses; i++) {
        cluster->voter[cluster->voters++] = config->witness[i];
    }
    cluster->quorum = config->quorum != 0 ? config->quorum : cluster->voters / 2 + 1;
}
