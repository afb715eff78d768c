"""The brake: removing many adapters, the last one, or moving one needs approval."""

import pytest

from dittoinfra.decide.brake import refusals
from dittoinfra.decide.refusals import BrakePulled
from dittoinfra.decide.stack_rules import decide_stack
from dittoinfra.model import Outcome, StackDecision, StackMemory
from dittoinfra.settings import ServerSettings, StackSettings
from tests.pure.decide.make import UNREACHABLE, answer, disabled, remembering, server, serving

NFS = answer(serving("nfs", 12049))
OFF = answer(disabled("nfs", 12049))
MISSING = answer()


def _stack(
    *outcomes: Outcome,
    approved: tuple[str, ...] = (),
    unconfigured: int = 0,
    limits: dict[str, int] | None = None,
) -> tuple[StackDecision, list[BrakePulled]]:
    """One server with one remembered nfs adapter per outcome, and further ones that have no server left."""
    names = [f"s{index:02}" for index in range(len(outcomes) + unconfigured)]
    servers: list[ServerSettings] = [server(name, absencePolls=1) for name in names[: len(outcomes)]]
    memory: StackMemory = {name: remembering(("nfs", 12049)) for name in names}
    polls = {s.name: [outcome] for s, outcome in zip(servers, outcomes, strict=True)}
    decision = decide_stack(servers, memory, polls)
    stack = StackSettings.model_validate({"approveRemovals": list(approved), "brake": limits or {}})
    return decision, [r for r in refusals(decision, servers, stack) if isinstance(r, BrakePulled)]


@pytest.mark.parametrize(
    ("stack", "removals", "pulled"),
    [
        (9, 8, False),
        (10, 3, False),
        (10, 4, True),
        (100, 30, False),
        (100, 31, True),
        (13, 4, True),
    ],
)
@pytest.mark.parametrize("outcome", [OFF, MISSING], ids=["disabled", "absent"])
def test_from_ten_adapters_on_more_than_thirty_percent_need_approval(
    stack: int, removals: int, pulled: bool, outcome: Outcome
) -> None:
    decision, brakes = _stack(*[outcome] * removals, *[NFS] * (stack - removals))

    assert len(decision.removals) == removals
    assert bool(brakes) is pulled


def test_servers_that_left_the_configuration_count_as_well() -> None:
    _, brakes = _stack(*[NFS] * 6, unconfigured=4)

    assert [brake.removals[0].name for brake in brakes] == ["s06/nfs"]


@pytest.mark.parametrize(
    ("outcomes", "unconfigured", "pulled"),
    [
        ([MISSING], 0, True),
        ([MISSING, OFF], 0, True),
        ([MISSING], 1, True),
        ([OFF], 0, False),
        ([OFF, OFF], 0, False),
        ([OFF], 1, True),
        ([], 1, True),
        ([MISSING, NFS], 0, False),
        ([MISSING, UNREACHABLE], 0, False),
    ],
    ids=[
        "absent",
        "absent and disabled",
        "absent and unconfigured",
        "disabled",
        "all disabled",
        "disabled and unconfigured",
        "unconfigured",
        "one serves",
        "one is kept",
    ],
)
def test_only_disabling_takes_the_last_adapter_unasked(
    outcomes: list[Outcome], unconfigured: int, pulled: bool
) -> None:
    _, brakes = _stack(*outcomes, unconfigured=unconfigured)

    assert [brake.empties for brake in brakes] == [True] * pulled


@pytest.mark.parametrize(
    ("approved", "pulled"),
    [
        (("s00/nfs", "s01/nfs", "s02/nfs", "s03/nfs"), False),
        (("s03/nfs", "s02/nfs", "s01/nfs", "s00/nfs"), False),
        (("s00/nfs", "s01/nfs", "s02/nfs"), True),
        (("s00/nfs", "s01/nfs", "s02/nfs", "s03/nfs", "s04/nfs"), True),
        (("s00/nfs", "s01/nfs", "s02/nfs", "s04/nfs"), True),
        ((), True),
    ],
    ids=["exactly", "in any order", "one less", "one more", "another", "nothing"],
)
def test_only_an_approval_of_exactly_these_releases_it(approved: tuple[str, ...], pulled: bool) -> None:
    _, brakes = _stack(*[OFF] * 4, *[NFS] * 6, approved=approved)

    assert bool(brakes) is pulled


def test_an_approval_that_is_not_needed_is_no_reason_to_stop() -> None:
    _, brakes = _stack(*[OFF] * 3, *[NFS] * 7, approved=("s09/nfs",))

    assert brakes == []


def test_an_approval_releases_the_last_adapter_too() -> None:
    _, brakes = _stack(MISSING, approved=("s00/nfs",))

    assert brakes == []


def test_the_line_lists_every_removal_its_numbers_and_what_to_do() -> None:
    _, brakes = _stack(*[OFF] * 3, MISSING, *[NFS] * 6)

    assert list(map(str, brakes)) == [
        "brake: this run would remove 4 of 10 adapters (40 %, limit 30 % from 10 adapters on): "
        "s00/nfs (disabled), s01/nfs (disabled), s02/nfs (disabled), s03/nfs (absent); "
        "if that is right, approve exactly these: "
        "`dittoinfra:approveRemovals: [s00/nfs, s01/nfs, s02/nfs, s03/nfs]`"
    ]


@pytest.mark.parametrize(
    ("stack", "removals", "share"),
    [
        (13, 4, "4 of 13 adapters (31 %, limit 30 % from 10 adapters on)"),
        (100, 31, "31 of 100 adapters (31 %, limit 30 % from 10 adapters on)"),
    ],
)
def test_a_share_above_the_limit_reads_as_above_it(stack: int, removals: int, share: str) -> None:
    _, [brake] = _stack(*[OFF] * removals, *[NFS] * (stack - removals))

    assert f"this run would remove {share}: " in str(brake)


def test_the_line_says_when_nothing_would_be_left() -> None:
    _, brakes = _stack(MISSING, OFF)

    assert list(map(str, brakes)) == [
        "brake: this run would remove 2 of 2 adapters (100 %), "
        "which would leave none: "
        "s00/nfs (absent), s01/nfs (disabled); "
        "if that is right, approve exactly these: `dittoinfra:approveRemovals: [s00/nfs, s01/nfs]`"
    ]


@pytest.mark.parametrize(
    ("limits", "pulled"),
    [
        ({}, False),
        ({"adapters": 4}, True),
        ({"adapters": 5}, False),
        ({"adapters": 4, "percent": 50}, False),
        ({"adapters": 1, "percent": 0}, True),
    ],
)
def test_the_numbers_are_settings(limits: dict[str, int], pulled: bool) -> None:
    _, brakes = _stack(*[OFF] * 2, *[NFS] * 2, limits=limits)

    assert bool(brakes) is pulled
