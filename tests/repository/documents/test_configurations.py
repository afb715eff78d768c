"""Every stack's configuration on a page loads as it is, and every path that a page names is there."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from dittoinfra.settings.configuration import load
from dittoinfra.settings.server import ServerSettings
from tests import ROOT
from tests.repository.documents.pages import PAGES, Block, all_blocks, inline_code
from tests.repository.reference.project import handed_over

SERVER_KEYS = {str(field.alias or name) for name, field in ServerSettings.model_fields.items()}
FOLDERS = tuple(f"{path.name}/" for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith("."))
MADE = ("docs/pictures/", "stacks/", "site/")
"""Folders whose files are named as examples, or made by a target."""


@pytest.mark.parametrize("block", all_blocks("yaml"), ids=str)
def test_a_configuration_loads(block: Block) -> None:
    document: dict[str, Any] = yaml.safe_load(block.text)
    program = "resources" in document  # in Pulumi YAML, which the tests of components run
    if program or {"apiVersion", "kind"} <= document.keys() or block.note.startswith("not run: "):
        return
    if document.keys() <= SERVER_KEYS:
        document = {"config": {"dittoinfra:servers": [_server(document)]}}

    assert "config" in document, "neither a stack nor a part of a server: say why it is not loaded"
    load(handed_over(document["config"]), encrypted=())


def _server(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a server's block, with what every such block needs beside it."""
    server = {"name": "media", "namespace": "files", **part}
    if "deploy" in part:
        secrets = {name: {"secret": "media", "key": name} for name in ("jwt", "adminPassword")}
        server["deploy"] = {"credentials": secrets, **part["deploy"]}
    return server


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_path_of_the_repository_is_there(page: Path) -> None:
    named = {
        code.partition("#")[0].removesuffix("/")
        for code in inline_code(page)
        if code.startswith(FOLDERS) and not code.startswith(MADE)
    }
    real = {code for code in named if re.fullmatch(r"[\w./*-]+", code) and not re.search(r"[A-Z]{4}", code)}

    assert [code for code in sorted(real) if not list(ROOT.glob(code))] == []
