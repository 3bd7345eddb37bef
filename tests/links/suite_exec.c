/* SPDX-License-Identifier: BSD-3-Clause */
#include "suite_private.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The process of an NI that executes another program: this one, which then does nothing but have
 * memory of its own where the arena was, and look at the end whether somebody has changed it: as
 * far as the case had memory there, since each page that is looked at becomes one.
 */

static const char other_program[] = "--another-program";

static char descriptor_text[16], address_text[24];
static char *arguments[] = {(char *)"suite", (char *)other_program, descriptor_text, address_text,
                            NULL};

static void on_signal(int signal)
{
    (void)signal;
    (void)execv("/proc/self/exe", arguments);
    _exit(1);
}

void suite_exec_prepare(struct suite_server *server)
{
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, server->talk) == 0);
}

void suite_exec_await(const struct suite *suite, const struct suite_server *server)
{
    snprintf(descriptor_text, sizeof(descriptor_text), "%d", server->talk[1]);
    snprintf(address_text, sizeof(address_text), "%zu", (size_t)suite->private->arena);
    signal(SIGUSR2, on_signal);
}

void suite_exec(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];
    char byte;

    CHECK(suite->link->mode == SUITE_PROCESSES);
    CHECK(kill(server->pid, SIGUSR2) == 0 && kill(server->pid, SIGCONT) == 0);
    CHECK(read(server->talk[0], &byte, 1) == 1); /* it runs, and has its memory */
    server->gone = true;
}

void suite_exec_end(struct suite *suite, unsigned i)
{
    struct suite_server *server = &suite->private->servers[i];
    const size_t used = suite->private->used;
    int status = 0;

    CHECK(write(server->talk[0], &used, sizeof(used)) == sizeof(used));
    CHECK(waitpid(server->pid, &status, 0) == server->pid);
    CHECK(status == 0); /* or its memory was changed */
    server->pid = 0;
}

static int be_another(char **argv)
{
    int talk = atoi(argv[2]);
    void *place = (void *)(uintptr_t)strtoull(argv[3], NULL, 0);
    const uint64_t *words =
        mmap(place, SUITE_ARENA, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    size_t used;

    if (words == MAP_FAILED && errno == EEXIST) {
        (void)execv("/proc/self/exe", argv); /* something else came to lie there: again */
    }
    CHECK(words == place);
    CHECK(write(talk, "", 1) == 1);
    CHECK(read(talk, &used, sizeof(used)) == sizeof(used) && used <= SUITE_ARENA);
    for (size_t i = 0; i < used / sizeof(*words); i++) {
        CHECK(words[i] == 0);
    }
    return 0;
}

void suite_exec_main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], other_program) == 0) {
        exit(be_another(argv));
    }
}
