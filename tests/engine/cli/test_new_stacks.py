"""One command brings up a new server and ends with its adapters served."""

import json

import pytest

from lab.bed.credentials import credential
from tests.engine.cli.fleet_bed import PASSWORD, TIMEOUT, Fleet, read_until
from tests.engine.world import CREDENTIALS

pytestmark = pytest.mark.long


def test_up_waits_for_the_server_that_it_has_deployed(fleet: Fleet) -> None:
    fleet.add_stack("new", fleet.block("new", deploy={"credentials": CREDENTIALS}))
    fleet.server("new").stop()

    process = fleet.start("up", "new", "--yes")
    read_until(process, "media: has just been deployed; waiting until it answers")
    assert "media-api" in fleet.services("new")
    assert "media-adapter-nfs" not in fleet.services("new")
    fleet.server("new").start()
    stdout, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 0, stderr
    assert "media-adapter-nfs" in fleet.services("new")
    assert "new: updated: " in stdout
    assert fleet.run("preview", "new", "--expect-no-changes").returncode == 0


def test_up_makes_its_user_on_a_server_with_an_administrator_of_its_own(fleet: Fleet) -> None:
    fleet.server("new").stop()
    api = {"url": fleet.server("new").url, "username": "reader", "deadline": "3s", "requestTimeout": "1s"}
    fleet.add_stack("new", {"name": "media", "namespace": "files", "deploy": {}, "api": api})
    secrets = {
        "serverSecrets.media.jwt": credential("signing-key"),
        "serverSecrets.media.adminPassword": PASSWORD,
    }
    assert fleet.pulumi("stack", "init", "new").returncode == 0
    for key, value in {**secrets, "passwords.media": credential("reader")}.items():
        assert (
            fleet.pulumi("config", "set", "--secret", "--path", f"dittoinfra:{key}", given=value).returncode
            == 0
        )

    process = fleet.start("up", "new", "--yes")
    read_until(process, "media: has just been deployed; waiting until it answers")
    fleet.server("new").start()
    stdout, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 0, stderr
    assert "media: made the user reader, who may read its adapters' ports" in stderr
    assert "pw-of-the-reader-77" not in stdout + stderr
    assert "media-adapter-nfs" in fleet.services("new")
    assert fleet.run("preview", "new", "--expect-no-changes").returncode == 0


def test_up_says_when_the_wait_ran_out(fleet: Fleet) -> None:
    fleet.add_stack("new", fleet.block("new", deploy={"credentials": CREDENTIALS}))
    fleet.server("new").stop()

    done = fleet.run("up", "new", "--yes", "--wait", "2s", "--json")

    assert done.returncode == 0, "the update itself has succeeded"
    assert "new: warning: media: deployed, but gave no answer within 2 s" in done.stderr
    assert "`dittoinfra up new` declares its adapters" in done.stderr
    [warning] = [
        line
        for line in json.loads(done.stdout)["stacks"][0]["warnings"]
        if "gave no answer within 2 s" in line
    ]
    assert warning in done.stderr
    assert "media-api" in fleet.services("new")

    done = fleet.run("up", "new", "--yes", "--wait", "0")
    assert done.returncode == 0
    assert "waiting" not in done.stderr
