"""A Service of another manager beside one server stops that server, or its new adapter, and no other."""

from dittoinfra.changes import Changes
from dittoinfra.exitcodes import ExitCode
from dittoinfra.stacks.result import RunReport
from lab.simulator import SimulatedDittoFS
from tests.engine.discovery.server_namespace import ServerNamespace
from tests.engine.discovery.stack import adapters, finding, found_pair
from tests.engine.world import World, server

OURS = {"backup-adapter-nfs", "backup-adapter-smb"}


def test_a_found_server_whose_service_another_manager_has_stops_no_other(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    server_namespace.add("media")
    server_namespace.add("backup")
    server_namespace.add_service("media-adapter-nfs")
    before = server_namespace.services()["media-adapter-nfs"]
    finding(world, dittofs, server_namespace)

    report = world.up()

    assert adapters(server_namespace) == OURS | {"media-adapter-nfs"}
    assert server_namespace.services()["media-adapter-nfs"] == before
    (line,) = report.lines("warning")
    assert line.startswith("media: nonsense: Service media-adapter-nfs in namespace ")
    assert (
        "exists already and this stack did not make it: nothing is touched; name the server in "
        "dittoinfra:servers with adopt: true to take it over (docs/migration.md), or narrow" in line
    )
    assert world.run_changes() == Changes(same=4)

    server_namespace.delete_service("media-adapter-nfs")
    world.up()
    assert adapters(server_namespace) == OURS | {"media-adapter-nfs", "media-adapter-smb"}


def test_a_new_adapter_whose_service_another_manager_has_is_left_out_alone(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    found_pair(world, dittofs, server_namespace)
    before = adapters(server_namespace)
    server_namespace.add_service("media-adapter-s3")
    dittofs.set_adapter("s3", port=9000)
    dittofs.set_adapter("nfs", port=12050)

    report = world.up()

    assert adapters(server_namespace) == before | {"media-adapter-s3", "backup-adapter-s3"}
    assert report.changes == Changes(create=1, update=2, same=5)
    (line,) = report.lines("warning")
    assert line.startswith("media: s3: left out: Service media-adapter-s3 in namespace ")
    assert world.run_changes() == Changes(same=8)


def test_a_named_server_is_refused_when_it_is_new_and_goes_on_when_it_is_known(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    media = server(dittofs, namespace=server_namespace.name)
    server_namespace.add_service("media-adapter-s3")
    world.configure(media)
    world.up()
    dittofs.set_adapter("s3", port=9000)

    report = world.up()

    (line,) = report.lines("warning")
    assert line.startswith("media: s3: left out: Service media-adapter-s3 in namespace ")
    assert line.endswith("set adopt: true on the server to take it over (docs/migration.md)")

    server_namespace.add_service("home-adapter-nfs")
    world.configure(media, server(dittofs, "home", namespace=server_namespace.name))
    report = world.stack.up()
    assert report.exit_code == ExitCode.POLICY
    assert "home: Service home-adapter-nfs in namespace" in report.lines("error")[0]


def test_an_object_that_came_or_went_since_the_preview_stops_the_update(
    world: World, dittofs: SimulatedDittoFS, server_namespace: ServerNamespace
) -> None:
    found_pair(world, dittofs, server_namespace)
    before = adapters(server_namespace)
    dittofs.set_adapter("s3", port=9000)

    shown = world.stack.preview()
    server_namespace.add_service("media-adapter-s3")
    came = _applied(world, shown)
    left_out = world.stack.preview()
    server_namespace.delete_service("media-adapter-s3")
    went = _applied(world, left_out)

    assert came.exit_code == went.exit_code == ExitCode.POLICY
    assert came.lines("error") == went.lines("error")
    assert came.lines("error") == [
        "what was previewed does not hold any more: others have created, deleted or hidden an object that "
        "was to be created for media/s3; run again"
    ]
    assert adapters(server_namespace) == before


def _applied(world: World, shown: RunReport) -> RunReport:
    """The update of a preview, with its answers."""
    assert shown.decided is not None
    return world.stack.up(given=shown.decided.answers)
