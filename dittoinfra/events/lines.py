"""Events as lines of JSON."""

import threading
from collections.abc import Callable, Mapping
from typing import TextIO

from dittoinfra.events.event import Event


class JsonLines:
    """Writes every event at once, so that whoever follows the file sees it as it happens."""

    def __init__(self, stream: TextIO, on_trouble: Callable[[str], None]) -> None:
        self._stream = stream
        self._on_trouble = on_trouble
        self._writing = threading.Lock()
        self._gave_up = False

    def begin(self, stack: str, config: Mapping[str, str]) -> None:
        """Nothing to prepare."""
        del stack, config

    def tell(self, event: Event) -> None:
        """Write one line; a stream that takes no more is left alone from then on."""
        with self._writing:
            if self._gave_up:
                return
            try:
                self._stream.write(event.as_line() + "\n")
                self._stream.flush()
            except (OSError, ValueError) as error:
                self._gave_up = True
                self._on_trouble(f"events are not written any more: {error}; the run goes on without them")
