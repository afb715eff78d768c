"""What a run must come to by the rules, worked out without the code that is judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tests.chaos.histories.events import Place
from tests.chaos.histories.oracle import Answer
from tests.chaos.histories.ours.configuration import Configuration
from tests.chaos.histories.ours.events import FOUND, HERE, NEWCOMER, File, Selector


@dataclass(frozen=True, slots=True)
class Known:
    """An adapter as it is remembered, or declared."""

    port: int
    count: int
    namespace: int
    standing: bool = True
    """Whether the state holds a Service of it, whose identity could be lost."""


class Why(StrEnum):
    """Why a Service loses its identity."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Memory:
    """What a stack remembers."""

    adapters: Mapping[Place, Known] = field(default_factory=dict)
    found: frozenset[str] = frozenset()
    """Servers that nobody configured by name when they were last declared."""
    servers: frozenset[str] = frozenset()
    """Every server that was declared, with adapters or without."""

    @property
    def noted(self) -> tuple[object, ...]:
        """What another run must find, for answers that were given with this memory."""
        ports = {place: replace(known, standing=True) for place, known in self.adapters.items()}
        return ports, self.found, self.servers

    def of(self, server: str) -> Mapping[Place, Known]:
        """The adapters of one server."""
        return {place: known for place, known in self.adapters.items() if place.server == server}


@dataclass(slots=True)
class Verdict:
    """What a run must come to."""

    declared: dict[Place, Known] = field(default_factory=dict)
    removed: dict[Place, Why] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    refused: bool = False
    """Whether the run has to stop: because of what it would remove, or of a secret in the wrong place."""

    @property
    def memory(self) -> Memory:
        """What is remembered after it."""
        return Memory(dict(self.declared), frozenset(self.found), frozenset(self.asked | self.found))


def judge(
    configuration: Configuration,
    memory: Memory,
    answer_of: Callable[[str], Answer],
    *,
    listed: bool,
    denied: frozenset[str] = frozenset(),
) -> Verdict:
    """The verdict on a whole run; `listed` says whether the cluster has the server that can be found.

    `denied` are servers that refuse the login.
    """
    verdict = Verdict()
    if not configuration.lost:
        for server in configuration.named:
            verdict.asked.add(server)
            where = configuration.namespace_of(server)
            _judge_server(configuration, memory, server, where, answer_of(server), verdict)
        _judge_found(configuration, memory, answer_of, verdict, listed=listed)
    for place in memory.adapters:
        if place not in verdict.declared:
            verdict.removed.setdefault(place, Why.UNCONFIGURED)
    verdict.refused = _refused(configuration, verdict)
    if not memory.adapters and not memory.servers:
        # A new stack has nothing to keep: it stops where there is nothing to declare either.
        locked_out = bool(verdict.asked) and verdict.asked <= denied - {NEWCOMER}
        verdict.refused = verdict.refused or locked_out or configuration.file is not File.WHOLE
    return verdict


def _judge_found(
    configuration: Configuration,
    memory: Memory,
    answer_of: Callable[[str], Answer],
    verdict: Verdict,
    *,
    listed: bool,
) -> None:
    if configuration.finds is None or FOUND in configuration.named:
        return
    known = memory.of(FOUND)
    elsewhere = any(it.namespace != HERE for it in known.values())
    if listed and configuration.finds is not Selector.WARM and not elsewhere:
        verdict.found.add(FOUND)
        verdict.asked.add(FOUND)
        _judge_server(configuration, memory, FOUND, HERE, answer_of(FOUND), verdict)
    elif FOUND in memory.found and known:
        # To its adapters a listing without it is one answer that misses them.
        verdict.found.add(FOUND)
        where = next(iter(known.values())).namespace
        _judge_server(configuration, memory, FOUND, where, {}, verdict, polls=1)
        if not any(place.server == FOUND for place in verdict.declared):
            verdict.found.discard(FOUND)


def _judge_server(
    configuration: Configuration,
    memory: Memory,
    server: str,
    where: int,
    answer: Answer,
    verdict: Verdict,
    polls: int | None = None,
) -> None:
    known = memory.of(server)
    if answer is not None:
        for kind, told in answer.items():
            if told.serving:
                verdict.declared[Place(server, kind)] = Known(told.port_of(kind), 0, where)
    polls = polls or _polls(configuration, known, answer)
    for place, it in known.items():
        said = answer.get(place.type) if answer is not None else None
        if answer is None or (said is not None and said.enabled and not said.running):
            verdict.declared[place] = Known(it.port, it.count, where)
        elif said is None:
            count = min(it.count + polls, configuration.absence_polls)
            if count == configuration.absence_polls:
                verdict.removed[place] = Why.ABSENT
            else:
                verdict.declared[place] = Known(it.port, count, where)
        elif not said.enabled:
            verdict.removed[place] = Why.DISABLED
        if place in verdict.declared and it.standing and it.namespace != where:
            verdict.removed[place] = Why.MOVED


def _polls(configuration: Configuration, known: Mapping[Place, Known], answer: Answer) -> int:
    """A server is asked again while that could say more about an absent adapter."""
    if answer is None:
        return 1
    open_counts = [
        configuration.absence_polls - it.count for place, it in known.items() if place.type not in answer
    ]
    return max(1, min(configuration.polls_per_run, max(open_counts, default=1)))


def _refused(configuration: Configuration, verdict: Verdict) -> bool:
    if configuration.secret and configuration.file is File.WHOLE:
        return True
    approved = configuration.approved if configuration.file is File.WHOLE else ()
    if set(approved) == set(map(str, verdict.removed)):
        return False
    why = set(verdict.removed.values())
    emptied = not verdict.declared and bool(why & {Why.ABSENT, Why.UNCONFIGURED})
    return emptied or Why.MOVED in why
