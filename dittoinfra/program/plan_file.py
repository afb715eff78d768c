"""A plan as a file: JSON with a format and a version, and nothing secret in it."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from dittoinfra.decide.kinds import CustomKind, Knowledge, NotServed, Served, Unasked
from dittoinfra.model import (
    Addresses,
    Answered,
    Denied,
    Listing,
    Missing,
    Nonsense,
    Outcome,
    ReportedAdapter,
    Unreachable,
)
from dittoinfra.program.inquiry import Answers
from dittoinfra.program.plan import Plan, PlannedChange, StackPlan
from dittoinfra.program.surroundings import Surroundings
from dittoinfra.settings.base import AdapterType, Port

FORMAT = "dittoinfra-plan"
VERSION = 1


class PlanUnreadableError(Exception):
    """The file is no plan that this version can use."""


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, populate_by_name=True)


class _Adapter(_Block):
    """Held to what an answer is held to: a plan comes from somewhere else, too."""

    type: AdapterType
    port: Port
    enabled: bool
    running: bool


class _Answered(_Block):
    outcome: Literal["answered"] = "answered"
    adapters: tuple[_Adapter, ...]


class _NoAnswer(_Block):
    outcome: Literal["unreachable", "denied", "nonsense", "missing"]
    why: str


class _Kind(_Block):
    kind: CustomKind
    knowledge: Literal["served", "notServed", "unasked"]
    why: str = ""


class _Answers(_Block):
    polls: dict[str, tuple[Annotated[_Answered | _NoAnswer, Field(discriminator="outcome")], ...]]
    kinds: tuple[_Kind, ...] = ()
    namespaces: dict[str, bool] = Field(default_factory=dict)
    addresses: dict[str, dict[str, Addresses]] = Field(default_factory=dict)
    listings: tuple[Listing, ...] = ()


class _Change(_Block):
    operation: str
    urn: str
    properties: tuple[str, ...] = ()


class _Stack(_Block):
    answers: _Answers
    decision: dict[str, dict[str, str]]
    changes: tuple[_Change, ...]
    state: dict[str, str]
    configuration: dict[str, str]


class _File(_Block):
    format: Literal["dittoinfra-plan"] = "dittoinfra-plan"
    version: Literal[1] = 1
    dittoinfra: str
    project: str
    salt: str = Field(pattern="^[0-9a-f]{32,}$")
    targets: tuple[str, ...] = ()
    stacks: dict[str, _Stack]


def write_plan(plan: Plan, path: Path) -> None:
    """Write the file in one step: a reader sees all of it or nothing."""
    file = _File(
        dittoinfra=plan.dittoinfra,
        project=plan.project,
        salt=plan.salt.hex(),
        targets=plan.targets,
        stacks={name: _written(stack) for name, stack in plan.stacks.items()},
    )
    draft = path.with_name(f".{path.name}.draft")
    draft.write_text(file.model_dump_json(by_alias=True, indent=2) + "\n", encoding="utf-8")
    draft.replace(path)


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
        salt=bytes.fromhex(file.salt),
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
    around = stack.answers.surroundings
    return _Stack(
        answers=_Answers(
            polls={name: tuple(map(_said, polls)) for name, polls in stack.answers.polls.items()},
            kinds=tuple(_known(kind, knowledge) for kind, knowledge in around.kinds.items()),
            namespaces=dict(around.namespaces),
            addresses={namespace: dict(found) for namespace, found in around.addresses.items()},
            listings=stack.answers.listings,
        ),
        decision={server: dict(told) for server, told in stack.decided.items()},
        changes=tuple(
            _Change(operation=change.operation, urn=change.urn, properties=change.properties)
            for change in stack.changes
        ),
        state=dict(stack.state),
        configuration=dict(stack.configuration),
    )


def _read(stack: _Stack) -> StackPlan:
    return StackPlan(
        answers=Answers(
            polls={name: tuple(map(_heard, polls)) for name, polls in stack.answers.polls.items()},
            surroundings=Surroundings(
                {known.kind: _knowledge(known) for known in stack.answers.kinds},
                stack.answers.namespaces,
                stack.answers.addresses,
            ),
            listings=stack.answers.listings,
        ),
        state=stack.state,
        configuration=stack.configuration,
        decided=stack.decision,
        changes=tuple(
            PlannedChange(change.urn, change.operation, change.properties) for change in stack.changes
        ),
    )


def _said(outcome: Outcome) -> _Answered | _NoAnswer:
    match outcome:
        case Answered(adapters):
            return _Answered(adapters=tuple(_Adapter(**asdict(adapter)) for adapter in adapters))
        case Unreachable(why):
            return _NoAnswer(outcome="unreachable", why=why)
        case Denied(why):
            return _NoAnswer(outcome="denied", why=why)
        case Nonsense(why):
            return _NoAnswer(outcome="nonsense", why=why)
        case Missing(why):
            return _NoAnswer(outcome="missing", why=why)


def _heard(said: _Answered | _NoAnswer) -> Outcome:
    match said:
        case _Answered(adapters=adapters):
            return Answered(tuple(ReportedAdapter(**adapter.model_dump()) for adapter in adapters))
        case _NoAnswer(outcome="unreachable", why=why):
            return Unreachable(why)
        case _NoAnswer(outcome="denied", why=why):
            return Denied(why)
        case _NoAnswer(outcome="missing", why=why):
            return Missing(why)
        case _NoAnswer(why=why):
            return Nonsense(why)


def _known(kind: CustomKind, knowledge: Knowledge) -> _Kind:
    match knowledge:
        case Served():
            return _Kind(kind=kind, knowledge="served")
        case NotServed():
            return _Kind(kind=kind, knowledge="notServed")
        case Unasked(why):
            return _Kind(kind=kind, knowledge="unasked", why=why)


def _knowledge(known: _Kind) -> Knowledge:
    match known.knowledge:
        case "served":
            return Served()
        case "notServed":
            return NotServed()
        case "unasked":
            return Unasked(known.why)
