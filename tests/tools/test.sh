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

without_a_lab() {
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

# In a lab of its own, so that it need not wait for the lab's tests: both wait a lot.
in_the_second_lab() {
    export LAB_NAME=gpu-k8s-lab2 LAB_NETWORK_PREFIX=10.214.0
    part lab2-up "${play[@]}" playbooks/lab_up.yml && part rehearsal "${play[@]}" playbooks/rehearse.yml
    part lab2-down "${play[@]}" playbooks/lab_down.yml
}

# beside FUNCTION   runs it in the background; what it says is shown when all is done
beside() { "$1" >"build/test/$1.log" 2>&1 & }

if part lab-up "${play[@]}" playbooks/lab_up.yml -e lab_for_installing=true -e lab_for_provisioning=true; then
    beside in_the_second_lab
    beside without_a_lab
    part lab pytest tests/integration --durations=20
else
    beside without_a_lab
fi
part lab-down "${play[@]}" playbooks/lab_down.yml
echo 'waiting for what runs beside'
wait
cat build/test/{in_the_second_lab,without_a_lab}.log

printf '\n==== what each part took\n'
cat "$parts"
! grep -q FAILED "$parts"
