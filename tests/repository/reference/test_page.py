"""The page tells a newcomer about every key."""

import re

import pytest

from dittoinfra.settings.configuration import load
from tests.repository.reference.project import handed_over, parsed
from tools.reference.blocks import Block, Key, blocks
from tools.reference.groups import grouped
from tools.reference.page import anchor, page

EVERY_KEY = [(block, key) for block in blocks() for key in block.keys]


def _identity(part: Block | Key) -> str:
    return part.model.__name__ if isinstance(part, Block) else part.name


def _sections() -> dict[str, str]:
    parts = re.split(r"^##+ (.+)$", page(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize(("block", "key"), EVERY_KEY, ids=_identity)
def test_every_key_has_a_meaning_and_a_row(block: Block, key: Key) -> None:
    assert key.meaning, f"{block.model.__name__}.{key.name} needs a docstring below it"
    rows = [line for line in page().splitlines() if line.startswith(f"| `{key.name}` |")]
    assert any(row.endswith(f"| {key.meaning} |") for row in rows)


@pytest.mark.parametrize("block", blocks(), ids=_identity)
def test_every_block_says_what_it_is_for(block: Block) -> None:
    assert block.meaning
    assert block.meaning in page()


@pytest.mark.parametrize(
    ("section", "row"),
    [
        ("The stack or one server", "| `absencePolls` | whole number, 1 to 100 | `3` |"),
        ("The stack or one server", "| `pollInterval` | duration | `10s` |"),
        ("The stack or one server", "| `removal` | `sync` or `never` | `sync` |"),
        ("The stack alone", "| `passwords` | map of text to secret text | empty |"),
        ("`dittoinfra:api`", "| `deadline` | duration | `20s` |"),
        ("`dittoinfra:api`", "| `url` | http or https address | unset |"),
        ("`dittoinfra:adapters.service`", "| `sourceRanges` | list of networks | empty |"),
        ("`dittoinfra:adapters.service`", "| `type` | `LoadBalancer`, `NodePort` or `ClusterIP` |"),
        ("`dittoinfra:adapters.service`", "| `wait` | true or false | `false` |"),
        ("`dittoinfra:adapters.pinned[]`", "| `port` | port | required |"),
        (
            "`dittoinfra:servers[]`",
            "| `deploy` | block: [`servers[].deploy`](#dittoinfraserversdeploy) | unset |",
        ),
    ],
)
def test_types_and_defaults_are_told_as_people_write_them(section: str, row: str) -> None:
    assert row in _sections()[section]


def test_a_block_that_may_stand_in_several_places_names_them_all() -> None:
    places = "`dittoinfra:adapters.service` and `dittoinfra:adapters.types.<adapter type>`"

    assert f"May stand at {places}." in _sections()["`dittoinfra:adapters.service`"]


def test_what_the_section_on_layers_says_is_not_said_again_for_every_block() -> None:
    assert "May stand at" not in _sections()["`dittoinfra:api`"]


def test_every_link_leads_somewhere() -> None:
    headings = {anchor(title) for title in _sections()}

    assert set(re.findall(r"\]\(#([^)]+)\)", page())) <= headings


def test_the_contents_name_every_section_once() -> None:
    lines = re.findall(r"^ *- \[.+\]\(#.+\)$", page(), flags=re.MULTILINE)
    contents = re.findall(r"\]\(#(.+?)\)", "\n".join(lines))
    headings = [anchor(title) for title in re.findall(r"^##+ (.+)$", page(), flags=re.MULTILINE)]

    assert sorted(contents) == sorted(headings)
    assert len(set(contents)) == len(contents)


def test_no_group_of_keys_is_empty() -> None:
    assert [name for name, members in grouped(blocks()) if not members] == []


def test_no_table_is_empty() -> None:
    assert not re.search(r"^\|---.*\n(?!\|)", page(), flags=re.MULTILINE)


def test_every_table_has_the_same_columns_in_every_row() -> None:
    rows = [line for line in page().splitlines() if line.startswith("|")]

    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


def test_the_examples_can_be_used_as_they_are() -> None:
    examples = re.findall(r"^```yaml\n(.*?)^```", page(), flags=re.MULTILINE | re.DOTALL)

    assert examples
    for example in examples:
        load(handed_over(parsed(example)["config"]), encrypted=())
