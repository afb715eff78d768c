"""The example stacks are right, teach what they are there for, and hold no secrets."""

import pytest
from jsonschema import Draft7Validator

from dittoinfra.model import FoundServer
from dittoinfra.settings import StackSettings, effective_servers, service_settings
from dittoinfra.settings.configuration import load
from dittoinfra.settings.problems import SECRET_KEYS
from dittoinfra.setup.new_project import SCHEMA
from tests import ROOT
from tests.repository.reference.project import STACKS, handed_over, parsed, stack_text
from tools.reference.project import project_file
from tools.reference.schema import stack_schema


def _loaded(name: str) -> StackSettings:
    return load(handed_over(parsed(stack_text(name))["config"]), encrypted=())


def test_there_is_one_for_every_stage_and_one_for_a_fleet() -> None:
    assert set(STACKS) == {"local", "dev", "staging", "prod", "fleet"}


@pytest.mark.parametrize("name", STACKS)
def test_it_loads(name: str) -> None:
    assert _loaded(name).servers or _loaded(name).servers_from


@pytest.mark.parametrize("name", STACKS)
def test_an_editor_finds_nothing_wrong(name: str) -> None:
    assert list(Draft7Validator(stack_schema()).iter_errors(parsed(stack_text(name)))) == []


@pytest.mark.parametrize("name", STACKS)
def test_an_editor_finds_the_schema_once_it_is_copied_to_a_project(name: str) -> None:
    schema = stack_text(name).splitlines()[0].removeprefix("# yaml-language-server: $schema=")

    assert schema == SCHEMA, "the file that `init` writes beside the stacks"


def test_none_of_them_is_a_stack_of_the_project_itself() -> None:
    folder = ROOT / parsed(project_file())["stackConfigDir"]
    examples = {stack_text(name) for name in STACKS}

    assert folder.is_dir()
    assert not [path.name for path in folder.glob("Pulumi.*.yaml") if path.read_text() in examples]


@pytest.mark.parametrize("name", STACKS)
def test_no_secret_is_committed(name: str) -> None:
    assert parsed(stack_text(name)).keys() == {"config"}, "an encryption salt comes with a user's secrets"
    assert not parsed(stack_text(name))["config"].keys() & {f"dittoinfra:{key}" for key in SECRET_KEYS}


def test_a_fleet_needs_ten_lines() -> None:
    lines = [line for line in stack_text("fleet").splitlines() if not line.startswith(("#", "config:"))]
    lab = FoundServer("attic", "lab", {"tier": "lab"})
    [server] = effective_servers(_loaded("fleet"), [lab])

    assert len(lines) <= 10
    assert service_settings(server, "nfs").dns is None, "a selector can do without what the stack says"


def test_local_needs_neither_a_cluster_nor_a_server() -> None:
    [server] = effective_servers(_loaded("local"))

    assert parsed(stack_text("local"))["config"]["kubernetes:renderYamlToDirectory"] == "rendered"
    assert server.api.url is None
    assert {(pin.type, pin.port) for pin in server.adapters.pinned} == {("nfs", 12049), ("smb", 12445)}


def test_prod_serves_the_well_known_ports_on_every_server() -> None:
    servers = effective_servers(_loaded("prod"))

    ports = {(s.name, t): service_settings(s, t).service_port for s in servers for t in ("nfs", "smb")}
    assert ports == {
        ("media", "nfs"): 2049,
        ("media", "smb"): 445,
        ("archive", "nfs"): 2049,
        ("archive", "smb"): 445,
    }


def test_prod_adds_an_annotation_to_one_adapter_on_top_of_those_of_all() -> None:
    media, archive = effective_servers(_loaded("prod"))

    common = service_settings(media, "nfs").annotations
    special = service_settings(archive, "nfs").annotations
    assert common.items() < special.items()
    assert service_settings(archive, "smb").annotations == common
