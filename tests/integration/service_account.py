# SPDX-License-Identifier: GPL-3.0-or-later
"""The ServiceAccount of docs/permissions.md, with the rules that the page gives it and nothing else."""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conftest import ROOT, Run

IDENTITY = "system:serviceaccount:gpu-k8s:gpu-k8s"

_PAGE = (ROOT / "docs/permissions.md").read_text()
_BLOCK = re.compile(r"^```yaml$(.*?)^```$", re.MULTILINE | re.DOTALL)


def rules_of(section: str) -> str:
    """Return the rules below a heading of the second level, by how it begins."""
    return "\n".join(_BLOCK.findall(_PAGE.partition(f"\n## {section}")[2].partition("\n## ")[0]))


def kubeconfig_of(kubectl: t.Callable[..., str], account: str, namespace: str, folder: Path) -> Path:
    """Write a kubeconfig with the lab's context for a ServiceAccount, by a token of its own."""
    token = kubectl("create", "token", account, "--namespace", namespace).strip()
    config = json.loads(kubectl("config", "view", "--raw", "--output", "json"))
    config["users"] = [{"name": account, "user": {"token": token}}]
    config["contexts"][0]["context"]["user"] = account
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(json.dumps(config))
    return kubeconfig


@contextmanager
def service_account(kubectl: t.Callable[..., str], folder: Path, rules: str) -> Iterator[Path]:
    """Grant these rules, and yield the kubeconfig of who was given them."""
    (folder / "rules.yml").write_text(rules)
    kubectl("wait", "--for=delete", "namespace/gpu-k8s", "--timeout=25s")  # an earlier one that is still going
    try:
        kubectl("apply", "--filename", str(folder / "rules.yml"))
        yield kubeconfig_of(kubectl, "gpu-k8s", "gpu-k8s", folder)
    finally:
        kubectl("delete", "--filename", str(folder / "rules.yml"), "--ignore-not-found", "--wait=false")


def created_pods(run: Run) -> list[str]:
    """Return the Pods that the identity created, a dry run aside."""
    return [
        event["requestURI"]
        for event in run.requests()
        if event["user"]["username"] == IDENTITY
        and event["verb"] == "create"
        and event["objectRef"].get("resource") == "pods"
        and "dryRun" not in event["requestURI"]
    ]
