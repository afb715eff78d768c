"""Whether the official plugin will be there is known before the engine needs it."""

from importlib import metadata
from pathlib import Path

import pytest

from dittoinfra.engine.plugin import Downloadable, Installed, Unavailable, official_kubernetes_plugin
from tests.unit.engine.programs import script

VERSION = metadata.version("pulumi-kubernetes")
NAME = "pulumi-resource-kubernetes"


def _never_asked(*_: str) -> str:
    raise AssertionError("the network was asked although the answer is here")


def _offline(*_: str) -> str:
    return "no route"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"PULUMI_HOME": str(tmp_path / "home"), "PATH": str(tmp_path / "bin")}


def _kept(environment: dict[str, str], version: str) -> Path:
    return Path(environment["PULUMI_HOME"]) / "plugins" / f"resource-kubernetes-v{version}"


def test_the_plugin_of_the_sdks_version_is_found_where_the_engine_keeps_it(
    environment: dict[str, str],
) -> None:
    binary = script(_kept(environment, VERSION) / NAME, "exit 0")

    assert official_kubernetes_plugin(environment, _never_asked) == Installed(binary, VERSION)


def test_on_path_it_wins_whatever_its_version(environment: dict[str, str], tmp_path: Path) -> None:
    script(_kept(environment, VERSION) / NAME, "exit 0")
    binary = script(tmp_path / "bin" / NAME, "exit 0")

    assert official_kubernetes_plugin(environment, _never_asked) == Installed(binary, None)


def test_path_is_not_looked_at_when_the_engine_is_told_not_to(
    environment: dict[str, str], tmp_path: Path
) -> None:
    script(tmp_path / "bin" / NAME, "exit 0")
    environment["PULUMI_IGNORE_AMBIENT_PLUGINS"] = "true"

    assert isinstance(official_kubernetes_plugin(environment, _offline), Unavailable)


def test_another_version_is_of_no_use_to_the_engine(environment: dict[str, str]) -> None:
    script(_kept(environment, "4.0.0") / NAME, "exit 0")

    assert official_kubernetes_plugin(environment, lambda *_: None) == Downloadable(VERSION)


def test_one_that_is_still_being_unpacked_does_not_count(environment: dict[str, str]) -> None:
    kept = _kept(environment, VERSION)
    script(kept / NAME, "exit 0")
    kept.with_name(f"{kept.name}.partial").touch()

    assert isinstance(official_kubernetes_plugin(environment, _offline), Unavailable)


def test_offline_it_is_unavailable_and_says_why_in_one_line(environment: dict[str, str]) -> None:
    answer = official_kubernetes_plugin(environment, _offline)

    assert answer == Unavailable(
        f"{_kept(environment, VERSION)} is not there and cannot be downloaded (no route)"
    )


def test_where_downloading_is_forbidden_the_network_is_not_asked(environment: dict[str, str]) -> None:
    environment["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] = "1"

    answer = official_kubernetes_plugin(environment, _never_asked)

    assert isinstance(answer, Unavailable)
    assert "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION" in answer.why


@pytest.mark.parametrize(
    ("overrides", "asked"),
    [
        ("", ("https://github.com/pulumi/pulumi-kubernetes", "https://get.pulumi.com/releases/plugins")),
        ("^github://=https://mirror.test/plugins", ("https://mirror.test/plugins",)),
        ("(?U)^github://.*=https://mirror.test", ("https://mirror.test",)),
        (
            "^github://api.github.com/other/=https://mirror.test",
            ("https://github.com/pulumi/pulumi-kubernetes", "https://get.pulumi.com/releases/plugins"),
        ),
    ],
)
def test_the_hosts_asked_are_those_the_engine_would_download_from(
    overrides: str, asked: tuple[str, ...], environment: dict[str, str]
) -> None:
    environment["PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"] = overrides
    seen: list[str] = []

    def reachable(*urls: str) -> None:
        seen.extend(urls)

    assert official_kubernetes_plugin(environment, reachable) == Downloadable(VERSION)
    assert tuple(seen) == asked
