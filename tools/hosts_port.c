/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ports of the switch. Host 2 is at the other end of the interface p2, which is a port of the
 * bridge. With a relay it is not; then the relay passes frames between p2 and q2, and b2, the other
 * end of q2, is the port.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hosts.h"

bool hosts_port_connect(const struct hosts_port *port)
{
    char script[256];
    unsigned n = port->number;

    snprintf(script, sizeof script,
             "link add p%u type veth peer name eth0 netns %d\n"
             "link set p%u master br0\n"
             "link set p%u up\n",
             n, (int)port->pid, n, n);
    return hosts_ip(script);
}

/* Cut is silent: the port is taken off the bridge, and the host's interface stays up. Nobody is
 * told; only time-outs notice. */
static bool set_master(const struct hosts_port *port, bool cut)
{
    char script[64];

    snprintf(script, sizeof script, "link set %c%u %s\n", port->relay != 0 ? 'b' : 'p',
             port->number, cut ? "nomaster" : "master br0");
    return hosts_ip(script);
}

bool hosts_port_cut(struct hosts_port *port, bool cut)
{
    if (!set_master(port, cut)) {
        return false;
    }
    port->cut = cut;
    return true;
}

static bool take_relay_away(struct hosts_port *port)
{
    char script[64];
    int status;

    if (port->relay > 0) {
        kill(port->relay, SIGKILL);
        while (waitpid(port->relay, &status, 0) < 0 && errno == EINTR) {
        }
    }
    port->relay = 0;
    snprintf(script, sizeof script, "link del q%u\n", port->number);
    return hosts_ip(script) && set_master(port, port->cut);
}

static bool put_relay(struct hosts_port *port)
{
    char a[16], b[16], script[256];
    unsigned n = port->number;

    snprintf(a, sizeof a, "p%u", n);
    snprintf(b, sizeof b, "q%u", n);
    snprintf(script, sizeof script,
             "link set p%u nomaster\n"
             "link add q%u type veth peer name b%u\n"
             "link set q%u up\n"
             "link set b%u up\n",
             n, n, n, n, n);
    if (!hosts_ip(script)) {
        return false;
    }
    port->relay = hosts_fork(0);
    if (port->relay == 0) {
        sigset_t none;

        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        hosts_relay(a, b, port);
    }
    return set_master(port, port->cut);
}

bool hosts_port_link(struct hosts_port *port, const struct hosts_link *link)
{
    if (port->relay != 0 && !take_relay_away(port)) {
        return false;
    }
    port->link = *link;
    for (int i = 0; i < 2; i++) {
        port->counts[i].passed = port->counts[i].lost = port->counts[i].full = 0;
    }
    return hosts_link_plain(link) || put_relay(port);
}
