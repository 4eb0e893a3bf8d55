#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs ansible-test's sanity tests, with no container engine, on a clean copy of the checkout under build/sanity.
# Arguments go to ansible-test: sanity.sh --test validate-modules
set -euo pipefail
cd "$(dirname "$0")/../.."
checkout=$PWD
copy=$checkout/build/sanity/ansible_collections/gpu/k8s
home=$checkout/build/sanity/home

# ansible-test wants a git repository at this path. One of its own, filled through the checkout's .gitignore, leaves the checkout's
# own index alone.
rm -rf "$copy"
git init --quiet "$copy"
git --git-dir="$copy/.git" --work-tree="$checkout" add --all
git -C "$copy" checkout-index --all --force

# ansible-test would download its pip bootstrap; it takes a cached one first.
pip_version=$(.venv/bin/python -c '
from types import SimpleNamespace
from ansible_test._internal.python_requirements import get_venv_packages
print(get_venv_packages(SimpleNamespace(version="3.11"))["pip"].replace(".", "_"))
')
install -D -m 0644 tests/tools/get_pip.py "$home/.ansible/test/cache/get_pip_$pip_version.py"

# Only real interpreters on PATH: ansible-test stumbles over the shims of version managers.
cd "$copy"
HOME=$home PATH=$checkout/.venv/bin:/usr/bin:/bin exec ansible-test sanity --local "$@"
