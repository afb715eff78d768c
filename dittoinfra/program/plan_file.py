"""A plan as a file: JSON with a format and a version, and nothing secret in it."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from dittoinfra.decide.custom_kinds import CustomKind, Knowledge
from dittoinfra.decide.observations import Answers, ClusterFacts, Fingerprints
from dittoinfra.json_document import Document
from dittoinfra.model import (
    AlreadyPolled,
    Answered,
    Denied,
    Listing,
    Located,
    Missing,
    Nonsense,
    Outcome,
    ReportedAdapter,
    ServerPolls,
    Uncounted,
    Unreachable,
)
from dittoinfra.program.plan import Plan, PlannedChange, StackPlan
from dittoinfra.settings.base import AdapterType, Port
from dittoinfra.whole_files import write_over

FORMAT = "dittoinfra-plan"
VERSION = 2


_NO_ANSWER: Mapping[str, type[Unreachable] | type[Denied] | type[Nonsense] | type[Missing]] = {
    kind.name: kind for kind in (Unreachable, Denied, Nonsense, Missing)
}
"""Outcomes without a list of adapters, by their names in the file."""


class PlanUnreadableError(Exception):
    """The file is no plan that this version can use."""


class _Adapter(Document):
    """Validated like an answer: a plan is external input, too."""

    type: AdapterType
    port: Port
    enabled: bool
    running: bool


class _Answered(Document):
    outcome: Literal["answered"] = "answered"
    adapters: tuple[_Adapter, ...]


class _NoAnswer(Document):
    outcome: Literal["unreachable", "denied", "nonsense", "missing"]
    why: str


class _Answers(Document):
    polls: dict[str, tuple[Annotated[_Answered | _NoAnswer, Field(discriminator="outcome")], ...]]
    kinds: tuple[tuple[CustomKind, Knowledge], ...] = ()
    namespaces: dict[str, bool] = Field(default_factory=dict)
    services: dict[str, dict[str, Located]] = Field(default_factory=dict)
    listings: tuple[Listing, ...] = ()


class _Stack(Document):
    answers: _Answers
    decision: dict[str, dict[str, str]]
    changes: tuple[PlannedChange, ...]
    salt: str = Field(pattern="^[0-9a-f]{32,}$")
    configuration: dict[str, str]
    memory: dict[str, str]
    state: dict[str, str]


class _File(Document):
    format: Literal["dittoinfra-plan"] = "dittoinfra-plan"
    version: Literal[2] = 2
    dittoinfra: str
    project: str
    targets: tuple[str, ...] = ()
    stacks: dict[str, _Stack]


def write_plan(plan: Plan, path: Path) -> None:
    """Write the file atomically: a reader sees all of it or nothing."""
    file = _File(
        dittoinfra=plan.dittoinfra,
        project=plan.project,
        targets=plan.targets,
        stacks={name: _written(stack) for name, stack in plan.stacks.items()},
    )
    write_over(path, file.model_dump_json(indent=2) + "\n")


def read_plan(path: Path) -> Plan:
    """The plan in a file, or `PlanUnreadableError` with one line."""
    content = _document(path)
    if content.get("format") != FORMAT:
        raise PlanUnreadableError(f"{path} is not a plan of dittoinfra; make one with `preview --save FILE`")
    if content.get("version") != VERSION:
        raise PlanUnreadableError(
            f"{path} is a plan of format version {content.get('version')!r}, and this dittoinfra reads "
            f"version {VERSION}; make a new one with `preview --save FILE`"
        )
    try:
        file = _File.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise PlanUnreadableError(
            f"{path} is a damaged plan: {where}: {first['msg']}; make a new one with `preview --save FILE`"
        ) from None
    return Plan(
        dittoinfra=file.dittoinfra,
        project=file.project,
        targets=file.targets,
        stacks={name: _read(stack) for name, stack in file.stacks.items()},
    )


def _document(path: Path) -> Mapping[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise PlanUnreadableError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise PlanUnreadableError(
            f"{path} is not a plan, or only a part of one: it is not JSON; "
            "make a new one with `preview --save FILE`"
        ) from None
    return content if isinstance(content, dict) else {}


def _written(stack: StackPlan) -> _Stack:
    facts, given_for = stack.answers.facts or ClusterFacts(), stack.answers.given_for
    return _Stack(
        answers=_Answers(
            polls={name: _polls(polls) for name, polls in stack.answers.polls.items()},
            kinds=tuple(facts.kinds.items()),
            namespaces=dict(facts.namespaces),
            services={namespace: dict(found) for namespace, found in facts.services.items()},
            listings=stack.answers.listings,
        ),
        decision={server: dict(told) for server, told in stack.decided.items()},
        changes=stack.changes,
        salt=(given_for.salt or b"").hex(),
        configuration=dict(given_for.configuration),
        memory=dict(given_for.memory or {}),
        state=dict(given_for.resources or {}),
    )


def _read(stack: _Stack) -> StackPlan:
    return StackPlan(
        answers=Answers(
            given_for=Fingerprints(stack.configuration, stack.memory, stack.state, bytes.fromhex(stack.salt)),
            polls={name: tuple(map(_read_outcome, polls)) for name, polls in stack.answers.polls.items()},
            facts=ClusterFacts(dict(stack.answers.kinds), stack.answers.namespaces, stack.answers.services),
            listings=stack.answers.listings,
        ),
        decided=stack.decision,
        changes=stack.changes,
    )


def _polls(polls: ServerPolls) -> tuple[_Answered | _NoAnswer, ...]:
    return tuple(map(_outcome, (polls.outcome,) if isinstance(polls, AlreadyPolled | Uncounted) else polls))


def _outcome(outcome: Outcome) -> _Answered | _NoAnswer:
    if isinstance(outcome, Answered):
        return _Answered(adapters=tuple(_Adapter(**asdict(adapter)) for adapter in outcome.adapters))
    return _NoAnswer(outcome=outcome.name, why=outcome.why)


def _read_outcome(written: _Answered | _NoAnswer) -> Outcome:
    if isinstance(written, _Answered):
        return Answered(tuple(ReportedAdapter(**adapter.model_dump()) for adapter in written.adapters))
    return _NO_ANSWER[written.outcome](written.why)
