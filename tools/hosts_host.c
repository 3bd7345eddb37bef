/* SPDX-License-Identifier: BSD-3-Clause */
/* The first process of a host: gives itself a name, files, memory and a network of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hosts.h"

void hosts_host_name(const struct hosts_setup *setup, unsigned number, char *name)
{
    snprintf(name, HOSTS_NAME_MAX + 4, "%s%u", setup->prefix, number);
}

static void mount_or_die(const char *from, const char *to, const char *type, unsigned long flags,
                         const char *data)
{
    if (mount(from, to, type, flags, data) != 0) {
        hosts_die("cannot mount %s at %s: %s", type != NULL ? type : from, to, strerror(errno));
    }
}

/* What only some systems have; nobody misses it where it is not. */
static void mount_over(const char *from, const char *to)
{
    if (access(to, F_OK) == 0) {
        mount_or_die(from, to, NULL, MS_BIND, NULL);
    }
}

/* /sys shows the network devices of the namespace in which it was mounted; control groups stay. */
static void mount_sys(const char *aside)
{
    bool groups = mkdir(aside, 0700) == 0 &&
                  mount("/sys/fs/cgroup", aside, NULL, MS_BIND | MS_REC, NULL) == 0;

    mount_or_die("sysfs", "/sys", "sysfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    if (groups) {
        mount_or_die(aside, "/sys/fs/cgroup", NULL, MS_MOVE, NULL);
    }
    rmdir(aside);
}

/* What programs take for the same for all processes of one host, and so for one memory. */
static void new_boot_id(const char *folder)
{
    unsigned char r[16];
    char path[HOSTS_PATH_MAX + 40];

    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r) {
        hosts_die("no random bytes: %s", strerror(errno));
    }
    snprintf(path, sizeof path, "%s/boot_id", folder);
    hosts_write_file(path, "%02x%02x%02x%02x-%02x%02x-4%x%02x-8%x%02x-%02x%02x%02x%02x%02x%02x\n",
                     r[0], r[1], r[2], r[3], r[4], r[5], r[6] & 15u, r[7], r[8] & 15u, r[9], r[10],
                     r[11], r[12], r[13], r[14], r[15]);
    mount_over(path, "/proc/sys/kernel/random/boot_id");
}

/* A folder under the same path on every host, with another content on each. */
static void own_folder(const char *path)
{
    if (mkdir(path, 0700) != 0 && errno != EEXIST) {
        hosts_die("cannot make %s: %s", path, strerror(errno));
    }
    mount_or_die("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
}

static void own_files(const struct hosts_setup *setup, const char *name)
{
    char own[HOSTS_PATH_MAX + 8], path[sizeof own + 32], hosts[HOSTS_PATH_MAX + 8];

    snprintf(own, sizeof own, "%s/own", setup->folder);
    snprintf(hosts, sizeof hosts, "%s/hosts", setup->folder);
    own_folder(own);
    snprintf(path, sizeof path, "%s/sys", own);
    mount_or_die("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
    mount_sys(path);
    new_boot_id(own);
    mount_over(hosts, "/etc/hosts");
    snprintf(path, sizeof path, "%s/hostname", own);
    hosts_write_file(path, "%s\n", name);
    mount_over(path, "/etc/hostname");
    if (access("/dev/shm", F_OK) == 0) {
        mount_or_die("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777");
    }
    snprintf(path, sizeof path, "%s/tmp", own);
    if (mkdir(path, 0700) != 0 || chmod(path, 01777) != 0) {
        hosts_die("cannot make %s: %s", path, strerror(errno));
    }
    setenv("TMPDIR", path, 1);
}

static void own_network(unsigned number)
{
    char script[256];

    /* Addresses of version 6 would come by themselves, late, and under no name. */
    if (access("/proc/sys/net/ipv6", F_OK) == 0) {
        hosts_write_file("/proc/sys/net/ipv6/conf/all/disable_ipv6", "1");
        hosts_write_file("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1");
    }
    snprintf(script, sizeof script,
             "link set lo up\n"
             "addr add 10.77.0.%u/24 dev eth0\n"
             "link set eth0 up\n",
             number);
    if (!hosts_ip(script)) {
        hosts_die("host %u has no network", number);
    }
}

/* What programs on the host find in their environment. */
static void own_environment(const struct hosts_setup *setup, const char *name)
{
    char path[HOSTS_PATH_MAX + 16], tool[512], agent[sizeof tool + 8];
    ssize_t length = readlink("/proc/self/exe", tool, sizeof tool - 1);

    if (length < 0) {
        hosts_die("/proc/self/exe: %s", strerror(errno));
    }
    tool[length] = '\0';
    snprintf(agent, sizeof agent, "%s agent", tool);
    snprintf(path, sizeof path, "%s/hostfile", setup->folder);
    setenv("APELINK_HOSTS", setup->name, 1);
    setenv("APELINK_HOST", name, 1);
    setenv("APELINK_HOSTS_TOOL", tool, 1);
    setenv("HOSTNAME", name, 1);
    setenv("PRESTO_LAUNCHER", agent, 1);
    setenv("OMPI_MCA_plm_rsh_agent", agent, 1);
    setenv("OMPI_MCA_orte_default_hostfile", path, 1);
    /* All hosts have the same cores: each would bind its first process to the first of them. */
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0);
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
}

_Noreturn void hosts_host(const struct hosts_setup *setup, unsigned number, int go, int ready)
{
    char name[HOSTS_NAME_MAX + 4], byte;
    int listener;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hosts_host_name(setup, number, name);
    if (sethostname(name, strlen(name)) != 0) {
        hosts_die("cannot set the host name %s: %s", name, strerror(errno));
    }
    own_files(setup, name);
    if (read(go, &byte, 1) != 1) {
        _exit(HOSTS_EXIT_OWN); /* the switch has failed and said why */
    }
    close(go);
    own_network(number);
    own_environment(setup, name);
    listener = hosts_listen(setup->folder, name);
    hosts_leave_client(setup->folder);
    if (write(ready, "r", 1) != 1) {
        _exit(HOSTS_EXIT_OWN);
    }
    close(ready);
    hosts_jobs(listener);
}
