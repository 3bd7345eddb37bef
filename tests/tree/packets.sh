#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a kind of packet means is written once: one predicate and one body for each, defined where the list below says, and
# used by the instances that it names and by nobody else. One place asks the buffer table, one fills the event of a matched
# put, one publishes.
. "$(dirname "$0")/files.sh"

count=0
sources=$(tree_files 'ni/*.c' 'ni/*.h')

# defined NAME: the files that define a function of this name.
defined() {
    # shellcheck disable=SC2016 # the dollars are of awk
    echo "$sources" | xargs awk -v name="$1" '
        FNR == 1 { inside = 0 }
        $0 ~ "(^|[ *])" name "\\(" && $0 !~ /^[ \t]/ { inside = 1 }
        inside && /;[ \t]*$/ { inside = 0 }
        inside && /^\{/ { print FILENAME; inside = 0 }'
}

# users NAME: the files in which a function of this name is called.
users() {
    echo "$sources" | xargs grep -lE "^[ \t].*\b$1\(" | sort
}

# once NAME FILE USERS...: it is defined in FILE alone, and called from USERS alone.
once() {
    name=$1
    file=$2
    shift 2
    count=$((count + 1))
    got=$(defined "$name")
    [ "$got" = "$file" ] || fail "$name is to be defined in $file alone, and is in: $got"
    want=$(printf '%s\n' "$@" | sort)
    got=$(users "$name")
    [ "$got" = "$want" ] || fail "$name is to be called in
$want
and is in
$got"
}

handlers=ni/engine/arrive/handlers.h answers=ni/engine/arrive/answers.h take=ni/engine/arrive/take.h direct=ni/engine/arrive/direct.c
in_write=ni/engine/arrive/arrive_write.c in_read=ni/engine/arrive/arrive_read.c in_parts=ni/engine/arrive/multipath_in.c

# A Write to memory: judged and delivered.
once ni_write_is_whole $handlers $take $direct
once ni_write_memory $handlers $take $direct $in_write
# A Write that a counter counts, and the addition to a counter.
once ni_write_is_counted $handlers $take $direct $in_write
once ni_write_counted_memory $handlers $take $direct $in_write
once ni_write_is_addition $handlers $take $direct
once ni_write_addition $handlers $take $direct
# A request to read.
once ni_read_is_of_memory $handlers $take $direct
once ni_read_memory $handlers $take $direct
# An answer: whether it is awaited, the bytes of one, the end of its operation.
once ni_answer_is_awaited $answers $in_read $in_parts
once ni_answer_is_all $answers $answers
once ni_read_place $answers $answers
once ni_read_segment $answers $in_read $in_parts
once ni_answer_take $answers $take $direct
# A message for a consumer or a queue.
once ni_message_call $handlers $handlers $take
once ni_message_take $handlers $take $in_write
# The event of a matched put.
once ni_event_of_match ni/portals/message.h ni/portals/deliver.c ni/portals/plain.c ni/portals/unexpected.c
# What follows the store that publishes: nobody wakes a peer but here.
once ni_wake ni/engine/send/message.c ni/engine/send/fast.h

# The buffer table is asked in one place; each access to memory comes there.
sites=$(echo "$sources" | grep '^ni/engine/' | xargs grep -nE '\bni_table_check\(' | wc -l)
case $sites in
[1-4]) ;;
*) fail "ni/engine calls ni_table_check in $sites places, and may in 4" ;;
esac
[ "$(users ni_table_check | grep '^ni/engine/')" = ni/engine/core/memory.h ] ||
    fail "core/memory.h alone is to ask ni_table_check in ni/engine"
finish "$count" "functions of packets"
