#!/bin/sh
# quiet.sh CPUS COMMAND...: runs it pinned and before others. Where the kernel groups processes by session (autogroup), a nice
# value counts within the session only: so the command gets a session of its own, and that one the nice value. Needs root
# for both; without it, the command is only pinned.
cpus=$1
shift
exec setsid -w sh -c '
    [ -w /proc/self/autogroup ] && echo -20 2>/dev/null > /proc/self/autogroup
    nice -n -20 true 2>/dev/null && exec nice -n -20 taskset -c "$0" "$@"
    exec taskset -c "$0" "$@"' "$cpus" "$@"
