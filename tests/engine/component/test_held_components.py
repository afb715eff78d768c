"""`on_refusal: hold` of a component: what is refused stays as it is, and the program goes on."""

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from dittoinfra import DeployedServer, ExistingServer
from dittoinfra.changes import Changes
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs


def resources(stranger: Stranger, component: str) -> dict[str, dict[str, Any]]:
    """What the state holds of components of a type, without what changes whenever a value is encrypted."""
    kept = ("inputs", "outputs", "customTimeouts", "retainOnDelete", "additionalSecretOutputs")
    return {
        this["urn"]: {key: this.get(key) for key in kept if not this["type"].endswith(":Secret")}
        for this in stranger.state()["resources"]
        if component in this["urn"]
    }


def test_what_the_brake_refuses_is_held_until_it_is_approved_and_nothing_else_waits(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media, scans = new_server(), new_server()
    approved: list[str] = []
    motd = "first"

    def program() -> None:
        metadata = kubernetes.meta.v1.ObjectMetaArgs(
            name="motd", namespace="files", annotations={"example.com/text": motd}
        )
        kubernetes.core.v1.ConfigMap("motd", metadata=metadata)
        args = inputs(media, password, absence_polls=1, on_refusal="hold", approve_removals=approved)
        server = ExistingServer("media", args)
        pulumi.export("media", server.adapters)
        pulumi.export("conditions", server.conditions)
        exported("scans", ExistingServer("scans", inputs(scans, password)))

    stranger.program = program
    stranger.done()
    before = {urn: this for urn, this in resources(stranger, "ExistingServer").items() if "media" in urn}
    adapters, services = stranger.outputs()["media"], stranger.services()
    assert before

    media.remove_adapter("nfs")
    media.remove_adapter("smb")
    motd = "second"
    scans.disable("smb")
    for report in (stranger.preview(), stranger.up()):
        assert report.ok, report.lines("error")
        assert report.changes == Changes(update=1, delete=1, same=6), report.steps
        [line] = [line for line in report.lines("warning") if "held: " in line]
        assert "held: nothing changes (media/nfs, media/smb stay as they are): brake: " in line
        assert "approve exactly these: `approve_removals: [media/nfs, media/smb]`" in line

    now = {urn: this for urn, this in resources(stranger, "ExistingServer").items() if "media" in urn}
    assert now == before
    del services["scans-adapter-smb"]
    assert stranger.services() == services
    outputs = stranger.outputs()
    assert outputs["media"] == {name: {**this, "state": "kept"} for name, this in adapters.items()}
    assert outputs["scans"] == {"nfs": "serving"}
    [ready] = [this for this in outputs["conditions"] if this["type"] == "Ready"]
    assert (ready["status"], ready["reason"]) == ("False", "Held")
    assert ready["message"] == line.removeprefix("ExistingServer media: ")

    # The same state again is the same hold, and the approval lets it through.
    assert not stranger.up().changes.any
    approved += ["media/nfs", "media/smb"]
    assert stranger.up().changes == Changes(delete=2, same=5)
    assert set(stranger.services()) == {"scans-adapter-nfs"}


def test_a_deployed_server_is_held_with_its_secrets_where_it_would_move(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    namespace = "files"

    def program() -> None:
        args: Any = {
            **inputs(media, password, namespace=namespace, on_refusal="hold"),
            "secrets": {"jwt": pulumi.Output.secret(password * 4), "admin_password": password},
        }
        exported("media", DeployedServer("media", args))

    stranger.program = program
    stranger.done()
    before, written = resources(stranger, "DeployedServer"), stranger.services()

    namespace = "elsewhere"
    report = stranger.done()
    assert not report.changes.any, report.steps
    assert any("media/nfs (moved), media/smb (moved)" in line for line in report.lines("warning"))
    assert resources(stranger, "DeployedServer") == before
    assert stranger.services() == written
    assert password not in str(stranger.state())

    # Back where it was, it is followed as if nothing had been.
    namespace = "files"
    assert not stranger.done().changes.any
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "serving"}


def test_a_new_component_that_is_refused_declares_nothing_and_begins_when_it_can(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    media.outage()
    stranger.program = lambda: exported(
        "media",
        ExistingServer("media", inputs(media, password, on_unreachable="fail", on_refusal="hold")),
    )

    report = stranger.up()
    assert report.ok, report.lines("error")
    assert any("held: nothing changes: " in line for line in report.lines("warning"))
    assert (stranger.outputs()["media"], stranger.services()) == ({}, {})

    media.normal()
    stranger.done()
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "serving"}


def test_wrong_inputs_fail_in_any_case(stranger: Stranger, new_server: NewServer, password: str) -> None:
    media = new_server()
    stranger.program = lambda: exported(
        "media", ExistingServer("media", inputs(media, password, absence_polls=0, on_refusal="hold"))
    )
    report = stranger.preview()
    assert not report.ok
    assert any("absence_polls: must be greater than" in line for line in report.lines("error"))
