"""The licences of what is installed: listed, and none that is not allowed."""

from email.message import Message
from pathlib import Path

import pytest

from tools import licences
from tools.licences import LicenceError, allowed, licence_of, licensed, main
from tools.locked import RUNTIME, Pin, pins


def told(**fields: str) -> Message:
    message = Message()
    for name, value in fields.items():
        message[name.replace("_", "-")] = value
    return message


@pytest.mark.parametrize(
    ("fields", "licence"),
    [
        ({"License_Expression": "mit or apache-2.0", "License": "GPL"}, "MIT OR Apache-2.0"),
        ({"License": "BSD-3-Clause"}, "BSD-3-Clause"),
        ({"License": "3-Clause BSD License"}, "BSD-3-Clause"),
        ({"License": "do what you like", "Classifier": "License :: OSI Approved :: MIT License"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: BSD License"}, None),
        ({"License": "Copyright (c) somebody\n\nPermission is hereby granted"}, None),
        ({}, None),
    ],
)
def test_a_package_is_taken_at_its_most_exact_word(fields: dict[str, str], licence: str | None) -> None:
    assert licence_of("some-package", told(**fields)) == licence


def test_two_classifiers_are_no_clear_word() -> None:
    message = told(Classifier="License :: OSI Approved :: MIT License")
    message["Classifier"] = "License :: OSI Approved :: GNU General Public License v3 (GPLv3)"

    assert licence_of("some-package", message) is None


@pytest.mark.parametrize(
    ("licence", "verdict"),
    [
        ("MIT", True),
        ("Apache-2.0 AND BSD-2-Clause", True),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only", False),
        ("MIT AND GPL-3.0-only", False),
        ("LGPL-2.1-or-later", False),
        ("AGPL-3.0-only OR GPL-2.0-only", False),
        ("LicenseRef-Proprietary", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("(MIT AND GPL-3.0-only) OR MIT", True),
        ("MIT AND (BSD-3-Clause OR GPL-3.0-only)", False),
    ],
)
def test_only_a_listed_licence_is_allowed(licence: str, verdict: bool) -> None:
    assert allowed(licence) is verdict


def test_the_page_is_what_the_packages_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().err


def test_a_page_of_yesterday_is_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "licences.md"
    assert main(["--check"], page) == 1
    assert main([], page) == 0
    assert main(["--check"], page) == 0

    page.write_text(page.read_text().replace("| MIT |", "| ISC |", 1))
    assert main(["--check"], page) == 1
    assert capsys.readouterr().err.endswith(
        "error: licences.md is not what the packages say; run `python -m tools.licences`\n"
    )


def test_a_licence_that_is_not_allowed_names_its_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fewer = {name: why for name, why in licences.ALLOWED.items() if name != "MPL-2.0"}
    monkeypatch.setattr(licences, "ALLOWED", fewer)

    assert main(["--check"]) == 1
    version = pins(RUNTIME.read_text())["certifi"].version
    assert f"error: certifi {version} is under MPL-2.0; do without it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("pin", "problem"),
    [
        (Pin("no-such-package", "1.0", frozenset()), "no-such-package 1.0 is not installed"),
        (Pin("httpx", "0.0.1", frozenset()), r"httpx is \S+ here, not 0\.0\.1"),
    ],
)
def test_only_what_is_pinned_is_read(pin: Pin, problem: str) -> None:
    with pytest.raises(LicenceError, match=problem):
        licensed([pin])
