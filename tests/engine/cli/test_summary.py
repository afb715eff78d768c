"""What an operation on the real engine shows at its end."""

import pytest

from tests.engine.cli.fleet_bed import Fleet

pytestmark = pytest.mark.long


def test_a_moved_port_is_shown_with_both_values_before_and_after_it_is_done(fleet: Fleet) -> None:
    fleet.add_stack("eu")
    assert fleet.run("up", "eu", "--yes").returncode == 0
    fleet.server("eu").set_adapter("nfs", port=13049)
    expected = [
        "eu",
        "  ~ Service media/nfs: served, moved from port 12049 to 13049",
        "      spec.ports[0].port: 12049 → 13049",
        "      spec.ports[0].targetPort: 12049 → 13049",
    ]

    previewed, done = fleet.run("preview", "eu"), fleet.run("up", "eu", "--yes")
    again = fleet.run("preview", "eu")

    assert previewed.stdout.splitlines()[:4] == done.stdout.splitlines()[:4] == expected
    assert previewed.stdout.splitlines()[4].startswith("eu: previewed: 1 to update (")
    assert previewed.stderr.splitlines()[-1] == "run `dittoinfra up eu` to apply this"
    assert done.stdout.splitlines()[4].startswith("eu: updated: 1 updated (")
    assert again.stdout.startswith("eu: unchanged (")


def test_an_error_of_a_run_is_told_once(fleet: Fleet) -> None:
    fleet.add_stack("eu", fleet.block("eu", onUnreachable="fail"))
    fleet.server("eu").stop()

    done = fleet.run("up", "eu", "--yes")

    assert done.returncode != 0
    assert (done.stdout + done.stderr).count("the connection was refused") == 1, done.stdout + done.stderr
    assert done.stdout.splitlines()[1].startswith("eu: error: media: ")
