"""Where a run comes from: the command, the commit, the CI run, and the clusters of its stacks."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dittoinfra.kubernetes import ClusterError
from dittoinfra.reports.result_model import RunSource
from dittoinfra.stacks.result import FleetResult

_GIT_SECONDS = 5.0
_GITHUB = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
_URLS = ("CI_JOB_URL", "CI_PIPELINE_URL", "BUILD_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL")
"""Variables of GitLab, Jenkins, Buildkite and CircleCI."""


def run_source(root: Path, environ: Mapping[str, str]) -> RunSource:
    """The source of a run that is started in this process, on a project in this folder."""
    commit, author, branch = _commit(root, environ)
    return RunSource(
        command=shlex.join(("dittoinfra", *sys.argv[1:])),
        commit=commit,
        # A pipeline checks out a commit, and not the branch that it was made on.
        branch=environ.get("GITHUB_REF_NAME") or environ.get("CI_COMMIT_REF_NAME") or branch,
        author=author,
        ci_url=_ci_url(environ),
    )


def clusters(result: FleetResult) -> dict[str, str]:
    """The address of the Kubernetes API of every stack whose run came so far as to decide."""
    found = {}
    for each in result.results:
        record = each.report.decided
        if record is not None and record.cluster is not None:
            with suppress(ClusterError):
                found[each.stack] = record.cluster.server
    return found


def _ci_url(environ: Mapping[str, str]) -> str | None:
    if all(environ.get(name) for name in _GITHUB):
        server, repository, run = (environ[name] for name in _GITHUB)
        url = f"{server}/{repository}/actions/runs/{run}"
    else:
        url = next((environ[name] for name in _URLS if environ.get(name)), "")
    # It becomes a link: nothing but a page may stand there.
    return url if url.startswith(("https://", "http://")) else None


def _commit(root: Path, environ: Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """Hash, author and branch of the commit that is checked out; None where there is no repository or git."""
    command = ("git", "log", "-1", "--format=%H%x00%an", "HEAD")
    head = _git(root, environ, *command).split("\0")
    if len(head) != 2:
        return None, None, None
    branch = _git(root, environ, "git", "rev-parse", "--abbrev-ref", "HEAD")
    return head[0], head[1], branch if branch != "HEAD" else None


def _git(root: Path, environ: Mapping[str, str], *command: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - git, with arguments of this module
            command,
            cwd=root,
            env=dict(environ),
            capture_output=True,
            text=True,
            check=False,
            timeout=_GIT_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
