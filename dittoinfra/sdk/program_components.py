"""What the components of one program share: the last state, which is read once, and the refusals."""

import asyncio
import contextvars
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import pulumi
from pulumi.runtime import get_root_resource

from dittoinfra.program.engine_inputs import read_resources
from dittoinfra.program.run_errors import StateUnreadable

_T = TypeVar("_T")
_AT_ONCE = 200
"""Components that ask their servers at the same time; a thread is started when it is needed."""

_NO_OTHER_COMES = 2.0
"""Seconds after which no further component is expected in a preview; their hosts declare them at once."""

_POOL = ThreadPoolExecutor(_AT_ONCE, "dittoinfra-component")

OTHER_LANGUAGE: contextvars.ContextVar[bool] = contextvars.ContextVar("OTHER_LANGUAGE", default=False)
"""Whether the component that is being made belongs to a program in another process, and another language."""

MONITOR: contextvars.ContextVar[str] = contextvars.ContextVar("MONITOR", default="")
"""Address by which that program declares its resources: each run has another one."""


_Owners = dict[tuple[str, str, str], tuple[str, str]]
"""The URN and the label of components by cluster, namespace and name of their servers."""


class ProgramComponents:
    """The components of one running program."""

    def __init__(self, owners: "_Owners | None" = None) -> None:
        self._tasks: set[asyncio.Future[Any]] = set()
        self._owners = owners if owners is not None else {}
        self._refused: dict[str, int] = {}

    @cached_property
    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """The last state, if it is first asked for before anything of ours is declared in this run."""
        try:
            return read_resources()
        except StateUnreadable as error:
            raise pulumi.RunError(str(error)) from None

    def add(self, task: "asyncio.Future[Any]") -> None:
        """Add the task of a component."""
        self._tasks.add(task)

    def other_with(self, urn: str, component: str, server: tuple[str, str, str]) -> str | None:
        """Another component that has this server, by cluster, namespace and name; else it is this one's."""
        owner, name = self._owners.setdefault(server, (urn, component))
        return name if owner != urn else None

    def refuse(self, component: str, problems: int) -> None:
        """Let the program fail, but not before every component has said what is wrong with it."""
        first = not self._refused
        self._refused[component] = problems
        if first:
            # The SDK waits for every output, and fails with the first that does.
            failing: pulumi.Input[object] = self._fail()
            pulumi.Output.from_input(failing)

    async def _fail(self) -> object:
        while waiting := [task for task in self._tasks if not task.done()]:
            await asyncio.wait(waiting)
        raise pulumi.RunError("\n".join(refusal_text(name, count) for name, count in self._refused.items()))


class OtherLanguageComponents:
    """The components that this process is declaring for programs in other languages."""

    def __init__(self) -> None:
        self._begun = 0
        self._busy: set[asyncio.Future[Any]] = set()

    def add(self, task: "asyncio.Future[Any]") -> None:
        """Add the task of a component."""
        self._begun += 1
        self._busy.add(task)
        task.add_done_callback(self._busy.discard)

    async def others_checked(self) -> None:
        """Wait until the others have said what is wrong with them: the first failure ends their program.

        How many components a program has cannot be known here: only that no other comes any more.
        """
        if (own := asyncio.current_task()) is not None:
            self._busy.discard(own)
        begun = 0
        while self._busy or begun != self._begun:
            begun = self._begun
            await asyncio.wait([*self._busy, asyncio.ensure_future(asyncio.sleep(_NO_OTHER_COMES))])


OTHER_LANGUAGES = OtherLanguageComponents()


def refusal_text(component: str, problems: int) -> str:
    """The line with which a program ends that has a refused component."""
    shown = "error" if problems == 1 else f"{problems} errors"
    return f"{component} was rejected, so nothing was declared for it; see the {shown} on that resource"


@lru_cache(maxsize=32)
def _owners(monitor: str) -> _Owners:  # noqa: ARG001 - one for each run; a host serves few at a time
    """Which component of a run has which server; only the latest runs are kept."""
    return {}


_PROGRAMS: "WeakKeyDictionary[pulumi.Resource, ProgramComponents]" = WeakKeyDictionary()


def program_components() -> ProgramComponents:
    """The components of the running program; for one of another language, an object of its own.

    A process that serves other languages outlives their programs, and must remember no state of them: only,
    for each run, which component has which server.
    """
    root = get_root_resource()
    if OTHER_LANGUAGE.get() or root is None:
        return ProgramComponents(_owners(monitor) if (monitor := MONITOR.get()) else None)
    if root not in _PROGRAMS:
        _PROGRAMS[root] = ProgramComponents()
    return _PROGRAMS[root]


async def in_thread(function: Callable[..., _T], *arguments: object) -> _T:
    """Run a function that waits for servers in a thread, with the SDK's own context."""
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_POOL, context.run, function, *arguments)
