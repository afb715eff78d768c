"""The expected result of a run by the documented rules, computed without the product's code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.oracle import Answer
from tests.chaos.histories.ours.configuration import Configuration
from tests.chaos.histories.ours.events import DEPLOYED, FOUND, HERE, FileState, Selector


@dataclass(frozen=True, slots=True)
class Known:
    """An adapter as remembered or declared."""

    port: int
    count: int
    namespace: int
    standing: bool = True
    """Whether the state holds a Service of it, whose identity could be lost."""


class RemovalReason(StrEnum):
    """Why a Service loses its identity."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Memory:
    """What a stack remembers."""

    adapters: Mapping[AdapterName, Known] = field(default_factory=dict)
    found: frozenset[str] = frozenset()
    """Servers that nobody configured by name when they were last declared."""
    servers: frozenset[str] = frozenset()
    """Every server that was declared, with adapters or without."""

    @property
    def noted(self) -> tuple[object, ...]:
        """What must be unchanged for answers recorded with this memory to be used."""
        ports = {adapter: replace(known, standing=True) for adapter, known in self.adapters.items()}
        return ports, self.found, self.servers

    def of(self, server: str) -> Mapping[AdapterName, Known]:
        """The adapters of one server."""
        return {adapter: known for adapter, known in self.adapters.items() if adapter.server == server}


@dataclass(slots=True)
class Verdict:
    """The expected result of a run."""

    declared: dict[AdapterName, Known] = field(default_factory=dict)
    removed: dict[AdapterName, RemovalReason] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    refused: bool = False
    """Whether the run must be refused: for its removals, or for a secret that cannot be encrypted."""

    @property
    def memory(self) -> Memory:
        """What is remembered after the run."""
        return Memory(dict(self.declared), frozenset(self.found), frozenset(self.asked | self.found))


def judge(
    configuration: Configuration,
    memory: Memory,
    answer_of: Callable[[str], Answer],
    *,
    listed: bool,
    denied: frozenset[str] = frozenset(),
) -> Verdict:
    """The expected result of a run; `listed` says whether the found server is in the cluster.

    `denied` are servers that refuse the login.
    """
    verdict = Verdict()
    if not configuration.lost:
        for server in configuration.named:
            verdict.asked.add(server)
            where = configuration.namespace_of(server)
            _judge_server(configuration, memory, server, where, answer_of(server), verdict)
        _judge_found(configuration, memory, answer_of, verdict, listed=listed)
    for adapter in memory.adapters:
        if adapter not in verdict.declared:
            verdict.removed.setdefault(adapter, RemovalReason.UNCONFIGURED)
    verdict.refused = _refused(configuration, verdict)
    if not memory.adapters and not memory.servers:
        # A new stack has nothing to keep: it stops where there is nothing to declare either.
        locked_out = bool(verdict.asked) and verdict.asked <= denied - {DEPLOYED}
        verdict.refused = verdict.refused or locked_out or configuration.file is not FileState.WHOLE
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
        if not any(adapter.server == FOUND for adapter in verdict.declared):
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
        for kind, reported in answer.items():
            if reported.serving:
                verdict.declared[AdapterName(server, kind)] = Known(reported.port_of(kind), 0, where)
    polls = polls or _polls(configuration, known, answer)
    for adapter, it in known.items():
        said = answer.get(adapter.type) if answer is not None else None
        if answer is None or (said is not None and said.enabled and not said.running):
            verdict.declared[adapter] = Known(it.port, it.count, where)
        elif said is None:
            count = min(it.count + polls, configuration.absence_polls)
            if count == configuration.absence_polls:
                verdict.removed[adapter] = RemovalReason.ABSENT
            else:
                verdict.declared[adapter] = Known(it.port, count, where)
        elif not said.enabled:
            verdict.removed[adapter] = RemovalReason.DISABLED
        if adapter in verdict.declared and it.standing and it.namespace != where:
            verdict.removed[adapter] = RemovalReason.MOVED


def _polls(configuration: Configuration, known: Mapping[AdapterName, Known], answer: Answer) -> int:
    """How often a server is polled: again while that can change an absence count."""
    if answer is None:
        return 1
    open_counts = [
        configuration.absence_polls - it.count for adapter, it in known.items() if adapter.type not in answer
    ]
    return max(1, min(configuration.polls_per_run, max(open_counts, default=1)))


def _refused(configuration: Configuration, verdict: Verdict) -> bool:
    if configuration.secret and configuration.file is FileState.WHOLE:
        return True
    approved = configuration.approved if configuration.file is FileState.WHOLE else ()
    if set(approved) == set(map(str, verdict.removed)):
        return False
    why = set(verdict.removed.values())
    emptied = not verdict.declared and bool(why & {RemovalReason.ABSENT, RemovalReason.UNCONFIGURED})
    return emptied or RemovalReason.MOVED in why
