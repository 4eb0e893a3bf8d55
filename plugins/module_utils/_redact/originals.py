# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names that the value of a field holds. Each function takes a key and a value and yields kinds and originals."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterator

from .words import is_common, is_number, is_of_tools, is_official, is_official_key, is_public_namespace, names_somebody

Originals = Iterator[tuple[str, str]]
Splitter = Callable[[str, str], Originals]

_PUBLIC_REGISTRIES = re.compile(
    r"((index|registry-1)\.)?docker\.io|nvcr\.io|quay\.io|ghcr\.io|(\w+\.)?gcr\.io|registry\.k8s\.io|public\.ecr\.aws"
    r"|mcr\.microsoft\.com|registry\.access\.redhat\.com|localhost(:\d+)?"
)
_OF_PROVIDERS = re.compile(
    r"(subscriptions|resourceGroups|providers|Microsoft\.\w+|virtualMachine(ScaleSet)?s|ocid1\..*|\d+|)", re.IGNORECASE
)


def is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def as_it_is(kind: str) -> Splitter:
    """The whole value is one name."""

    def whole(_key: str, value: str) -> Originals:
        yield kind, value

    return whole


def of_machine(kind: str) -> Splitter:
    """A machine's name or address. Of a fully qualified one, its first label and its domains are names as well."""

    def names(_key: str, value: str) -> Originals:
        if is_address(value) or value == "localhost":
            return
        yield kind, value
        label, dot, domain = value.rstrip(".").partition(".")
        if dot and not is_number(value):
            yield "hostname", label
            while "." in domain and not is_official(domain):
                yield "domain", domain
                domain = domain.partition(".")[2]

    return names


def of_server(_key: str, value: str) -> Originals:
    """The API server's URL."""
    host = re.sub(r"^\w+://|[:/?#].*$", "", value.replace("[", "").replace("]", ""))
    yield from of_machine("server")("", host)


def of_identity(_key: str, value: str) -> Originals:
    """A user of the cluster. Of a ServiceAccount, its Namespace and its name."""
    account = re.fullmatch(r"system:serviceaccount:([^:]+):([^:]+)", value)
    if account:
        yield from of_namespace("", account[1])
        yield from () if account[2] == "default" else (("user", account[2]),)
    else:
        yield "user", value


def of_login(_key: str, value: str) -> Originals:
    """``user@host`` of the controller."""
    user, _at, host = value.partition("@")
    if user != "root":
        yield "user", user
    yield from of_machine("host")("", host)


def of_pattern(_key: str, value: str) -> Originals:
    """The host pattern of the run: names of groups, since those of hosts are known by then."""
    for word in re.split(r"[\s,:&!~*\[\]]+", value):
        if word and not is_of_tools(word):
            yield "group", word


def of_namespace(_key: str, value: str) -> Originals:
    if not is_public_namespace(value):
        yield "namespace", value


def of_workload(kind: str) -> Splitter:
    """What runs or rules in the cluster, by its name, unless that is of well-known software."""

    def names(_key: str, value: str) -> Originals:
        if not (value.startswith("gpu-k8s-") or is_of_tools(value)):
            yield kind, value

    return names


def of_label(key: str, value: str) -> Originals:
    """The value of a label, annotation or taint."""
    if value and names_somebody(key, value):
        yield "label", value


def of_label_key(_key: str, value: str) -> Originals:
    """The name of a label, taint or resource."""
    domain, slash, name = value.rpartition("/")
    if is_official_key(value) or (slash and is_official(domain)):
        return
    if slash and not is_of_tools(domain):
        yield "domain", domain
    if not (is_of_tools(name) or is_common(name)):
        yield "label", name


def of_toleration(_key: str, value: str) -> Originals:
    """``key=value:Effect`` as the user writes it."""
    key, _equals, given = value.partition(":")[0].partition("=")
    yield from of_label_key("", key)
    yield from of_label(key, given)


def of_provider_id(_key: str, value: str) -> Originals:
    """The cloud's name of a machine: account or project, zone, group and instance."""
    for part in value.partition("://")[2].split("/"):
        if not _OF_PROVIDERS.fullmatch(part):
            yield "instance", part


def of_image(_key: str, value: str) -> Originals:
    """A private registry, and the repository and tag of an image, down to where its name is well-known software's."""
    first, slash, rest = value.partition("/")
    has_registry = bool(slash) and ("." in first or ":" in first or first == "localhost")
    reference = (rest if has_registry else value).partition("@")[0]
    *folders, last = reference.split("/")
    name, _colon, tag = last.partition(":")
    private = has_registry and not _PUBLIC_REGISTRIES.fullmatch(first)
    if private:
        yield "registry", first
    if not name or value.startswith("sha256:"):
        return
    if not is_of_tools(name):
        yield "image", reference
        yield "image", reference.removesuffix(f":{tag}")
        return
    if not is_of_tools(tag):
        yield "image", last
    known = next((n for n in range(len(folders), 0, -1) if not is_of_tools(folders[n - 1])), 0)
    if known:
        yield "image", "/".join(folders[:known])
