"""What is begun while the CLI starts, because that takes as long: loading the program, and asking servers.

Whatever is imported before the CLI is started is waited for. This package therefore imports the program, and
all that it stands on, only in the thread that is here.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dittoinfra.loading import DECLARATIONS, PROGRAM, load

if TYPE_CHECKING:
    from dittoinfra.program import Inquiry


class Ahead:
    """Preparations for one run of a stack's program."""

    def __init__(
        self, root: Path, stack: str, environment: Mapping[str, str], inquiry: "Inquiry | None"
    ) -> None:
        self._root = root
        self._stack = stack
        self._environment = environment
        self._given = inquiry
        self._inquiry: Future[Inquiry] = Future()
        self._begun = ExitStack()
        threading.Thread(target=self._prepare, name="ahead").start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A CLI that fails at once does not wait for modules that nobody needs any more.
        self._inquiry.add_done_callback(lambda _: self._begun.close())

    def inquiry(self) -> "Inquiry":
        """Whom the program asks: the one given, or the world itself, asked already where it can be."""
        return self._inquiry.result()

    def _prepare(self) -> None:
        try:
            load(PROGRAM)
            self._inquiry.set_result(self._given or self._early())
        except BaseException as error:  # noqa: BLE001 - whoever waits for it decides what it means
            self._inquiry.set_exception(error)
            return
        load(DECLARATIONS)

    def _early(self) -> "Inquiry":
        from dittoinfra.program.early import EarlyInquiry

        early = EarlyInquiry.begin(self._root, self._stack, self._environment)
        self._begun.callback(early.close)
        return early
