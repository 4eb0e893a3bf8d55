# SPDX-License-Identifier: GPL-3.0-or-later
"""The layers against each other: the first broken one is blamed, and nothing passes by silence."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import pytest

from ansible_collections.gpu.k8s.plugins.module_utils._catalogue import CATALOGUE
from ansible_collections.gpu.k8s.plugins.module_utils._chain import (
    CHECKPOINTS,
    LAYERS,
    Finding,
    Judgement,
    conclude,
    conclude_run,
)
from ansible_collections.gpu.k8s.plugins.module_utils._gate import why_closed


def finding(layer: str, status: str) -> Finding:
    return Finding("XXX000", layer, status, "what", "do this")


def judgements(**changed: Judgement) -> list[Judgement]:
    """Six passes but for ``c<number>=...``."""
    return [changed.get(f"c{c.number}", Judgement(c.number, seen="yes")) for c in CHECKPOINTS]


def statuses(*args: Judgement) -> list[str]:
    return [c.status for c in conclude("h", "n", args).checkpoints]


def test_six_passes_are_usable() -> None:
    verdict = conclude("h", "n", judgements())
    assert verdict.conclusion == "usable"
    assert verdict.not_proven == ()
    assert verdict.deciding is None


@pytest.mark.parametrize("number", range(1, 7))
def test_a_checkpoint_without_judgement_is_never_a_pass(number: int) -> None:
    verdict = conclude("h", "n", [j for j in judgements() if j.checkpoint != number])
    assert verdict.conclusion == "not proven"
    assert verdict.not_proven == (number,)


@pytest.mark.parametrize("number", range(1, 7))
@pytest.mark.parametrize("status", ["unknown", "busy"])
def test_what_is_not_proven_is_named(number: int, status: str) -> None:
    layer = CHECKPOINTS[number - 1].layer
    changed = Judgement(number, (finding(layer, status),))
    verdict = conclude("h", "n", judgements(**{f"c{number}": changed}))
    assert (verdict.conclusion, verdict.not_proven) == ("not proven", (number,))
    assert verdict.deciding is not None
    assert verdict.deciding.status == status


@pytest.mark.parametrize("number", range(1, 7))
def test_a_skip_is_not_a_pass(number: int) -> None:
    verdict = conclude("h", "n", judgements(**{f"c{number}": Judgement(number, skipped="not chosen")}))
    assert verdict.conclusion == "not proven"
    assert verdict.checkpoints[number - 1].status == "skip"


@pytest.mark.parametrize("layer", LAYERS)
def test_what_lies_above_the_first_broken_layer_is_blocked(layer: str) -> None:
    number = next(c.number for c in CHECKPOINTS if c.layer == layer)
    given = judgements(**{f"c{number}": Judgement(number, (finding(layer, "fail"),))})
    verdict = conclude("h", "n", given)
    assert (verdict.conclusion, verdict.first_broken_layer) == ("broken", layer)
    for checkpoint in verdict.checkpoints:
        if LAYERS.index(checkpoint.layer) > LAYERS.index(layer):
            assert checkpoint.status == "blocked"
        elif checkpoint.number == number:
            assert checkpoint.status == "fail"
        else:
            assert checkpoint.status == "pass"


def test_a_finding_may_blame_a_lower_layer() -> None:
    given = judgements(c6=Judgement(6, (finding("toolkit", "fail"),)))
    verdict = conclude("h", "n", given)
    assert verdict.first_broken_layer == "toolkit"
    assert [c.status for c in verdict.checkpoints] == ["pass", "fail", "blocked", "blocked", "blocked", "blocked"]
    assert verdict.deciding in verdict.checkpoints[1].findings


def test_the_lower_of_two_broken_layers_is_first() -> None:
    given = judgements(c1=Judgement(1, (finding("driver", "fail"),)), c4=Judgement(4, (finding("scheduler", "fail"),)))
    assert conclude("h", "n", given).first_broken_layer == "driver"


def test_a_warning_does_not_keep_from_passing() -> None:
    assert statuses(*judgements(c2=Judgement(2, (finding("toolkit", "warning"),), seen="yes")))[1] == "pass"
    assert statuses(*judgements(c2=Judgement(2, (finding("toolkit", "warning"),))))[1] == "unknown"


def test_a_waiver_is_no_pass() -> None:
    verdict = conclude("h", "n", judgements(c1=Judgement(1, waived="w"), c2=Judgement(2, waived="w")))
    assert (verdict.conclusion, verdict.not_proven, verdict.deciding) == ("waived", (1, 2), None)
    open_ = conclude("h", "n", judgements(c1=Judgement(1, waived="w"), c6=Judgement(6)))
    assert (open_.conclusion, open_.not_proven) == ("not proven", (1, 6))


def test_a_waived_layer_may_be_the_first_broken_one() -> None:
    given = judgements(c1=Judgement(1, waived="w"), c6=Judgement(6, (finding("driver", "fail"),)))
    verdict = conclude("h", "n", given)
    assert (verdict.conclusion, verdict.first_broken_layer) == ("broken", "driver")
    assert [c.status for c in verdict.checkpoints] == ["fail", *["blocked"] * 5]


def test_no_combination_of_judgements_is_usable_but_six_passes() -> None:
    options = [
        Judgement(0, seen="yes"),
        Judgement(0),
        Judgement(0, skipped="s"),
        Judgement(0, waived="w"),
        Judgement(0, (finding("driver", "unknown"),), seen="yes"),
        Judgement(0, (finding("driver", "busy"),)),
        Judgement(0, (finding("smoke_pod", "fail"),), seen="yes"),
    ]
    conclusions: Counter[str] = Counter()
    for chosen in itertools.product(range(len(options)), repeat=6):
        given = [replace(options[i], checkpoint=n) for n, i in enumerate(chosen, 1)]
        conclusions[conclude("h", "n", given).conclusion] += 1
    assert conclusions["usable"] == 1
    assert conclusions["waived"] == 2**6 - 1  # each checkpoint passes or is waived


def test_a_run_is_usable_only_with_nodes_that_all_are() -> None:
    good, open_ = conclude("a", "a", judgements()), conclude("b", "b", [])
    broken = conclude("c", "c", judgements(c1=Judgement(1, (finding("driver", "fail"),))))
    assert conclude_run([]) == "not proven"
    assert conclude_run([good]) == "usable"
    assert conclude_run([good, open_]) == "not proven"
    assert conclude_run([good, open_, broken]) == "broken"
    waived = conclude("d", "d", judgements(c1=Judgement(1, waived="w")))
    assert conclude_run([good, waived]) == "waived"
    assert conclude_run([good, waived, open_]) == "not proven"


def test_the_gate() -> None:
    good = conclude("a", "a", judgements())
    driver_only = conclude(
        "b", "b", [Judgement(1, seen="yes"), *(Judgement(n, skipped="not chosen") for n in range(2, 7))]
    )
    assert why_closed("usable", [good], LAYERS) == ""
    assert why_closed("usable", [], LAYERS) == "Not proven: no node was judged."
    assert why_closed("chosen", [], ["driver"]) == "Not proven: no node was judged."
    assert "gpu_k8s_gate=chosen" in why_closed("usable", [good, driver_only], ["driver"])
    assert why_closed("chosen", [good, driver_only], ["driver"]) == ""
    assert why_closed("chosen", [good, driver_only], []) == "Not proven: no layer was looked at."
    assert "keep the gate closed: b not proven" in why_closed("chosen", [driver_only], ["driver", "toolkit"])
    assert why_closed("none", [driver_only], LAYERS) == ""


def test_the_gate_of_waived_nodes() -> None:
    good = conclude("a", "a", judgements())
    waived = conclude("b", "b", judgements(c1=Judgement(1, waived="w")))
    open_ = conclude("c", "c", judgements(c1=Judgement(1, waived="w"), c6=Judgement(6)))
    closed = why_closed("usable", [good, waived], LAYERS)
    assert "1 of 2 nodes keep the gate closed: b waived. Every layer that was looked at passes" in closed
    assert "gpu_k8s_gate=chosen" in closed
    assert why_closed("chosen", [good, waived], LAYERS) == ""
    assert why_closed("broken", [good, waived], LAYERS) == ""
    assert "c not proven" in why_closed("chosen", [waived, open_], LAYERS)
    assert why_closed("chosen", [waived], ["driver"]) != ""  # nothing was looked at
    assert why_closed("chosen", [waived], LAYERS, "it was interrupted") != ""


def test_catalogue_codes_are_of_the_layer_that_notices() -> None:
    """A finding blames its own layer or a lower one: never one above it."""
    noticed_by = dict(zip(("DRV", "TKT", "DPL", "SCH", "SMK"), LAYERS, strict=True))
    for code, entry in CATALOGUE.items():
        assert code == entry.code
        assert all((entry.title, entry.meaning, entry.remedy, entry.mistaken_for, entry.sources))
        if entry.layer in LAYERS and code[:3] in noticed_by:
            assert LAYERS.index(entry.layer) <= LAYERS.index(noticed_by[code[:3]]), code
        else:
            assert code[:3] in ("PRE", "EXP"), code
