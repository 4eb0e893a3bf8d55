#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every linter, also after one has complained, and fails if any did.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
PATH=$PWD/.venv/bin:$PATH
failed=0

check() {
    echo "== $*"
    "$@" || failed=1
}

files() {
    git ls-files -z --cached --others --exclude-standard -- "$@"
}

check ruff check
check ruff format --check
check yamllint --strict .
check ansible-lint
check antsibull-changelog lint
mapfile -d '' -t scripts < <(files '*.sh')
check shellcheck "${scripts[@]}"
exit "$failed"
