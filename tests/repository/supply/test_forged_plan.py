"""A plan that was tampered with: what it says of a server is held to what a server may say."""

import json
from pathlib import Path
from typing import Any

import pytest

from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints
from dittoinfra.model import Answered, ReportedAdapter
from dittoinfra.program.plan import Plan, StackPlan
from dittoinfra.program.plan_file import PlanUnreadableError, read_plan, write_plan

PLAN = Plan(
    dittoinfra="0.1.0",
    project="dittoinfra",
    stacks={
        "prod": StackPlan(
            answers=Answers(
                Fingerprints(resources={}, salt=bytes(16)),
                polls={"media": (Answered((ReportedAdapter("nfs", 12049, True, True),)),)},
                facts=ClusterFacts(),
            ),
            decided={},
            changes=(),
        )
    },
)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("type", "../../etc/passwd"),
        ("type", "nfs\n::error::"),
        ("type", "\x1b[2J"),
        ("type", "n" * 64),
        ("type", ""),
        ("port", 0),
        ("port", 65536),
        ("port", -1),
        ("enabled", "perhaps"),
        ("config", {}),
    ],
)
def test_an_adapter_that_no_server_could_have_told_is_a_damaged_plan(
    tmp_path: Path, field: str, value: object
) -> None:
    path = tmp_path / "a.plan"
    write_plan(PLAN, path)
    assert read_plan(path) == PLAN
    content: dict[str, Any] = json.loads(path.read_text())
    content["stacks"]["prod"]["answers"]["polls"]["media"][0]["adapters"][0][field] = value
    path.write_text(json.dumps(content))

    with pytest.raises(PlanUnreadableError) as refused:
        read_plan(path)

    assert "is a damaged plan: stacks.prod.answers.polls.media.0.answered.adapters.0" in str(refused.value)
    assert str(refused.value).isprintable()
