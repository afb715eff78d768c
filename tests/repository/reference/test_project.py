"""`Pulumi.yaml`, as the real engine takes it."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from pulumi import automation as auto

from dittoinfra.program.engine_inputs import read_configuration
from dittoinfra.settings import StackSettings
from dittoinfra.settings.configuration import load
from dittoinfra.settings.provider import NEEDED, PROVIDER, provider_problems
from dittoinfra.stacks.cli_process import CommandLine
from lab.bed.credential_files import holds_credentials
from lab.bed.credentials import credential
from tests.repository.reference.project import EXAMPLES, STACKS, handed_over, parsed
from tools.reference.project import project_file

PASSWORD = credential("password")
PASSPHRASE = credential("passphrase")


@dataclass(frozen=True)
class Project:
    """A copy of the project whose program only reads its configuration."""

    root: Path
    command: auto.PulumiCommand

    def settings(self, name: str) -> StackSettings:
        """The settings that the program gets in a preview."""
        read: list[StackSettings] = []
        self.stack(name, lambda: read.append(read_configuration(self.root).settings())).preview(color="never")
        return read[0]

    def refusal(self, name: str) -> str:
        """What the engine says instead of running the program."""
        started: list[None] = []
        with pytest.raises(auto.CommandError) as refused:
            self.stack(name, lambda: started.append(None)).preview(color="never")
        assert not started
        return str(refused.value)

    def stack(self, name: str, program: auto.PulumiFn) -> auto.Stack:
        environment = {
            "PULUMI_BACKEND_URL": f"file://{self.root / 'state'}",
            "PULUMI_HOME": str(self.root / "home"),
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "1",
        }
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root), program=program, env_vars=environment, pulumi_command=self.command
        )
        return auto.Stack.create_or_select(name, workspace)

    def configure(self, name: str, config: dict[str, object]) -> None:
        """Write a stack's file."""
        (self.root / "stacks" / f"Pulumi.{name}.yaml").write_text(yaml.safe_dump({"config": config}))


@pytest.fixture
def project(tmp_path: Path, pulumi_cli: auto.PulumiCommand) -> Project:
    shutil.copytree(EXAMPLES, tmp_path / "stacks")
    (tmp_path / "Pulumi.yaml").write_text(project_file(), encoding="utf-8")
    (tmp_path / "state").mkdir()
    return Project(tmp_path, pulumi_cli)


def test_it_declares_every_key() -> None:
    known = {str(field.alias) for field in StackSettings.model_fields.values()}

    assert parsed(project_file())["config"].keys() == known | {PROVIDER + name for name in NEEDED}


def test_it_gives_every_stack_what_our_objects_need_of_the_provider() -> None:
    assert list(provider_problems(parsed(project_file())["config"])) == []


def test_its_defaults_are_those_of_the_settings() -> None:
    declared = parsed(project_file())["config"]
    ours = {key: declaration for key, declaration in declared.items() if not key.startswith(PROVIDER)}
    defaults = {f"dittoinfra:{key}": declaration["default"] for key, declaration in ours.items()}

    assert load(handed_over(defaults), encrypted=()) == StackSettings()


@pytest.mark.parametrize("name", STACKS)
def test_the_engine_takes_every_example(project: Project, name: str) -> None:
    text = (project.root / "stacks" / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    expected = load(handed_over(parsed(text)["config"]), encrypted=())

    assert project.settings(name) == expected


def test_a_stack_that_says_nothing_gets_the_defaults(project: Project) -> None:
    project.configure("empty", {})

    assert project.settings("empty") == StackSettings()


def test_digits_in_quotes_are_a_number(project: Project) -> None:
    project.configure("quoted", {"dittoinfra:absencePolls": "5"})

    assert project.settings("quoted").absence_polls == 5


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        ("absencePolls", "many", "integer"),
        ("servers", {"name": "media"}, "array<object>"),
    ],
)
def test_the_engine_refuses_a_wrong_type_by_name(
    project: Project, key: str, value: object, kind: str
) -> None:
    project.configure("wrong", {f"dittoinfra:{key}": value})

    assert f"configuration key '{key}' must be of type '{kind}'" in project.refusal("wrong")


def test_encrypted_passwords_reach_the_program(project: Project) -> None:
    workspace = project.stack("dev", lambda: None).workspace
    # Not the SDK's own way, which shows every secret in the list of processes.
    cli = CommandLine(project.command, project.root, workspace.env_vars)

    for path in ("passwords.media", 'passwords["*"]'):
        cli.ask("config", "set", f"dittoinfra:{path}", "--secret", "--path", "--stack", "dev", given=PASSWORD)

    file = (project.root / "stacks" / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    assert PASSWORD not in file
    assert "# The smallest stack" in file, "the CLI keeps comments"
    passwords = project.settings("dev").passwords
    assert {name: secret.get_secret_value() for name, secret in passwords.items()} == {
        "media": PASSWORD,
        "*": PASSWORD,
    }


def test_a_password_in_the_clear_is_refused_without_repeating_it(project: Project) -> None:
    holds_credentials(project.root / "stacks" / "Pulumi.clear.yaml", "a mistake, which is refused")
    project.configure("clear", {"dittoinfra:passwords": {"*": PASSWORD}})

    with pytest.raises(auto.CommandError) as refused:
        project.settings("clear")

    assert "dittoinfra:passwords: is stored in the clear" in str(refused.value)
    assert PASSWORD not in str(refused.value)
