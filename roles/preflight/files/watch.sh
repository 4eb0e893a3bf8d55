#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Waits for the end of a run. If it came before the report (Ctrl-C, a lost session, no memory), removes what the run
# created and reports what it had seen. Started by the action gpu.k8s.begin; it ends a second after the run does.
#
#   GPU_K8S_RUN       the process of ansible-playbook
#   GPU_K8S_MARKER    a file that is there until the run's report is written
#   GPU_K8S_PYTHON, GPU_K8S_PLAYBOOK, GPU_K8S_VARIABLES, GPU_K8S_LOG    what winds up, and where its output goes
trap '' INT TERM HUP
terminal=$(readlink "/proc/$GPU_K8S_RUN/fd/2" 2>/dev/null)

# tell WORDS: on the terminal of the run, if it had one
tell() {
    case $terminal in
        /dev/pts/* | /dev/tty*) printf '\ngpu.k8s: %s\n' "$1" >"$terminal" ;;
    esac 2>/dev/null
}

while kill -0 "$GPU_K8S_RUN" 2>/dev/null; do
    [ -e "$GPU_K8S_MARKER" ] || exit 0
    sleep 1
done
[ -e "$GPU_K8S_MARKER" ] || exit 0

tell 'the run was interrupted: removing its Pods and reporting what it saw'
umask 077
"$GPU_K8S_PYTHON" -m ansible playbook -i localhost, "$GPU_K8S_PLAYBOOK" -e "$GPU_K8S_VARIABLES" >"$GPU_K8S_LOG" 2>&1
tell "not proven; how the run was wound up is in $GPU_K8S_LOG"
