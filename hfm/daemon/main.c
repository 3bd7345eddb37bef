/* SPDX-License-Identifier: BSD-3-Clause */
/* apelink-hfm: the host fault manager. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <apeni/log.h>

#include "apelink_config.h"
#include "base/alloc.h"
#include "base/number.h"
#include "dnp/board/config.h"
#include "hfm/daemon/control.h"
#include "hfm/daemon/daemon.h"

enum { FILE_MAX = 1 << 20 };
#define CONTROL "/run/apelink/hfm"

static void help(void)
{
    puts("usage: apelink-hfm run [--node N] CONFIGURATION\n"
         "       apelink-hfm check [--node N] CONFIGURATION\n"
         "       apelink-hfm status [--json | --metrics | --html] [--control PATH]\n"
         "       apelink-hfm acknowledge [--control PATH] NODE | all\n\n"
         "The host fault manager of LO|FA|MO: watches this host and its APEnet+ card, and tells "
         "the\n"
         "master over the service network; the master knows what fails on which node of the "
         "torus.\n\n"
         "  run          work in the foreground until a signal ends it\n"
         "  check        say whether a configuration can be used\n"
         "  status       what is known of all nodes; 0: normal, 1: sick, 2: broken or lost, 3: no\n"
         "               daemon or no master answers; what is acknowledged does not count\n"
         "  acknowledge  the alarm of a node is known; on the node of the master\n\n"
         "  -n, --node N        which node this is, if not that with the name of this host\n"
         "  -c, --control PATH  the daemon's socket (" CONTROL ")\n"
         "  -j, --json          as JSON        -m, --metrics  for Prometheus\n"
         "  -H, --html          as a page      -h, --help     this text\n"
         "  -V, --version       the version\n\n"
         "docs/hfm.md and the manual page have the settings of a configuration.");
}

/* All of a file as text, or NULL; errors are logged. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = file != NULL ? ni_calloc(1, FILE_MAX + 1) : NULL;

    if (text == NULL) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: %s: %s", path, strerror(errno));
    } else if (fread(text, 1, FILE_MAX, file) == FILE_MAX) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: %s is longer than 1 MiB", path);
        ni_free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

/* What may be meant, and mostly is not. */
static void warn(const char *path, const struct hfm_config *config)
{
    unsigned voters = config->masters + config->witnesses;

    if (voters == 2 && config->quorum == 0) {
        ni_log(NI_LOG_WARN,
               "apelink-hfm: %s: of two masters neither acts alone; a third, or a "
               "witness, lets one of them go on when the other dies",
               path);
    }
    if (config->quorum != 0 && config->quorum <= voters / 2) {
        ni_log(
            NI_LOG_WARN,
            "apelink-hfm: %s: with quorum %u of %u there may be two masters while the network is "
            "parted; leave the line out for the majority, %u",
            path, config->quorum, voters, voters / 2 + 1);
    }
    if (config->lease >= config->silent) {
        ni_log(NI_LOG_WARN,
               "apelink-hfm: %s: with lease %u and silent %u a master that is cut off takes all "
               "others for silent before it ends; take a lease below silent",
               path, config->lease, config->silent);
    }
}

static bool read_config(const char *path, uint32_t node, struct hfm_daemon *daemon)
{
    char *text = read_file(path), error[400], host[256] = "";
    bool good = text != NULL;

    (void)gethostname(host, sizeof host - 1);
    if (good && (hfm_config_parse(&daemon->config, text, error, sizeof error) != NI_OK ||
                 hfm_config_here(&daemon->config, node, host, error, sizeof error) != NI_OK)) {
        ni_log(NI_LOG_ERROR, "apelink-hfm: %s: %s", path, error);
        good = false;
    }
    ni_free(text);
    text = good ? read_file(daemon->config.key) : NULL;
    good = text != NULL;
    if (good && !board_key_parse(text, &daemon->key)) {
        ni_log(NI_LOG_ERROR,
               "apelink-hfm: %s is not a key of 32 hexadecimal digits; one is made by "
               "od -An -N16 -tx1 /dev/urandom | tr -d ' '",
               daemon->config.key);
        good = false;
    }
    if (good) {
        warn(path, &daemon->config);
    }
    ni_free(text);
    return good;
}

/* Command lines. */
struct options {
    uint32_t node;
    const char *control, *format;
};

static int wrong(const char *what)
{
    fprintf(stderr, "apelink-hfm: %s; see --help\n", what);
    return 2;
}

static int run(const char *path, const struct options *options, bool check)
{
    struct hfm_daemon *daemon = ni_calloc(1, sizeof *daemon);
    int status;

    if (daemon == NULL) {
        fprintf(stderr, "apelink-hfm: no memory\n");
        return 1;
    }
    ni_log_set_level(NI_LOG_INFO);
    if (!read_config(path, options->node, daemon)) {
        status = 1;
    } else if (check) {
        printf("%s can be used; this is node %u of %u\n", path, daemon->config.here,
               daemon->config.nodes);
        status = 0;
    } else {
        status = hfm_daemon_run(daemon);
        if (daemon->left) {
            _exit(status); /* a thread still has *daemon */
        }
    }
    hfm_config_free(&daemon->config);
    ni_free(daemon);
    return status;
}

/* Returns -1, or what to exit with. */
static int parse(int argc, char **argv, struct options *options)
{
    static const struct option names[] = {
        {"node", required_argument, NULL, 'n'}, {"control", required_argument, NULL, 'c'},
        {"json", no_argument, NULL, 'j'},       {"metrics", no_argument, NULL, 'm'},
        {"html", no_argument, NULL, 'H'},       {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},    {NULL, 0, NULL, 0}};
    uint64_t number;
    int option;

    while ((option = getopt_long(argc, argv, "n:c:jmHhV", names, NULL)) != -1) {
        switch (option) {
        case 'n':
            if (ni_number_parse(optarg, strlen(optarg), false, &number) != NULL ||
                number >= HFM_NODES_MAX) {
                return wrong("--node needs a number of a node");
            }
            options->node = (uint32_t)number;
            break;
        case 'c':
            options->control = optarg;
            break;
        case 'j':
            options->format = "json";
            break;
        case 'm':
            options->format = "metrics";
            break;
        case 'H':
            options->format = "page";
            break;
        case 'h':
            help();
            return 0;
        case 'V':
            printf("apelink-hfm %s\n", PACKAGE_VERSION);
            return 0;
        default:
            return 2;
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct options options = {UINT32_MAX, CONTROL, "text"};
    int status = parse(argc, argv, &options), left = argc - optind;
    const char *command = left > 0 ? argv[optind] : "";
    char line[100];

    if (status >= 0) {
        return status;
    }
    if (strcmp(command, "run") == 0 || strcmp(command, "check") == 0) {
        return left == 2 ? run(argv[optind + 1], &options, command[0] == 'c')
                         : wrong("one configuration is wanted");
    }
    if (strcmp(command, "status") == 0) {
        return left == 1 ? hfm_control_ask(options.control, options.format)
                         : wrong("status takes no argument");
    }
    if (strcmp(command, "acknowledge") == 0) {
        if (left != 2) {
            return wrong("acknowledge wants a node, or all");
        }
        snprintf(line, sizeof line, "acknowledge %.60s", argv[optind + 1]);
        return hfm_control_ask(options.control, line);
    }
    return wrong("a command is wanted: run, check, status or acknowledge");
}
