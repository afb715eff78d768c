"""The generated files say what the settings say."""

from pathlib import Path

import pytest

from tests import ROOT
from tools.reference import artefacts
from tools.reference.__main__ import main


def test_the_files_of_this_project_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["--check", str(ROOT)])

    assert capsys.readouterr().err == ""
    assert code == 0


def test_an_empty_project_gets_every_file_and_is_fresh_afterwards(tmp_path: Path) -> None:
    assert main(["--check", str(tmp_path)]) == 1

    assert main([str(tmp_path)]) == 0

    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*")} == artefacts().keys()
    assert main(["--check", str(tmp_path)]) == 0


def test_a_stale_file_is_named_with_the_command_that_mends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(tmp_path)])
    page = tmp_path / "docs" / "configuration.md"
    page.write_text(page.read_text(encoding="utf-8") + "by hand\n", encoding="utf-8")

    code = main(["--check", str(tmp_path)])

    said = capsys.readouterr().err
    assert code == 1
    assert "docs/configuration.md; run `python -m tools.reference`" in said
    assert "Pulumi.yaml" not in said
    assert page.read_text(encoding="utf-8").endswith("by hand\n"), "a check must not write"


def test_writing_again_changes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main([str(tmp_path)])
    capsys.readouterr()

    main([str(tmp_path)])

    assert capsys.readouterr().out == ""
