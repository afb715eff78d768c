"""Which stacks are meant."""

import pytest

from dittoinfra.request import Selection
from dittoinfra.stacks.project import Available, Selected, SelectionError, choose

STACKS = ("dev", "prod-eu", "prod-us", "staging")


def _there(*names: str, selected: str | None = None) -> Available:
    """Stacks that all have a file here."""
    return Available(names, names, selected)


def test_names_and_globs_in_the_order_of_speaking_each_once() -> None:
    chosen = choose(Selection(("staging", "prod-*", "prod-us")), _there(*STACKS), creates=True)

    assert chosen == Selected(("staging", "prod-eu", "prod-us"))


def test_all_of_them() -> None:
    available = _there(*STACKS, selected="dev")

    assert choose(Selection(every=True), available, creates=True) == Selected(STACKS)


ONE_HERE = Available(("prod", "staging"), ("prod",))


@pytest.mark.parametrize("creates", [True, False])
def test_all_are_those_with_a_file_here_and_the_others_are_named(creates: bool) -> None:
    assert choose(Selection(every=True), ONE_HERE, creates=creates) == Selected(("prod",), ("staging",))


def test_a_pattern_or_a_tag_creates_nothing_from_a_stack_without_a_file_here() -> None:
    everything = Selected(("prod",), ("staging",))

    assert choose(Selection(("*",)), ONE_HERE, creates=True) == everything
    assert choose(Selection(tags=("ring=1",)), ONE_HERE, creates=True) == everything
    assert choose(Selection(("staging", "*")), ONE_HERE, creates=True) == Selected(("staging", "prod"))


def test_a_pattern_reaches_what_is_to_be_destroyed_without_a_file_here() -> None:
    assert choose(Selection(("stag*",)), ONE_HERE, creates=False) == Selected(("staging",))


def test_what_only_the_backend_knows_is_not_all_there_is() -> None:
    with pytest.raises(SelectionError, match="with a file here; only the backend knows staging"):
        choose(Selection(every=True), Available(("staging",), ()), creates=True)


def test_nobody_named_means_the_selected_one_or_the_only_one() -> None:
    assert choose(Selection(), _there(*STACKS, selected="dev"), creates=True) == Selected(("dev",))
    assert choose(Selection(), _there("dev"), creates=True) == Selected(("dev",))


@pytest.mark.parametrize(
    ("selection", "available", "exit_code", "words"),
    [
        (
            Selection(("prod-ue",)),
            STACKS,
            6,
            "there is no stack 'prod-ue'; did you mean 'prod-us' or 'prod-eu'?",
        ),
        (Selection(("qa",)), STACKS, 6, "there is no stack 'qa'; there are dev, prod-eu, prod-us, staging"),
        (Selection(("qa",)), (), 6, "there is no stack 'qa'"),
        (
            Selection(("qa-*", "x")),
            ("dev",),
            6,
            "no stack matches 'qa-*'; there are dev; there is no stack 'x'",
        ),
        (Selection(every=True), (), 6, "there is no stack here"),
        (Selection(tags=("ring=1",)), (), 6, "there is no stack with ring=1 here"),
        (
            Selection(),
            STACKS,
            2,
            "which stack? Name one or several (dev, prod-eu, prod-us, staging), or say --all",
        ),
        (Selection(), tuple(f"s{n}" for n in range(10)), 2, "s7 and 2 more), or say --all"),
        (Selection(), (), 2, "which stack?"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    selection: Selection, available: tuple[str, ...], exit_code: int, words: str
) -> None:
    with pytest.raises(SelectionError) as refused:
        choose(selection, _there(*available), creates=True)

    assert refused.value.exit_code == exit_code
    assert words in str(refused.value)


def test_a_selected_stack_that_is_gone_is_not_meant() -> None:
    with pytest.raises(SelectionError, match="which stack"):
        choose(Selection(), _there(*STACKS, selected="deleted"), creates=True)
