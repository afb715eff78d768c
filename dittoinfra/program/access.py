"""Access to every server's API, or every reason why there is none, at once."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from pydantic import SecretStr

from dittoinfra.dittofs import AccessProblems, ApiAccess, ClusterSide, NotAsked, resolve_access
from dittoinfra.settings import ConfigurationError, Problem, ServerSettings


def resolve_all(
    servers: Sequence[ServerSettings],
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    root: Path,
    cluster: ClusterSide | None,
    found: Collection[str] = (),
) -> Mapping[str, ApiAccess | NotAsked]:
    """The access to each server by name, or `ConfigurationError`.

    Without a `cluster` nothing is reached through one. Whoever labels an object so that it is `found` cannot
    know what the stack lacks for it: that stops nobody.
    """
    access: dict[str, ApiAccess | NotAsked] = {}
    problems: list[Problem] = []
    for index, server in enumerate(servers):
        in_cluster = server.name in found
        match resolve_access(server, passwords, environ, root, cluster=cluster, in_cluster=in_cluster):
            case AccessProblems(wrong) if in_cluster:
                access[server.name] = NotAsked("; ".join(map(str, wrong)))
            case AccessProblems(wrong):
                problems += [_placed(problem, index) for problem in wrong]
            case resolved:
                access[server.name] = resolved
    if problems:
        raise ConfigurationError(problems)
    return access


def _placed(problem: Problem, index: int) -> Problem:
    if problem.path.startswith("dittoinfra:"):
        return problem
    return Problem(f"dittoinfra:servers[{index}].{problem.path}", problem.message)
