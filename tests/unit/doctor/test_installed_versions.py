"""Whether the CLI, the SDKs and the provider go together."""

from pathlib import Path

import pytest

from dittoinfra.doctor.check_result import CheckResult
from dittoinfra.doctor.installed_versions import Provider, check_provider, check_sdks
from dittoinfra.engine.plugin import Downloadable, Installed, Unavailable

PATH = Path("/usr/bin/pulumi-resource-kubernetes")


def told(found: Provider, **environment: str) -> list[tuple[str, str]]:
    return [(line.state, line.text) for line in check_provider(found, environment)]


def test_sdks_within_their_ranges_are_fine() -> None:
    line = check_sdks({"pulumi": "3.272.0", "pulumi-kubernetes": "4.34.2"})

    assert (line.state, line.text) == ("ok", "pulumi 3.272.0, pulumi-kubernetes 4.34.2")


@pytest.mark.parametrize(
    ("versions", "text"),
    [
        (("3.258.0", "4.34.2"), "pulumi is 3.258.0, older than the 3.259.0 that is needed"),
        (("3.272.0", "5.0.0"), "pulumi-kubernetes is 5.0.0, and only versions before 5.0.0 are supported"),
    ],
)
def test_sdks_out_of_their_ranges_fail(versions: tuple[str, str], text: str) -> None:
    line = check_sdks(dict(zip(("pulumi", "pulumi-kubernetes"), versions, strict=True)))

    assert (line.state, line.text) == ("failed", text)


def test_the_plugin_that_the_sdk_asks_for_is_fine() -> None:
    assert told(Provider(Installed(PATH, None), "4.34.2", "4.34.2")) == [("ok", f"{PATH} v4.34.2")]


def test_a_plugin_on_path_of_another_version_is_said() -> None:
    _, line = check_provider(Provider(Installed(PATH, None), "4.34.2", "4.32.0"), {})

    assert line == CheckResult(
        check="Kubernetes provider",
        state="warning",
        text=f"{PATH} is v4.32.0, and pulumi-kubernetes 4.34.2 asks for v4.34.2",
        next="take it off PATH, or install pulumi-kubernetes==4.32.0",
    )


def test_a_plugin_on_path_that_is_too_old_fails() -> None:
    assert told(Provider(Installed(PATH, None), "4.34.2", "4.29.0"))[1:] == [
        ("failed", f"{PATH} is 4.29.0, older than the 4.32.0 that is needed")
    ]


def test_a_plugin_that_does_not_say_its_version_is_a_warning() -> None:
    assert told(Provider(Installed(PATH, None), "4.34.2")) == [
        ("ok", str(PATH)),
        ("warning", f"{PATH} does not say which version it is"),
    ]


@pytest.mark.parametrize("plugin", [Downloadable("4.34.2"), Unavailable("no network")])
def test_a_downloaded_plugin_of_another_version_is_said(plugin: Downloadable | Unavailable) -> None:
    assert told(Provider(plugin, "4.34.2", kept=("4.32.0", "4.34.2")))[1:] == [
        ("warning", "v4.32.0 is installed, and pulumi-kubernetes 4.34.2 asks for v4.34.2")
    ]


def test_an_attached_provider_wins_over_all_of_them() -> None:
    found = Provider(Installed(PATH, None), "4.34.2", "4.29.0")

    assert [state for state, _ in told(found, PULUMI_DEBUG_PROVIDERS="kubernetes:4711")] == ["ok"]
