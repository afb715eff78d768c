"""Bad inputs, unknown inputs and inputs of other resources."""

import threading
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import pytest

from dittoinfra import DeployedServer, ExistingServer
from dittoinfra.program.survey import RunRecord, survey
from dittoinfra.sdk.server_inputs import ServerSecrets
from dittoinfra.stacks.result import RunReport
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, exported, inputs

SECRETS = {"jwt": credential("component-jwt") * 4, "admin_password": credential("component-admin")}


class Zone(pulumi.ComponentResource):
    """A parent of the program's own."""

    def __init__(self, name: str) -> None:
        super().__init__("acme:index:Zone", name)


class Area(pulumi.ComponentResource):
    """Another one."""

    def __init__(self, name: str) -> None:
        super().__init__("acme:index:Area", name)


def components_of(report: RunReport) -> list[str]:
    return [step.type for step in report.steps if step.type.startswith("kubernetes:")]


def test_every_problem_is_said_at_once_on_the_component_that_has_it(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    good = new_server()

    def program() -> None:
        wrong = {"url": "ftp://x", "request_timeout": "9x"}
        ExistingServer("media", inputs(good, password, namespace="Files_", absence_polls=0, api=wrong))
        hidden = pulumi.Output.secret("secret")
        ExistingServer("scans", inputs(good, "", labels={"a": hidden}, absence_poll=1))
        DeployedServer("archive", {"deploy": {"replicas": 2, "create_namespace": True}, "password": password})  # type: ignore[typeddict-item]

    stranger.program = program
    report = stranger.preview()

    assert not report.ok
    lines = report.lines("error")
    assert [line for line in lines if line.startswith("ExistingServer media: ")] == [
        "ExistingServer media: absence_polls: must be greater than or equal to 1 (it is 0)",
        "ExistingServer media: api.request_timeout: must be a duration such as 500ms, 20s or 2m (it is '9x')",
        "ExistingServer media: api.url: must be an address such as https://dittofs.example.com:8080 "
        "(it is 'ftp://x')",
        "ExistingServer media: namespace: must be lower-case letters, digits and '-' between them "
        "(it is 'Files_')",
    ]
    for start in (
        "ExistingServer scans: absence_poll: is not a known key; did you mean 'absence_polls'?",
        "ExistingServer scans: labels: has a secret in it, which would be in the clear",
        "DeployedServer archive: deploy.create_namespace: is not for a component: declare the Namespace",
        "DeployedServer archive: deploy.replicas: must be less than or equal to 1 (it is 2)",
        "ExistingServer media was rejected, so nothing was declared for it; see the 4 errors on that "
        "resource",
        "ExistingServer scans was rejected, so nothing was declared for it; see the 2 errors on that "
        "resource",
        "DeployedServer archive was rejected, so nothing was declared for it; see the 2 errors on that "
        "resource",
    ):
        assert any(line.startswith(start) for line in lines), (start, lines)
    assert components_of(report) == []


def test_a_setting_that_is_not_known_yet_changes_nothing(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()
    labels: list[str] = []

    def program() -> None:
        url: pulumi.Input[str] = media.url
        if labels:
            made = kubernetes.core.v1.ConfigMap(labels[0], metadata={"name": labels[0], "namespace": "files"})
            url = made.id.apply(lambda _: media.url)
        server = ExistingServer("media", inputs(media, password, api={"url": url, "username": "admin"}))
        exported("media", server)

    stranger.program = program
    labels.append("first")
    new = stranger.preview()
    assert new.ok, new.lines("error")
    assert components_of(new) == ["kubernetes:core/v1:ConfigMap"], "nothing is known of the server yet"
    stranger.done()
    # Now the address comes from another resource, and a preview does not know it: the Services stay.
    labels[0] = "second"
    media.remove_adapter("nfs")
    again = stranger.preview()
    assert again.ok, again.lines("error")
    assert (again.changes.create, again.changes.delete, again.changes.update) == (1, 1, 0)
    assert "media-adapter-nfs" in stranger.services()
    assert stranger.up().ok
    assert stranger.outputs()["media"] == {"nfs": "absent 1/3", "smb": "serving"}


def test_a_server_whose_secrets_are_outputs_is_deployed(stranger: Stranger, password: str) -> None:
    def program() -> None:
        made = kubernetes.core.v1.ConfigMap("seed", metadata={"name": "seed", "namespace": "files"})
        secrets: ServerSecrets = {
            "jwt": pulumi.Output.secret(made.id.apply(lambda _: password * 4)),
            "admin_password": pulumi.Output.secret(made.id.apply(lambda _: password)),
        }
        media = DeployedServer("media", {"namespace": "files", "secrets": secrets})
        pulumi.export("conditions", media.conditions.apply(lambda found: [c["reason"] for c in found]))

    stranger.program = program
    foretold = stranger.preview()
    assert foretold.ok, foretold.lines("error")
    done = stranger.done()
    assert done.changes == foretold.changes
    assert {"media-headless", "media-api"} == set(stranger.services())
    assert stranger.outputs() == {"conditions": ["Unreachable", "Bootstrap", "Unreachable"]}
    assert password not in str(stranger.state())


def test_servers_are_asked_side_by_side(
    stranger: Stranger, new_server: NewServer, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    media = new_server()
    meeting = threading.Barrier(8)

    def together(*given: Any) -> RunRecord:  # noqa: ANN401 - those of `survey`
        # None goes on before all have come: one after the other they would never meet.
        meeting.wait(60)
        return survey(*given)

    monkeypatch.setattr("dittoinfra.sdk.followed_server.survey", together)

    def program() -> None:
        for number in range(8):
            ExistingServer(f"server-{number}", inputs(media, password))

    stranger.program = program
    report = stranger.preview()
    assert report.ok, report.lines("error")
    assert not meeting.broken


def test_two_components_cannot_have_one_server(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()

    def program() -> None:
        ExistingServer("east", inputs(media, password, server_name="media"))
        ExistingServer("west", inputs(media, password, server_name="media"))

    stranger.program = program
    report = stranger.preview()
    assert not report.ok
    # Whichever has its inputs first has the server.
    east, west = (
        f"ExistingServer {this}: server_name: 'media' in namespace files is the server of ExistingServer "
        f"{other}, and two components cannot own the same Services"
        for this, other in (("east", "west"), ("west", "east"))
    )
    assert (east in report.lines("error")) is not (west in report.lines("error"))


def test_not_even_under_another_parent_or_as_another_kind(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media = new_server()

    def program() -> None:
        args = inputs(media, password, server_name="media")
        deployed: Any = {**args, "secrets": SECRETS}
        ExistingServer("one", args)
        ExistingServer("two", args, pulumi.ResourceOptions(parent=Zone("a")))
        DeployedServer("three", deployed)
        # Another namespace has other Services.
        other = inputs(media, password, server_name="media", namespace="other")
        ExistingServer("four", other, pulumi.ResourceOptions(parent=Area("a")))

    stranger.program = program
    lines = stranger.preview().lines("error")
    assert any("'media' in namespace files is the server of " in line for line in lines), lines
    refused = {line.split()[1] for line in lines if "was rejected, so nothing was declared" in line}
    assert len(refused) == 2, "whichever came first has it"
    assert refused < {"one", "two", "three"}


def test_a_login_that_is_refused_is_a_warning_and_stops_no_other_component(
    stranger: Stranger, new_server: NewServer, password: str
) -> None:
    media, scans = new_server(), new_server()

    def program() -> None:
        exported("media", ExistingServer("media", inputs(media, password)))
        exported("scans", ExistingServer("scans", inputs(scans, credential("another"))))

    stranger.program = program
    report = stranger.up()
    assert report.ok, report.lines("error")
    assert any("scans: denied" in line for line in report.lines("warning")), report.lines("warning")
    assert stranger.outputs() == {"media": {"nfs": "serving", "smb": "serving"}, "scans": {}}
    assert set(stranger.services()) == {"media-adapter-nfs", "media-adapter-smb"}


class Started(pulumi.ComponentResource):
    """A foreign component, in which a server starts."""

    def __init__(self, name: str, server: SimulatedDittoFS) -> None:
        super().__init__("acme:index:Started", name)
        opts = pulumi.ResourceOptions(parent=self)
        first = kubernetes.core.v1.ConfigMap(
            f"{name}-first", metadata={"name": f"{name}-first", "namespace": "files"}, opts=opts
        )

        def start(_: str) -> str:
            if not pulumi.runtime.is_dry_run():
                server.start()
            return "started"

        kubernetes.core.v1.ConfigMap(
            name,
            metadata={"name": name, "namespace": "files"},
            data={"server": first.id.apply(start)},
            opts=opts,
        )


@pytest.mark.parametrize("form", ["one", "list", "output of a list", "output of one"])
def test_a_server_is_asked_when_all_that_it_depends_on_has_been_created(
    stranger: Stranger, new_server: NewServer, password: str, form: str
) -> None:
    media = new_server()
    args = inputs(media, password)
    media.stop()

    def program() -> None:
        started = Started("started", media)
        depends_on: Any = {
            "one": started,
            "list": [started],
            "output of a list": pulumi.Output.from_input("").apply(lambda _: [started]),
            "output of one": [pulumi.Output.from_input("").apply(lambda _: started)],
        }[form]
        exported("media", ExistingServer("media", args, pulumi.ResourceOptions(depends_on=depends_on)))

    stranger.program = program
    report = stranger.up()

    assert report.ok, report.lines("error")
    assert stranger.outputs()["media"] == {"nfs": "serving", "smb": "serving"}, report.lines("warning")
