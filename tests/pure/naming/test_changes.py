"""What becomes of resources, counted and in words: the same for every command and document."""

import pytest

from dittoinfra.changes import Change, Changes, in_words
from dittoinfra.json_document import Document

SEVERAL = Changes(create=2, update=1, replace=3, delete=4, same=5)


class _Holder(Document):
    next_changes: Changes


@pytest.mark.parametrize(
    ("changes", "planned", "words"),
    [
        (SEVERAL, False, "2 created, 1 updated, 3 replaced, 4 deleted"),
        (SEVERAL, True, "2 to create, 1 to update, 3 to replace, 4 to delete"),
        (Changes(same=5), False, "nothing to change"),
        (Changes(), True, "nothing to change"),
    ],
)
def test_words(changes: Changes, planned: bool, words: str) -> None:
    assert in_words(changes, planned=planned) == words


def test_what_stays_as_it_was_is_unchanged_before_and_after() -> None:
    assert {Change.SAME.word(planned=planned) for planned in (True, False)} == {"unchanged"}


def test_counting() -> None:
    assert Changes.of(["update", "create", Change.CREATE, "same", "read"]) == Changes(
        create=2, update=1, same=1
    )
    assert [*SEVERAL.each()] == [
        (Change.CREATE, 2),
        (Change.UPDATE, 1),
        (Change.REPLACE, 3),
        (Change.DELETE, 4),
    ]
    assert SEVERAL.total == 15


@pytest.mark.parametrize(
    "change", [Changes(create=1), Changes(update=1), Changes(replace=1), Changes(delete=1)]
)
def test_every_kind_of_change_is_one(change: Changes) -> None:
    assert change.any
    assert not Changes(same=1).any


def test_two_runs_together_leave_as_it_was_what_the_later_one_left() -> None:
    assert SEVERAL.followed_by(Changes(create=1, update=1, replace=1, delete=1, same=9)) == Changes(
        create=3, update=2, replace=4, delete=5, same=9
    )


def test_documents_hold_it_as_a_field() -> None:
    printed = _Holder(next_changes=Changes(create=1)).model_dump_json()

    assert printed == '{"nextChanges":{"create":1,"update":0,"replace":0,"delete":0,"same":0}}'
    assert _Holder.model_validate_json(printed).next_changes == Changes(create=1)
    described = _Holder.model_json_schema()["$defs"]["Changes"]
    assert not described["additionalProperties"]


def test_a_reader_sees_losses_first_each_with_a_sign_of_its_own() -> None:
    assert [
        (str(this), this.sign, this.colour) for this in sorted(Change, key=lambda this: this.severity)
    ] == [
        ("delete", "-", "red"),
        ("replace", "±", "magenta"),
        ("create", "+", "green"),
        ("update", "~", "yellow"),
        ("same", "=", ""),
    ]
