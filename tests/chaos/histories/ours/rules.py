"""The expected result of a run by the documented rules, computed without the product's code."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.oracle import Answer
from tests.chaos.histories.ours.configuration import Configuration
from tests.chaos.histories.ours.events import DEPLOYED, FOUND, HERE, FileState, Selector

PERCENT = 30
"""Of the remembered adapters, that a run may remove from the brake's number on."""


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
    RENAMED = "renamed"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class Memory:
    """What a stack remembers."""

    adapters: Mapping[AdapterName, Known] = field(default_factory=dict)
    found: frozenset[str] = frozenset()
    """Servers that were not configured by name when they were last declared."""
    servers: frozenset[str] = frozenset()
    """Every server that was declared, with adapters or without."""
    missed: int = 0
    """How often the found server was not listed, while it has no adapters."""

    @property
    def noted(self) -> tuple[object, ...]:
        """What must be unchanged for answers recorded with this memory to be used."""
        ports = {adapter: replace(known, standing=True) for adapter, known in self.adapters.items()}
        return ports, self.found, self.servers, self.missed

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
    missed: int = 0
    refused: bool = False
    """Whether the run must be refused: for its removals, or for a secret that cannot be encrypted."""

    @property
    def memory(self) -> Memory:
        """What is remembered after the run."""
        servers = frozenset(self.asked | self.found)
        return Memory(dict(self.declared), frozenset(self.found), servers, self.missed)


def judge(
    configuration: Configuration,
    memory: Memory,
    answer_of: Callable[[str], Answer],
    *,
    listed: bool,
    denied: frozenset[str] = frozenset(),
    counts: bool = True,
) -> Verdict:
    """The expected result of a run; `listed` says whether the found server is in the cluster.

    `denied` are servers that refuse the login; `counts` says whether the run counts absences.
    """
    verdict = Verdict()
    if not configuration.lost:
        for server in configuration.named:
            verdict.asked.add(server)
            where = configuration.namespace_of(server)
            polls = None if counts else 0
            _judge_server(configuration, memory, server, where, answer_of(server), verdict, polls)
        _judge_found(configuration, memory, answer_of, verdict, listed=listed, counts=counts)
    for adapter in memory.adapters:
        if adapter not in verdict.declared:
            verdict.removed.setdefault(adapter, RemovalReason.UNCONFIGURED)
    if verdict.asked - memory.servers:
        # Removed beside a new server: perhaps the same one under another name.
        for adapter, why in verdict.removed.items():
            if why is RemovalReason.UNCONFIGURED:
                verdict.removed[adapter] = RemovalReason.RENAMED
    verdict.refused = _refused(configuration, verdict, len(memory.adapters))
    if not memory.adapters and not memory.servers:
        # A new stack has nothing to keep: it stops where there is nothing to declare either.
        locked_out = bool(verdict.asked) and verdict.asked <= denied - {DEPLOYED}
        verdict.refused = verdict.refused or locked_out or configuration.file is not FileState.WHOLE
    return verdict


def held(memory: Memory) -> Verdict:
    """The expected result of a run that asks nobody: everything stays as it is remembered."""
    declared = {adapter: replace(known, standing=True) for adapter, known in memory.adapters.items()}
    return Verdict(declared, found=set(memory.found), asked=set(memory.servers), missed=memory.missed)


def _judge_found(
    configuration: Configuration,
    memory: Memory,
    answer_of: Callable[[str], Answer],
    verdict: Verdict,
    *,
    listed: bool,
    counts: bool,
) -> None:
    if configuration.finds is None or FOUND in configuration.named:
        return
    known = memory.of(FOUND)
    elsewhere = any(it.namespace != HERE for it in known.values())
    if listed and configuration.finds is not Selector.WARM and not elsewhere:
        verdict.found.add(FOUND)
        verdict.asked.add(FOUND)
        _judge_server(configuration, memory, FOUND, HERE, answer_of(FOUND), verdict, None if counts else 0)
    elif FOUND not in memory.found:
        return
    elif known and counts:
        # To its adapters a listing without it is one answer that misses them.
        verdict.found.add(FOUND)
        where = next(iter(known.values())).namespace
        _judge_server(configuration, memory, FOUND, where, {}, verdict, polls=1)
        if not any(adapter.server == FOUND for adapter in verdict.declared):
            verdict.found.discard(FOUND)
    elif not counts or memory.missed + 1 < configuration.absence_polls_of(FOUND):
        # Kept as it was found, and asked as before.
        verdict.found.add(FOUND)
        verdict.asked.add(FOUND)
        verdict.missed = memory.missed + counts
        where = next((it.namespace for it in known.values()), HERE)
        _judge_server(configuration, memory, FOUND, where, answer_of(FOUND), verdict, None if counts else 0)


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
    limit = configuration.absence_polls_of(server)
    if polls is None:
        polls = _polls(configuration, limit, known, answer)
    for adapter, it in known.items():
        now = _judge_known(limit, it, answer, adapter.type, polls)
        if isinstance(now, RemovalReason):
            verdict.removed[adapter] = now
        elif now is not None:
            verdict.declared[adapter] = replace(it, count=now, namespace=where, standing=True)
        if adapter in verdict.declared and it.standing and it.namespace != where:
            verdict.removed[adapter] = RemovalReason.MOVED


def _judge_known(limit: int, it: Known, answer: Answer, kind: str, polls: int) -> int | RemovalReason | None:
    """The absence count of a known adapter, or why it is removed; None where it is served."""
    said = answer.get(kind) if answer is not None else None
    if answer is None or (said is None and not polls):
        return it.count
    if said is None:
        count = min(it.count + polls, limit)
        return RemovalReason.ABSENT if count == limit else count
    if not said.enabled:
        return RemovalReason.DISABLED
    return None if said.running else it.count


def _polls(
    configuration: Configuration, limit: int, known: Mapping[AdapterName, Known], answer: Answer
) -> int:
    """How often a server is polled: again while that can change an absence count."""
    if answer is None:
        return 1
    open_counts = [limit - it.count for adapter, it in known.items() if adapter.type not in answer]
    return max(1, min(configuration.polls_per_run, max(open_counts, default=1)))


def _refused(configuration: Configuration, verdict: Verdict, remembered: int) -> bool:
    if configuration.exposes_secret:
        return True
    approved = configuration.approved if configuration.file is FileState.WHOLE else ()
    if set(approved) == set(map(str, verdict.removed)):
        return False
    why = set(verdict.removed.values())
    emptied = not verdict.declared and bool(why & {RemovalReason.ABSENT, RemovalReason.UNCONFIGURED})
    too_many = remembered >= configuration.brake and 100 * len(verdict.removed) > PERCENT * remembered
    return emptied or too_many or bool(why & {RemovalReason.MOVED, RemovalReason.RENAMED})
