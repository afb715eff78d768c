"""Which stacks are meant."""

import pytest

from dittoinfra.request import Selection
from dittoinfra.stacks.project import Available, Selected, SelectionError, choose

STACKS = ("dev", "prod-eu", "prod-us", "staging")


def _there(*names: str, selected: str | None = None) -> Available:
    """Stacks that all have a file here."""
    return Available(names, names, selected)


def test_names_and_globs_in_the_order_of_speaking_each_once() -> None:
    chosen = choose(Selection(("staging", "prod-*", "prod-us")), _there(*STACKS))

    assert chosen == Selected(("staging", "prod-eu", "prod-us"))


def test_all_of_them() -> None:
    available = _there(*STACKS, selected="dev")

    assert choose(Selection(every=True), available) == Selected(STACKS)


ONE_HERE = Available(("prod", "staging"), ("prod",))


def test_several_at_once_are_those_with_a_file_here_and_the_others_are_named() -> None:
    everything = Selected(("prod",), ("staging",))

    assert choose(Selection(every=True), ONE_HERE) == everything
    assert choose(Selection(("*",)), ONE_HERE) == everything
    assert choose(Selection(tags=("ring=1",)), ONE_HERE) == everything
    assert choose(Selection(("staging", "*")), ONE_HERE) == Selected(("staging", "prod"))


def test_a_stack_without_a_file_here_is_reached_by_its_full_name_only() -> None:
    assert choose(Selection(("staging",)), ONE_HERE) == Selected(("staging",))
    with pytest.raises(SelectionError, match=r"no stack matches 'stag\*'"):
        choose(Selection(("stag*",)), ONE_HERE)


def test_what_only_the_backend_knows_is_not_all_there_is() -> None:
    with pytest.raises(SelectionError, match="with a file here; only the backend knows staging"):
        choose(Selection(every=True), Available(("staging",), ()))


def test_without_a_name_it_is_the_selected_stack_or_the_only_one() -> None:
    assert choose(Selection(), _there(*STACKS, selected="dev")) == Selected(("dev",))
    assert choose(Selection(), _there("dev")) == Selected(("dev",))


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
        choose(selection, _there(*available))

    assert refused.value.exit_code == exit_code
    assert words in str(refused.value)


def test_a_selected_stack_that_is_gone_is_not_meant() -> None:
    with pytest.raises(SelectionError, match="which stack"):
        choose(Selection(), _there(*STACKS, selected="deleted"))
