# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an original is called instead. The same original has the same pseudonym, in all files and in later runs.

A pseudonym has the form that the judge and a reader expect: an address is an address, a UUID is a UUID.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain, count

from .words import is_common

Known = Mapping[str, Mapping[str, str]]
"""Pseudonyms by kind and original, as they are kept from run to run."""

UNNAMED = {"secret": "[secret]", "encoded": "[encoded]"}
"""What has no pseudonym of its own: it is taken out, and written down nowhere."""

# A Node that has its host's name has its pseudonym as well.
_ALIKE = {"host": ("node",), "node": ("host",)}

# Words in a name of a workload or image that the judge reads.
_TELLING = re.compile(
    r"device-plugin|gpu-plugin|kubelet-plugin|feature-discovery|mps-control|exporter|validator|mig-manager|dra-driver"
    r"|node-status|nvidia|gpu|nvdp|hami|volcano|dra|intel|amd64|amd|rocm|habana|sriov|rdma|kubevirt|cuda\d+\.\d+|cuda"
)
_TOLD = ("pod", "workload", "container", "image")

_IPV4 = ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "198.18.0.0/15")
_IPV6 = "2001:db8::/32"

_FORMS: Mapping[str, Callable[[int], str]] = {
    "uuid": lambda n: f"{n:08x}-0000-4000-8000-000000000000",
    "uuid_start": lambda n: f"f{n:07x}",
    "machine_id": lambda n: f"{n:032x}",
    "hardware_address": lambda n: "02:" + ":".join(re.findall("..", f"{n:010x}")),
    "serial": lambda n: f"SERIAL{n:06d}",
    "domain": lambda n: f"domain-{n}.example",
    "registry": lambda n: f"registry-{n}.example",
    "server": lambda n: f"server-{n}.example",
    "account": lambda n: f"account-{n}@example.org",
    "cloud_account": lambda n: f"account{n}",
    "label": lambda n: f"label_{n}",
}


class Pseudonyms:
    """Gives out pseudonyms. None is ever the same text as an original, so that a name in a file is never in doubt."""

    def __init__(self, known: Known, originals: Collection[str]) -> None:
        self.by_kind = {kind: dict(names) for kind, names in known.items()}
        self._anywhere: dict[str, str] = {}
        for names in self.by_kind.values():
            for original, pseudonym in names.items():
                if not is_common(original):
                    self._anywhere.setdefault(original, pseudonym)
        used = {pseudonym for names in self.by_kind.values() for pseudonym in names.values()}
        self._taken = {*used, *originals}
        self._numbers: dict[str, Iterator[str]] = {}

    def of(self, kind: str, original: str) -> str:
        """Return the pseudonym, a new one if need be."""
        if kind in UNNAMED:
            return UNNAMED[kind]
        names = self.by_kind.setdefault(kind, {})
        if original not in names:
            names[original] = self._earlier(kind, original) or self._new(kind, original)
            if not is_common(original):
                self._anywhere.setdefault(original, names[original])
        return names[original]

    def _earlier(self, kind: str, original: str) -> str | None:
        """A name that stands for two kinds of things is one name, unless it is a word that stands for anything."""
        alike = (self.by_kind.get(other, {}).get(original) for other in _ALIKE.get(kind, ()))
        return next((pseudonym for pseudonym in alike if pseudonym), self._anywhere.get(original))

    def _new(self, kind: str, original: str) -> str:
        form = kind if kind != "address" else "ipv6" if ":" in original else "ipv4"
        tail = "".join(f"-{word}" for word in _TELLING.findall(original.lower())) if kind in _TOLD else ""
        for candidate in self._numbers.setdefault(form, _numbered(form)):
            if candidate + tail not in self._taken:
                self._taken.add(candidate + tail)
                return candidate + tail
        raise OverflowError(f"There are more originals of the kind {kind} than pseudonyms")


def _numbered(form: str) -> Iterator[str]:
    if form == "ipv4":
        return (str(address) for address in chain(*(ipaddress.IPv4Network(net).hosts() for net in _IPV4)))
    if form == "ipv6":
        return (str(address) for address in ipaddress.IPv6Network(_IPV6).hosts())
    make = _FORMS.get(form, lambda n: f"{form.replace('_', '-')}-{n}")
    return map(make, count(1))
