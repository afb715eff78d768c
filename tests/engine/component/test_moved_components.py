"""Components that are renamed, moved and told apart: the Services stay."""

from typing import Any

import pulumi
import yaml

from dittoinfra import DeployedServer, ExistingServer
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs


class Region(pulumi.ComponentResource):
    """Something of the stranger's own around components of ours."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("acme:index:Region", name, None, opts)


def test_a_renamed_and_moved_component_keeps_its_services_and_its_memory(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media, other = new_server(), new_server()

    def before() -> None:
        exported("media", ExistingServer("media", inputs(media, password)))
        exported("other", ExistingServer("media-api", inputs(other, password)))

    def renamed() -> None:
        opts = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="media")])
        exported("media", ExistingServer("files", inputs(media, password), opts))
        exported("other", ExistingServer("media-api", inputs(other, password)))

    def moved() -> None:
        region = Region("eu")
        former = pulumi.Alias(name="files", parent=pulumi.ROOT_STACK_RESOURCE)
        opts = pulumi.ResourceOptions(parent=region, aliases=[former])
        exported("media", ExistingServer("eu-files", inputs(media, password), opts))
        exported("other", ExistingServer("media-api", inputs(other, password)))

    def moved_again() -> None:
        # The parent's alias alone leads to the component in it.
        region = Region("europe", pulumi.ResourceOptions(aliases=[pulumi.Alias(name="eu")]))
        opts = pulumi.ResourceOptions(parent=region)
        exported("media", ExistingServer("eu-files", inputs(media, password), opts))
        exported("other", ExistingServer("media-api", inputs(other, password)))

    stranger.program = before
    stranger.done()
    media.remove_adapter("smb")
    assert stranger.up().ok
    services = set(stranger.services())

    stranger.program = renamed
    report = stranger.up()
    assert (report.changes.create, report.changes.delete, report.changes.replace) == (0, 0, 0), report.steps
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "absent 2/3"}, "its memory has come along"
    assert set(stranger.services()) == services

    media.set_adapter("smb", port=12445)
    for program, created in ((moved, 1), (moved_again, 0)):
        stranger.program = program
        report = stranger.done()
        assert (report.changes.create, report.changes.delete, report.changes.replace) == (created, 0, 0)
        assert set(stranger.services()) == services
        assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "serving"}


def test_a_component_renamed_without_an_alias_keeps_the_services_of_its_server(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    stranger.program = lambda: exported("media", ExistingServer("media", inputs(media, password)))
    stranger.done()
    media.remove_adapter("smb")
    assert stranger.up().ok
    services = set(stranger.services())

    def renamed() -> None:
        exported("media", ExistingServer("files", inputs(media, password, server_name="media")))

    # Nothing but its memory tells what an unreachable server has: without it the Services would go.
    media.stop()
    stranger.program = renamed
    report = stranger.up()
    assert report.ok, report.lines("error")
    assert set(stranger.services()) == services == {"media-adapter-nfs", "media-adapter-smb"}
    assert set(stranger.outputs()["media"]) == {"nfs", "smb"}
    media.start()
    media.remove_adapter("smb")  # a server that starts has both again
    assert stranger.up().ok
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "absent 2/3"}, "its memory has come along"


def test_services_stay_with_the_component_that_was_moved_or_became_another_without_an_alias(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    stranger.program = lambda: exported("media", ExistingServer("media", inputs(media, password)))
    stranger.done()
    services = set(stranger.services())
    aliases: list[str] = []

    def moved() -> None:
        opts = pulumi.ResourceOptions(parent=Region("eu"), aliases=[*aliases])
        exported("media", ExistingServer("media", inputs(media, password, adopt=True), opts))

    def deployed() -> None:
        args: Any = {
            **inputs(media, password, adopt=True),
            "secrets": {"jwt": password * 4, "admin_password": password},
        }
        exported("media", DeployedServer("media", args, pulumi.ResourceOptions(aliases=[*aliases])))

    former = "urn:pulumi:dev::acme-platform::dittoinfra:index:ExistingServer::media"
    media.stop()
    for program in (moved, deployed):
        stranger.program = program
        refused = stranger.up()
        assert not refused.ok, "the engine would delete the Services with the component that has gone"
        [line] = [line for line in refused.lines("error") if "aliases: " in line]
        assert line.endswith(
            f"-adapter-nfs in namespace files belongs to {former} in the state of this program, and is "
            "deleted when that component is; if it is the same server, add "
            f'aliases=["{former}"] to the options'
        ), line
        assert set(stranger.services()) == services
    media.start()

    # With the alias of the message it is the same component, and the Services are the same.
    aliases.append(former)
    report = stranger.done()
    gone = [(step.operation, step.urn) for step in report.steps if step.operation not in ("create", "same")]
    assert not any("kubernetes:" in urn for _, urn in gone), "\n".join(map(str, gone))
    assert set(stranger.services()) == {*services, "media-api", "media-headless"}


def test_servers_of_one_name_in_two_namespaces_are_kept_apart(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    east, west = new_server(), new_server()
    names = ["east", "west"]

    def program() -> None:
        for output, server, name, namespace in zip(
            ("east", "west"), (east, west), names, ("a", "b"), strict=True
        ):
            args = inputs(server, password, server_name="media", namespace=namespace)
            exported(output, ExistingServer(name, args))

    def placed() -> list[tuple[str, str, int]]:
        found = [yaml.safe_load(path.read_text()) for path in stranger.root.rglob("service-*.yaml")]
        return sorted(
            (this["metadata"]["namespace"], this["metadata"]["name"], this["spec"]["ports"][0]["targetPort"])
            for this in found
        )

    stranger.program = program
    stranger.done()
    both = [
        (place, f"media-adapter-{t}", port) for place in "ab" for t, port in (("nfs", 12049), ("smb", 12445))
    ]
    assert placed() == both

    # What one of them answers is remembered of that one alone.
    east.remove_adapter("smb")
    west.set_adapter("nfs", port=22049)
    report = stranger.up()
    assert report.ok, report.lines("error")
    assert stranger.outputs()["east"] == {"nfs": "serving", "smb": "absent 1/3"}
    assert stranger.outputs()["west"] == {"nfs": "serving", "smb": "serving"}
    assert [port for *_, port in placed()] == [12049, 12445, 22049, 12445]

    # One renamed without an alias is found by its namespace, even if another has the same server name.
    east.stop()
    names[0] = "orient"
    report = stranger.up()
    assert report.ok, report.lines("error")
    assert not any(step.type.endswith(":Service") for step in report.steps), report.steps
    assert len(placed()) == 4
    assert set(stranger.outputs()["east"]) == {"nfs", "smb"}
    # The name of the server itself is as good as any.
    names[0] = "media"
    report = stranger.up()
    assert report.ok, report.lines("error")
    assert not any(step.type.endswith(":Service") for step in report.steps), report.steps
    assert len(placed()) == 4
