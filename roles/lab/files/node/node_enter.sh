#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Run a command inside a node, from the machine, without the node's sshd.
#   node_enter.sh NODE COMMAND...
set -euo pipefail
# shellcheck source=../names.sh
. "$(dirname "$(readlink -f "$0")")/../names.sh"

pid=$(first_process "$1") || { echo "node $1 doesn't run" >&2; exit 1; }
shift
exec nsenter --target "$pid" --all -- "$@"
