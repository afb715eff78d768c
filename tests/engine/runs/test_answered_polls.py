"""Every row of the table for answered polls, in the engine's own numbers."""

from collections.abc import Callable

import pytest

from dittoinfra.changes import Changes
from lab.simulator import SimulatedDittoFS
from tests.engine.world import World, server

# The stack and the server's component count as resources, too.
STACK_AND_SERVER = 2


def test_running_adapters_get_their_services(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))

    assert world.run_changes() == Changes(create=STACK_AND_SERVER + 2)

    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}
    world.assert_settled()


@pytest.mark.parametrize(
    ("event", "expected", "ports"),
    [
        pytest.param(
            lambda sim: sim.set_adapter("nfs", port=12050),
            Changes(update=1, same=3),
            {"media-adapter-nfs": 12050, "media-adapter-smb": 12445},
            id="port-changed",
        ),
        pytest.param(
            lambda sim: sim.set_adapter("nfs", port=0),
            Changes(same=4),
            {"media-adapter-nfs": 12049, "media-adapter-smb": 12445},
            id="port-0-is-the-default-port",
        ),
        pytest.param(
            lambda sim: sim.disable("smb"),
            Changes(delete=1, same=3),
            {"media-adapter-nfs": 12049},
            id="disabled",
        ),
        pytest.param(
            lambda sim: sim.set_adapter("webdav", port=8443),
            Changes(create=1, same=4),
            {"media-adapter-nfs": 12049, "media-adapter-smb": 12445, "media-adapter-webdav": 8443},
            id="new-adapter",
        ),
        pytest.param(
            lambda sim: sim.set_adapter("webdav", port=8443, enabled=False),
            Changes(same=4),
            {"media-adapter-nfs": 12049, "media-adapter-smb": 12445},
            id="new-but-disabled",
        ),
        pytest.param(
            lambda sim: sim.set_adapter("webdav", port=8443, running=False),
            Changes(same=4),
            {"media-adapter-nfs": 12049, "media-adapter-smb": 12445},
            id="new-but-not-running",
        ),
    ],
)
def test_services_follow_the_answer(
    world: World,
    dittofs: SimulatedDittoFS,
    event: Callable[[SimulatedDittoFS], None],
    expected: Changes,
    ports: dict[str, int],
) -> None:
    world.configure(server(dittofs))
    world.up()

    event(dittofs)

    assert world.run_changes() == expected
    assert {name: world.port(name) for name in world.services()} == ports
    world.assert_settled()


@pytest.mark.parametrize(
    "vanish",
    [
        pytest.param(lambda sim: sim.remove_adapter("smb"), id="missing"),
        pytest.param(lambda sim: sim.set_adapter("smb", running=False), id="not-running"),
    ],
)
def test_an_absent_adapter_is_counted_and_removed_at_the_third_answer(
    world: World, dittofs: SimulatedDittoFS, vanish: Callable[[SimulatedDittoFS], None]
) -> None:
    world.configure(server(dittofs), notRunning="remove")
    world.up()

    vanish(dittofs)

    for count in ("1", "2"):
        report = world.preview()
        assert report.changes == Changes(update=1, same=3)
        assert [(step.name, step.changed) for step in report.steps] == [
            ("media/smb", ('metadata.annotations["dittofs.io/absence-count"]',))
        ], "while an absence is counted, the counter alone changes"
        world.up()
        annotations = world.services()["media-adapter-smb"]["metadata"]["annotations"]
        assert annotations["dittofs.io/absence-count"] == count

    assert world.run_changes() == Changes(delete=1, same=3)
    assert set(world.services()) == {"media-adapter-nfs"}
    world.assert_settled()


def test_an_adapter_that_comes_back_loses_its_count(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs))
    world.up()
    dittofs.remove_adapter("smb")
    world.up()

    dittofs.set_adapter("smb", port=12445)

    assert world.run_changes() == Changes(update=1, same=3)
    assert "dittofs.io/absence-count" not in world.services()["media-adapter-smb"]["metadata"]["annotations"]
    world.assert_settled()


def test_absence_polls_of_one_removes_at_once(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs), absencePolls=1)
    world.up()

    dittofs.remove_adapter("smb")

    assert world.run_changes() == Changes(delete=1, same=3)


def test_several_polls_of_one_run_count_each(world: World, dittofs: SimulatedDittoFS) -> None:
    world.configure(server(dittofs), pollsPerRun=3, pollInterval="10ms")
    world.up()
    dittofs.forget_requests()
    world.preview()
    assert dittofs.requests.count(("GET", "/api/v1/adapters/ports")) == 1, "nothing absent, no further poll"

    dittofs.remove_adapter("smb")
    dittofs.forget_requests()
    report = world.up()

    assert report.changes == Changes(delete=1, same=3)
    assert dittofs.requests.count(("GET", "/api/v1/adapters/ports")) == 3
    assert dittofs.requests.count(("POST", "/api/v1/auth/login")) == 1, "one login serves the whole run"


def test_removal_never_keeps_what_was_disabled_and_what_is_absent(
    world: World, dittofs: SimulatedDittoFS
) -> None:
    world.configure(server(dittofs), removal="never", absencePolls=1)
    world.up()

    dittofs.disable("nfs")
    dittofs.remove_adapter("smb")
    world.up()

    assert set(world.services()) == {"media-adapter-nfs", "media-adapter-smb"}
    world.assert_settled()


def test_pinned_adapters_are_declared_whatever_the_api_says(world: World, dittofs: SimulatedDittoFS) -> None:
    pinned = [{"type": "smb", "port": 4455}, {"type": "webdav", "port": 8443}]
    world.configure(server(dittofs, adapters={"pinned": pinned}))
    dittofs.disable("smb")

    report = world.up()

    assert {name: world.port(name) for name in world.services()} == {
        "media-adapter-nfs": 12049,
        "media-adapter-smb": 4455,
        "media-adapter-webdav": 8443,
    }
    states = {t: a["state"] for t, a in report.outputs["servers"]["media"]["adapters"].items()}
    assert states == {"nfs": "serving", "smb": "pinned", "webdav": "pinned"}
    world.assert_settled()
