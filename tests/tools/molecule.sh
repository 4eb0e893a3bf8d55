#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the scenarios of molecule/, all or those that are named, two at a time, and says what each took.
# Needs neither root nor the lab. Each leaves its output in build/molecule/<scenario>.log.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
export PATH=$PWD/.venv/bin:$PATH NO_COLOR=1

# scenario NAME
scenario() {
    local begin=$SECONDS outcome=ok log=build/molecule/$1.log
    export MOLECULE_EPHEMERAL_DIRECTORY=$PWD/build/molecule/$1
    mkdir -p "$MOLECULE_EPHEMERAL_DIRECTORY"
    molecule --base-config .config/molecule/config.yml test --scenario-name "$1" --no-command-borders >"$log" 2>&1 || outcome=FAILED
    [ "$outcome" = ok ] || cat "$log"
    printf '%-14s %4d s  %s\n' "$1" $((SECONDS - begin)) "$outcome"
    [ "$outcome" = ok ]
}
export -f scenario

scenarios=("$@")
[ $# -gt 0 ] || mapfile -t scenarios < <(cd molecule && dirname -- */molecule.yml | sort -r) # so that a short one is last
printf '%s\n' "${scenarios[@]}" | xargs -P 2 -I '{}' bash -c 'scenario {}'
