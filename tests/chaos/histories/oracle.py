"""What a run must come to by the rules of this project, worked out without any of its code."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tests.chaos.histories.events import Place
from tests.chaos.histories.state import Held
from tests.chaos.histories.wishes import Wishes

DEFAULT_PORTS = {"nfs": 12049, "smb": 12445}

CROWD, SHARE = 10, 30
"""From this many adapters on no run removes more than this share of them, in percent."""


@dataclass(frozen=True, slots=True)
class Told:
    """What an answer says about one adapter."""

    port: int
    enabled: bool
    running: bool

    @property
    def serving(self) -> bool:
        """Whether clients can use it."""
        return self.enabled and self.running

    def port_of(self, adapter_type: str) -> int:
        """Where it listens: 0 stands for the type's own port."""
        return self.port or DEFAULT_PORTS[adapter_type]


Answer = Mapping[str, Told] | None
"""Adapters by type; None where there is no usable answer."""


class Why(StrEnum):
    """Why a Service goes."""

    DISABLED = "disabled"
    ABSENT = "absent"
    UNCONFIGURED = "unconfigured"


@dataclass(frozen=True, slots=True)
class Declared:
    """An adapter that stays or comes."""

    port: int
    count: int = 0


@dataclass(slots=True)
class Verdict:
    """What a run must come to."""

    declared: dict[Place, Declared] = field(default_factory=dict)
    removed: dict[Place, Why] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    """A word that each reason's error must say; empty where the run goes on."""


def judge(
    wishes: Wishes,
    memory: Mapping[Place, Held],
    answers: Mapping[str, Answer],
    locked_out: Collection[str] = (),
) -> Verdict:
    """The verdict on a whole run; `answers` has one for every configured server.

    `locked_out` are servers that refuse the login of a stack that has never been up.
    """
    verdict = Verdict()
    for server, answer in answers.items():
        _judge_server(wishes, server, memory, answer, verdict)
    for place in memory:
        if place.server not in answers:
            verdict.removed[place] = Why.UNCONFIGURED
    if _braked(wishes, memory, verdict):
        verdict.refused += map(str, verdict.removed)
    if locked_out and set(locked_out) == set(answers) and not verdict.declared:
        verdict.refused += [f"{server}: " for server in locked_out]
    return verdict


def _judge_server(
    wishes: Wishes, server: str, memory: Mapping[Place, Held], answer: Answer, verdict: Verdict
) -> None:
    if answer is None and wishes.on_unreachable == "fail":
        verdict.refused.append(f"{server}: ")
    pinned = wishes.pinned(server)
    verdict.declared |= {Place(server, kind): Declared(port) for kind, port in pinned.items()}
    known = {place: it for place, it in memory.items() if place.server == server and place.type not in pinned}
    if answer is None:
        for place, it in known.items():
            _keep(place, it, it.count, verdict)
        return
    for kind, told in answer.items():
        if told.serving and kind not in pinned:
            verdict.declared[Place(server, kind)] = Declared(told.port_of(kind))
    polls = _polls(wishes, [it for place, it in known.items() if place.type not in answer])
    for place, it in known.items():
        if place.type not in answer:
            _judge_absent(wishes, place, it, polls, verdict)
        elif not answer[place.type].enabled:
            _judge_disabled(wishes, place, it, verdict)
        elif not answer[place.type].running:
            _keep(place, it, it.count, verdict)


def _judge_absent(wishes: Wishes, place: Place, it: Held, polls: int, verdict: Verdict) -> None:
    count = min(it.count + polls, wishes.absence_polls)
    if wishes.removal == "sync" and count == wishes.absence_polls:
        verdict.removed[place] = Why.ABSENT
    else:
        _keep(place, it, count, verdict)


def _judge_disabled(wishes: Wishes, place: Place, it: Held, verdict: Verdict) -> None:
    if wishes.removal == "sync":
        verdict.removed[place] = Why.DISABLED
    else:
        _keep(place, it, 0, verdict)


def _keep(place: Place, it: Held, count: int, verdict: Verdict) -> None:
    verdict.declared[place] = Declared(it.port, count)


def _polls(wishes: Wishes, absent: Sequence[Held]) -> int:
    """A server is asked again while that could say more about an absent adapter."""
    open_counts = [wishes.absence_polls - it.count for it in absent]
    return max(1, min(wishes.polls_per_run, max(open_counts, default=1)))


def _braked(wishes: Wishes, memory: Mapping[Place, Held], verdict: Verdict) -> bool:
    if set(wishes.approved) == set(map(str, verdict.removed)):
        return False
    emptied = not verdict.declared and bool({Why.ABSENT, Why.UNCONFIGURED} & {*verdict.removed.values()})
    many = len(memory) >= CROWD and 100 * len(verdict.removed) > SHARE * len(memory)
    return emptied or many
