#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every part of `make test` and says what each took. All parts run, also after one failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
PATH=$PWD/.venv/bin:$PATH
mkdir -p build/test
parts=build/test/parts.txt
: >"$parts"
play=(ansible-playbook -i inventories/lab)

# part NAME COMMAND...
part() {
    local name=$1 begin=$SECONDS outcome=ok
    shift
    printf '\n==== %s: %s\n' "$name" "$*"
    "$@" || outcome=FAILED
    printf '%-10s %5d s  %s\n' "$name" $((SECONDS - begin)) "$outcome" >>"$parts"
    [ "$outcome" = ok ]
}

# The probes are tried under busybox's shell as well; a machine without root goes without.
if ! command -v busybox >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q && apt-get install -qy busybox
fi

# report.html is opened in a browser; a machine without root goes without, one with root may not.
if [ "$(id -u)" = 0 ]; then
    export GPU_K8S_BROWSER=required
    command -v chromium >/dev/null ||
        { apt-get update -q && apt-get install -qy --no-install-recommends chromium fonts-dejavu-core; }
fi

# What needs no lab runs beside the rehearsal, which mostly waits.
without_the_lab() {
    part types mypy
    for page in findings_page role_pages permissions_page; do
        part "${page%_page*}" python "tests/tools/$page.py" --check
    done
    part lint nice tests/tools/lint.sh
    part unit nice pytest
    part sanity nice tests/tools/sanity.sh
    part molecule nice tests/tools/molecule.sh
    part browser nice pytest tests/browser
}

part lab-up "${play[@]}" playbooks/lab_up.yml -e lab_for_installing=true -e lab_for_provisioning=true && lab=up
[ -z "${lab:-}" ] || part lab pytest tests/integration
without_the_lab >build/test/without-the-lab.log 2>&1 &
[ -z "${lab:-}" ] || part rehearsal "${play[@]}" playbooks/rehearse.yml
part lab-down "${play[@]}" playbooks/lab_down.yml
wait
cat build/test/without-the-lab.log

printf '\n==== what each part took\n'
cat "$parts"
! grep -q FAILED "$parts"
