/* SPDX-License-Identifier: BSD-3-Clause */
/* Which signals are taken. Whoever starts us may have had any of them ignored. */
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>

#include "tools/run.h"

/* The first one is an agent's, too. */
static const int taken[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGUSR1, SIGUSR2};

enum { TAKEN = sizeof(taken) / sizeof(taken[0]) };

/* As nohup starts programs: the job shall outlive the terminal. */
static bool is_unwanted(int number)
{
    struct sigaction old;

    return number == SIGHUP && sigaction(number, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

int run_signals_open(bool agent)
{
    sigset_t set;
    int fd;

    sigemptyset(&set);
    for (int i = 0; i < (agent ? 1 : TAKEN); i++) {
        if (!is_unwanted(taken[i])) {
            sigaddset(&set, taken[i]);
        }
    }
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, no child could be waited for */
    fd = signalfd(-1, &set, SFD_CLOEXEC);
    if (fd < 0) {
        perror("prestorun: signalfd");
    }
    return fd;
}

void run_signals_reset(void)
{
    sigset_t none;

    for (int i = 0; i < TAKEN; i++) {
        if (!is_unwanted(taken[i])) {
            (void)signal(taken[i], SIG_DFL);
        }
    }
    (void)signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}
