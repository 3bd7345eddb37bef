/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_CONFIG_H
#define HFM_CONFIG_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <apeni/status.h>

#include "hfm/cluster.h"
#include "hfm/host.h"

/*
 * The configuration of apelink-hfm: one setting a line, "#" begins a comment. docs/hfm.md and the
 * manual page say what each does. One file serves all nodes of a cluster.
 */

enum { HFM_PATH_MAX = 100, HFM_NAME_MAX = 64, HFM_SETS_MAX = 32, HFM_NODES_MAX = 4096 };

/* A node of the cluster. */
struct hfm_config_node {
    bool given;
    bool master, witness;
    struct sockaddr_in address; /* of its daemon on the service network */
    char name[HFM_NAME_MAX];    /* of its host; empty: not given */
};

struct hfm_config_set {
    uint32_t offset, value;
};

struct hfm_config {
    struct ni_torus torus;
    struct hfm_config_node *node; /* of each of the torus; hfm_config_free */
    uint32_t nodes;
    uint32_t here; /* UINT32_MAX: not given */
    uint32_t ping_ms, silent, gone, hold_ms, ask, lease, quorum, grace_ms;
    uint32_t master[HFM_MASTERS_MAX]; /* nodes in the order of their lines */
    unsigned masters;
    uint32_t witness[HFM_VOTERS_MAX];
    unsigned witnesses;
    uint32_t write_ms, read_ms; /* of the watchdogs */
    uint32_t align_ms;          /* how long to wait for links */
    uint32_t masked;            /* as in fault_mask, without the enable bit */
    uint8_t links;              /* that have cables, a bit each */
    struct hfm_config_set set[HFM_SETS_MAX];
    unsigned sets;
    struct hfm_host_limits host;
    char key[HFM_PATH_MAX]; /* paths; empty: none */
    char device[HFM_PATH_MAX];
    char control[HFM_PATH_MAX];
    char page[HFM_PATH_MAX];
    char hook[HFM_PATH_MAX];
    char record[HFM_PATH_MAX];
    char user[HFM_NAME_MAX];
    struct sockaddr_in http; /* port 0: none */
    uint32_t history;        /* events that are kept */
    uint32_t realtime;       /* priority; 0: none */
};

/* Read a configuration. NI_ERR_PARAM: error gets a sentence that names the line, what is wrong and
 * what is wanted; NI_ERR_NOMEM. The caller frees *config in any case. */
ni_status hfm_config_parse(struct hfm_config *config, const char *text, char *error,
                           size_t error_size);
void hfm_config_free(struct hfm_config *config);

/* Find which node this is: number, or by the name of the host if it is UINT32_MAX and the
 * configuration has no "here". NI_ERR_PARAM with a sentence. */
ni_status hfm_config_here(struct hfm_config *config, uint32_t number, const char *host, char *error,
                          size_t error_size);

/* The cluster as this node sees it, when `here` is known. */
void hfm_config_cluster(const struct hfm_config *config, struct hfm_cluster *cluster);

#endif
