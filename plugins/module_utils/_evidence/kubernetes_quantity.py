# Copyright (c) gpu.k8s contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The API's quantities ("2", "500m", "1k", "24581684Ki") as numbers that can be compared."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

_UNITS = {
    **{unit: Decimal(1024) ** power for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), start=1)},
    **{unit: Decimal(1000) ** power for power, unit in enumerate(("k", "M", "G", "T", "P", "E"), start=1)},
    "m": Decimal("0.001"),
    "u": Decimal("0.000001"),
    "n": Decimal("0.000000001"),
}


def quantity(text: object) -> Decimal | None:
    """Return the number that a quantity stands for; None for what is none.

    Source: Kubernetes API reference, "Quantity".
    """
    written = str(text).strip()
    unit = next((u for u in _UNITS if written.endswith(u)), "")
    try:
        value = Decimal(written.removesuffix(unit)) * _UNITS.get(unit, Decimal(1))
    except InvalidOperation:
        return None
    return value if value.is_finite() else None


def count(text: object) -> int:
    """Return a quantity of an extended resource, which is a whole number.

    Raises ValueError for what is none: a count that can't be read is not the same as none being there.
    """
    value = quantity(text)
    if value is None:
        raise ValueError(f"{text!r} is no quantity")
    return int(value)
