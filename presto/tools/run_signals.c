/* SPDX-License-Identifier: BSD-3-Clause */
/* Signals. The program that starts us may have had any of them ignored. */
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
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

/* ---- what they do ---------------------------------------------------------------------------- */

/* ---- signals --------------------------------------------------------------------------------- */

/* Stopped from outside: the ranks stop, too. From the terminal they are. */
static void stop_all(struct run_job *job)
{
    run_end_signal(job, SIGSTOP);
    (void)raise(SIGSTOP);
    run_end_signal(job, SIGCONT);
}

/* From a terminal the ranks have it already: one that counts how often it is interrupted shall see
 * one. */
static void end_by(struct run_job *job, int signal, bool by_terminal)
{
    if (job->over) {
        run_end_kill(job); /* asked twice */
        job->give_up_at_ns = ni_now_ns();
        return;
    }
    run_say(job, "prestorun: ending the job: signal %d\n", signal);
    if (by_terminal) {
        run_end_signal_others(job, signal);
    }
    run_end_soon(job, 128 + signal, by_terminal ? 0 : signal);
}

void run_signals_take(struct run_job *job, int signals)
{
    struct signalfd_siginfo info;

    if (read(signals, &info, sizeof(info)) != (ssize_t)sizeof(info)) {
        return;
    }
    switch (info.ssi_signo) {
    case SIGCHLD:
        run_guard_reap(job);
        break;
    case SIGINT:
    case SIGQUIT:
        end_by(job, (int)info.ssi_signo, info.ssi_code == SI_KERNEL);
        break;
    case SIGTERM:
    case SIGHUP:
        end_by(job, (int)info.ssi_signo, false);
        break;
    case SIGTSTP:
        stop_all(job);
        break;
    default:
        run_end_signal(job, (int)info.ssi_signo);
    }
}
