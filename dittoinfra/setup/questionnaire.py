"""Questions one after the other, with a way back and a way to go on later. Answers are texts by key.

The questions are data. Which one comes next depends on the answers so far alone, so going back is forgetting
the last answer, and going on with a draft is beginning with its answers.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Protocol

from dittoinfra.setup.stack_template import InvalidAnswerError

BACK = "<"

SetupAnswers = dict[str, str]


class UnverifiedAnswerError(Exception):
    """An answer that may be right, and could not be confirmed: why, and the answer as it would be kept."""

    def __init__(self, why: str, answer: str) -> None:
        super().__init__(why)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several answers that are offered."""

    value: str
    text: str = ""
    """What is known of it."""


def _as_it_is(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and what makes an answer to it right."""

    key: str
    text: str
    check: Callable[[str], str] = _as_it_is
    """The answer as it is kept, `InvalidAnswerError`, or `UnverifiedAnswerError` where it may be right."""
    choices: Sequence[Choice] = ()
    only_choices: bool = False
    """Whether nothing but these is an answer."""
    default: str | None = None
    hidden: bool = False
    """Whether it is a secret: not shown, not offered again, in no draft, and taken as it is typed."""
    transient: bool = False
    """Whether it follows from a secret, so that it is not offered again and in no draft either."""
    intro: str = ""
    """Said before it is asked."""


Questions = Callable[[SetupAnswers], Iterable[Question]]
"""Every question, in order, that these answers lead to; those that are answered included.

It is not asked for more than the first one that has no answer.
"""


class Person(Protocol):
    """The person who answers."""

    def ask(self, question: Question, default: str | None) -> str:
        """What is typed."""

    def confirm(self, text: str) -> bool:
        """Yes or no; no by default."""

    def say(self, line: str) -> None:
        """Show a line."""


def ask_all(
    questions: Questions,
    given: SetupAnswers,
    person: Person,
    save: Callable[[SetupAnswers], None] = lambda _: None,
    resumed: Collection[str] = (),
) -> SetupAnswers:
    """Ask until nothing is left to ask; every answer, the given ones included.

    `save` gets the answers after each one, without the hidden and the transient ones. Of the given answers,
    one can go back to those that are `resumed`; the others came by flags.
    """
    answers = dict(given)
    answered = takewhile(lambda question: question.key in answers, questions(answers))
    asked = [question.key for question in answered if question.key in resumed]
    earlier: SetupAnswers = {}
    unsaved: set[str] = set()
    while (question := _next(questions, answers)) is not None:
        answer = _answer(question, person, earlier.get(question.key, question.default))
        if answer is not None:
            answers[question.key] = answer
            asked.append(question.key)
            unsaved |= {question.key} if question.hidden or question.transient else set()
        elif asked:
            last = asked.pop()
            forgotten = answers.pop(last)
            if last not in unsaved:
                earlier[last] = forgotten
        else:
            person.say("  this is the first question")
        save({key: value for key, value in answers.items() if key not in unsaved})
    return answers


def _next(questions: Questions, answers: SetupAnswers) -> Question | None:
    return next((question for question in questions(answers) if question.key not in answers), None)


def _answer(question: Question, person: Person, default: str | None) -> str | None:
    """An answer that can be used; None to go back."""
    if question.intro:
        person.say(f"\n{question.intro}")
    while True:
        typed = _line(question, person.ask(question, default))
        if typed is None:
            return None
        try:
            return question.check(_offered(question, _chosen(question, typed)))
        except InvalidAnswerError as error:
            person.say(f"  {error}")
        except UnverifiedAnswerError as error:
            person.say(f"  {error}")
            if person.confirm("  use it all the same?"):
                return error.answer


def _line(question: Question, typed: str) -> str | None:
    """What was typed; None to go back."""
    if question.hidden:
        # A password may begin or end with a space, and `<` may be one; none is empty.
        return typed.rstrip("\r\n") or None
    line = typed.strip()
    return None if line == BACK else line


def _chosen(question: Question, typed: str) -> str:
    """A choice by its number, or what was typed."""
    # A name may be a number, too.
    if typed.isdecimal() and typed not in {choice.value for choice in question.choices}:
        place = int(typed) - 1
        if 0 <= place < len(question.choices):
            return question.choices[place].value
    return typed


def _offered(question: Question, answer: str) -> str:
    if not question.only_choices:
        return answer
    for choice in question.choices:
        if answer.lower() == choice.value.lower():
            return choice.value
    values = ", ".join(choice.value for choice in question.choices)
    raise InvalidAnswerError(f"{answer!r} must be one of {values}, or a number in front of one")
