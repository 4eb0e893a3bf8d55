# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access to the Kubernetes API: one kubeconfig context, a time-out on every request, lists in pages.

Private to the collection. Every failure is an ApiError whose text a person can act on.
"""

from __future__ import annotations

import json
import typing as t
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import urllib3

    # By name, since the package loads them only when they are used: then every worker of ansible-playbook would do so
    # anew. Loaded with this module, they are there in its main process, which looks at each action first.
    from kubernetes.client import (
        ApiClient,
        ApiException,
        AuthenticationV1Api,
        AuthorizationV1Api,
        CoreV1Api,
        CustomObjectsApi,
        VersionApi,
    )
except ImportError as error:
    MISSING: str | None = str(error)
else:
    MISSING = None

from ._kube_errors import ApiError, no_json, refused, unreachable
from ._kubeconfig import load_kubeconfig

__all__ = ("CONNECT_SECONDS", "MISSING", "PAGE", "ApiError", "Cluster")

PAGE = 500
"""Objects asked for at once: the page size of kubectl."""

CONNECT_SECONDS = 5.0

Method = Callable[..., t.Any]


class Cluster:
    """One cluster, through one named context of one kubeconfig file. Never the current context, never in-cluster."""

    def __init__(self, kubeconfig: str, context: str, timeout: float) -> None:
        """``timeout``: seconds that one request may take. Raises ApiError when the context can't be loaded."""
        settings = load_kubeconfig(str(Path(kubeconfig).expanduser()), context)
        settings.retries = urllib3.Retry(1, read=0)  # a server that hangs is waited for once
        self.server: str = settings.host
        self.anonymous = not settings.api_key and not settings.cert_file
        self._timeout = timeout
        api = ApiClient(settings)
        proxy = api.rest_client.pool_manager.proxy  # none where NO_PROXY excepts the server
        self._proxy = proxy.url if proxy else ""
        self.core = CoreV1Api(api)
        self.custom = CustomObjectsApi(api)
        self.authentication = AuthenticationV1Api(api)
        self.authorization = AuthorizationV1Api(api)
        self.version = VersionApi(api)

    def get(self, method: Method, *args: str, **query: t.Any) -> dict[str, t.Any]:
        """Return the object that a method of the client library gets, such as ``core.read_namespace``."""
        response = self._request(method, self._timeout, *args, **query)
        try:
            answer = json.loads(response.data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise no_json(self.server, self._proxy, response.headers.get("Content-Type"))
        return answer

    def text(self, method: Method, *args: str, **query: t.Any) -> str:
        """Return the body that a method gets as text; bytes that are not UTF-8 become U+FFFD."""
        body: bytes = self._request(method, self._timeout, *args, **query).data
        return body.decode("utf-8", errors="replace")

    def list(self, method: Method, *args: str, **query: t.Any) -> list[dict[str, t.Any]]:
        """Return all objects of a list, page by page; as a whole when the server has forgotten where a page began."""
        items: list[dict[str, t.Any]] = []
        query["limit"] = PAGE
        while True:
            try:
                page = self.get(method, *args, **query)
            except ApiError as error:
                if error.status != 410 or "_continue" not in query:
                    raise
                items = []
                del query["_continue"], query["limit"]
                continue
            if "items" not in page:
                raise no_json(self.server, self._proxy, "an object that is no list")
            items += page["items"] or ()
            token = (page.get("metadata") or {}).get("continue")
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
            raise ApiError(f"the watch broke off: {error}") from error
        finally:
            response.close()

    def _request(self, method: Method, read_seconds: float, *args: str, **query: t.Any) -> t.Any:
        """Call the method for the raw response: its models refuse objects that are newer than the library."""
        try:
            return method(*args, **query, _preload_content=False, _request_timeout=(CONNECT_SECONDS, read_seconds))
        except ApiException as error:
            if error.status:
                raise refused(self.server, self._proxy, error.status, error.body, error.reason) from error
            raise unreachable(self.server, self._proxy, error) from error
        except urllib3.exceptions.HTTPError as error:
            raise unreachable(self.server, self._proxy, error) from error
