# SPDX-License-Identifier: GPL-3.0-or-later
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help
help: ## list the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: setup
setup: .venv/complete build/collections/ansible_collections/gpu/k8s ## install the tools into .venv and link the checkout as gpu.k8s

.venv/complete: tests/tools/setup.sh requirements/dev.txt requirements/collections.txt meta/ee-requirements.txt
	tests/tools/setup.sh

build/collections/ansible_collections/gpu/k8s:
	mkdir -p $(@D)
	ln -s ../../../.. $@

.PHONY: lint
lint: setup ## ruff, yamllint, ansible-lint, antsibull-changelog, shellcheck
	tests/tools/lint.sh

.PHONY: types
types: setup ## mypy on plugins/
	.venv/bin/mypy

.PHONY: sanity
sanity: setup ## ansible-test sanity on a clean copy of the checkout
	tests/tools/sanity.sh

.PHONY: unit
unit: setup ## pytest on tests/unit
	.venv/bin/pytest
