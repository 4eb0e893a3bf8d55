# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why the API did not give what was asked for, in words that a person can act on. Private to the collection.

No body of an answer and no header becomes part of a message, but for the message of a Kubernetes Status.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
import typing as t
from collections.abc import Iterator

Kind = t.Literal["credentials", "not_trusted", "not_kubernetes"]

_PROXY_HELP = "Is it right that HTTPS_PROXY (or the kubeconfig's proxy-url) sends this there, or does NO_PROXY lack it?"
_OTHER_NAME = (62, 64)  # OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH


class ApiError(Exception):
    """The API did not give what was asked for. ``status`` is the HTTP status, if there was one.

    ``kind`` is set when the whole way to the API is at fault and not this one request.
    """

    def __init__(self, message: str, status: int | None = None, kind: Kind | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


def refused(server: str, proxy: str, status: int, body: bytes | str | None, reason: str | None) -> ApiError:
    """Make the error of an HTTP status."""
    try:
        message = str(json.loads(body or "")["message"])
    except (ValueError, TypeError, KeyError):
        if status == 429 or status >= 500:  # an API server that is overloaded answers in plain text
            return ApiError(f"HTTP {status}: {reason}{_through(proxy)}", status)
        text = f"{server} answers HTTP {status}: {reason}, and not as a Kubernetes API does{_through(proxy)}"
        return ApiError(text, status, "credentials" if status == 401 else "not_kubernetes")
    if status == 401:
        return ApiError(f"HTTP 401: {message} (the credentials were refused)", status, "credentials")
    return ApiError(
        f"HTTP {status}: {message}" + (" (it is forbidden to this identity)" if status == 403 else ""), status
    )


def status_within(text: str) -> dict[str, t.Any]:
    """Return the Status object that a tool's error quotes from the API's answer; an empty one when there is none."""
    begin = text.find('{"kind":"Status"')
    if begin < 0:
        return {}
    try:
        status, _end = json.JSONDecoder().raw_decode(text, begin)
    except ValueError:
        return {}
    return dict(status)


def no_json(server: str, proxy: str, content_type: str | None) -> ApiError:
    """Make the error of an answer that is no object of Kubernetes: a login page, or the page of a proxy."""
    what = (content_type or "nothing that it names").partition(";")[0]
    return ApiError(
        f"{server} answers with {what}, and not as a Kubernetes API does{_through(proxy)}", None, "not_kubernetes"
    )


def unreachable(server: str, proxy: str, error: BaseException) -> ApiError:
    """Make the error of a request that got no answer."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ApiError(_not_trusted(server, cause), kind="not_trusted")
    for cause in causes:
        if isinstance(cause, ssl.SSLError):
            return _tls(server, cause)
    words = next((_plain(cause) for cause in reversed(causes) if str(cause)), type(error).__name__)
    if proxy and any(type(cause).__name__ == "ProxyError" for cause in causes):
        return ApiError(f"the proxy {_without_secrets(proxy)} does not lead to {server}: {words}. {_PROXY_HELP}")
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return ApiError(f"{server} does not answer: this machine finds no address for its name ({words})")
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return ApiError(f"{server} does not answer in time{_through(proxy)}")
    return ApiError(f"{server} does not answer: {words}{_through(proxy)}")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The error and what led to it, outermost first. urllib3 keeps the inner one as ``reason`` or first argument."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        inner = [getattr(error, "reason", None), *error.args[:1], error.__cause__, error.__context__]
        error = next((one for one in inner if isinstance(one, BaseException)), None)


def _not_trusted(server: str, error: ssl.SSLCertVerificationError) -> str:
    if error.verify_code in _OTHER_NAME:
        return f"the certificate of {server} is for another name or address: {error.verify_message}"
    return f"the certificate of {server} is not trusted: {error.verify_message}"


def _tls(server: str, error: ssl.SSLError) -> ApiError:
    """An alert about certificates is the server's word on ours."""
    reason = (error.reason or "").replace("_", " ").lower() or _plain(error)
    if "alert" in reason and ("certificate" in reason or "unknown ca" in reason):
        return ApiError(f"{server} refuses the client certificate: {reason}", kind="credentials")
    if "eof" in reason:
        return ApiError(f"{server} breaks off the TLS connection: {reason}")
    return ApiError(f"{server} does not speak TLS as an API server does: {reason}", kind="not_kubernetes")


def _plain(error: BaseException) -> str:
    """The error's text without the names of Python's objects."""
    return re.sub(r"^(<[^>]*>|\w+\([^)]*\)): ", "", str(error))


def _through(proxy: str) -> str:
    return f". It was asked through the proxy {_without_secrets(proxy)}. {_PROXY_HELP}" if proxy else ""


def _without_secrets(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)
