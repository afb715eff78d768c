"""Questions that are asked before their answers are needed."""

import subprocess
import sys
from pathlib import Path

import pytest

from dittoinfra.stacks.cli_question import ask_early, configuration_question


def script(folder: Path, text: str) -> str:
    """A CLI that does what it is told."""
    path = folder / "pulumi"
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_an_answer_is_taken_once_and_by_its_own_question(tmp_path: Path) -> None:
    cli = script(tmp_path, "import os, sys; print(sys.argv[1:], os.environ['WORD'], os.getcwd())")
    question = configuration_question("prod")

    early = ask_early(cli, tmp_path, {"WORD": "said"}, question)

    assert early.take(configuration_question("test")) is None
    answer = early.take(question)
    assert answer is not None
    assert answer.stdout.strip() == f"{[*question, '--non-interactive']} said {tmp_path}"
    assert early.take(question) is None, "by now the answer may be another"


def test_a_failure_is_the_answer_too(tmp_path: Path) -> None:
    cli = script(tmp_path, "import sys; sys.exit('error: incorrect passphrase')")

    answer = ask_early(cli, tmp_path, {}, ("config",)).take(("config",))

    assert answer is not None
    assert (answer.returncode, answer.stderr) == (1, "error: incorrect passphrase\n")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("adapters prod --json", True),
        ("status prod", True),
        ("preview prod", False),
        ("status", False),
        ("status other", False),
        ("status prod --tag a", False),
        ("", False),
    ],
)
def test_a_command_about_one_stack_asks_before_it_is_loaded(tmp_path: Path, words: str, asked: bool) -> None:
    script(tmp_path, "import sys; print('3.259.0' if sys.argv[1] == 'version' else sys.argv[1])")
    (tmp_path / "Pulumi.yaml").write_text("name: files\n")
    (tmp_path / "Pulumi.prod.yaml").write_text("config: {}\n")
    program = """
import sys
from dittoinfra.cli.early_question import asked_before, ask_before_loading
ask_before_loading(sys.argv[1:])
late = {"typer", "rich", "pydantic", "pulumi", "urllib.request", "dittoinfra.model"}
loaded = late.intersection(sys.modules)
early = asked_before()
print(sorted(loaded), early and early.take(early.arguments).stdout.strip(), asked_before())
"""
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path)}

    said = subprocess.check_output(
        [sys.executable, "-c", program, *words.split()], cwd=tmp_path, env=environment, text=True
    )

    assert said == f"[] {'config' if asked else None} None\n"
