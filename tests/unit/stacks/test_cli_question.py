"""Questions that are asked before their answers are needed."""

import sys
from pathlib import Path

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
