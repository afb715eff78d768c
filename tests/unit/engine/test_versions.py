"""What is supported is written once; everything that repeats it is held to that."""

import re
import tomllib
from importlib import metadata

import pytest
from semver import VersionInfo

from dittoinfra.engine.versions import (
    CLI,
    DITTOFS,
    FETCHED_CLI,
    KUBERNETES,
    PROVIDER,
    PROVIDER_SDK,
    SDK,
    Supported,
    parsed,
)
from dittoinfra.settings.deploy import TESTED_VERSION
from lab.bed.tools import KUBERNETES_VERSION
from lab.simulator.versions import TESTED
from tests import ROOT


def test_the_readme_shows_the_table() -> None:
    everything = (CLI, SDK, PROVIDER_SDK, PROVIDER, KUBERNETES, DITTOFS)
    rows = [f"| {this.part} | {this} | {', '.join(this.tested)} |" for this in everything]
    table = "\n".join(("| | supported | tested with |", "|---|---|---|", *rows))

    assert table in (ROOT / "README.md").read_text()


@pytest.mark.parametrize(("package", "supported"), [("pulumi", SDK), ("pulumi-kubernetes", PROVIDER_SDK)])
def test_the_packages_are_required_and_pinned_in_these_versions(package: str, supported: Supported) -> None:
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    (bounds,) = (line for line in required if re.match(rf"{package}[<>]", line))
    (pinned,) = re.findall(rf"^{package}==(\S+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)

    oldest, before = re.findall(r"[\d.]+", bounds)
    assert str(supported.oldest).startswith(oldest)
    assert supported.before == VersionInfo.parse(f"{before}.0.0")
    assert pinned in supported.tested
    assert metadata.version(package) in supported.tested


def test_what_is_said_to_be_tested_is_what_the_tests_run_on() -> None:
    assert KUBERNETES_VERSION.removeprefix("v") in KUBERNETES.tested
    assert tuple(map(str, TESTED)) == DITTOFS.tested
    assert f"v{DITTOFS.tested[-1]}" == TESTED_VERSION
    assert str(FETCHED_CLI) in CLI.tested


@pytest.mark.parametrize(
    ("version", "objection"),
    [
        ("3.226.9", "is 3.226.9, older than the 3.227.0 that is needed"),
        ("3.227.0", None),
        ("3.999.0", None),
        ("4.0.0", "is 4.0.0, and only versions before 4.0.0 are supported"),
    ],
)
def test_a_version_out_of_range_is_told(version: str, objection: str | None) -> None:
    assert CLI.objection(VersionInfo.parse(version)) == objection


def test_versions_are_read_as_tags_have_them() -> None:
    assert parsed("v1.36.3+k3s1") == VersionInfo(1, 36, 3, build="k3s1")
    assert parsed("unknown") is None
