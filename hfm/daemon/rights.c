/* SPDX-License-Identifier: BSD-3-Clause */
/* Giving up rights. */
#include "hfm/daemon/rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <apeni/log.h>

static bool failed(const char *what, const char *user)
{
    ni_log(NI_LOG_ERROR, "apelink-hfm: user %s: %s: %s", user, what, strerror(errno));
    return false;
}

/* Keep these capabilities and no others. */
static bool keep(uint64_t capabilities)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {
        {(uint32_t)capabilities, (uint32_t)capabilities, 0},
        {(uint32_t)(capabilities >> 32), (uint32_t)(capabilities >> 32), 0}};

    return syscall(SYS_capset, &header, data) == 0;
}

/* Which of these capabilities there are. */
static uint64_t has(uint64_t capabilities)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};

    if (syscall(SYS_capget, &header, data) != 0) {
        return 0;
    }
    return capabilities & ((uint64_t)data[1].permitted << 32 | data[0].permitted);
}

/* No others can be had again. A container may keep us from it, and has its own bounds. */
static void drop_bounds(uint64_t kept)
{
    for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
        if ((kept >> i & 1) == 0) {
            (void)prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
        }
    }
}

static bool become(const char *user)
{
    const struct passwd *entry = getpwnam(user);

    if (entry == NULL) {
        ni_log(NI_LOG_ERROR,
               "apelink-hfm: user %s: there is no such user; make one, or leave the "
               "line \"user\" out",
               user);
        return false;
    }
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || initgroups(user, entry->pw_gid) != 0 ||
        setgid(entry->pw_gid) != 0 || setuid(entry->pw_uid) != 0) {
        return failed("becoming it", user);
    }
    return true;
}

void hfm_rights_give(const char *user, const char *path)
{
    const struct passwd *entry = user != NULL && user[0] != '\0' ? getpwnam(user) : NULL;
    struct stat file;
    bool ours = lstat(path, &file) == 0 &&
                (S_ISSOCK(file.st_mode) || (S_ISREG(file.st_mode) && file.st_nlink == 1));

    if (geteuid() == 0 && entry != NULL && ours &&
        lchown(path, entry->pw_uid, entry->pw_gid) != 0) {
        ni_log(NI_LOG_WARN, "apelink-hfm: %s cannot be given to %s: %s", path, user,
               strerror(errno));
    }
}

bool hfm_rights_drop(const char *user, bool device)
{
    uint64_t kept = has(device ? 1ULL << CAP_SYS_ADMIN : 0);

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); /* hooks would have them */
    if (geteuid() != 0 && user != NULL && user[0] != '\0') {
        ni_log(NI_LOG_WARN,
               "apelink-hfm: user %s: only root can become another user; it stays who it is", user);
    }
    if (geteuid() == 0) {
        drop_bounds(kept); /* another user may not */
        if (user != NULL && user[0] != '\0' && !become(user)) {
            return false;
        }
    }
    if (!keep(kept)) {
        return failed("giving up capabilities", user);
    }
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 || failed("no new privileges", user);
}
