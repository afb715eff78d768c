"""The component package: a program in Pulumi YAML declares what a program in Python does, field by field."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra import ExistingServer
from dittoinfra.sdk.component_host import ComponentPackage
from dittoinfra.settings.provider import NEEDED_IN_PROJECT
from lab.bed.credentials import credential
from lab.bed.keys import PROVIDER, key_service
from lab.bed.tools import PULUMI_YAML, PULUMI_YAML_TOOL
from lab.gotools import StreamProgress, build
from lab.standin import FolderStore, StandInProvider
from tests import ROOT
from tests.engine.component.conftest import NewServer
from tests.engine.component.stranger import Stranger, inputs


@contextmanager
def component_package() -> Iterator[str]:
    """The package as a process of its own: what to export so that an engine attaches to it."""
    command = [sys.executable, str(ROOT / "package" / "__main__.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"dittoinfra:{process.stdout.readline().strip()}"
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def yaml_host() -> Path:
    """The folder with the host of programs in Pulumi YAML."""
    return PULUMI_YAML_TOOL.binary(build(PULUMI_YAML_TOOL, StreamProgress()), PULUMI_YAML).parent


@pytest.fixture
def package() -> Iterator[str]:
    with component_package() as attached:
        yield attached


def run_yaml(
    command: PulumiCommand, root: Path, environment: Mapping[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [command.command, "--cwd", str(root), *arguments, "--non-interactive"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def documents(folder: Path) -> dict[str, Any]:
    return {path.name: yaml.safe_load(path.read_text()) for path in sorted(folder.rglob("*.yaml"))}


def test_the_same_server_from_python_and_from_yaml(
    stranger: Stranger,
    new_server: NewServer,
    pulumi_cli: PulumiCommand,
    yaml_host: Path,
    package: str,
    password: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    media = new_server()
    service = {"annotations": {"example.com/team": "files"}, "source_ranges": ["10.0.0.0/8"]}

    def program() -> None:
        adapters = {"service": service, "types": {"nfs": {"service_port": 2049, "preset": "operator"}}}
        server = ExistingServer("media", inputs(media, password, absence_polls=2, adapters=adapters))
        pulumi.export("conditions", server.conditions)
        pulumi.export("adapters", server.adapters)

    stranger.program = program
    assert stranger.up().ok
    python = documents(stranger.root / "manifests")

    root = tmp_path_factory.mktemp("yaml")
    with StandInProvider(FolderStore(root / "manifests")) as provider, key_service() as keys:
        attached = provider.environment()
        environment = {
            **attached,
            **keys,
            "PULUMI_BACKEND_URL": f"file://{root}",
            "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
            "PULUMI_HOME": str(root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            "PULUMI_DEBUG_PROVIDERS": f"{attached['PULUMI_DEBUG_PROVIDERS']},{package}",
            "PATH": f"{yaml_host}{os.pathsep}{os.environ['PATH']}",
            "DITTOFS_PASSWORD": password,
        }
        (root / "Pulumi.yaml").write_text(
            yaml.safe_dump(
                {
                    "name": "acme-yaml",
                    "runtime": "yaml",
                    "config": {"password": {"type": "string", "secret": True}, **NEEDED_IN_PROJECT},
                    "resources": {
                        "media": {
                            "type": "dittoinfra:ExistingServer",
                            "properties": {
                                "namespace": "files",
                                "absencePolls": 2,
                                "api": {
                                    "url": media.url,
                                    "username": "admin",
                                    "deadline": "3s",
                                    "requestTimeout": "1s",
                                },
                                "password": "${password}",
                                "adapters": {
                                    "service": {
                                        "annotations": {"example.com/team": "files"},
                                        "sourceRanges": ["10.0.0.0/8"],
                                    },
                                    "types": {"nfs": {"servicePort": 2049, "preset": "operator"}},
                                },
                            },
                        }
                    },
                    "outputs": {"conditions": "${media.conditions}", "adapters": "${media.adapters}"},
                }
            )
        )

        def run(*arguments: str) -> subprocess.CompletedProcess[str]:
            return run_yaml(pulumi_cli, root, environment, *arguments)

        made = run("stack", "init", "dev", "--secrets-provider", PROVIDER)
        assert made.returncode == 0, made.stderr
        assert run("config", "set", "kubernetes:renderYamlToDirectory", "rendered").returncode == 0
        stdin = subprocess.run(
            [pulumi_cli.command, "--cwd", str(root), "config", "set", "--secret", "password"],
            env={**os.environ, **environment},
            input=password,
            text=True,
            capture_output=True,
            check=False,
        )
        assert stdin.returncode == 0, stdin.stderr
        done = run("up", "--yes", "--skip-preview")
        assert done.returncode == 0, done.stdout + done.stderr
        assert documents(root / "manifests") == python
        shown = json.loads(run("stack", "output", "--json").stdout)
        assert shown == stranger.outputs()
        settled = run("preview", "--expect-no-changes")
        assert settled.returncode == 0, settled.stdout

        # The same rules: an adapter that is missing once stays, and is counted.
        media.remove_adapter("smb")
        assert run("up", "--yes", "--skip-preview").returncode == 0
        assert json.loads(run("stack", "output", "--json").stdout)["adapters"]["smb"]["state"] == "absent 1/2"

        # The same refusals, with the input's name as this program spells it.
        text = (root / "Pulumi.yaml").read_text()
        (root / "Pulumi.yaml").write_text(text.replace("absencePolls: 2", "absencePolls: 0"))
        refused = run("preview")
        assert refused.returncode != 0, (refused.stdout, (root / "Pulumi.yaml").read_text())
        assert "absencePolls: must be greater than or equal to 1 (it is 0)" in refused.stdout
        assert "Traceback" not in refused.stdout


def test_pulumi_s_own_rules_accept_the_schema(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    environment = {"PULUMI_HOME": str(tmp_path / "home"), "PULUMI_SKIP_UPDATE_CHECK": "1"}
    path = tmp_path / "schema.json"
    schema = ComponentPackage().schema or ""
    for text, code in ((schema, 0), (schema.replace('"type": "string"', '"type": "text"', 1), 1)):
        path.write_text(text)
        checked = run_yaml(pulumi_cli, tmp_path, environment, "schema", "check", str(path))
        assert (checked.returncode == 0) == (code == 0), checked.stderr


def test_the_schema_says_what_every_input_is_for() -> None:
    schema = json.loads(ComponentPackage().schema or "")

    assert set(schema["resources"]) == {"dittoinfra:index:ExistingServer", "dittoinfra:index:DeployedServer"}
    for resource in schema["resources"].values():
        assert resource["isComponent"]
        assert resource["inputProperties"]["password"]["secret"]
        assert set(resource["properties"]) == {"serverName", "namespace", "adapters", "conditions"}
    blocks = [*schema["resources"].values(), *schema["types"].values()]
    undescribed = [
        name
        for block in blocks
        for name, this in {**block.get("inputProperties", {}), **block["properties"]}.items()
        if not this.get("description") or "\n" in this["description"]
    ]
    assert undescribed == []
