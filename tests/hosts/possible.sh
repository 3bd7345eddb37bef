#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whether hosts can be made here, asked of the system and not of the program that is tested. If not, prints why and ends
# with status 77.

skip() {
    echo "skipped: $*"
    exit 77
}

[ "$(id -u)" = 0 ] || skip "making namespaces needs root"
command -v ip >/dev/null 2>&1 || skip "there is no ip (Debian: iproute2)"
command -v python3 >/dev/null 2>&1 || skip "there is no python3 (Debian: python3)"
why=$(unshare --mount --uts --ipc --net --pid --fork --mount-proc true 2>&1) ||
    skip "this machine allows no namespaces: $why"
why=$(unshare --net sh -c 'ip link add br0 type bridge && ip link add p1 type veth peer name p2' 2>&1) ||
    skip "the kernel has no bridge or no veth: $why"
