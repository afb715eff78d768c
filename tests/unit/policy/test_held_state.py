"""How the policy pack gets the state before a run: by asking the CLI once, and never by guessing."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from adapter_policy.held_state import HeldState, UnreadableStateError, export_stack
from adapter_policy.service_object import SERVICE

URN = f"urn:pulumi:dev::shop::{SERVICE}::nfs"
STATE: dict[str, Any] = {
    "resources": [
        {
            "urn": URN,
            "type": SERVICE,
            "outputs": {
                "metadata": {"name": "media-nfs", "labels": {"dittofs.io/adapter-type": "nfs"}},
                "spec": {"type": "LoadBalancer"},
            },
        }
    ]
}

Cli = Callable[[str], None]


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Puts a `pulumi` of these words first on PATH."""
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    def write(script: str) -> None:
        (tmp_path / "pulumi").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "pulumi").chmod(0o755)

    return write


def test_the_state_is_read_once_and_kept() -> None:
    asked: list[str] = []

    def export(name: str) -> dict[str, Any]:
        asked.append(name)
        return STATE if len(asked) == 1 else {}

    held = HeldState(export)

    assert held.services(URN, "acme") == held.services(URN, "acme")
    assert [service.name for service in held.services(URN, "acme")] == ["media-nfs"]
    assert asked == ["acme/shop/dev"]


def test_an_unreadable_state_stays_unreadable_and_is_never_empty() -> None:
    def export(name: str) -> dict[str, Any]:
        raise UnreadableStateError(f"no access to {name}")

    held = HeldState(export)

    for _ in range(2):
        with pytest.raises(UnreadableStateError, match="no access to acme/shop/dev"):
            held.services(URN, "acme")


def test_the_cli_is_asked_outside_every_project(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps({"version": 3, "deployment": STATE}))
    cli(f'echo "$@" >{tmp_path}/asked; pwd >{tmp_path}/where; cat {tmp_path}/state.json')

    assert export_stack("acme/shop/dev") == STATE
    asked = (tmp_path / "asked").read_text()
    assert asked == "stack export --non-interactive --stack acme/shop/dev\n"
    assert not Path((tmp_path / "where").read_text().strip()).exists()


@pytest.mark.parametrize("printed", ['{"version": 3}', '{"deployment": null}'])
def test_a_new_stack_holds_nothing(cli: Cli, printed: str) -> None:
    cli(f"echo '{printed}'")

    assert export_stack("acme/shop/dev") == {}


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'first'; echo 'error: no stack named dev' >&2; exit 6", "says 'error: no stack named dev'"),
        ("exit 1", "it does not say why"),
        ("echo no json", "printed no JSON"),
    ],
)
def test_why_it_cannot_be_read_is_said(cli: Cli, script: str, why: str) -> None:
    cli(script)

    with pytest.raises(UnreadableStateError, match=why):
        export_stack("acme/shop/dev")


def test_no_cli_is_said_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(UnreadableStateError, match="No such file"):
        export_stack("acme/shop/dev")
