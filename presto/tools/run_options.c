/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "apelink_config.h"
#include "base/standard.h"
#include "tools/run.h"

enum {
    BIND_TO = 256,
    MAP_BY,
    STDIN,
    MERGE,
    TAG_OUTPUT,
    TIMEOUT,
    KEEP_GOING,
    REPORT,
    ACCEPTED,
    WDIR,
    HOSTFILE,
    LAUNCHER,
    PREFIX,
    FANOUT,
    FOREIGN /* and those behind it: of other launchers */
};

static const struct option known[] = {
    {"n", required_argument, NULL, 'n'},
    {"np", required_argument, NULL, 'n'},
    {"npernode", required_argument, NULL, 'N'},
    {"ppn", required_argument, NULL, 'N'},
    {"host", required_argument, NULL, 'H'},
    {"hostfile", required_argument, NULL, HOSTFILE},
    {"machinefile", required_argument, NULL, HOSTFILE},
    {"launcher", required_argument, NULL, LAUNCHER},
    {"prefix", required_argument, NULL, PREFIX},
    {"fanout", required_argument, NULL, FANOUT},
    {"bind-to", required_argument, NULL, BIND_TO},
    {"map-by", required_argument, NULL, MAP_BY},
    {"stdin", required_argument, NULL, STDIN},
    {"merge-stderr-to-stdout", no_argument, NULL, MERGE},
    {"tag-output", no_argument, NULL, TAG_OUTPUT},
    {"timeout", required_argument, NULL, TIMEOUT},
    {"keep-going", no_argument, NULL, KEEP_GOING},
    {"report", required_argument, NULL, REPORT},
    {"oversubscribe", no_argument, NULL, ACCEPTED},
    {"allow-run-as-root", no_argument, NULL, ACCEPTED},
    {"wdir", required_argument, NULL, WDIR},
    {"wd", required_argument, NULL, WDIR},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
};

enum { KNOWN = sizeof(known) / sizeof(known[0]) };

_Noreturn void run_options_refuse(const char *option, const char *value, const char *wanted)
{
    fprintf(stderr, "prestorun: %s%s%s: %s; prestorun --help lists the options\n", option,
            *value != '\0' ? " " : "", value, wanted);
    exit(2);
}

/* As which this was called, without its folder; NULL: as prestorun. */
static const char *any_launcher;

static const char *any_launcher_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    name = slash != NULL ? slash + 1 : name;
    return strcmp(name, "mpirun") == 0 || strcmp(name, "mpiexec") == 0 ? name : NULL;
}

void run_options_doubt(const char *option, const char *value, const char *wanted)
{
    if (any_launcher == NULL) {
        run_options_refuse(option, value, wanted);
    }
    fprintf(stderr, "%s (Presto's): %s%s%s is ignored: %s\n", any_launcher, option,
            *value != '\0' ? " " : "", value, wanted);
}

static _Noreturn void print_and_end(const char *text)
{
    fputs(text, stdout);
    exit(ni_standard_written("prestorun") ? 0 : 1);
}

/* ---- values -----------------------------------------------------------------------------------
 */

static int ranks_of(const char *option)
{
    return run_value_number(option, optarg, 1, RUN_MAX_RANKS,
                            "a number of ranks from 1 to 4096 is needed");
}

/* NAME=VALUE; NAME alone has the value that it has here. */
static void add_variable(struct run_app *app, const char *text)
{
    const char *equals = strchr(text, '='), *value;
    char *whole;

    if (equals == text || *text == '\0') {
        run_options_refuse("-x", text, "the name of a variable is needed");
    }
    value = equals != NULL ? equals + 1 : getenv(text);
    if (value == NULL) {
        return;
    }
    if (asprintf(&whole, "%.*s=%s", (int)(equals != NULL ? (size_t)(equals - text) : strlen(text)),
                 text, value) < 0) {
        run_no_memory();
    }
    app->variables[app->variable_count++] = whole;
}

static void set_folder(struct run_app *app, const char *folder)
{
    free(app->folder);
    app->folder = run_whole_path(folder);
}

/* Where its ranks begin, of those of this host. */
static void open_folder(struct run_app *app)
{
    app->directory = open(app->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (app->directory < 0) {
        run_options_refuse("--wdir", app->folder, strerror(errno));
    }
}

/* ---- options --------------------------------------------------------------------------------- */

/* One that getopt does not know, or that lacks its value. */
static _Noreturn void refuse_option(int problem, char **argv)
{
    char letter[] = {'-', (char)optopt, '\0'};
    bool is_letter = optopt > 0 && optopt < BIND_TO && strncmp(argv[optind - 1], "--", 2) != 0;
    const char *option = is_letter ? letter : argv[optind - 1];

    run_options_refuse(option, "",
                       problem == ':'        ? "it needs a value"
                       : strchr(option, '=') ? "there is no such option, or it takes no value"
                                             : "there is no such option");
}

static bool take_of_command(int option, struct run_app *app)
{
    switch (option) {
    case 'n':
    case 'c':
        app->ranks = ranks_of("-n");
        break;
    case 'N':
        app->per_host = ranks_of("-N");
        break;
    case 'x':
        add_variable(app, optarg);
        break;
    case 'H':
    case HOSTFILE:
        run_slots_free(app->slots);
        app->slots = option == 'H' ? run_slots_of_list("--host", optarg)
                                   : run_slots_of_file("--hostfile", optarg);
        break;
    case WDIR:
        set_folder(app, optarg);
        break;
    default:
        return false;
    }
    return true;
}

/* How the ranks are started. */
static bool take_of_start(int option, struct run_options *options)
{
    switch (option) {
    case BIND_TO:
        options->bind = run_value_bind(optarg);
        break;
    case MAP_BY:
        options->by_node = run_is_by_node(optarg);
        break;
    case LAUNCHER:
        run_remote_launcher(options, optarg);
        break;
    case PREFIX:
        run_remote_prefix(options, optarg);
        break;
    case FANOUT:
        options->fanout = run_value_number("--fanout", optarg, 1, RUN_MAX_RANKS,
                                           "a number of hosts from 1 to 4096 is needed");
        break;
    case ACCEPTED:
        break;
    default:
        return false;
    }
    return true;
}

static void take(int option, struct run_options *options, struct run_app *app, char **argv)
{
    if (take_of_command(option, app) || take_of_start(option, options)) {
        return;
    }
    switch (option) {
    case STDIN:
        options->reader = run_value_reader(optarg);
        break;
    case MERGE:
        options->merge = true;
        break;
    case TAG_OUTPUT:
        options->tag_output = true;
        break;
    case TIMEOUT:
        options->timeout = run_value_seconds(optarg);
        break;
    case KEEP_GOING:
        options->keep_going = true;
        break;
    case REPORT:
        free(options->report);
        options->report = run_whole_path(optarg);
        break;
    case 'v':
        options->verbose = true;
        break;
    case 'h':
        print_and_end(run_help);
    case 'V':
        print_and_end("prestorun (" PACKAGE_NAME ") " PACKAGE_VERSION "\n");
    case 'q':
        run_options_refuse("-q", "", "leave it out: without --verbose only failures are told");
    default:
        if (option >= FOREIGN) {
            optind = run_foreign_option(option - FOREIGN, argv, optind, optarg != NULL);
            break;
        }
        refuse_option(option, argv);
    }
}

/* Those of other launchers are in the list, or -hostfile would be read as -h. */
static void list_options(struct option all[KNOWN + RUN_FOREIGN_MAX + 1])
{
    memcpy(all, known, sizeof(known));
    run_foreign_options(all + KNOWN, FOREIGN);
}

/* ---- commands -------------------------------------------------------------------------------- */

/* Options and a command: argv[1] to argv[argc - 1]. */
static void parse_app(int argc, char **argv, struct run_options *options)
{
    struct run_app *app = &options->apps[options->app_count];
    struct option all[KNOWN + RUN_FOREIGN_MAX + 1];
    int option;

    *app = (struct run_app){.number = options->app_count++, .directory = -1};
    app->variables = calloc((size_t)argc, sizeof(*app->variables));
    if (app->variables == NULL) {
        run_no_memory();
    }
    list_options(all);
    opterr = 0;
    optind = 0; /* from the beginning */
    /* With one dash, too, as mpirun takes them: -np 4. */
    while ((option = getopt_long_only(argc, argv, "+:n:c:N:x:H:qvhV", all, NULL)) != -1) {
        take(option, options, app, argv);
    }
    if (optind == argc) {
        fputs("prestorun: no command to run; prestorun --help shows how to call it\n", stderr);
        exit(2);
    }
    app->command = argv + optind;
}

static void count_ranks(struct run_options *options, int processors)
{
    options->ranks = 0;
    for (int i = 0; i < options->app_count; i++) {
        struct run_app *app = &options->apps[i];

        if (app->slots == NULL && i > 0) {
            app->slots = options->apps[i - 1].slots;
        }
        if (app->ranks == 0 && (options->app_count == 1 || app->per_host != 0)) {
            app->ranks = run_slots_ranks(app);
        }
        if (app->ranks == 0 && options->app_count > 1) {
            run_options_refuse("-n", "", "of several commands each needs a number of ranks");
        }
        if (app->ranks == 0) {
            app->ranks = processors;
        }
        options->ranks += app->ranks;
        if (options->ranks > RUN_MAX_RANKS) {
            run_options_refuse("-n", "", "all commands together may have 4096 ranks");
        }
    }
    if (options->reader >= options->ranks) {
        run_options_refuse("--stdin", "", "there is no such rank");
    }
}

/* A folder that is not there is told before anything begins. On other hosts ranks begin in ours. */
static void find_folders(struct run_options *options)
{
    int rank = 0;

    for (int i = 0; i < options->app_count; i++) {
        struct run_app *app = &options->apps[i];
        bool is_here = false;

        for (int end = rank + app->ranks; rank < end; rank++) {
            is_here = is_here || options->host_of[rank] == 0;
        }
        if (app->folder != NULL && is_here) {
            open_folder(app);
        } else if (app->folder == NULL) {
            app->folder = run_whole_path(".");
        }
    }
}

void run_options_parse(int argc, char **argv, int processors, struct run_options *options)
{
    any_launcher = any_launcher_of(argv[0]);
    /* Each command has at least one word, and a colon in front of it. */
    options->apps = calloc((size_t)argc / 2 + 1, sizeof(*options->apps));
    if (options->apps == NULL) {
        run_no_memory();
    }
    do {
        int length = 1;

        while (length < argc && strcmp(argv[length], ":") != 0) {
            length++;
        }
        argv[length] = NULL; /* the end of a command, and nobody's name in front of the next */
        parse_app(length, argv, options);
        argc -= length;
        argv += length;
    } while (argc > 1);
    count_ranks(options, processors);
    run_place_all(options);
    find_folders(options);
    if (options->host_count > 1) {
        run_remote_complete(options);
    }
}

void run_options_free(struct run_options *options)
{
    run_remote_free(options);
    run_place_free(options);
    for (int i = 0; i < options->app_count; i++) {
        struct run_app *app = &options->apps[i];

        for (size_t k = 0; k < app->variable_count; k++) {
            free((char *)app->variables[k]);
        }
        free(app->variables);
        free(app->folder);
    }
    free(options->apps);
    free(options->report);
}
