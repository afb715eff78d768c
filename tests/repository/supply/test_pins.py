"""Nothing is installed that is not exactly what was chosen: versions, hashes, checksums."""

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.locked import DEVELOPMENT, ROOT, RUNTIME, NotPinnedError, pins

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
MODULES = sorted((ROOT / "lab").rglob("go.mod"))
INSTALLING = [ROOT / "Makefile", ROOT / "Dockerfile"]
COPIED = [path for path in sorted((ROOT / "pipelines").rglob("*")) if path.is_file()]
"""What runs in a repository of others: with the versions and hashes that their requirements.txt has."""

HASH = f"--hash=sha256:{'0' * 64}"


@pytest.mark.parametrize("path", [RUNTIME, DEVELOPMENT], ids=lambda path: path.name)
def test_every_requirement_has_one_version_and_hashes(path: Path) -> None:
    assert len(pins(path.read_text())) > 50


@pytest.mark.parametrize(
    "line",
    [
        "httpx==0.28.1",
        f"httpx>=0.28 {HASH}",
        f"httpx==0.* {HASH}",
        f"httpx @ https://example.com/httpx.whl {HASH}",
        "-e .",
        "./httpx.whl",
        "--index-url https://example.com/simple",
        f"--extra-index-url https://example.com/simple\nhttpx==0.28.1 {HASH}",
        "httpx==0.28.1 --hash=md5:0123",
    ],
)
def test_anything_else_would_be_seen(line: str) -> None:
    with pytest.raises(NotPinnedError):
        pins(f"anyio==4.12.0 \\\n    {HASH}\n    # via httpx\n{line}\n")


def test_what_is_developed_with_is_what_is_run() -> None:
    run, developed = pins(RUNTIME.read_text()), pins(DEVELOPMENT.read_text())

    assert {name: pin for name, pin in developed.items() if name in run} == run


@pytest.mark.parametrize(
    ("path", "ranges"),
    [
        (RUNTIME, PROJECT["project"]["dependencies"]),
        (RUNTIME, PROJECT["build-system"]["requires"]),
        (DEVELOPMENT, PROJECT["project"]["optional-dependencies"]["dev"]),
    ],
    ids=["run", "build", "develop"],
)
def test_the_pins_are_within_the_ranges(path: Path, ranges: list[str]) -> None:
    pinned = pins(path.read_text())
    for text in ranges:
        wanted = Requirement(text)
        name = canonicalize_name(wanted.name)
        assert name in pinned, f"{name} is not in {path.name}; run `make lock`"
        assert wanted.specifier.contains(pinned[name].version, prereleases=True), text


@pytest.mark.parametrize("path", [RUNTIME, DEVELOPMENT], ids=lambda path: path.name)
def test_extras_that_a_package_asks_for_are_pinned_with_it(path: Path) -> None:
    # pip takes `name[extra]` for another requirement than `name`: unpinned, it refuses to install as soon as
    # a newer version than the pinned one is released.
    text = path.read_text()
    for pinned in pins(text):
        for line in distribution(pinned).requires or ():
            wanted = Requirement(line)
            if wanted.extras and (wanted.marker is None or wanted.marker.evaluate({"extra": ""})):
                extras = ",".join(sorted(wanted.extras))
                assert f"{canonicalize_name(wanted.name)}[{extras}]==" in text, f"{pinned} asks for {line}"


@pytest.mark.parametrize("path", INSTALLING, ids=lambda path: str(path.relative_to(ROOT)))
def test_everybody_installs_by_hash_and_nothing_but_us_without(path: Path) -> None:
    for command in re.findall(r"\bpip install\b(.*)", path.read_text()):
        ours = {"--no-deps", "--no-build-isolation"} <= set(command.split())
        assert ours or re.search(r"--require-hashes -r requirements(-dev)?\.txt", command), command


@pytest.mark.parametrize("path", COPIED, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_is_copied_installs_what_its_repository_names_and_nothing_else(path: Path) -> None:
    for command in re.findall(r"\bpip install\b(.*)", path.read_text()):
        assert command == " -r requirements.txt"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.parent.name)
def test_every_go_module_has_a_checksum(module: Path) -> None:
    sums = {tuple(line.split()[:2]) for line in module.with_name("go.sum").read_text().splitlines()}
    text = module.read_text()
    replaced = dict(re.findall(r"^\s*(?:replace )?(\S+)(?: v\S+)? => (\S+ v\S+)$", text, re.MULTILINE))
    required = re.findall(r"^\s*(?:require )?(\S+) (v\S+)(?: // indirect)?$", text, re.MULTILINE)

    assert len(required) > 10
    for name, version in required:
        name, version = replaced.get(name, f"{name} {version}").split()
        assert {(name, version), (name, f"{version}/go.mod")} & sums, f"{name} {version}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.parent.name)
def test_no_go_module_comes_from_a_folder(module: Path) -> None:
    assert not re.search(r"=>\s*[./]", module.read_text())
