"""Two runs at the same time: a second run of the same stack is refused, runs of two stacks both succeed."""

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lab.standin import StandInProvider
from tests.chaos.crashes.fault_store import FaultPoint, FaultStore
from tests.chaos.crashes.site import STACK, Site
from tests.engine.cli.fleet_bed import TIMEOUT

OTHER = "other"
FIRST_CHANGE = FaultPoint("write", 1, "before")
FIRST_MADE = FaultPoint("write", 1, "after")
Held = subprocess.Popen[str]


@contextmanager
def held(site: Site, stack: str, moment: FaultPoint, wait: threading.Event) -> Iterator[Held]:
    """A run of `up` that is paused at a fault point until `wait` is set."""
    reached = threading.Event()

    def hold() -> None:
        reached.set()
        assert wait.wait(TIMEOUT)

    with StandInProvider(FaultStore(site.store, moment, hold)) as provider:
        process = site.start("up", stack, "--yes", provider=provider.environment())
        try:
            assert reached.wait(TIMEOUT)
            yield process
        finally:
            wait.set()
            process.communicate(timeout=TIMEOUT)


def ended(process: Held) -> tuple[int, str]:
    """Exit code and output."""
    stdout, stderr = process.communicate(timeout=TIMEOUT)
    return process.returncode, stdout + stderr


def test_of_one_stack_one_run_wins_and_the_other_is_refused(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049, "smb": 12445})
    go_on = threading.Event()
    # One has made something that its state does not know yet: the other must not take that for a crash.
    with held(site, STACK, FIRST_MADE, go_on) as winner:
        refused = site.run("up", STACK, "--yes")
        alive = winner.poll() is None
        go_on.set()
        code, said = ended(winner)

    assert alive
    assert refused.returncode == 1
    [line] = [line for line in refused.stdout.splitlines() if ": error: " in line]
    assert "the stack is locked by " in line
    assert " since 20" in line
    assert "; wait for that run to end or, if it is dead, release the lock with " in line
    assert code == 0, said
    assert "error" not in said
    assert site.ports() == {"nfs": 12049, "smb": 12445}
    again = site.stack().up()
    assert again.ok
    assert not again.changes.any, again.steps
    assert not again.diagnostics


def test_of_two_stacks_both_runs_go_through(site: Site) -> None:
    # In one namespace, each with a server of its own.
    site.configure(STACK, "media")
    site.configure(OTHER, "backup")
    site.serve({"nfs": 12049, "smb": 12445})
    site.serve({"nfs": 22049}, OTHER)
    together = threading.Event()
    with (
        held(site, STACK, FIRST_CHANGE, together) as one,
        held(site, OTHER, FIRST_CHANGE, together) as other,
    ):
        # Both are in the middle of their update now.
        together.set()
        results = [ended(one), ended(other)]

    assert [code for code, _ in results] == [0, 0], results
    assert all("error" not in said for _, said in results)
    assert site.ports("media") == {"nfs": 12049, "smb": 12445}
    assert site.ports("backup") == {"nfs": 22049}
    for stack in (STACK, OTHER):
        again = site.stack(stack).up()
        assert not again.changes.any, again.steps


def test_one_command_runs_two_stacks_side_by_side(site: Site) -> None:
    site.configure(STACK, "media")
    site.configure(OTHER, "backup")
    site.serve({"nfs": 12049})
    site.serve({"nfs": 22049}, OTHER)

    done = site.run("up", STACK, OTHER, "--yes", "--at-once", "2")

    assert done.returncode == 0, done.stderr
    assert (site.ports("media"), site.ports("backup")) == ({"nfs": 12049}, {"nfs": 22049})
