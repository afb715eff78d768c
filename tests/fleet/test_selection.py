"""Which stacks are meant."""

import pytest

from dittoinfra.fleet.selection import Selection, SelectionError, choose

STACKS = ["dev", "prod-eu", "prod-us", "staging"]


def test_names_and_globs_in_the_order_of_speaking_each_once() -> None:
    chosen = choose(Selection(("staging", "prod-*", "prod-us")), STACKS, None)

    assert chosen == ("staging", "prod-eu", "prod-us")


def test_all_of_them() -> None:
    assert choose(Selection(every=True), STACKS, "dev") == tuple(STACKS)


def test_nobody_named_means_the_selected_one_or_the_only_one() -> None:
    assert choose(Selection(), STACKS, "dev") == ("dev",)
    assert choose(Selection(), ["dev"], None) == ("dev",)


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
        (Selection(("qa",)), [], 6, "there is no stack 'qa'"),
        (
            Selection(("qa-*", "x")),
            ["dev"],
            6,
            "no stack matches 'qa-*'; there are dev; there is no stack 'x'",
        ),
        (Selection(every=True), [], 6, "there is no stack here"),
        (Selection(tags=("ring=1",)), [], 6, "there is no stack with ring=1 here"),
        (
            Selection(),
            STACKS,
            2,
            "which stack? Name one or several (dev, prod-eu, prod-us, staging), or say --all",
        ),
        (Selection(), [f"s{n}" for n in range(10)], 2, "s7 and 2 more), or say --all"),
        (Selection(), [], 2, "which stack?"),
    ],
)
def test_what_is_not_there_is_said_in_one_line(
    selection: Selection, available: list[str], exit_code: int, words: str
) -> None:
    with pytest.raises(SelectionError) as refused:
        choose(selection, available, None)

    assert refused.value.exit_code == exit_code
    assert words in str(refused.value)


def test_a_selected_stack_that_is_gone_is_not_meant() -> None:
    with pytest.raises(SelectionError, match="which stack"):
        choose(Selection(), STACKS, "deleted")
