# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is known by its form, in any text: secrets, addresses, UUIDs and the like."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from .rules import PatternRule
from .words import is_official


def _pattern(name: str, kind: str, pattern: str, flags: int = 0, **more: t.Any) -> PatternRule:
    return PatternRule(name, kind, re.compile(pattern, flags), **more)


def _ipv4(text: str) -> bool:
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or text.startswith("255."))


def _ipv6(text: str) -> bool:
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _private_name(text: str) -> bool:
    return not (is_official(text) or "." not in text or text.replace(".", "").isdigit())


def _somebody(text: str) -> bool:
    """Whether a user or group of an operating system is none that every machine of its kind has."""
    return text not in _EVERYBODY


_EVERYBODY = frozenset(
    (
        "root",
        "wheel",
        "sudo",
        "adm",
        "admin",
        "bin",
        "daemon",
        "disk",
        "docker",
        "kubernetes",
        "render",
        "users",
        "video",
    )
)


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _encoded(text: str) -> bool:
    """Long base64 and no path: letters of both kinds and digits, and few slashes."""
    return _has_digit(text) and text.upper() != text and text.lower() != text and text.count("/") <= 1 + len(text) // 16


def _login(text: str) -> bool:
    return not text.endswith((".service", ".socket", ".slice")) and "@sha" not in text


# Secrets come first: what they hold must not be known by another name.
PATTERN_RULES: tuple[PatternRule, ...] = (
    _pattern(
        "private_key", "secret", r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\Z)", re.S, hints=("-----begin",)
    ),
    _pattern("jwt", "secret", r"\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+)?", hints=("eyj",)),
    _pattern(
        "authorization",
        "secret",
        r"\b(?:bearer|basic) +([\w.~+/=-]{8,})",
        re.I,
        hints=("bearer", "basic"),
        accept=_has_digit,
    ),
    _pattern("url_userinfo", "secret", r"\w://([^\s/@:]+:[^\s/@]+)@", hints=("://",)),
    _pattern(
        "key_of_a_vendor",
        "secret",
        r"\b(?:(?:AKIA|ASIA)[A-Z0-9]{16}|nvapi-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
        r"|hf_\w{20,}|xox[a-z]-[\w-]{10,}|AIza[\w-]{30,}|sk-[\w-]{20,})",
        hints=(
            "akia",
            "asia",
            "nvapi-",
            *(f"gh{x}_" for x in "pousr"),
            "github_pat_",
            "glpat-",
            "hf_",
            "xox",
            "aiza",
            "sk-",
        ),
    ),
    _pattern(
        "assigned_secret",
        "secret",
        r"(?:passw(?:or)?d|passphrase|token|secret|api[_-]?key|access[_-]?key|\bauth)"
        r"(?:[\"']?\s*=\s*[\"']?|[\"']\s*:\s*[\"'])([^\s\"',;&]+)",
        re.I,
        hints=(
            "passw",
            "passphrase",
            "token",
            "secret",
            "auth",
            *(f"{x}{y}key" for x in ("api", "access") for y in ("", "_", "-")),
        ),
        accept=lambda text: text not in ("true", "false", "null", "None", "{", "["),
    ),
    _pattern("encoded", "encoded", r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40,}={0,2}", accept=_encoded),
    _pattern(
        "uuid",
        "uuid",
        r"(?<![0-9a-fA-F])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![0-9a-fA-F])",
        hints=("-",),
        folded=True,
    ),
    _pattern("uuid_start", "uuid_start", r"\b(?:GPU|MIG)-([0-9a-fA-F]{8})(?![0-9a-zA-Z-])", hints=("-",), folded=True),
    _pattern("machine_id", "machine_id", r"(?<![0-9A-Za-z])[0-9a-fA-F]{32}(?![0-9A-Za-z])", folded=True),
    _pattern("ipv4", "address", r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d]|\.\d)", hints=(".",), accept=_ipv4),
    _pattern(
        "ipv6",
        "address",
        r"(?<![\w:.])[0-9a-fA-F]{1,4}:(?:[0-9a-fA-F]{0,4}:){1,6}[0-9a-fA-F]{0,4}(?![\w:])",
        hints=(":",),
        accept=_ipv6,
        folded=True,
    ),
    _pattern(
        "hardware_address",
        "hardware_address",
        r"(?<![0-9a-fA-F:-])(?:(?:[0-9a-fA-F]{2}:){5,19}|(?:[0-9a-fA-F]{2}-){5,19})[0-9a-fA-F]{2}(?![0-9a-fA-F:-])",
        folded=True,
    ),
    _pattern(
        "serial",
        "serial",
        r"\bserial(?:[ _-]?(?:number|no|num)\.?)?[\"']?(?:\s*[:=]\s*|\s+is\s+|\s+)[\"']?"
        r"((?!(?:[0-9a-f]{2}-){5})[A-Za-z0-9][\w-]{5,})",
        re.I,
        hints=("serial",),
        accept=_has_digit,
    ),
    _pattern(
        "login", "account", r"(?<![\w.+-])[A-Za-z_][\w.+-]*@[A-Za-z0-9](?:[\w.-]*\w)?", hints=("@",), accept=_login
    ),
    _pattern("home_folder", "user", r"/(?:home|Users)/([\w.-]*\w)", hints=("/",), accept=_somebody),
    _pattern("unix_user", "user", r"\d\(([A-Za-z_][\w.-]*)\)", hints=("(",), accept=_somebody),
    _pattern(
        "remote_host",
        "host",
        r"(?:connect to host|resolve hostname|Connection (?:closed|reset|refused) by|[Hh]ost key for) ([\w.-]*\w)",
        hints=("connect to host", "resolve hostname", "connection ", "host key for"),
        accept=lambda text: not text.replace(".", "").isdigit(),
    ),
    _pattern(
        "dns_name",
        "domain",
        r"(?:://(?:[^\s/@]*@)?|\blookup )([A-Za-z0-9][\w.-]*\.[A-Za-z][\w-]*\w)",
        hints=("://", "lookup "),
        accept=_private_name,
    ),
    _pattern("instance_name", "host", r"\b(ip-\d{1,3}(?:-\d{1,3}){3}|i-[0-9a-f]{8,17})\b"),
    _pattern(
        "cloud_account",
        "cloud_account",
        r"\barn:aws[\w-]*:[\w-]*:[\w-]*:(\d{12}:[^\s\"']*[\w*])|\b(\d{12})\.dkr\.ecr\b"
        r"|(?:docker\.pkg\.dev|\bgcr\.io|\bprojects)/([a-z][a-z0-9-]{4,}[a-z0-9])|resourceGroups/([\w.-]*\w)",
        hints=("arn:aws", ".dkr.ecr", "docker.pkg.dev", "gcr.io", "projects/", "resourcegroups/"),
    ),
    _pattern("ocid", "cloud_account", r"\bocid1\.\w+\.((?:oc\d+)\.[\w.-]*\w)", hints=("ocid1",)),
)
