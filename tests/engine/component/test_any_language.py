"""The component package: a program in Pulumi YAML declares what a program in Python does, field by field."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra import DeployedServer, ExistingServer, HeadlessService
from dittoinfra.sdk.component_host import ComponentPackage
from tests import ROOT
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, inputs
from tests.engine.component.yaml_program import YamlProgram, api, documents, existing
from tests.repository.documents.pages import blocks

SERVER_URN = "urn:pulumi:dev::acme-yaml::dittoinfra:index:ExistingServer::media"


def shown_on_page(component: str) -> dict[str, Any]:
    """The program in Pulumi YAML with this component that the page shows."""
    [block] = [
        this
        for this in blocks(ROOT / "docs" / "component.md")
        if this.language == "yaml" and f"dittoinfra:{component}" in this.text
    ]
    program: dict[str, Any] = yaml.safe_load(block.text)
    return program


def test_the_same_server_from_python_and_from_yaml(
    stranger: Stranger, new_server: NewServer, program: YamlProgram, password: str
) -> None:
    media = new_server()
    service = {"annotations": {"example.com/team": "files"}, "source_ranges": ["10.0.0.0/8"]}

    def in_python() -> None:
        adapters = {"service": service, "types": {"nfs": {"service_port": 2049, "preset": "operator"}}}
        server = ExistingServer("media", inputs(media, password, absence_polls=2, adapters=adapters))
        pulumi.export("conditions", server.conditions)
        pulumi.export("adapters", server.adapters)

    stranger.program = in_python
    assert stranger.up().ok

    def write(**others: object) -> None:
        adapters = {
            "service": {"annotations": {"example.com/team": "files"}, "sourceRanges": ["10.0.0.0/8"]},
            "types": {"nfs": {"servicePort": 2049, "preset": "operator"}},
        }
        server = shown_on_page("ExistingServer")["resources"]["media"]
        server["properties"] |= {"api": api(media), "absencePolls": 2, "adapters": adapters, **others}
        program.write(
            {"media": server}, {"conditions": "${media.conditions}", "adapters": "${media.adapters}"}
        )

    write()
    program.up()
    assert program.manifests() == documents(stranger.root / "manifests")
    assert program.outputs() == stranger.outputs()
    program.settled()

    # The same rules: an adapter that is missing once stays, and is counted.
    media.remove_adapter("smb")
    program.up()
    assert program.outputs()["adapters"]["smb"]["state"] == "absent 1/2"

    # The same brake, which can hold here as well.
    media.remove_adapter("nfs")
    write(absencePolls=1, onRefusal="hold")
    held = program.up()
    assert "held: nothing changes (media/nfs, media/smb stay as they are): brake: " in held
    assert program.manifests() == documents(stranger.root / "manifests") | {
        name: this for name, this in program.manifests().items() if "smb" in name
    }
    write(absencePolls=1, onRefusal="hold", approveRemovals=["media/nfs", "media/smb"])
    program.up()
    assert program.outputs()["adapters"] == {}


def test_the_same_deployed_server_from_python_and_from_yaml(
    stranger: Stranger, new_server: NewServer, program: YamlProgram, password: str
) -> None:
    media = new_server()
    jwt = password * 4

    def in_python() -> None:
        args: Any = {
            **inputs(media, password, network_policy={"mode": "defaultDeny", "ports": [8080]}),
            "secrets": {"jwt": pulumi.Output.secret(jwt), "admin_password": pulumi.Output.secret(password)},
            "deploy": {
                "storage": {"content": {"size": "20Gi"}},
                "pod_disruption_budget": True,
                "metrics": {"enabled": True},
                "resources": {"limits": {"memory": "1Gi"}},
            },
        }
        server = DeployedServer("media", args)
        pulumi.export("conditions", server.conditions)
        pulumi.export("adapters", server.adapters)

    stranger.program = in_python
    report = stranger.up()
    assert report.ok, report.lines("error")
    made = documents(stranger.root / "manifests")
    assert {name.partition("-")[0] for name in made} >= {"statefulset", "secret", "configmap", "service"}

    server = {
        "type": "dittoinfra:DeployedServer",
        "properties": {
            "namespace": "files",
            "api": api(media),
            "password": "${password}",
            "networkPolicy": {"mode": "defaultDeny", "ports": [8080]},
            "secrets": {"jwt": "${jwt}", "adminPassword": "${password}"},
            "deploy": {
                "storage": {"content": {"size": "20Gi"}},
                "podDisruptionBudget": True,
                "metrics": {"enabled": True},
                "resources": {"limits": {"memory": "1Gi"}},
            },
        },
    }
    program.write({"media": server}, {"conditions": "${media.conditions}", "adapters": "${media.adapters}"})
    program.up()
    assert program.manifests() == made
    assert program.outputs() == stranger.outputs()
    program.settled()
    state = json.dumps(program.resources())
    assert password not in state
    assert jwt not in state


def test_the_headless_service_of_the_page_from_yaml_and_from_python(
    stranger: Stranger, program: YamlProgram
) -> None:
    shown = shown_on_page("HeadlessService")
    program.write(shown["resources"], shown["outputs"])
    program.up()
    program.settled()
    host = "cache.files.svc"
    endpoints = {"memcached": f"{host}:11211", "metrics": f"{host}:9150"}
    assert program.outputs() == {"host": host, "endpoints": endpoints}

    def in_python() -> None:
        # What is an output of another resource may be unknown in a preview.
        seed = kubernetes.core.v1.ConfigMap("seed", metadata={"name": "seed", "namespace": "files"})
        cache = HeadlessService(
            "cache",
            {
                "namespace": "files",
                "app": "memcached",
                "annotations": {"example.com/team": seed.id.apply(lambda _: "files")},
                "ports": [
                    {"name": "memcached", "port": 11211},
                    {"name": "metrics", "port": 9150, "target": 9151},
                ],
            },
        )
        pulumi.export("host", cache.host)
        pulumi.export("endpoints", cache.endpoints)

    stranger.program = in_python
    foretold = stranger.preview()
    assert foretold.ok, foretold.lines("error")
    assert foretold.changes.create == 4, "the stack, the ConfigMap, the component and its Service"
    stranger.done()
    assert stranger.services() == {"cache": program.manifests()["service-cache.yaml"]}
    assert stranger.outputs() == program.outputs()
    [service] = [this for this in stranger.state()["resources"] if this["type"].endswith(":Service")]
    assert any(urn.endswith("::seed") for urn in service["dependencies"]), "it is deleted before what it uses"


def test_a_renamed_component_keeps_its_services_and_its_memory(
    new_server: NewServer, program: YamlProgram
) -> None:
    media = new_server()
    program.write({"media": existing(media)}, {"adapters": "${media.adapters}"})
    program.up()
    media.remove_adapter("smb")
    program.up()
    before = program.manifests()

    renamed = {**existing(media), "options": {"aliases": [SERVER_URN]}}
    program.write({"files": renamed}, {"adapters": "${files.adapters}"})
    said = program.up()

    assert "deleted" not in said
    assert "created" not in said
    assert program.outputs()["adapters"]["smb"]["state"] == "absent 2/3", "its memory has come along"
    assert (
        set(program.manifests())
        == set(before)
        == {"service-media-adapter-nfs.yaml", "service-media-adapter-smb.yaml"}
    )
    media.set_adapter("smb", port=12445)
    program.up()
    program.settled()


def test_pulumi_s_own_rules_accept_the_schema(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    environment = {"PULUMI_HOME": str(tmp_path / "home"), "PULUMI_SKIP_UPDATE_CHECK": "1"}
    path = tmp_path / "schema.json"
    schema = ComponentPackage().schema or ""
    for text, code in ((schema, 0), (schema.replace('"type": "string"', '"type": "text"', 1), 1)):
        path.write_text(text)
        checked = YamlProgram(pulumi_cli, tmp_path, environment).run("schema", "check", str(path))
        assert (checked.returncode == 0) == (code == 0), checked.stderr


def test_the_schema_says_what_every_input_is_for() -> None:
    schema = json.loads(ComponentPackage().schema or "")

    outputs = {
        "ExistingServer": {"serverName", "namespace", "adapters", "conditions"},
        "DeployedServer": {"serverName", "namespace", "adapters", "conditions"},
        "HeadlessService": {"serviceName", "namespace", "host", "endpoints"},
    }
    found = {token.removeprefix("dittoinfra:index:"): this for token, this in schema["resources"].items()}
    assert {name: set(this["properties"]) for name, this in found.items()} == outputs
    assert all(resource["isComponent"] for resource in found.values())
    passwords = {name: this["inputProperties"].get("password") for name, this in found.items()}
    assert passwords.pop("HeadlessService") is None
    assert all(password and password["secret"] for password in passwords.values())
    described = [*found.values(), *schema["types"].values()]
    undescribed = [
        name
        for block in described
        for name, this in {**block.get("inputProperties", {}), **block["properties"]}.items()
        if not this.get("description") or "\n" in this["description"]
    ]
    assert undescribed == []
