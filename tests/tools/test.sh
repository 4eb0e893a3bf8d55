#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every part of `make test`, the cheap ones first, and says what each took. All parts run, also after one failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
PATH=$PWD/.venv/bin:$PATH
mkdir -p build/test
play=(ansible-playbook -i inventories/lab)
summary=()
failed=0

part() {
    local name=$1 begin=$SECONDS outcome=ok
    shift
    printf '\n==== %s: %s\n' "$name" "$*"
    "$@" || { outcome=FAILED; failed=1; }
    summary+=("$(printf '%-10s %5d s  %s' "$name" $((SECONDS - begin)) "$outcome")")
    [ "$outcome" = ok ]
}

# The probes are tried under busybox's shell as well; a machine without root goes without.
if ! command -v busybox >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q && apt-get install -qy busybox
fi

part lint tests/tools/lint.sh
part types mypy
part docs python tests/tools/findings_page.py --check
part roles python tests/tools/role_pages.py --check
part unit pytest
part sanity tests/tools/sanity.sh
if part lab-up "${play[@]}" playbooks/lab_up.yml; then
    part lab pytest tests/integration
    part rehearsal "${play[@]}" playbooks/rehearse.yml
fi
part lab-down "${play[@]}" playbooks/lab_down.yml

printf '\n==== what each part took\n'
printf '%s\n' "${summary[@]}" | tee build/test/parts.txt
exit "$failed"
