"""Questions to the pulumi CLI, and those that are asked before their answers are needed.

Nothing here imports the SDK: the CLI takes as long to decrypt a configuration as Python to import what reads
it, so the one is done beside the other.
"""

import os
import subprocess
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

Answer = subprocess.CompletedProcess[str]


def ask_cli(
    cli: str, root: Path, environment: Mapping[str, str], arguments: tuple[str, ...], given: str | None = None
) -> Answer:
    """What the CLI answers; `given` goes to its standard input, where no process list shows it."""
    return subprocess.run(  # noqa: S603 - the CLI that was found for this, and arguments of this package
        [cli, *arguments, "--non-interactive"],
        cwd=root,
        env={**os.environ, **environment},
        input=given or "",
        capture_output=True,
        text=True,
        check=False,
    )


def cli_environment() -> dict[str, str]:
    """What the CLI runs in."""
    return {"PULUMI_SKIP_UPDATE_CHECK": "1", **os.environ}


def configuration_question(stack: str) -> tuple[str, ...]:
    """Asks for the whole configuration of a stack, decrypted."""
    return ("config", "--json", "--show-secrets", "--stack", stack)


@dataclass(frozen=True, slots=True)
class EarlyQuestion:
    """A question that was asked early. Its answer is used once: later it may be another."""

    arguments: tuple[str, ...]
    _answer: "list[Future[Answer]]" = field(repr=False)

    def take(self, arguments: tuple[str, ...]) -> Answer | None:
        """The answer, waited for, where this is the question and the answer has not been taken yet."""
        if arguments != self.arguments:
            return None
        try:
            answer = self._answer.pop()
        except IndexError:
            return None
        return answer.result()


def ask_early(
    cli: str, root: Path, environment: Mapping[str, str], arguments: tuple[str, ...]
) -> EarlyQuestion:
    """Ask in a thread, and return at once."""
    found: Future[Answer] = Future()

    def ask() -> None:
        try:
            found.set_result(ask_cli(cli, root, environment, arguments))
        except BaseException as error:  # noqa: BLE001 - the caller that takes the answer handles it
            found.set_exception(error)

    # A daemon: a command that ends for another reason does not wait for an answer that it does not want.
    threading.Thread(target=ask, name="early-question", daemon=True).start()
    return EarlyQuestion(arguments, [found])
