/* SPDX-License-Identifier: BSD-3-Clause */
/* What this host allows: each ability is tried, because kernel versions, sandboxes and containers
 * all have a say. */
#include "info.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory_node.h"
#include "base/number.h"
#include "engine/drive/place.h"

/* The flag is whether error is 0; the detail is what error means. */
static void add_attempt(struct info_facts *facts, const char *key, int error)
{
    info_add_flag(facts, key, error == 0, error == 0 ? NULL : strerror(error));
}

/* Copy a word out of a process at the given address; 0 or errno. */
static int try_process_vm(pid_t pid, const uint64_t *remote)
{
    uint64_t word = 0;
    struct iovec to = {&word, sizeof word};
    struct iovec from = {(void *)(uintptr_t)remote, sizeof word};

    return process_vm_readv(pid, &to, 1, &from, 1, 0) == (ssize_t)sizeof word ? 0 : errno;
}

/* What two ranks of a job are to each other: children of one parent. One child reads from the
 * other, which sleeps until its pipe is closed. 0 or errno. */
static int try_process_vm_siblings(void)
{
    static const uint64_t target = 1;
    int ends[2], status = 0;

    if (pipe(ends) != 0) {
        return errno;
    }

    /* _exit of a program under ThreadSanitizer writes out what the children have inherited. */
    fflush(stdout);

    pid_t sleeper = fork();

    if (sleeper == 0) {
        char byte;

        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
    }

    pid_t reader = sleeper > 0 ? fork() : -1;

    if (reader == 0) {
        _exit(try_process_vm(sleeper, &target));
    }
    if (reader > 0) {
        waitpid(reader, &status, 0);
    }
    close(ends[0]);
    close(ends[1]);
    if (sleeper > 0) {
        waitpid(sleeper, NULL, 0);
    }
    if (reader < 0) {
        return EAGAIN;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

static int try_memfd(void)
{
    int fd = memfd_create("apeni-info", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    int error = fd < 0 || ftruncate(fd, 4096) != 0 ? errno : 0;

    if (fd >= 0) {
        close(fd);
    }
    return error;
}

static int try_pidfd(void)
{
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

static int try_membarrier(void)
{
    long commands = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

    if (commands < 0) {
        return errno;
    }
    return (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 ? 0 : ENOSYS;
}

/* The first line of a file without its newline; false if it cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool ok = file != NULL && fgets(line, (int)size, file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    if (ok) {
        line[strcspn(line, "\n")] = '\0';
    }
    return ok;
}

static void add_line(struct info_facts *facts, const char *key, const char *path)
{
    char line[128];

    info_add_text(facts, key, "%s", read_line(path, line, sizeof line) ? line : "unknown");
}

static void add_shared_memory(struct info_facts *facts)
{
    struct statvfs fs;

    if (statvfs("/dev/shm", &fs) != 0) {
        info_add_text(facts, "dev_shm", "%s", strerror(errno));
        return;
    }
    info_add_number(facts, "dev_shm_bytes", (uint64_t)fs.f_frsize * fs.f_blocks);
    info_add_number(facts, "dev_shm_free_bytes", (uint64_t)fs.f_frsize * fs.f_bavail);
}

/* Cores on which this process may run, and the share of them that its control group leaves. */
static void add_cores(struct info_facts *facts)
{
    char line[64];
    uint64_t quota = 0, period = 0;
    cpu_set_t set;

    info_add_number(facts, "cores_online", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        info_add_number(facts, "cores_allowed", (uint64_t)CPU_COUNT(&set));
    }
    if (read_line("/sys/fs/cgroup/cpu.max", line, sizeof line) &&
        sscanf(line, "%" SCNu64 " %" SCNu64, &quota, &period) == 2 && period > 0) {
        info_add_text(facts, "cores_quota", "%.2f", (double)quota / (double)period);
    }
}

/* What an interface would get whose process is the only one of its job on this host. */
static void add_placement(struct info_facts *facts)
{
    const struct ni_open_attr alone = {.taken_cpus = ""};
    struct ni_placed place = ni_place_find(&alone);

    int node = ni_memory_node_near();

    info_add_number(facts, "memory_nodes", ni_memory_nodes());
    if (node >= 0) {
        info_add_number(facts, "near_memory_node", (uint64_t)node);
    }
    info_add_text(facts, "topology", "%s", ni_topology_source());
    info_add_text(facts, "placement", "%s: %s", ni_placement_name(place.placement), place.why);
}

void info_gather_host(struct info_facts *facts)
{
    static const uint64_t target = 1;
    struct utsname system = {0};

    facts->key = "host";
    facts->title = "Host";
    uname(&system);
    info_add_text(facts, "kernel", "%s %s", system.sysname, system.release);
    add_cores(facts);
    add_placement(facts);
    add_attempt(facts, "process_vm_self", try_process_vm(getpid(), &target));
    add_attempt(facts, "process_vm_siblings", try_process_vm_siblings());
    add_line(facts, "ptrace_scope", "/proc/sys/kernel/yama/ptrace_scope");
    add_attempt(facts, "memfd", try_memfd());
    add_attempt(facts, "pidfd", try_pidfd());
    add_attempt(facts, "membarrier", try_membarrier());
    add_shared_memory(facts);
    info_add_number(facts, "page_bytes", (uint64_t)sysconf(_SC_PAGESIZE));
    add_line(facts, "huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
}
