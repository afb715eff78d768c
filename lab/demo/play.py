"""Runs the scenes on the real engine and yields the result of each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dittoinfra.stacks.result import RunReport
from lab.demo.scenes import SCENES, Scene
from lab.demo.stage import SERVER, Stage


class SceneError(Exception):
    """The engine failed in a scene."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one scene."""

    scene: Scene
    report: RunReport
    preview_lines: tuple[str, ...]
    """What the engine's own preview printed."""
    manifests: Path

    @property
    def outcome(self) -> str:
        """The outcome of the poll."""
        reachable = next(c for c in self._server["conditions"] if c["type"] == "APIReachable")
        return str(reachable["reason"]).lower()

    @property
    def adapters(self) -> list[dict[str, Any]]:
        """The adapters declared after the scene."""
        return [
            {"type": adapter_type, "port": int(adapter["port"]), "state": adapter["state"]}
            for adapter_type, adapter in sorted(self._server["adapters"].items())
        ]

    @property
    def _server(self) -> Mapping[str, Any]:
        server: Mapping[str, Any] = self.report.outputs["servers"][SERVER]
        return server

    def as_json(self) -> dict[str, Any]:
        """The result as JSON data."""
        changes = self.report.changes
        return {
            "scene": self.scene.name,
            "outcome": self.outcome,
            "create": changes.create,
            "update": changes.update,
            "delete": changes.delete,
            "same": changes.same,
            "adapters": self.adapters,
        }


def play(stage: Stage) -> Iterator[Played]:
    """Run every scene: change the server, preview, update."""
    for number, scene in enumerate(SCENES, start=1):
        scene.happens(stage.dittofs)
        stage.printed.clear()
        preview = stage.stack.preview()
        printed = tuple(stage.printed)
        report = stage.stack.up() if preview.ok else preview
        if not report.ok:
            raise SceneError(f"{scene.name}: {'; '.join(report.lines('error')) or 'the engine stopped'}")
        yield Played(scene, report, printed, stage.keep_manifests(f"{number:02}-{scene.name}"))
