# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The user's own expectations of a host's driver: checked only where they were given."""

from __future__ import annotations

import re
import typing as t
from collections.abc import Iterator, Mapping

from .._catalogue import found
from .._chain import Finding
from .._evidence.driver import DriverFacts

_BOUND = re.compile(r"(?P<sign>>=|<=|==|!=|>|<|)\s*(?P<version>\d+(?:\.\d+)*)")

Version = tuple[int, ...]


def version_bounds(text: str) -> list[tuple[str, Version]]:
    """Read a range of versions, such as ``>=550,<580``, or a version, such as ``550`` or ``550.163.01``.

    Raises ValueError where it is neither.
    """
    bounds = []
    for part in text.split(","):
        bound = _BOUND.fullmatch(part.strip())
        if bound is None:
            raise ValueError(f"{part.strip()!r} is no driver version and no bound like '>=550'")
        bounds.append((bound["sign"] or "==", _numbers(bound["version"])))
    return bounds


def version_fits(version: str, wanted: str) -> bool:
    """Compare as many numbers as a bound gives: 550.163.01 is ``550``, is not ``>550``, and is ``<=550``."""
    numbers = _numbers(version)
    return all(_holds(numbers[: len(bound)], sign, bound) for sign, bound in version_bounds(wanted))


def as_expected(facts: DriverFacts, expect: Mapping[str, t.Any]) -> Iterator[Finding]:
    """The count (DRV043), the driver's version (DRV044) and the model (DRV045) are those that the user gave."""
    gpus, driver, model = (expect.get(name) for name in ("gpus", "driver", "model"))
    if gpus is not None and facts.gpus is not None and len(facts.gpus) != gpus:
        yield found("DRV043", "driver.nvidia_smi_list", expected=gpus, in_nvml=len(facts.gpus))
    version = driver_version(facts)
    if driver and version and not version_fits(version, driver):
        yield found("DRV044", "driver.module_version", expected=driver, version=version)
    others = [gpu.name for gpu in facts.gpus or () if model and model.casefold() not in gpu.name.casefold()]
    if others:
        yield found("DRV045", "driver.nvidia_smi_list", expected=model, names=", ".join(dict.fromkeys(others)))


def expected_in_vain(expect: Mapping[str, t.Any]) -> Iterator[Finding]:
    """What the user expects of a driver that is not looked at must not be taken for checked (DRV048)."""
    if expect:
        yield found("DRV048", names=", ".join(f"gpu_k8s_expected_{name}" for name in expect))


def driver_version(facts: DriverFacts) -> str | None:
    """Return the version of the loaded module; where there is none (WSL), of the driver that nvidia-smi names."""
    return facts.module_version or next(iter(facts.everywhere("driver_version").values()), None)


def _numbers(version: str) -> Version:
    return tuple(int(number) for number in re.findall(r"\d+", version))


def _holds(numbers: Version, sign: str, bound: Version) -> bool:
    return {
        "==": numbers == bound,
        "!=": numbers != bound,
        ">=": numbers >= bound,
        "<=": numbers <= bound,
        ">": numbers > bound,
        "<": numbers < bound,
    }[sign]
