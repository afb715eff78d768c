"""Questions one after the other: checked when typed, back by one, and gone on with later."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from dittoinfra.setup.draft import Draft
from dittoinfra.setup.questionnaire import (
    Choice,
    Question,
    SetupAnswers,
    UnverifiedAnswerError,
    ask_all,
)
from dittoinfra.setup.stack_template import InvalidAnswerError


@dataclass
class Script:
    """A person who types what was written down, and notes what is shown."""

    typed: list[str]
    sure: bool = False
    shown: list[str] = field(default_factory=list)

    def ask(self, question: Question, default: str | None) -> str:
        self.shown.append(f"{question.text} [{default}]" if default else question.text)
        return self.typed.pop(0) or default or ""

    def confirm(self, text: str) -> bool:
        self.shown.append(text)
        return self.sure

    def say(self, line: str) -> None:
        self.shown.append(line.strip())


def small(text: str) -> str:
    if not text.islower():
        raise InvalidAnswerError(f"{text!r} must be small")
    return text


def known(text: str) -> str:
    if text == "far":
        raise UnverifiedAnswerError("far does not answer", text)
    return text


def questions(answers: SetupAnswers) -> Iterator[Question]:
    yield Question("name", "name", small)
    yield Question("place", f"place of {answers['name']}", known, [Choice("here"), Choice("there")])
    if answers["place"] == "there":
        yield Question(
            "how", "how", choices=[Choice("Slow"), Choice("Fast")], only_choices=True, default="Slow"
        )
    yield Question("secret", "secret", hidden=True)


def test_every_answer_is_checked_when_it_is_typed() -> None:
    person = Script(["NAME", "name", "2", "quick", "fast", "pw"])

    assert ask_all(questions, {}, person) == {
        "name": "name",
        "place": "there",
        "how": "Fast",
        "secret": "pw",
    }
    assert "'NAME' must be small" in person.shown
    assert "'quick' must be one of Slow, Fast, or a number in front of one" in person.shown


def test_an_answer_that_cannot_be_confirmed_is_the_persons_to_take() -> None:
    careful, sure = Script(["a", "far", "here", "pw"]), Script(["a", "far", "pw"], sure=True)

    assert ask_all(questions, {}, careful)["place"] == "here"
    assert ask_all(questions, {}, sure)["place"] == "far"
    assert "far does not answer" in sure.shown


def test_back_asks_the_question_before_and_offers_its_answer() -> None:
    person = Script(["<", "first", "there", "<", "<", "second", "", "", "pw"])

    answers = ask_all(questions, {}, person)

    assert answers == {"name": "second", "place": "there", "how": "Slow", "secret": "pw"}
    assert person.shown[1] == "this is the first question"
    assert "name [first]" in person.shown
    assert "place of second [there]" in person.shown


def test_what_was_given_is_not_asked_and_a_secret_is_not_offered_again() -> None:
    def two(answers: SetupAnswers) -> Iterator[Question]:
        yield from questions(answers)
        yield Question("last", "last")

    person = Script(["here", "pw", "<", "other", "end"])

    answers = ask_all(two, {"name": "given"}, person)

    assert answers == {"name": "given", "place": "here", "secret": "other", "last": "end"}
    assert not [line for line in person.shown if "pw" in line]


def test_a_password_is_taken_as_it_is_typed_and_enter_alone_goes_back() -> None:
    for password in (" pw ", "<", " ", "1", "\tpw"):
        assert ask_all(questions, {}, Script(["a", "here", f"{password}\n"]))["secret"] == password

    person = Script(["a", "here", "", " there ", "Fast", "pw"])
    assert ask_all(questions, {}, person) == {"name": "a", "place": "there", "how": "Fast", "secret": "pw"}


def test_what_was_answered_is_kept_without_secrets_and_gone_on_with(tmp_path: Path) -> None:
    draft = Draft(tmp_path / "stacks")
    assert draft.load() == {}

    def interrupted(answers: SetupAnswers) -> Iterator[Question]:
        yield from questions(answers)
        yield Question("last", "last")

    with pytest.raises(IndexError):  # the script ends: the person has gone
        ask_all(interrupted, {}, Script(["name", "here", "pw"]), draft.save)

    assert draft.load() == {"name": "name", "place": "here"}
    person = Script(["", "there", "", "pw"])
    kept = draft.load()
    answers = ask_all(questions, kept, person, draft.save, kept.keys())
    assert answers == {"name": "name", "place": "there", "how": "Slow", "secret": "pw"}

    draft.discard()
    assert draft.load() == {}


def test_a_draft_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    draft = Draft(tmp_path)
    draft.save({"stack": "prod"})
    [file] = tmp_path.iterdir()

    for text in ("{", "[]", '{"stack": 1}'):
        file.write_text(text)
        assert draft.load() == {}
