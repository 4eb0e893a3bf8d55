# SPDX-License-Identifier: GPL-3.0-or-later
"""A JSON patch (RFC 6902), as far as Nodes are patched with it: the operations test, add and remove."""

from __future__ import annotations

import copy
import typing as t

Object = dict[str, t.Any]


class PatchError(Exception):
    """A test failed, or a path leads nowhere. Then nothing is changed."""


def patched(document: Object, operations: list[Object]) -> Object:
    """Return the document with all operations carried out, in order. Raises PatchError."""
    document = copy.deepcopy(document)
    for operation in operations:
        try:
            _carry_out(document, operation)
        except (LookupError, TypeError, ValueError) as error:
            raise PatchError(f"{operation['op']} {operation['path']}: {error!r}") from error
    return document


def _carry_out(document: t.Any, operation: Object) -> None:
    *parents, last = (part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
    parent = document
    for part in parents:
        parent = parent[_key(parent, part)]
    key = _key(parent, last)
    match operation["op"]:
        case "test":
            if parent[key] != operation["value"]:
                raise ValueError(f"it is {parent[key]!r}")
        case "add" if isinstance(parent, list):
            parent.insert(key, operation["value"])
        case "add":
            parent[key] = operation["value"]
        case "remove":
            del parent[key]
        case _:
            raise ValueError("there is no such operation here")


def _key(parent: t.Any, part: str) -> t.Any:
    if not isinstance(parent, list):
        return part
    return len(parent) if part == "-" else int(part)
