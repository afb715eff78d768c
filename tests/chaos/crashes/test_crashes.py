"""After a process was killed at any point, the next `up` repairs the stack and no Service loses its identity.

One test is one crash. To replay a crash: `pytest 'tests/chaos/crashes/test_crashes.py::test_...[SEED]'`.
"""

from itertools import repeat

import pytest

from tests.chaos.crashes.crash import Crash, Ended, crash_of, run_and_kill
from tests.chaos.crashes.site import STACK, Identity, Site

CRASHES = 54
RECOVERY = ("up", STACK, "--yes", "--break-lock")


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(CRASHES))
def test_the_next_update_makes_a_killed_one_good(site: Site, seed: int) -> None:
    crash = crash_of(seed)
    print(f"crash {crash}")  # noqa: T201 - pytest shows it where the test fails
    site.fleet.versions = repeat(crash.version)
    crash.scene.prepare(site)
    before = site.identities()

    ended = run_and_kill(crash, site)

    assert_said(crash, ended)
    site.give_addresses()
    between = site.identities()
    assert_kept(before, between)

    done = site.run(*RECOVERY)

    assert done.returncode == 0, done.stderr
    assert "error" not in done.stderr
    assert site.ports() == crash.scene.adapters, done.stderr
    assert_kept(between, site.identities())
    again = site.stack().up()
    assert again.ok, again.lines("error")
    assert not again.changes.any, again.steps
    assert not again.diagnostics, "nothing of it is left to be told"
    assert not site.stack().export().get("pending_operations")


def assert_said(crash: Crash, ended: Ended) -> None:
    """Whatever process survives reports in one line what happened and what to do."""
    if ended.exit_code in (0, -9):
        return
    assert ended.exit_code == 1, ended.said
    errors = [line for line in ended.said.splitlines() if ": error: " in line]
    words = {"cli": "was ended by SIGKILL", "provider": "the Kubernetes provider has ended"}
    assert errors, ended.said
    assert all(words[crash.victim] in line and "; run again" in line for line in errors), errors
    assert "Traceback" not in ended.said


def assert_kept(before: dict[str, Identity], after: dict[str, Identity]) -> None:
    """Each Service that still exists has the same identity."""
    for name in before.keys() & after.keys():
        assert after[name] == before[name], f"{name} has changed its identity"
