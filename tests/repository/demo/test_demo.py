"""`make demo`, the first command of the README, shows the scenes it promises."""

from io import StringIO
from pathlib import Path

import pytest
import yaml
from pulumi.automation import PulumiCommand
from rich.console import Console

from lab.demo import SCENES, FolderTakenError, play, show, stage

STORY = [
    # scene, outcome, create, update, delete, same, adapters
    ("nothing-yet", "unreachable", 6, 0, 0, 0, {}),
    ("two-adapters-found", "answered", 2, 2, 0, 4, {"nfs": "serving", "smb": "serving"}),
    ("port-changed", "answered", 0, 3, 0, 5, {"nfs": "serving", "smb": "serving"}),
    ("server-down", "unreachable", 0, 0, 0, 8, {"nfs": "kept", "smb": "kept"}),
    ("nonsense", "nonsense", 0, 0, 0, 8, {"nfs": "kept", "smb": "kept"}),
    ("missing-once", "answered", 0, 1, 0, 7, {"nfs": "serving", "smb": "absent 1/3"}),
    ("missing-twice", "answered", 0, 1, 0, 7, {"nfs": "serving", "smb": "absent 2/3"}),
    ("missing-three-times", "answered", 0, 2, 1, 5, {"nfs": "serving"}),
    ("disabled", "answered", 0, 2, 1, 4, {}),
    ("nothing-new", "answered", 0, 0, 0, 6, {}),
]


def test_every_scene_comes_to_what_it_says(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    console = Console(record=True, width=120, file=StringIO())
    told = []
    with stage(tmp_path / "demo", pulumi_cli) as set_up:
        for number, played in enumerate(play(set_up), start=1):
            show(console, number, len(SCENES), played)
            scene = played.as_json()
            adapters = {adapter["type"]: adapter["state"] for adapter in scene.pop("adapters")}
            told.append((*scene.values(), adapters))

    assert told == STORY
    text = console.export_text()
    assert "kubernetes:core/v1:Service media/nfs create" in text, "the preview's own lines are shown"
    assert "smb is missing from the answer, absent 1/3: kept" in text
    found = (
        tmp_path / "demo" / "manifests" / "02-two-adapters-found" / "files" / "service-media-adapter-nfs.yaml"
    )
    assert yaml.safe_load(found.read_text())["spec"]["ports"][0]["port"] == 12049


def test_it_does_not_clear_a_folder_that_is_not_its_own(pulumi_cli: PulumiCommand, tmp_path: Path) -> None:
    precious = tmp_path / "thesis.tex"
    precious.write_text("precious")

    with pytest.raises(FolderTakenError, match="not a demo's"), stage(tmp_path, pulumi_cli):
        pass

    assert precious.read_text() == "precious"
