# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access to the Kubernetes API: one kubeconfig context, a time-out on every request, lists in pages.

Private to the collection. Every failure is an ApiError whose text a person can act on.
"""

from __future__ import annotations

import json
import re
import typing as t
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import urllib3
    import yaml
    from kubernetes import client, config
except ImportError as error:
    MISSING: str | None = str(error)
else:
    MISSING = None

PAGE = 500
"""Objects asked for at once: the page size of kubectl."""

CONNECT_SECONDS = 5.0

Method = Callable[..., t.Any]


class ApiError(Exception):
    """The API did not give what was asked for. ``status`` is the HTTP status, if there was one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Cluster:
    """One cluster, through one named context of one kubeconfig file. Never the current context, never in-cluster."""

    def __init__(self, kubeconfig: str, context: str, timeout: float) -> None:
        """``timeout``: seconds that one request may take. Raises ApiError when the context can't be loaded."""
        path = str(Path(kubeconfig).expanduser())
        settings = client.Configuration()
        try:
            contexts = (yaml.safe_load(Path(path).read_text(encoding="utf-8")) or {}).get("contexts")
            names = [one["name"] for one in contexts or ()]
            if context not in names:
                raise ApiError(f"{path} has no context {context!r}; it has: {', '.join(sorted(names)) or 'none'}")
            config.load_kube_config(config_file=path, context=context, client_configuration=settings)
        except ApiError:
            raise
        except Exception as error:  # the loader raises whatever its YAML, files or credential plugin raise
            raise ApiError(f"the kubeconfig {path} can't be used: {error}") from error
        settings.retries = 1
        self.server: str = settings.host
        self._timeout = timeout
        api = client.ApiClient(settings)
        self.core = client.CoreV1Api(api)
        self.custom = client.CustomObjectsApi(api)
        self.authorization = client.AuthorizationV1Api(api)
        self.version = client.VersionApi(api)

    def get(self, method: Method, *args: str, **query: t.Any) -> t.Any:
        """Return the JSON document that a method of the client library gets, such as ``core.read_namespace``."""
        return json.loads(self.text(method, *args, **query))

    def text(self, method: Method, *args: str, **query: t.Any) -> str:
        """Return the body that a method gets as text; bytes that are not UTF-8 become U+FFFD."""
        body: bytes = self._request(method, self._timeout, *args, **query).data
        return body.decode("utf-8", errors="replace")

    def list(self, method: Method, *args: str, **query: t.Any) -> list[dict[str, t.Any]]:
        """Return all objects of a list, page by page."""
        items: list[dict[str, t.Any]] = []
        query["limit"] = PAGE
        while True:
            page = self.get(method, *args, **query)
            items += page["items"]
            token = page["metadata"].get("continue")
            if not token:
                return items
            query["_continue"] = token

    def watch(self, method: Method, *args: str, seconds: float, **query: t.Any) -> Iterator[dict[str, t.Any]]:
        """Yield the events of a watch until ``seconds`` have passed or the server ends it."""
        query |= {"watch": True, "timeout_seconds": max(1, int(seconds))}
        response = self._request(method, seconds + self._timeout, *args, **query)
        rest = b""
        try:
            for chunk in response.stream(amt=None, decode_content=False):
                *lines, rest = (rest + chunk).split(b"\n")
                yield from (json.loads(line) for line in lines if line)
        except (urllib3.exceptions.HTTPError, ValueError) as error:
            raise ApiError(f"the watch broke off: {_cause(error)}") from error
        finally:
            response.close()

    def _request(self, method: Method, read_seconds: float, *args: str, **query: t.Any) -> t.Any:
        """Call the method for the raw response: its models refuse objects that are newer than the library."""
        try:
            return method(*args, **query, _preload_content=False, _request_timeout=(CONNECT_SECONDS, read_seconds))
        except client.ApiException as error:
            raise ApiError(_words(error), error.status) from error
        except urllib3.exceptions.HTTPError as error:
            raise ApiError(f"{self.server} does not answer: {_cause(error)}") from error


def _words(error: t.Any) -> str:
    try:
        message = json.loads(error.body)["message"]
    except (ValueError, TypeError, KeyError):
        message = error.reason
    meaning = {401: "the credentials were refused", 403: "it is forbidden to this identity"}.get(error.status)
    return f"HTTP {error.status}: {message}" + (f" ({meaning})" if meaning else "")


def _cause(error: BaseException) -> str:
    """The innermost reason, without the names of Python's objects."""
    text = str(getattr(error, "reason", None) or error)
    return re.sub(r"^(<[^>]*>|\w+\([^)]*\)): ", "", text)
