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

.PHONY: molecule
molecule: setup ## a scenario for each role, on saved evidence (some of them: make molecule SCENARIO="driver report")
	tests/tools/molecule.sh $(SCENARIO)

.PHONY: docs
docs: setup ## write docs/findings.md, docs/permissions.md and the pages of the roles
	.venv/bin/python tests/tools/findings_page.py
	.venv/bin/python tests/tools/role_pages.py
	.venv/bin/python tests/tools/permissions_page.py

# ---- the lab: a real cluster with simulated GPUs on this machine (root on Linux; docs/lab.md)

PLAY := .venv/bin/ansible-playbook -i inventories/lab

.PHONY: lab-up
lab-up: setup ## build the lab (once) and start it
	$(PLAY) playbooks/lab_up.yml

.PHONY: lab-down
lab-down: setup ## end the lab; what was built stays in its cache
	$(PLAY) playbooks/lab_down.yml

.PHONY: demo
demo: lab-up ## verify the lab's nodes: the main job, on this machine
	ANSIBLE_STDOUT_CALLBACK=gpu.k8s.chain $(PLAY) verify.yml -e gpu_k8s_report_folder=build/demo
	@cat docs/demo-hint.txt

.PHONY: rehearse
rehearse: lab-up ## break one thing at a time and see who is blamed (some of them: make rehearse FAULT=gpu_lost,node_cordoned)
	$(PLAY) playbooks/rehearse.yml $(if $(FAULT),-e lab_fault=$(FAULT))

.PHONY: bench
bench: lab-up ## time the host layers against parallel ssh by hand, on the lab and on 50 loopback hosts
	.venv/bin/python tests/tools/bench.py

.PHONY: test
test: setup ## everything: lint, types, unit, sanity, and the lab's tests; starts and ends the lab
	tests/tools/test.sh
