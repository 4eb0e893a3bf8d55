# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# What a debug Pod does by itself: sh -c TEXT SECONDS. It is there until its time is up or it is deleted. Should a probe
# be under way then (the run was interrupted), it stays until that has cleaned up on the host: with the end of a
# container everything that was started in it is killed. Each probe has a mark here (_debug_pod.py).

# Called by the trap, which the shell comes to at once since it waits.
# shellcheck disable=SC2329
leave() {
    while :; do
        set -- /dev/shm/gpu-k8s-probe.*
        [ -e "$1" ] || exit 0
        sleep 1
    done
}
trap leave TERM
sleep "$0" &
wait
