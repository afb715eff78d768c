"""The expected result of a run by the documented rules, computed without the product's code."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tests.chaos.histories.events import AdapterName
from tests.chaos.histories.stack_configuration import StackConfiguration
from tests.chaos.histories.state import Held

DEFAULT_PORTS = {"nfs": 12049, "smb": 12445}

BRAKE_ADAPTERS, BRAKE_PERCENT = 10, 30
"""With at least this many adapters, no run removes more than this percentage of them."""


@dataclass(frozen=True, slots=True)
class Reported:
    """What an answer says about one adapter."""

    port: int
    enabled: bool
    running: bool

    @property
    def serving(self) -> bool:
        """Whether it is enabled and running."""
        return self.enabled and self.running

    def port_of(self, adapter_type: str) -> int:
        """The port it listens on; 0 means the type's default port."""
        return self.port or DEFAULT_PORTS[adapter_type]


Answer = Mapping[str, Reported] | None
"""Adapters by type; None where there is no usable answer."""


class RemovalReason(StrEnum):
    """Why a Service is removed."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"


@dataclass(frozen=True, slots=True)
class Declared:
    """An adapter that is declared."""

    port: int
    count: int = 0


@dataclass(slots=True)
class Verdict:
    """The expected result of a run."""

    declared: dict[AdapterName, Declared] = field(default_factory=dict)
    removed: dict[AdapterName, RemovalReason] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    """Words that the errors must contain; empty if the run is not refused."""


def judge(
    configuration: StackConfiguration,
    memory: Mapping[AdapterName, Held],
    answers: Mapping[str, Answer],
    locked_out: Collection[str] = (),
) -> Verdict:
    """The expected result of a run; `answers` has an entry for each configured server.

    `locked_out` are servers that refuse the login of a stack that has never been up.
    """
    verdict = Verdict()
    for server, answer in answers.items():
        _judge_server(configuration, server, memory, answer, verdict)
    for adapter in memory:
        if adapter.server not in answers:
            verdict.removed[adapter] = RemovalReason.UNCONFIGURED
    if _braked(configuration, memory, verdict):
        verdict.refused += map(str, verdict.removed)
    if locked_out and set(locked_out) == set(answers) and not verdict.declared:
        verdict.refused += [f"{server}: " for server in locked_out]
    return verdict


def _judge_server(
    configuration: StackConfiguration,
    server: str,
    memory: Mapping[AdapterName, Held],
    answer: Answer,
    verdict: Verdict,
) -> None:
    if answer is None and configuration.on_unreachable == "fail":
        verdict.refused.append(f"{server}: ")
    pinned = configuration.pinned(server)
    verdict.declared |= {AdapterName(server, kind): Declared(port) for kind, port in pinned.items()}
    known = {
        adapter: it
        for adapter, it in memory.items()
        if adapter.server == server and adapter.type not in pinned
    }
    if answer is None:
        for adapter, it in known.items():
            _keep(adapter, it, it.count, verdict)
        return
    for kind, reported in answer.items():
        if reported.serving and kind not in pinned:
            verdict.declared[AdapterName(server, kind)] = Declared(reported.port_of(kind))
    polls = _polls(configuration, [it for adapter, it in known.items() if adapter.type not in answer])
    for adapter, it in known.items():
        if adapter.type not in answer:
            _judge_absent(configuration, adapter, it, polls, verdict)
        elif not answer[adapter.type].enabled:
            _judge_disabled(configuration, adapter, it, verdict)
        elif not answer[adapter.type].running:
            _keep(adapter, it, it.count, verdict)


def _judge_absent(
    configuration: StackConfiguration, adapter: AdapterName, it: Held, polls: int, verdict: Verdict
) -> None:
    count = min(it.count + polls, configuration.absence_polls)
    if configuration.removal == "sync" and count == configuration.absence_polls:
        verdict.removed[adapter] = RemovalReason.ABSENT
    else:
        _keep(adapter, it, count, verdict)


def _judge_disabled(
    configuration: StackConfiguration, adapter: AdapterName, it: Held, verdict: Verdict
) -> None:
    if configuration.removal == "sync":
        verdict.removed[adapter] = RemovalReason.DISABLED
    else:
        _keep(adapter, it, 0, verdict)


def _keep(adapter: AdapterName, it: Held, count: int, verdict: Verdict) -> None:
    verdict.declared[adapter] = Declared(it.port, count)


def _polls(configuration: StackConfiguration, absent: Sequence[Held]) -> int:
    """How often a server is polled: again while that can change an absence count."""
    open_counts = [configuration.absence_polls - it.count for it in absent]
    return max(1, min(configuration.polls_per_run, max(open_counts, default=1)))


def _braked(configuration: StackConfiguration, memory: Mapping[AdapterName, Held], verdict: Verdict) -> bool:
    if set(configuration.approved) == set(map(str, verdict.removed)):
        return False
    reasons = {*verdict.removed.values()}
    emptied = not verdict.declared and bool({RemovalReason.ABSENT, RemovalReason.UNCONFIGURED} & reasons)
    # With `removal: never` only an approval lets the Services of a server go that is not configured any more.
    withheld = configuration.removal == "never" and RemovalReason.UNCONFIGURED in reasons
    many = len(memory) >= BRAKE_ADAPTERS and 100 * len(verdict.removed) > BRAKE_PERCENT * len(memory)
    return emptied or many or withheld
