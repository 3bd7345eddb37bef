/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program in a process that may not use process_vm_readv and process_vm_writev, as in many
 * containers: a seccomp filter answers EPERM. Usage: deny_cma PROGRAM [ARGUMENT...]
 *
 * -probe instead of a program checks that the filter works and says so.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int install(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {.len = sizeof code / sizeof *code, .filter = code};

    if (0 != prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
        return -1;
    }
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

static int probe(void)
{
    char a = 1, b = 0;
    struct iovec from = {&a, 1}, to = {&b, 1};

    if (-1 == process_vm_readv(getpid(), &to, 1, &from, 1, 0) && EPERM == errno) {
        puts("process_vm_readv is denied");
        return 0;
    }
    fprintf(stderr, "deny_cma: process_vm_readv still works\n");
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: deny_cma PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    if (0 != install()) {
        fprintf(stderr, "deny_cma: no seccomp filter: %s\n", strerror(errno));
        return 1;
    }
    if (0 == strcmp(argv[1], "-probe")) {
        return probe();
    }
    execvp(argv[1], argv + 1);
    fprintf(stderr, "deny_cma: %s: %s\n", argv[1], strerror(errno));
    return 127;
}
