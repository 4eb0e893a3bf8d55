# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
about='Helm, for the tests of installing'
takes='2 min'
inputs=(modules/helm build/go.sh)

wanted() { [ "$LAB_FOR_INSTALLING" = true ]; }

build() { go_build helm "$1/helm" helm.sh/helm/v3/cmd/helm; }
