"""Recovery when servers or objects change between a killed run and the next one."""

import os
from typing import Any

import pytest

from dittoinfra.stacks.recovery import recover, settle
from lab.standin import StandInProvider
from tests import ROOT
from tests.chaos.crashes.fault_store import FaultPoint, FaultStore
from tests.chaos.crashes.processes import engines_of, kill
from tests.chaos.crashes.provider import KilledProvider
from tests.chaos.crashes.site import STACK, Site

DONE = FaultPoint("write", 1, "after")
NOT_DONE = FaultPoint("write", 1, "before", arrives=False)
NFS = "media-adapter-nfs"


def killed(site: Site, moment: FaultPoint = DONE) -> None:
    """Run `up` and kill its CLI at its first write to the cluster."""
    store = FaultStore(site.store, moment, lambda: kill(*engines_of(os.getpid())))
    with StandInProvider(store) as provider:
        stack = site.stack()
        stack.environment = {**site.environment, **provider.environment()}
        report = stack.up()
    assert store.triggered.is_set()
    assert report.exit_code == 1
    assert "the pulumi CLI was ended by SIGKILL" in report.lines("error")[0]


def the_state(site: Site) -> dict[str, Any]:
    """The state without its manifest, which holds timestamps."""
    return {key: value for key, value in site.stack().export().items() if key != "manifest"}


def test_an_update_that_is_not_wanted_any_more_is_undone(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    site.up()
    site.serve({"nfs": 13049})
    killed(site)
    assert site.ports() == {"nfs": 13049}
    site.serve({"nfs": 12049})

    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    line = "media/nfs: an earlier run was interrupted while updating it; the stack knows how it is now"
    assert line in done.stderr
    assert site.ports() == {"nfs": 12049}, "the state says the same as before the update that was killed"


def test_a_secret_whose_creation_was_interrupted_is_kept(site: Site) -> None:
    site.configure(deploy={})
    site.encrypt_secrets()
    site.serve({"nfs": 12049})
    killed(site, FaultPoint("write", 1, "after", kind="Secret"))
    before = site.secrets()
    assert before

    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    assert site.secrets().items() >= before.items(), "the same object, with the same values"


def test_a_state_that_has_moved_is_not_overwritten(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    site.stack().break_lock()
    stack = site.stack()
    states = [stack.state() for _ in range(2)]
    moved = {**states[0], "deployment": {**states[0]["deployment"], "secrets_providers": {}}}
    # Another run comes to its end while the cluster is asked, twice.
    answers = iter((states[0], moved, states[1], moved))
    monkeypatch.setattr(type(stack), "state", lambda _: next(answers))
    monkeypatch.setattr(type(stack), "export", lambda _: states[0]["deployment"])
    monkeypatch.setattr(type(stack), "replace_state", lambda *_: pytest.fail("it was overwritten"))

    report = recover(stack)

    assert report.exit_code == 1
    assert report.lines("error") == [
        "what an interrupted run has left cannot be made sure of: "
        "another run has changed the stack meanwhile; run again"
    ]


def test_what_was_deleted_comes_back_where_it_is_wanted_again(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049, "smb": 12445})
    site.up()
    site.serve({"nfs": 12049})
    killed(site)
    assert site.ports() == {"nfs": 12049}
    site.serve({"nfs": 12049, "smb": 12445})

    assert site.run("up", STACK, "--yes", "--break-lock").returncode == 0
    assert site.ports() == {"nfs": 12049, "smb": 12445}


def test_what_was_made_stays_although_its_server_is_silent_now(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    before = site.identities()
    site.configure(deadline="3s")
    site.fleet.server(STACK).outage()

    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    line = (
        "media/nfs: an earlier run was interrupted while creating it; it is there, and the stack knows it now"
    )
    assert line in done.stderr
    assert site.identities() == before
    site.configure()
    site.fleet.server(STACK).normal()
    again = site.stack().up()
    assert not again.changes.any, again.steps


def test_what_a_killed_provider_had_made_is_known_before_the_run_ends(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed = KilledProvider(site.api.kubeconfig, DONE, ROOT, site.fleet.root / "provider.log")
    stack = site.stack()
    stack.environment = {**site.environment, **killed.environment()}

    report = settle(stack, stack.up())

    killed.server.stop()
    assert report.exit_code == 1
    assert "the Kubernetes provider has ended (" in report.lines("error")[0]
    line = "media/nfs: the provider ended while creating it; it is there, and the stack knows it now"
    assert report.lines("info") == [line]
    before = site.identities()
    site.up()
    assert site.identities() == before
    again = site.stack().up()
    assert not again.changes.any, again.steps


def test_a_foreign_object_of_that_name_is_left_alone(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site, NOT_DONE)
    [mark] = site.stack().export()["pending_operations"]
    manifest = mark["resource"]["inputs"]
    path = f"/api/v1/namespaces/{site.namespace}/services"
    site.client.post(path, json=manifest, params={"fieldManager": "kubectl"}).raise_for_status()
    before = site.services()[NFS]

    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 5
    assert f"creating it; Service {NFS} is there: it was written by kubectl" in done.stderr
    assert "exists already and this stack did not make it" in done.stdout
    assert site.services()[NFS] == before
    assert NFS not in str(the_state(site)["resources"])


def test_a_preview_tells_what_was_interrupted_and_changes_nothing(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    before = the_state(site)

    shown = site.run("preview", STACK)

    # It may not write the state, so what was made still passes for foreign.
    assert shown.returncode == 5, shown.stderr
    line = f"an earlier run was interrupted while creating it; `dittoinfra up {STACK}` sees first"
    assert line in shown.stderr
    assert "`dittoinfra up` finds what an interrupted run of this stack made" in shown.stdout
    assert the_state(site) == before


def test_nothing_is_touched_while_the_lock_is_there(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    before = the_state(site)

    refused = site.run("up", STACK, "--yes")

    assert refused.returncode == 1
    [line] = [line for line in refused.stdout.splitlines() if ": error: " in line]
    assert "the stack is locked by " in line
    assert "; that process has ended, so release the lock with " in line
    assert the_state(site) == before


def test_a_destruction_takes_along_what_a_killed_run_had_made(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    assert site.services()

    done = site.run("destroy", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    assert site.services() == {}


@pytest.mark.parametrize("moment", [DONE, NOT_DONE])
def test_ports_on_a_foreign_workload_are_declared_again(site: Site, moment: FaultPoint) -> None:
    site.workload()
    site.configure(patchPorts=True, adapters={"types": {"nfs": {"type": "ClusterIP"}}})
    site.serve({})
    site.up()
    site.serve({"nfs": 12049})
    killed(site, moment)

    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    [container] = site.workload()["spec"]["template"]["spec"]["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [8080, 12049]
    site.serve({})
    site.up()
    [container] = site.workload()["spec"]["template"]["spec"]["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [8080]
