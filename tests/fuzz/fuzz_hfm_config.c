/* SPDX-License-Identifier: BSD-3-Clause */
/* Covers: hfm/config.c, dnp/lines.c. */
#include "fuzz_input.h"
#include "hfm/config.h"
#include "hfm/setup.h"

/* Any text as a configuration: what is accepted is in range, what is not has a sentence. */

static void check(struct hfm_config *config)
{
    struct hfm_cluster cluster;
    char error[300] = "";

    must(config->nodes >= 1 && config->nodes <= HFM_NODES_MAX, "nodes");
    must(config->masters >= 1 && config->masters <= HFM_MASTERS_MAX, "masters");
    must(config->write_ms > 0 && config->write_ms < config->read_ms && config->read_ms <= 65535,
         "periods");
    must(config->key[0] != '\0' && config->history >= 16, "key or history");
    must((hfm_setup_mask(config) & 1) == 0 && hfm_setup_mask(config) < 1U << 27, "mask");
    for (uint32_t i = 0; i < config->nodes; i++) {
        must(config->node[i].given && config->node[i].address.sin_port != 0, "an address");
    }
    if (hfm_config_here(config, UINT32_MAX, "red.cluster", error, sizeof error) != NI_OK) {
        must(strlen(error) > 10, "a host without a sentence");
        return;
    }
    hfm_config_cluster(config, &cluster);
    must(cluster.self < cluster.nodes && cluster.voters <= HFM_VOTERS_MAX, "voters");
    must(cluster.quorum >= 1 && cluster.quorum <= cluster.voters, "quorum");
    must(cluster.silent > cluster.period && cluster.gone >= cluster.silent, "silence");
    for (unsigned i = 0; i < cluster.voters; i++) {
        must(cluster.voter[i] < cluster.nodes, "a voter");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), error[300] = "";
    struct hfm_config config;

    must(text != NULL, "no memory");
    memcpy(text, data, size);
    text[size] = '\0';
    if (hfm_config_parse(&config, text, error, sizeof error) == NI_OK) {
        check(&config);
    } else {
        must(strlen(error) > 10, "an error without a sentence");
    }
    hfm_config_free(&config);
    free(text);
    return 0;
}
