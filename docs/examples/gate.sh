#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs a verification and ends with a status of its own for each conclusion:
#   gate.sh ansible-playbook gpu.k8s.verify -i inventory -e gpu_k8s_context=my-cluster
report=${GPU_K8S_REPORT:-gpu-k8s-report}

rm -f "$report/conclusion" # of an earlier run
"$@"
status=$?
conclusion=$(cat "$report/conclusion" 2>/dev/null || echo not_proven)

echo "ansible-playbook ended with $status, the nodes are: $conclusion"
case $status,$conclusion in
    0,usable) exit 0 ;;
    *,broken) exit 10 ;;    # something has to be mended: see the first broken layer in the report
    *,bad_input) exit 12 ;; # the call has to be mended
    *,waived) exit 13 ;;    # all that was looked at passes; gpu_k8s_waive left the rest out
    *) exit 11 ;;           # not proven: look at what is missing, then verify again
esac
