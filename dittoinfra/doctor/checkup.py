"""All checks of a project, side by side, told in the same order each time."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from dittoinfra.automation import Project, ProjectStack
from dittoinfra.doctor.backend import check_backend
from dittoinfra.doctor.line import Line
from dittoinfra.doctor.machine import check_cli, check_provider
from dittoinfra.doctor.stack import check_stack, unexpected
from dittoinfra.engine import Cli, official_kubernetes_plugin

_STACKS_AT_ONCE = 4
_CHECKS_AT_ONCE = 16


def check_project(
    project: Project, cli: Cli, stacks: Sequence[str], on_line: Callable[[Line], None]
) -> tuple[Line, ...]:
    """Every check of these stacks and of what they need; each line is heard as soon as it is its turn."""
    told: list[Line] = []

    def tell(*lines: Line) -> None:
        for line in lines:
            told.append(line)
            on_line(line)

    with (
        ThreadPoolExecutor(_STACKS_AT_ONCE, "doctor") as pool,
        # A stack waits for its checks: in the same pool the waiting could leave no place for the waited-for.
        ThreadPoolExecutor(_CHECKS_AT_ONCE, "doctor-checks") as checks,
    ):
        provider = checks.submit(official_kubernetes_plugin, project.environment)
        asked = checks.submit(check_backend, project)
        tell(check_cli(cli), check_provider(provider.result(), project.environment))
        line, backend = asked.result()
        tell(line)
        if backend is None:
            return tuple(told)
        work = {name: pool.submit(check_stack, _looked_at(project, name), backend, checks) for name in stacks}
        for name, found in work.items():
            tell(*unexpected(name, found))
    return tuple(told)


def _looked_at(project: Project, name: str) -> ProjectStack:
    """A stack that nobody creates by looking at it."""
    return replace(project.stack(name), create=False)
