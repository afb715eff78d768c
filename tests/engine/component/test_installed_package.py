"""The component package from the wheel: a command that every engine starts by itself where it is on PATH."""

import json
from pathlib import Path

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra import __version__
from tests.engine.component.conftest import NewServer
from tests.engine.component.yaml_program import yaml_program
from tests.repository.project.installed_package import build_wheel, install


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """The folder of commands of an environment with the wheel."""
    install(build_wheel(tmp_path / "wheel"), tmp_path / "installed")
    return tmp_path / "installed" / "bin"


def test_an_installed_wheel_is_a_package_for_programs_in_other_languages(
    pulumi_cli: PulumiCommand,
    yaml_host: Path,
    commands: Path,
    new_server: NewServer,
    password: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    media = new_server()
    root = tmp_path_factory.mktemp("yaml")
    with yaml_program(pulumi_cli, yaml_host, root, password, installed=commands) as program:
        schema = json.loads(
            program.must("package", "get-schema", str(commands / "pulumi-resource-dittoinfra"))
        )
        assert schema["version"] == __version__
        assert {token.rpartition(":")[2] for token in schema["resources"]} == {
            "DeployedServer",
            "ExistingServer",
            "HeadlessService",
        }

        api = {"url": media.url, "username": "admin"}
        properties = {"namespace": "files", "api": api, "password": "${password}"}
        server = {"type": "dittoinfra:ExistingServer", "properties": properties}
        program.write({"media": server}, {"adapters": "${media.adapters}"})
        program.up()
        assert set(program.outputs()["adapters"]) == {"nfs", "smb"}
        program.settled()
