"""The file and the line of a setting, whatever the files look like."""

from pathlib import Path

import pytest

from dittoinfra.settings.problems import SettingPath, path_of
from dittoinfra.settings.source_lines import SourceLines

STACK = """\
encryptionsalt: v1:x
config:
  dittoinfra:servers:
    - name: media
      adapters:
        types:
          nfs.v4: {servicePort: 1}
          nfs:
            servicePort: 2
    - {name: other}
  dittoinfra:passwords: {"*": {secure: x}, media: {secure: y}}
  ? [not, a, name]
  : nothing
"""


@pytest.fixture
def lines(tmp_path: Path) -> SourceLines:
    (tmp_path / "Pulumi.yaml").write_text("name: dittoinfra\nstackConfigDir: stacks\nconfig:\n  brake: {}\n")
    (tmp_path / "stacks").mkdir()
    (tmp_path / "stacks" / "Pulumi.prod.yaml").write_text(STACK)
    return SourceLines(tmp_path, "dittoinfra", "prod")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        (path_of(["servers"]), "stacks/Pulumi.prod.yaml:3"),
        (path_of(["servers", 0, "name"]), "stacks/Pulumi.prod.yaml:4"),
        (path_of(["servers", 0, "adapters", "types", "nfs", "servicePort"]), "stacks/Pulumi.prod.yaml:9"),
        (path_of(["servers", 0, "adapters", "types", "nfs.v4", "servicePort"]), "stacks/Pulumi.prod.yaml:7"),
        # What is not there is to be written into the block around it.
        (path_of(["servers", 1, "api", "url"]), "stacks/Pulumi.prod.yaml:10"),
        (path_of(["servers", 2]), "stacks/Pulumi.prod.yaml:3"),
        (path_of(["servers", "media"]), "stacks/Pulumi.prod.yaml:3"),
        (path_of(["servers", 0, "name", "first"]), "stacks/Pulumi.prod.yaml:4"),
        (path_of(["passwords", "*"]), "stacks/Pulumi.prod.yaml:11"),
        (path_of(["brake", "percent"]), "Pulumi.yaml:4"),
        (path_of(["adapters"]), None),
        (SettingPath(("context",), "kubernetes"), None),
        (SettingPath(("servers",)), None),
        (path_of([]), None),
    ],
    ids=str,
)
def test_the_place_of_a_setting(lines: SourceLines, path: SettingPath, place: str | None) -> None:
    assert lines.place(path) == place


@pytest.mark.parametrize("text", ["config: {", "- a list", "config: [a]", "", "other: {}"])
def test_a_file_that_cannot_be_read_has_no_places(tmp_path: Path, text: str) -> None:
    (tmp_path / "Pulumi.prod.yaml").write_text(text)

    assert SourceLines(tmp_path, "dittoinfra", "prod").place(path_of(["servers"])) is None
