/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HFM_DAEMON_RIGHTS_H
#define HFM_DAEMON_RIGHTS_H

#include <stdbool.h>

/*
 * Give up what is not needed any more, for good, in all threads: become the user, if there is one
 * (NULL or empty: stay), and keep no capability but CAP_SYS_ADMIN, which a card's registers take,
 * if device is true. Call it before there is another thread. false: failed, which is logged.
 */
bool hfm_rights_drop(const char *user, bool device);

/* Let a file or socket of ours be the user's, so that the daemon can go on with it when it is that
 * user (NULL or empty: leave it). What fails is logged. */
void hfm_rights_give(const char *user, const char *path);

#endif
