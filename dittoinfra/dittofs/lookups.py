"""Host names are looked up in threads that nobody has to wait for: a lookup cannot be broken off."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from typing_extensions import override

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Lookups(ThreadPoolExecutor):
    """A thread for each: one that hangs keeps neither the next one waiting nor the process alive.

    A pool, because an event loop takes nothing else; but none of its own threads is ever started.
    """

    @override
    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> "Future[_T]":
        found: Future[_T] = Future()

        def look_up() -> None:
            if not found.set_running_or_notify_cancel():
                return
            try:
                result = fn(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - whoever waits for it decides what it means
                found.set_exception(error)
            else:
                found.set_result(result)

        threading.Thread(target=look_up, name="dittofs-lookup", daemon=True).start()
        return found
