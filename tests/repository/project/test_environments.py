"""Pulumi ESC as docs/projects.md shows it: as much as can be known without an account at Pulumi Cloud."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.settings import ConfigurationError
from dittoinfra.settings.configuration import load
from tests import ROOT
from tests.engine.cli.fleet_bed import Fleet, fleet
from tests.repository.reference.project import handed_over

PAGE = (ROOT / "docs" / "projects.md").read_text(encoding="utf-8")


def block(key: str) -> dict[str, Any]:
    """The YAML on the page that has this key at its top."""
    texts = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    [found] = [document for document in map(yaml.safe_load, texts) if key in document]
    assert isinstance(found, dict)
    return found


def opened(environment: dict[str, Any]) -> dict[str, str]:
    """The configuration that an environment gives to a stack, by full key, as the engine has it."""
    values = environment["values"]

    def resolved(value: object) -> object:
        match value:
            case {"fn::secret": secret}:
                return secret
            case dict():
                return {key: resolved(entry) for key, entry in value.items()}
            case str() if path := re.fullmatch(r"\$\{(.+)\}", value):
                found: Any = values
                for step in path[1].split("."):
                    found = found[step]
                return resolved(found)
            case _:
                return value

    config: dict[str, object] = values["pulumiConfig"]
    return {key: json.dumps(resolved(value)) for key, value in config.items()}


def test_the_environment_on_the_page_gives_the_stack_on_the_page_its_password() -> None:
    stack = block("environment")
    given = {key.removeprefix("dittoinfra:"): value for key, value in opened(block("values")).items()}
    values = {**handed_over(stack["config"]), **given}

    settings = load(values, encrypted={"passwords"})

    assert settings.passwords.keys() == {server.name for server in settings.servers}
    with pytest.raises(ConfigurationError, match="is stored in the clear"):
        load(values, encrypted=())


@pytest.fixture
def project(pulumi_cli: PulumiCommand, tmp_path: Path) -> Iterator[Fleet]:
    with fleet(tmp_path, pulumi_cli) as project:
        project.add_stack("prod")
        yield project


def test_another_backend_refuses_an_environment_in_one_line(project: Fleet) -> None:
    file = project.config_file("prod")
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **_environment()}))

    done = project.run("preview", "prod")

    assert done.returncode != 0
    [line] = [line for line in (done.stdout + done.stderr).splitlines() if "environments" in line]
    assert "Pulumi ESC environments require the Pulumi Cloud backend" in line
    assert project.services("prod") == {}


def _environment() -> dict[str, Any]:
    return {"environment": block("environment")["environment"]}
