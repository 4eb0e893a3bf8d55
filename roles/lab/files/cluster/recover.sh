#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# After an outage of the API server: wait until the whole cluster works again.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
"$here/wait_for.sh" api 60
# They would try again only after a while.
"$here/control_plane.sh" stop kube-scheduler kube-controller-manager
"$here/control_plane.sh" start kube-scheduler kube-controller-manager
"$here/wait_for.sh" nodes 120
"$here/wait_for.sh" gpus 60
"$here/wait_for.sh" pods 120
