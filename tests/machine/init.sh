#!/bin/busybox sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=dash
# Covers: dnp/board/ivshmem.c, driver/linux/buffer.c, driver/linux/card.c, driver/linux/channel.c, driver/linux/dormant.c, driver/linux/file.c,
# driver/linux/ioctl.c, driver/linux/mailbox.c, driver/linux/pin.c.
# The first program of a virtual machine of tools/stages/machine: loads the module and runs the programs of
# tests/unit/dnp_device*, the suite of the links and a program of Presto over it. The kernel's argument apelink_steps names the functions below that are run, with commas. What
# happened is on the console: a line PASS or FAIL for each, figures, and "end" at last.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mount -t tmpfs none /tmp
mkdir /dev/shm
mount -t tmpfs none /dev/shm
number=$(sed -n 's/.*apelink_number=\([0-9]*\).*/\1/p' /proc/cmdline)
device=/dev/apelink0

echo "FIGURE: machine $number has booted after $(cut -d ' ' -f 1 /proc/uptime) s"

try() { # TEXT COMMAND...
    text=$1
    shift
    if "$@" >/tmp/out 2>&1; then
        echo "PASS: $text"
    else
        echo "FAIL: $text: $(tr '\n' ' ' </tmp/out)"
    fi
}

until_true() { # COMMAND...: within 30 seconds
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 300 ] || return 1
        sleep 0.1
    done
}

hold() { # VERB FILE: a program in the background that is ready; its id is in $last
    dnp_device_client "$1" $device >"$2" 2>&1 &
    last=$!
    until_true grep -q ready "$2"
}

load() {
    try "the module is loaded" insmod /apelink.ko
    try "there is a device" [ -c $device ]
}

unload() {
    try "the module is removed" rmmod apelink
    try "the device is gone with it" [ ! -e $device ]
}

alone() {
    try "one program" dnp_device_client loop $device
    try "no system calls" dnp_device_client silent $device
    try "what is refused" dnp_device_client refused $device
    try "memory that changes" dnp_device_memory changes $device
    try "RLIMIT_MEMLOCK" dnp_device_memory limited $device
    dnp_device_memory costs $device # on the console
    registrations
    chmod 600 $device
    [ "$(dnp_device_client open $device 1000)" = 'Permission denied' ] || echo "FAIL: mode 600 lets others in"
    chmod 666 $device
    [ "$(dnp_device_client open $device 1000)" = opened ] || echo "FAIL: mode 666 does not let others in, or to registers"
}

# What the pin-down cache is worth, on the console. Of each repetition 8 registrations are of memory that is new, and 8 of memory
# that was registered before.
registrations() {
    hits=$(counted hits)
    misses=$(counted misses)
    unasked=$(counted unasked)
    try "apeni-perf board" apeni-perf board --devices $device -m 8 -i 4 -R 1
    sed -n 's/^Register and deregister/FIGURE: &/p' /tmp/out
    try "what was registered before is found in the pin-down cache" [ $(($(counted hits) - hits)) -ge 8 ]
    try "and what is new is not" [ $(($(counted misses) - misses)) -ge 8 ]
    try "nor is the card asked of what is found" [ $(($(counted unasked) - unasked)) -ge 8 ]
}

counted() { # WHAT
    cat "/sys/module/apelink/parameters/pin_cache_$1"
}

several() {
    for i in 1 2 3 4; do
        dnp_device_client loop $device >"/tmp/loop$i" 2>&1 &
        eval "job$i=$!"
    done
    # shellcheck disable=SC2154 # set by eval
    for job in "$job1" "$job2" "$job3" "$job4"; do
        try "one of four programs" wait "$job"
    done
}

# All channels are in use; who is killed leaves one, and no harm. A child that has the file open does not keep it.
killed() {
    hold hold /tmp/first && first=$last
    hold hold /tmp/second && second=$last
    hold idle /tmp/third && third=$last
    hold orphan /tmp/fourth && fourth=$last
    dnp_device_client loop $device >/tmp/fifth 2>&1 && echo "FAIL: five channels of four"
    try "all are in use" grep -q busy /tmp/fifth
    kill -9 "$first"
    try "after a program was killed" until_true dnp_device_client loop $device
    hold hold /tmp/first && first=$last
    kill -9 "$third"
    try "after one that slept was killed" until_true dnp_device_client loop $device
    hold hold /tmp/third && third=$last
    kill -9 "$fourth"
    try "the child hears of it" until_true grep -q 'the channel has ended' /tmp/fourth
    try "after the parent of a child was killed" until_true dnp_device_client loop $device
    try "the others go on" kill -9 "$first" "$second" "$third"
    kill -9 "$(sed -n 's/^child //p' /tmp/fourth)"
    try "nobody has a channel" until_true several_quietly
}

several_quietly() {
    [ "$(several | grep -c PASS)" = 4 ]
}

# The function of PCI is taken away from the module while programs are at work, and comes back.
unbound() {
    hold hold /tmp/hold
    function=$(basename "$(dirname /sys/bus/pci/drivers/apelink/*/resource2)")
    try "the card is taken away" eval "echo $function >/sys/bus/pci/drivers/apelink/unbind"
    try "its program hears of it, or ends" until_true ended "$last"
    try "no device is left" until_true [ ! -e $device ]
    try "the card is given back" eval "echo $function >/sys/bus/pci/drivers/apelink/bind"
    try "it works again" dnp_device_client loop $device
}

ended() { # PID
    ! kill -0 "$1"
}

# With a program of another machine.
pair() {
    try "with another machine" dnp_device_pair $device
}

# Two cards of this machine, with a cable.
cards() {
    try "between two cards" dnp_device_client cross $device /dev/apelink1
    export SUITE_DEVICES="$device /dev/apelink1"
    try "the suite of the links: messages, of threads" suite_messages dev-threads
    try "the suite of the links: messages, of processes" suite_messages dev-processes
    try "the suite of the links: acknowledgements" suite_acks dev
}

# Two ranks, of which the other is on another machine. The second serial line leads to the launcher.
presto() {
    exec 3<>/dev/ttyS1
    stty raw -echo <&3
    export PMI_FD=3 PMI_RANK="$number" PMI_SIZE=2 APENI_LINKS=dev
    try "a Presto program with another machine" native_p2p
    exec 3>&-
}

# The board goes away while a program is at work.
lost() {
    hold hold /tmp/hold
    echo "ready to lose the card"
    try "a program hears that the card has gone" until_true grep -q 'the card has gone' /tmp/hold
    dnp_device_client loop $device >/tmp/out 2>&1 && echo "FAIL: a program begins without a card"
}

for step in $(sed -n 's/.*apelink_steps=\([a-z,]*\).*/\1/p' /proc/cmdline | tr , ' '); do
    $step
done
dmesg | grep -E 'WARNING: |BUG: |Oops: ' | sed 's/^/FAIL: the kernel says: /'
echo end
poweroff -f
