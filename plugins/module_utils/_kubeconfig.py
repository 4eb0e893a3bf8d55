# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Load one named context of one kubeconfig file. Private to the collection.

The client library swallows what a credential plugin fails of, and would go on without credentials.
"""

from __future__ import annotations

import logging
import re
import threading
import typing as t
from pathlib import Path

try:
    import yaml
    from kubernetes.client import Configuration
    from kubernetes.config import load_kube_config
except ImportError:
    pass  # _kube.py says so

from ._kube_errors import ApiError

LOGIN_SECONDS = 30.0
"""What a credential plugin of the kubeconfig may take."""


class _Heard(logging.Handler):
    """Keeps what the client library only logs."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def load_kubeconfig(path: str, context: str) -> t.Any:
    """Return the client library's configuration. Raises ApiError with the remedy when the context can't be used."""
    user = _user_of(path, context)
    plugin = (user.get("exec") or {}).get("command")
    settings = Configuration()
    heard = _load(path, context, settings, plugin)
    if plugin and not settings.api_key and not settings.cert_file:
        raise ApiError(
            f"the credential plugin {plugin!r} of the context {context!r} in {path} gave no credentials: "
            f"{_why(heard)}. Run it by hand, as this user and with this PATH",
            kind="credentials",
        )
    return settings


def _user_of(path: str, context: str) -> dict[str, t.Any]:
    try:
        content = yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}
        contexts = {one["name"]: one.get("context") or {} for one in content.get("contexts") or ()}
        users = {one["name"]: one.get("user") or {} for one in content.get("users") or ()}
    except yaml.MarkedYAMLError as error:  # its text shows a line of the file, which may hold a secret
        where = f"line {error.problem_mark.line + 1}" if error.problem_mark else "it"
        raise ApiError(f"the kubeconfig {path} can't be used: {where} is no YAML") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ApiError(f"the kubeconfig {path} can't be used: {error}") from error
    except (AttributeError, TypeError, KeyError, yaml.YAMLError) as error:
        raise ApiError(f"the kubeconfig {path} can't be used: it is no kubeconfig") from error
    if context not in contexts:
        raise ApiError(f"{path} has no context {context!r}; it has: {', '.join(sorted(contexts)) or 'none'}")
    user: dict[str, t.Any] = users.get(contexts[context].get("user"), {})
    return user


def _load(path: str, context: str, settings: t.Any, plugin: str | None) -> list[str]:
    """Load into ``settings``; return what the client library logged. A plugin that waits for a person is given up."""
    heard, failures = _Heard(), list[Exception]()

    def load() -> None:
        try:
            load_kube_config(config_file=path, context=context, client_configuration=settings)
        except Exception as error:  # the loader raises whatever its files or credential plugin raise
            failures.append(error)

    logger = logging.getLogger()
    logger.addHandler(heard)
    try:
        loader = threading.Thread(target=load, daemon=True)
        loader.start()
        loader.join(LOGIN_SECONDS)
    finally:
        logger.removeHandler(heard)
    if loader.is_alive():
        raise ApiError(
            f"the credential plugin {plugin!r} of the context {context!r} in {path} did not end within "
            f"{LOGIN_SECONDS:.0f} seconds: it may wait for a login",
            kind="credentials",
        )
    if failures:
        raise ApiError(f"the kubeconfig {path} can't be used: {failures[0]}") from failures[0]
    return heard.messages


def _why(messages: list[str]) -> str:
    """The last thing that was logged, in one line and without what may be a secret."""
    lines = (messages[-1] if messages else "").strip().splitlines() or ["it said nothing"]
    return re.sub(r"[A-Za-z0-9+_=.-]{40,}", "***", " ".join(lines))[:300]
