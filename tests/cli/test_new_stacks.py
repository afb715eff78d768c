"""One command brings up a new server and ends with its adapters served."""

from tests.cli.fleet_bed import CREDENTIALS, TIMEOUT, Fleet, read_until


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


def test_up_says_when_the_wait_ran_out(fleet: Fleet) -> None:
    fleet.add_stack("new", fleet.block("new", deploy={"credentials": CREDENTIALS}))
    fleet.server("new").stop()

    done = fleet.run("up", "new", "--yes", "--wait", "2s")

    assert done.returncode == 0, "the update itself has succeeded"
    assert "new: warning: media: deployed, but gave no answer within 2 s" in done.stderr
    assert "`dittoinfra up new` declares its adapters" in done.stderr
    assert "media-api" in fleet.services("new")

    done = fleet.run("up", "new", "--yes", "--wait", "0")
    assert done.returncode == 0
    assert "waiting" not in done.stderr
