"""The life of a stack, two runs at once, kills and the fleet: the same wherever the state is kept."""

import json
import threading
from urllib.parse import urlsplit

import pytest

from lab.bed.credentials import credential
from lab.bed.s3 import S3Server
from tests.chaos.crashes.site import STACK, Site
from tests.chaos.crashes.test_recovery import NFS, killed
from tests.chaos.crashes.test_two_at_once import FIRST_MADE, OTHER, ended, held


def _must(site: Site, *arguments: str) -> str:
    done = site.run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_life_of_a_stack(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    plan = str(site.fleet.root / "the.plan")

    _must(site, "preview", STACK, "--save", plan)
    _must(site, "up", "--plan", plan, "--yes")
    before = site.identities()
    site.serve({"nfs": 13049, "smb": 12445})
    _must(site, "up", STACK, "--yes")
    assert site.ports() == {"nfs": 13049, "smb": 12445}
    assert site.identities().keys() >= before.keys()

    site.fleet.server(STACK).remove_adapter("smb")
    _must(site, "up", STACK, "--yes")
    shown = site.run("status", STACK)
    assert shown.returncode == 4, "an adapter is absent, and no Pod is behind the other one's Service"
    assert "missing from the answer, absent 2/3" in shown.stdout, "what the next run counts"
    assert _must(site, "preview", STACK, "--json", "--refresh")
    _must(site, "refresh", STACK, "--yes")
    assert site.ports() == {"nfs": 13049, "smb": 12445}

    _must(site, "destroy", STACK, "--yes", "--remove")
    assert site.services() == {}


def test_of_two_runs_at_once_one_is_refused(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    go_on = threading.Event()
    with held(site, STACK, FIRST_MADE, go_on) as winner:
        refused = site.run("up", STACK, "--yes")
        go_on.set()
        code, said = ended(winner)

    assert code == 0, said
    assert refused.returncode == 1
    assert "the stack is locked by " in refused.stdout
    assert not site.stack().up().changes.any


def test_a_killed_run_is_made_good_by_the_next_one(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    killed(site)
    before = site.identities()

    refused = site.run("up", STACK, "--yes")
    assert refused.returncode == 1
    assert "that process has ended, so release the lock with " in refused.stdout
    done = site.run("up", STACK, "--yes", "--break-lock")

    assert done.returncode == 0, done.stderr
    assert "creating it; it is there, and the stack knows it now" in done.stderr
    assert site.identities()[NFS] == before[NFS]
    again = site.stack().up()
    assert not again.changes.any, again.steps
    assert not again.diagnostics


def test_the_fleet(site: Site) -> None:
    site.configure(STACK, "media")
    site.configure(OTHER, "backup")
    site.serve({"nfs": 12049})
    site.serve({"nfs": 22049}, OTHER)

    shown = json.loads(_must(site, "up", "--all", "--yes", "--json", "--at-once", "2"))

    assert [stack["stack"] for stack in shown["stacks"]] == [OTHER, STACK]
    assert (site.ports("media"), site.ports("backup")) == ({"nfs": 12049}, {"nfs": 22049})
    _must(site, "preview", "--all", "--expect-no-changes")


@pytest.mark.parametrize("backend", ["postgres", "s3"], indirect=True)
def test_nothing_of_a_state_elsewhere_is_left_in_files(site: Site) -> None:
    site.configure()
    site.serve({"nfs": 12049})

    site.up()

    assert list((site.fleet.root / "state").iterdir()) == []


@pytest.mark.parametrize("backend", ["s3"], indirect=True)
def test_state_and_lock_are_objects_of_the_bucket(site: Site, s3: S3Server) -> None:
    bucket = urlsplit(site.fleet.backend or "").netloc
    site.configure()
    site.serve({"nfs": 12049})
    go_on = threading.Event()
    with held(site, STACK, FIRST_MADE, go_on) as run:
        meanwhile = s3.objects(bucket)
        go_on.set()
        code, said = ended(run)

    assert code == 0, said
    locks = f".pulumi/locks/organization/dittoinfra/{STACK}/"
    assert len([key for key in meanwhile if key.startswith(locks)]) == 1, sorted(meanwhile)
    after = s3.objects(bucket)
    assert f".pulumi/stacks/dittoinfra/{STACK}.json" in after
    assert not [key for key in after if key.startswith(".pulumi/locks/")]


@pytest.mark.parametrize("backend", ["s3"], indirect=True)
def test_with_keys_that_are_not_taken_any_more_nothing_changes(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.configure()
    site.serve({"nfs": 12049})
    site.up()
    before = site.identities()
    site.fleet.server(STACK).disable("nfs")

    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", credential("of-no-account"))
    refused = site.run("up", STACK, "--yes")

    assert refused.returncode == 1
    assert "SignatureDoesNotMatch" in refused.stdout
    assert site.identities() == before
