#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Apply the objects that make the cluster one with GPUs.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
# shellcheck source=../settings.sh
. "$here/../settings.sh"
"$LAB_PARTS/kubectl/kubectl" --kubeconfig "$LAB_PKI/admin.kubeconfig" apply --filename "$here/objects"
