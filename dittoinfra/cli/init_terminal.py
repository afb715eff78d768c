"""The guided start in a terminal: what the user is shown, what is typed, and what is kept of it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dittoinfra.cli.console import say
from dittoinfra.cli.init_questions import InitAnswers, with_logins
from dittoinfra.cli.interrupts import Cancelled

if TYPE_CHECKING:  # the models take a moment to import, which a wrong flag need not cost
    from dittoinfra.dittofs import Login
    from dittoinfra.setup.draft import Draft
    from dittoinfra.setup.guided_start import GuidedStart
    from dittoinfra.setup.questionnaire import Question, SetupAnswers
    from dittoinfra.setup.stack_template import NewServer, NewStack

_HELP = (
    "Press Enter to accept the value in [brackets], type a number to choose from a list, or < to go back.\n"
    "At a password prompt, press Enter alone to go back.\n"
    "Ctrl-C stops; run `dittoinfra init` again to resume."
)


class TerminalPerson:
    """The user at the terminal."""

    def ask(self, question: "Question", default: str | None) -> str:
        """Show the choices and the question, and read a line."""
        wide = max((len(choice.value) for choice in question.choices), default=0)
        for number, choice in enumerate(question.choices, 1):
            say(f"  {number:>2}  {choice.value:<{wide}}  {choice.text}".rstrip())
        # An empty answer is for the question's own check to refuse, not for a prompt that repeats itself.
        shown = {"default": default} if default is not None else {"default": "", "show_default": False}
        typed = typer.prompt(question.text, hide_input=question.hidden, err=True, **shown)
        return str(typed)

    def confirm(self, text: str) -> bool:
        """Yes or no; no by default."""
        return typer.confirm(text, default=False, err=True)

    def say(self, line: str) -> None:
        """Show a line."""
        say(line)


def guided_stack(
    given: InitAnswers,
    servers: "tuple[NewServer, ...]",
    root: Path,
    taken: tuple[str, ...],
    check_stack: Callable[[str], str],
) -> "tuple[NewStack | str, InitAnswers]":
    """What the user answers: a new stack, or the name of one to go on with; and the typed logins."""
    from dittoinfra.projectfile import stack_file
    from dittoinfra.setup.cluster_lookup import ClusterLookup
    from dittoinfra.setup.draft import Draft
    from dittoinfra.setup.guided_start import NO, GuidedStart, new_stack
    from dittoinfra.setup.questionnaire import ask_all

    person, draft = TerminalPerson(), Draft(stack_file(root, "any").parent)
    known = given.admin_password is not None or given.password is not None
    lookup = ClusterLookup(root, os.environ, given.kubeconfig)
    start = GuidedStart(lookup, taken, check_stack, servers, passwords_known=known)
    say(_HELP)
    resumed = _resumed(draft, flags := given.flags)
    with _kept(draft):
        answers = ask_all(start.questions, {**resumed, **flags}, person, draft.save, resumed.keys() - flags)
        if answers["stack"] in taken:
            return answers["stack"], given
        if answers["write"] == NO:
            raise Cancelled

    def typed(server: str) -> "Login | None":
        return _login(start, answers, server)

    existing = answers.get("login", "existing" if given.existing_user else "make") == "existing"
    made = new_stack(answers, start.servers(answers), given.kubeconfig)
    return made, with_logins(given, typed, existing=existing)


def _resumed(draft: "Draft", flags: "SetupAnswers") -> "SetupAnswers":
    """The answers of a draft that the user wants to resume."""
    answers = draft.load()
    stack = answers.get("stack")
    if stack is None or flags.get("stack", stack) != stack:
        return {}
    where = f" in namespace {answers['namespace']}" if "namespace" in answers else ""
    if typer.confirm(f"Unfinished setup of stack {stack}{where} found. Resume it?", default=True, err=True):
        return {key: value for key, value in answers.items() if key != "write"}
    draft.discard()
    return {}


@contextmanager
def _kept(draft: "Draft") -> Iterator[None]:
    """Say that nothing is lost where the user stops."""
    try:
        yield
    except (Cancelled, typer.Abort):
        if draft.load():
            say("\nyour answers are saved; run `dittoinfra init` to resume")
        raise Cancelled from None


def _login(start: "GuidedStart", answers: "SetupAnswers", server: str) -> "Login | None":
    from pydantic import SecretStr

    from dittoinfra.dittofs.users import administrators_login

    typed = start.administrator(answers, server)
    return administrators_login(typed.user, SecretStr(typed.password)) if typed is not None else None
