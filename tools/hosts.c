/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * apelink-hosts: several hosts on one machine, for tests of what goes between hosts. See hosts.h
 * for how, and the manual page for what for.
 */
#include "hosts.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apelink_config.h"
#include "base/standard.h"

_Noreturn void hosts_die(const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "apelink-hosts: ");
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    _exit(HOSTS_EXIT_OWN);
}

/* The exit status, given that of what was done: some of the output may be lost. */
static int written(int status)
{
    return ni_standard_written("apelink-hosts") || status != 0 ? status : HOSTS_EXIT_OWN;
}

static void print_help(void)
{
    printf(
        "usage: apelink-hosts run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
        "       apelink-hosts up [OPTION...]\n"
        "       apelink-hosts exec [--name NAME] HOST [--] COMMAND [ARGUMENT...]\n"
        "       apelink-hosts cut | heal | kill [--name NAME] HOST\n"
        "       apelink-hosts link [--name NAME] HOST PROPERTY=VALUE... | clear\n"
        "       apelink-hosts ls | down [--name NAME]\n"
        "\n"
        "Makes several hosts of namespaces on this machine, joined by a switch: each has its own\n"
        "name, network, processes, /dev/shm and temporary files, and /etc/hosts names them all.\n"
        "mpirun started on one of them starts processes on the others. Needs root.\n"
        "\n"
        "  run     make hosts, run a command on the first one, and end the hosts with it;\n"
        "          @HOSTFILE@ in an argument is the path of a host file for mpirun\n"
        "  up      make hosts that stay until down\n"
        "  exec    run a command on a host\n"
        "  ls      list the hosts\n"
        "  cut     frames of and to this host get lost from now on\n"
        "  heal    they do not any more\n"
        "  kill    end this host and all that runs on it, as a power failure does\n"
        "  link    what happens to frames of and to this host: delay=10ms jitter=2ms loss=1%%\n"
        "          rate=100M reorder=yes seed=7; clear ends all of that\n"
        "  down    end the hosts and all that runs on them\n"
        "\n"
        "  -n, --hosts N           how many, 1 to %d (2)\n"
        "  -s, --slots N           processes on each, for the host file (2)\n"
        "  -l, --link PROPERTY=VALUE[,...]\n"
        "                          of all links, as by the command link\n"
        "  -N, --name NAME         of this set of hosts (run: one by itself; up: hosts)\n"
        "  -p, --prefix TEXT       of the hosts' names (h: h1, h2, ...)\n"
        "  -h, --help              print this text\n"
        "  -V, --version           print the version\n"
        "\n"
        "Exit status: that of the command, 128 + N if signal N ended it; 125 if the hosts cannot\n"
        "be made or do not do what was asked, 126 if the command cannot be started, 127 if there\n"
        "is none.\n",
        HOSTS_MAX);
}

static const char *const verbs[] = {"run",  "up",   "exec", "ls",   "cut",
                                    "heal", "kill", "link", "down", "agent"};

static unsigned read_count(const char *option, const char *text, unsigned most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (strspn(text, "0123456789") != strlen(text) || *text == '\0' || value < 1 || value > most) {
        hosts_die("%s \"%s\": a number from 1 to %u is wanted", option, text, most);
    }
    return (unsigned)value;
}

static void read_name(const char *option, const char *text, char *name)
{
    if (!hosts_name_ok(text)) {
        hosts_die("%s \"%s\": lower case letters, digits and inner hyphens are wanted, up to %d "
                  "of them",
                  option, text, HOSTS_NAME_MAX - 1);
    }
    snprintf(name, HOSTS_NAME_MAX, "%s", text);
}

static void read_links(struct hosts_link *link, char *text)
{
    char *state = NULL;

    for (char *word = strtok_r(text, ",", &state); word != NULL;
         word = strtok_r(NULL, ",", &state)) {
        const char *wrong = hosts_link_parse(link, word);

        if (wrong != NULL) {
            hosts_die("--link \"%s\": %s", word, wrong);
        }
    }
}

/* Options end at the first other word. argv begins with the verb. Returns the index of what is
 * behind them. Options that only make sense for hosts to be made are refused otherwise. */
static int read_options(int argc, char **argv, bool makes, struct hosts_setup *setup)
{
    static const struct option options[] = {
        {"hosts", required_argument, NULL, 'n'},  {"slots", required_argument, NULL, 's'},
        {"link", required_argument, NULL, 'l'},   {"name", required_argument, NULL, 'N'},
        {"prefix", required_argument, NULL, 'p'}, {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},      {NULL, 0, NULL, 0},
    };
    int letter;

    opterr = 0;
    while ((letter = getopt_long(argc, argv, "+:n:s:l:N:p:hV", options, NULL)) != -1) {
        if (!makes && strchr("nslp", letter) != NULL) {
            hosts_die("-%c (\"%s\") is for run and up; apelink-hosts --help", letter, optarg);
        }
        switch (letter) {
        case 'n':
            setup->count = read_count("--hosts", optarg, HOSTS_MAX);
            break;
        case 's':
            setup->slots = read_count("--slots", optarg, 4096);
            break;
        case 'l':
            read_links(&setup->link, optarg);
            break;
        case 'N':
            read_name("--name", optarg, setup->name);
            break;
        case 'p':
            read_name("--prefix", optarg, setup->prefix);
            break;
        case 'h':
            print_help();
            exit(written(0));
        case 'V':
            printf("apelink-hosts %s\n", PACKAGE_VERSION);
            exit(written(0));
        case ':':
            hosts_die("option \"%s\" needs a value; apelink-hosts --help", argv[optind - 1]);
        default:
            hosts_die("unknown option \"%s\"; apelink-hosts --help lists them", argv[optind - 1]);
        }
    }
    return optind;
}

static void need_root(void)
{
    if (geteuid() != 0) {
        hosts_die("this needs root, to make namespaces and interfaces; run it with sudo");
    }
}

/* text with the path of the host file where it says @HOSTFILE@. */
static char *with_hostfile(char *text, const char *folder)
{
    static const char mark[] = "@HOSTFILE@";
    const char *at = strstr(text, mark);
    char *result;

    if (at == NULL) {
        return text;
    }
    if (asprintf(&result, "%.*s%s/hostfile%s", (int)(at - text), text, folder, at + strlen(mark)) <
        0) {
        hosts_die("no memory");
    }
    return result;
}

static void replace_hostfile(char **argv, const char *folder)
{
    for (; *argv != NULL; argv++) {
        *argv = with_hostfile(*argv, folder);
    }
}

static int run(struct hosts_setup *setup, char **argv)
{
    char first[HOSTS_NAME_MAX + 4];
    pid_t pid;
    int status;

    if (argv[0] == NULL) {
        hosts_die("run: a command is wanted; apelink-hosts --help");
    }
    if (*setup->name == '\0') {
        snprintf(setup->name, sizeof setup->name, "run-%d", (int)getpid());
    }
    status = hosts_start(setup, false, &pid);
    if (status != 0) {
        return status;
    }
    replace_hostfile(argv, setup->folder);
    hosts_host_name(setup, 1, first);
    status = hosts_exec(setup->folder, first, argv, true);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    hosts_sweep();
    return status;
}

static int up(struct hosts_setup *setup, char **argv)
{
    pid_t pid;
    int status;

    if (argv[0] != NULL) {
        hosts_die("up: unexpected argument \"%s\"; a command is run by run or exec", argv[0]);
    }
    if (*setup->name == '\0') {
        snprintf(setup->name, sizeof setup->name, "hosts");
    }
    close_range(STDERR_FILENO + 1, ~0U, 0); /* what else we were started with is not for hosts */
    status = hosts_start(setup, true, &pid);
    if (status == 0) {
        printf("%s\n", setup->name);
    }
    return status;
}

/* What mpirun starts: AGENT HOST WORD..., where the words are for a shell on the host, as of
 * ssh. */
static int agent(const char *folder, char **argv)
{
    char *command, *shell[] = {"sh", "-c", NULL, NULL};
    size_t size;
    FILE *file = open_memstream(&command, &size);

    if (argv[0] == NULL || argv[1] == NULL || file == NULL) {
        hosts_die("agent: a host and a command are wanted");
    }
    for (char **word = argv + 1; *word != NULL; word++) {
        fprintf(file, "%s ", *word);
    }
    fclose(file);
    shell[2] = command;

    int status = hosts_exec(folder, argv[0], shell, true);

    free(command);
    return status;
}

/* A command of the switch: its words in one line. */
static int ask(const char *folder, const char *verb, char **argv)
{
    char line[512];
    size_t length = (size_t)snprintf(line, sizeof line, "%s", verb);

    if (argv[0] == NULL || (argv[1] == NULL) != (strcmp(verb, "link") != 0)) {
        hosts_die("%s: %s; apelink-hosts --help", verb,
                  strcmp(verb, "link") != 0 ? "one host is wanted"
                                            : "a host, and properties of its link, are wanted");
    }
    for (; *argv != NULL; argv++) {
        length += (size_t)snprintf(line + length, sizeof line - length, " %s", *argv);
        if (length >= sizeof line) {
            hosts_die("%s: too many words", verb);
        }
    }
    return hosts_ask(folder, line) ? 0 : HOSTS_EXIT_OWN;
}

static void list_one(const char *folder, void *context)
{
    (void)context;
    hosts_ask(folder, "ls");
}

static int list(char **argv)
{
    if (argv[0] != NULL) {
        hosts_die("ls: unexpected argument \"%s\"; it lists all hosts", argv[0]);
    }
    hosts_sweep();
    if (hosts_state_each(list_one, NULL) == 0) {
        printf("there are no hosts\n");
    }
    return 0;
}

static int of_an_instance(const char *verb, const struct hosts_setup *setup, char **argv)
{
    char folder[HOSTS_PATH_MAX];

    if (strcmp(verb, "down") == 0 && argv[0] != NULL) {
        hosts_die("down: unexpected argument \"%s\"; --name names a set of hosts, kill ends one",
                  argv[0]);
    }
    hosts_state_find(*setup->name != '\0' ? setup->name : NULL, folder);
    if (strcmp(verb, "down") == 0) {
        hosts_down(folder);
        return 0;
    }
    if (strcmp(verb, "agent") == 0) {
        return agent(folder, argv);
    }
    if (strcmp(verb, "exec") == 0) {
        if (argv[0] != NULL && argv[1] != NULL && strcmp(argv[1], "--") == 0) {
            argv[1] = argv[0];
            argv++;
        }
        if (argv[0] == NULL || argv[1] == NULL) {
            hosts_die("exec: a host and a command are wanted; apelink-hosts --help");
        }
        replace_hostfile(argv + 1, folder);
        return hosts_exec(folder, argv[0], argv + 1, false);
    }
    return ask(folder, verb, argv);
}

static int obey(const char *verb, struct hosts_setup *setup, char **argv)
{
    need_root();
    if (strcmp(verb, "run") == 0) {
        return run(setup, argv);
    }
    if (strcmp(verb, "up") == 0) {
        return up(setup, argv);
    }
    if (strcmp(verb, "ls") == 0) {
        return list(argv);
    }
    return of_an_instance(verb, setup, argv);
}

int main(int argc, char **argv)
{
    struct hosts_setup setup = {.prefix = "h", .count = 2, .slots = 2, .lock = -1};
    const char *verb = argc > 1 ? argv[1] : "";
    bool known = false, makes = strcmp(verb, "run") == 0 || strcmp(verb, "up") == 0;

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        known = known || strcmp(verb, verbs[i]) == 0;
    }
    if (!ni_standard_open("apelink-hosts")) {
        return HOSTS_EXIT_OWN;
    }
    if (!known) {
        if (read_options(argc, argv, false, &setup) < argc) {
            hosts_die("unknown command \"%s\"; apelink-hosts --help lists them", verb);
        }
        hosts_die("a command is wanted; apelink-hosts --help lists them");
    }

    int rest = 1 + read_options(argc - 1, argv + 1, makes, &setup);

    return written(obey(verb, &setup, argv + rest));
}
