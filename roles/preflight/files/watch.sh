#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Waits for the end of a run. If it came before the report (Ctrl-C, a lost session, no memory), removes what the run
# created and reports what it had seen. Started by the action gpu.k8s.begin; it ends a second after the run does.
#
#   GPU_K8S_RUN       the process of ansible-playbook
#   GPU_K8S_MARKER    a file that is there until the run's report is written
#   GPU_K8S_PYTHON, GPU_K8S_PLAYBOOK, GPU_K8S_VARIABLES, GPU_K8S_LOG    what winds up, and where its output goes
trap '' INT TERM HUP
while kill -0 "$GPU_K8S_RUN" 2>/dev/null; do
    [ -e "$GPU_K8S_MARKER" ] || exit 0
    sleep 1
done
[ -e "$GPU_K8S_MARKER" ] || exit 0
umask 077
exec "$GPU_K8S_PYTHON" -m ansible playbook -i localhost, "$GPU_K8S_PLAYBOOK" -e "$GPU_K8S_VARIABLES" >"$GPU_K8S_LOG" 2>&1
