"""Mutations of the product that each break a promise, and the histories that can detect them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from dittoinfra.decide import brake, exposure, server_objects, server_rules, stack_rules
from dittoinfra.model import DeclaredAdapter, RememberedAdapter, ReportedAdapter
from dittoinfra.program import answer_fingerprints
from dittoinfra.request import Selection
from dittoinfra.settings import Deploy, ServerSettings, TypeSettings, configuration
from dittoinfra.stacks import plans, project
from dittoinfra.stacks.project import Available, Selected
from dittoinfra.state import memory
from dittoinfra.state.remembered import adapters_with_service
from dittoinfra.watch import config_files, stack_watch
from tests.chaos.histories.events import Configure, Delete, Disable, Serve, Stop
from tests.chaos.histories.ours.events import (
    DEPLOYED,
    HERE,
    NAMED,
    THERE,
    Actor,
    Add,
    Approve,
    ChangeFile,
    Drop,
    EditService,
    Event,
    FileState,
    Rename,
    SecretPlace,
    ServiceEdit,
    Step,
    Trouble,
)
from tests.chaos.histories.ours.generate import history
from tests.chaos.histories.ours.history_run import LOST
from tests.chaos.histories.ours.promises import Promise

UPDATES: Final = (Actor.WATCH, Actor.CI, Actor.PERSON, Actor.ALL, Actor.PLAIN)
IDENTITY, ONCE, SHOWN, OWN, TOLD, SECRET = Promise


@dataclass(frozen=True, slots=True)
class Mutation:
    """One wrong implementation of a part of the product."""

    name: str
    promise: Promise
    """The one that it breaks."""
    patch: Callable[[pytest.MonkeyPatch], None]
    detectable: Callable[[Step, Step], bool]
    """Whether two successive steps can detect it."""

    def __str__(self) -> str:
        return self.name

    def seeds(self) -> Iterator[int]:
        """The seeds of histories with such steps, from 1 on."""
        for seed in range(1, 100_000):
            steps = history(seed).steps
            if any(map(self.detectable, steps, steps[1:])):
                yield seed


def _replace(module: object, name: str, with_: object) -> Callable[[pytest.MonkeyPatch], None]:
    return lambda monkeypatch: monkeypatch.setattr(module, name, with_)


def _happens(step: Step, *kinds: type) -> bool:
    return any(isinstance(event, kinds) for event in step.events)


def _lost(_: Step, step: Step) -> bool:
    lost = [event.file for event in step.events if isinstance(event, ChangeFile)]
    return bool(lost) and lost[-1] is not FileState.WHOLE and step.actor in UPDATES


def _file_lost(_: Step, step: Step) -> bool:
    return any(ChangeFile(state) in step.events for state in LOST)


def _file_missing_for_all(_: Step, step: Step) -> bool:
    return ChangeFile(FileState.MISSING) in step.events and step.actor is Actor.ALL


def _met_by_another(_: Step, step: Step) -> bool:
    meanwhile = step.meanwhile
    return meanwhile is not None and meanwhile.run is not None and _named(step.events, Delete)


def _deployed(_: Step, step: Step) -> bool:
    calm = step.meanwhile is None and step.failing is None
    return calm and Add(DEPLOYED, HERE) in step.events and step.actor in (Actor.CI, Actor.PERSON)


def _moved(_: Step, step: Step) -> bool:
    moved = any(Add(name, THERE) in step.events for name in NAMED)
    return moved and not _happens(step, Approve) and step.actor in UPDATES


def _stopped(_: Step, step: Step) -> bool:
    return _named(step.events, Stop) and not step.trouble and step.actor in UPDATES


def _misnamed(_: Step, step: Step) -> bool:
    return step.trouble.get(NAMED[0]) is Trouble.LONG_TYPE and step.actor in UPDATES


def _deleted_and_silent(_: Step, step: Step) -> bool:
    gone = [
        event.adapter
        for event in step.events
        if isinstance(event, EditService) and event.edit is ServiceEdit.DELETE
    ]
    return step.refresh and any(adapter.server in step.trouble for adapter in gone)


def _planned_and_back(last: Step, step: Step) -> bool:
    gone = {event.adapter for event in last.events if isinstance(event, Disable)}
    back = {event.adapter for event in step.events if isinstance(event, Serve)}
    return step.actor is Actor.APPLY and bool(gone & back) and not last.trouble


def _planned_and_run(last: Step, step: Step) -> bool:
    between = last.actor in UPDATES and _happens(last, Delete, Disable) and not last.trouble
    return step.actor is Actor.APPLY and between


def _absent_too_soon(_: Step, step: Step) -> bool:
    return not step.counts and _named(step.events, Delete) and NAMED[0] not in step.trouble


def _removed_by_watch(_: Step, step: Step) -> bool:
    disabled = [event.adapter.server for event in step.events if isinstance(event, Disable)]
    calm = not step.trouble and not _happens(step, Add, ChangeFile, Configure, Drop, Rename)
    return calm and step.actor is Actor.WATCH and any(server in NAMED for server in disabled)


def _encrypted_in(*places: SecretPlace) -> Callable[[Step, Step], bool]:
    return lambda _, step: any(Configure("secret", place) in step.events for place in places)


def _absent(_: Step, step: Step) -> bool:
    return _named(step.events, Delete) and not step.trouble and step.actor in UPDATES


def _named(events: Sequence[Event], *kinds: type[Delete] | type[Stop]) -> bool:
    """Whether it happens to the nfs adapter of the first configured server."""
    return any(
        isinstance(e, kinds) and e.adapter.server == NAMED[0] and e.adapter.type == "nfs" for e in events
    )


def _count_two(
    this: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> server_rules.Verdict:
    if remembered is not None and reported is None:
        remembered = replace(remembered, absences=remembered.absences + 1)
    return _ANSWERED(this, remembered, reported, counts=counts)


def _outages_count(
    this: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> server_rules.Verdict:
    stopped = reported is not None and reported.enabled and not reported.running
    return _ANSWERED(this, remembered, None if stopped else reported, counts=counts)


def _always_count(
    this: ServerSettings,
    remembered: RememberedAdapter | None,
    reported: ReportedAdapter | None,
    *,
    counts: bool,
) -> server_rules.Verdict:
    return _ANSWERED(this, remembered, reported, counts=True)


def _plans_meet_any_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "outdated", _nothing)
    monkeypatch.setattr(answer_fingerprints, "differences", _nothing)


def _own_ports(
    _: Sequence[DeclaredAdapter], settings: Mapping[str, TypeSettings], deploy: Deploy | None
) -> tuple[exposure.ContainerPort, ...]:
    return exposure.container_ports((), settings, deploy)


def _every_stack(_: Selection, available: Available) -> Selected:
    return Selected(available.every)


def _whatever_it_is(file: Path, _: str) -> str:
    return file.read_text() if file.exists() else ""


def _nothing(*_: object, **__: object) -> tuple[()]:
    return ()


def _no_brake(*_: object, **__: object) -> None:
    return


_ANSWERED = server_rules._answered  # noqa: SLF001 - what is broken on purpose lies inside

MUTATIONS: Final = (
    Mutation(
        "recorded answers meet any state",
        SHOWN,
        _replace(answer_fingerprints, "differences", _nothing),
        _met_by_another,
    ),
    Mutation(
        "the second run of a command counts the answers of its first one again",
        ONCE,
        _replace(server_rules, "_hold", server_rules._decide),  # noqa: SLF001 - likewise
        _deployed,
    ),
    Mutation("an absence counts twice", ONCE, _replace(server_rules, "_answered", _count_two), _absent),
    Mutation(
        "lost configuration is empty configuration",
        IDENTITY,
        _replace(brake, "brake", _no_brake),
        _lost,
    ),
    Mutation(
        "a stack that only the backend knows is run",
        IDENTITY,
        _replace(project, "choose", _every_stack),
        _file_missing_for_all,
    ),
    Mutation(
        "a lost file is a change to watch",
        IDENTITY,
        _replace(config_files, "_content", _whatever_it_is),
        _file_lost,
    ),
    Mutation(
        "a Service that moves is not lost", IDENTITY, _replace(stack_rules, "_reshaped", _nothing), _moved
    ),
    Mutation(
        "not running is absence",
        OWN,
        _replace(server_rules, "_answered", _outages_count),
        _stopped,
    ),
    Mutation(
        "a name that cannot be stops the run", OWN, _replace(stack_rules, "misnamed", _nothing), _misnamed
    ),
    Mutation(
        "memory is what Services say",
        OWN,
        _replace(memory, "remembered_adapters", adapters_with_service),
        _deleted_and_silent,
    ),
    Mutation(
        "the ports of a deployed server do not follow its adapters",
        OWN,
        _replace(server_objects, "container_ports", _own_ports),
        _deployed,
    ),
    Mutation(
        "a plan is applied unasked",
        SHOWN,
        _replace(plans, "contradictions", _nothing),
        _planned_and_back,
    ),
    Mutation("a saved plan meets any state", SHOWN, _plans_meet_any_state, _planned_and_run),
    Mutation(
        "an absence counts in every run of watch",
        ONCE,
        _replace(server_rules, "_answered", _always_count),
        _absent_too_soon,
    ),
    Mutation(
        "watch tells no removal before it",
        TOLD,
        _replace(stack_watch, "planned_removals", _nothing),
        _removed_by_watch,
    ),
    Mutation(
        "watch tells only replacements after them",
        TOLD,
        _replace(stack_watch, "_REMOVING", frozenset({"replace"})),
        _removed_by_watch,
    ),
    *(
        Mutation(
            f"{place} may be encrypted",
            SECRET,
            _replace(configuration, "_encryption_problems", _nothing),
            _encrypted_in(place),
        )
        for place in SecretPlace
    ),
)
