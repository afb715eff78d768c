"""An absence that one command has seen counts once, however often the command runs the program."""

from tests.engine.cli.fleet_bed import TIMEOUT, Fleet, read_until
from tests.engine.promise.counted import absences, up
from tests.engine.world import CREDENTIALS


def test_waiting_for_a_new_server_counts_no_absence_of_another_twice(fleet: Fleet) -> None:
    existing = fleet.block("prod")
    fleet.server("prod").set_adapter("smb", port=12445)
    fleet.add_stack("prod", existing)
    up(fleet, "prod")
    fleet.server("prod").remove_adapter("smb")
    up(fleet, "prod")
    assert absences(fleet, "prod") == {"media-adapter-nfs": None, "media-adapter-smb": "1"}

    new = {**fleet.block("new", deploy={"credentials": CREDENTIALS}), "name": "fresh"}
    fleet.add_stack("prod", existing, new)
    fleet.server("new").stop()
    process = fleet.start("up", "prod", "--yes")
    read_until(process, "fresh: has just been deployed; waiting until it answers")
    fleet.server("new").start()
    _, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 0, stderr
    assert absences(fleet, "prod") == {
        "fresh-adapter-nfs": None,
        "media-adapter-nfs": None,
        "media-adapter-smb": "2",
    }
    assert "3/3" not in stderr


def test_what_the_first_run_has_shown_of_the_others_stays_as_it_was(fleet: Fleet) -> None:
    existing = fleet.block("prod")
    new = {**fleet.block("new", deploy={"credentials": CREDENTIALS}), "name": "fresh"}
    fleet.add_stack("prod", existing, new)
    fleet.server("new").stop()
    process = fleet.start("up", "prod", "--yes")
    read_until(process, "fresh: has just been deployed; waiting until it answers")
    # Whatever it says by now, this run has asked it already.
    fleet.server("prod").disable("nfs")
    fleet.server("new").start()
    _, stderr = process.communicate(timeout=TIMEOUT)

    assert process.returncode == 0, stderr
    assert set(absences(fleet, "prod")) == {"fresh-adapter-nfs", "media-adapter-nfs"}
    shown = fleet.pulumi("stack", "output", "--json", "--stack", "prod").stdout
    assert '"state": "serving"' in shown
    assert '"state": "kept"' not in shown
