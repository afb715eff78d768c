"""`pulumi new` with the template makes the project that `dittoinfra init` begins."""

import subprocess
from pathlib import Path

import yaml
from pulumi.automation import PulumiCommand

from dittoinfra.setup.new_project import DESCRIPTION, project_files
from lab.bed.credentials import credential
from tests import ROOT

TEMPLATE = ROOT / "templates" / "dittoinfra"


def test_a_new_project_is_the_one_that_init_begins(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    for name in ("project", "state", "home"):
        (tmp_path / name).mkdir()
    done = subprocess.run(
        [pulumi_cli.command, "new", "--generate-only", "--yes", "--name", "file-servers", str(TEMPLATE)],
        cwd=tmp_path / "project",
        env={
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path / "home"),
            "PULUMI_BACKEND_URL": (tmp_path / "state").as_uri(),
            "PULUMI_CONFIG_PASSPHRASE": credential("passphrase"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    # An official CLI comes with Python's language host beside it, one from a module proxy does not. The host
    # is asked once all is written.
    has_host = Path(pulumi_cli.command).resolve().with_name("pulumi-language-python").exists()
    assert ("no language plugin 'pulumi-language-python' found" in done.stderr) is not has_host
    assert (done.returncode == 0) is has_host, done.stderr
    assert "Created project 'file-servers'" in done.stdout, done.stderr
    expected = dict(project_files("pip", "file-servers"))
    made = {path.name: path.read_text() for path in (tmp_path / "project").iterdir()}
    assert made.keys() == expected.keys()
    project, begun = (yaml.safe_load(texts.pop("Pulumi.yaml")) for texts in (made, expected))
    assert made == expected
    # The CLI notes the template, and writes values in its longer form.
    values = {key: entry["value"] for key, entry in project.pop("config").items()}
    assert values.pop("pulumi:tags") == {"pulumi:template": str(TEMPLATE)}
    assert values == begun.pop("config")
    assert project == begun
    assert project["description"] == DESCRIPTION
