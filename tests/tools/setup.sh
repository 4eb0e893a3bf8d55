#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes .venv anew: the development tools and kubernetes.core. `make setup` runs it when it is needed.
set -euo pipefail
cd "$(dirname "$0")/../.."

die() {
    echo "setup: $*" >&2
    exit 1
}

# On Debian, python3 may be there without its venv module.
if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    command -v apt-get >/dev/null || die "python3 with its venv and ensurepip modules is needed"
    [ "$(id -u)" -eq 0 ] || die "python3-venv is missing; run: sudo apt-get install python3-venv"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
fi
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "Python 3.11 or newer is needed, found $(python3 --version)"

python3 -m venv --clear .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/dev.txt

# A collection in site-packages is found by everything that runs in .venv, whatever its collections_path says.
download=$(mktemp -d)
trap 'rm -rf "$download"' EXIT
.venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --dest "$download" -r requirements/collections.txt
.venv/bin/python - "$download"/ansible-*.whl <<'PYTHON'
import sys
import sysconfig
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    wanted = [name for name in wheel.namelist() if name.startswith("ansible_collections/kubernetes/core/")]
    wheel.extractall(sysconfig.get_path("purelib"), wanted)
PYTHON

# The last step: without this file the next `make setup` starts again.
touch .venv/complete
