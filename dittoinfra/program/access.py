"""Access to every server's API, or every reason why there is none, at once."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import SecretStr

from dittoinfra.dittofs import AccessProblems, ApiAccess, NotAsked, resolve_access
from dittoinfra.settings import ConfigurationError, Problem, ServerSettings


def resolve_all(
    servers: Sequence[ServerSettings],
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    root: Path,
) -> Mapping[str, ApiAccess | NotAsked]:
    """The access to each server by name, or `ConfigurationError`."""
    access: dict[str, ApiAccess | NotAsked] = {}
    problems: list[Problem] = []
    for index, server in enumerate(servers):
        match resolve_access(server, passwords, environ, root):
            case AccessProblems(found):
                problems += [_placed(problem, index) for problem in found]
            case resolved:
                access[server.name] = resolved
    if problems:
        raise ConfigurationError(problems)
    return access


def _placed(problem: Problem, index: int) -> Problem:
    if problem.path.startswith("dittoinfra:"):
        return problem
    return Problem(f"dittoinfra:servers[{index}].{problem.path}", problem.message)
