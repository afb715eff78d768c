"""`python -m tools.pictures`: take every picture of `docs/pictures` again."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.process import BedError
from lab.gotools import StreamProgress, find_cli
from tools.pictures.drawing import drawn
from tools.pictures.stage import STACK, Stage, stage
from tools.pictures.terminal import show

_COLUMNS = 108
_ROWS = 40
_FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


@dataclass(frozen=True, slots=True)
class Picture:
    """What happens before a command, and the command."""

    name: str
    title: str
    command: str
    answers: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[Stage], object] = lambda _: None
    shown: bool = True
    """Whether it is drawn, or only run for what comes after it."""


def _moves(stage: Stage) -> None:
    stage.balance()
    stage.dittofs.set_adapter("nfs", port=13049)


def _loses_its_database(stage: Stage) -> None:
    stage.dittofs.start()
    stage.dittofs.remove_adapter("nfs")
    stage.dittofs.remove_adapter("smb")
    stage.configure(absencePolls=1)


PICTURES = (
    Picture(
        "first-up", "a first update", f"dittoinfra up {STACK}", {f"Update {STACK}?": "yes"}, Stage.configure
    ),
    Picture("status", "where clients mount", f"dittoinfra status {STACK}", before=Stage.balance),
    Picture("moved-port", "an adapter has moved", f"dittoinfra preview {STACK}", before=_moves),
    Picture("moved", "it is followed", f"dittoinfra up {STACK} --yes", shown=False),
    Picture(
        "outage", "the server is down", f"dittoinfra up {STACK} --yes", before=lambda s: s.dittofs.stop()
    ),
    Picture(
        "refusal", "every adapter is missing", f"dittoinfra up {STACK} --yes", before=_loses_its_database
    ),
    Picture("history", "what happened, and why", f"dittoinfra history {STACK}"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every command in a terminal, in order, and write its picture."""
    parser = ArgumentParser(
        prog="python -m tools.pictures", description="Take the pictures of docs/pictures."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=_FOLDER, help="where they are written")
    options = parser.parse_args(arguments)
    progress = StreamProgress()
    try:
        with stage(find_cli(progress)) as set_up:
            for picture in PICTURES:
                picture.before(set_up)
                screen = show(
                    picture.command,
                    picture.answers,
                    set_up.folder,
                    set_up.environment,
                    columns=_COLUMNS,
                    rows=_ROWS,
                )
                if picture.shown:
                    path = options.folder / f"{picture.name}.svg"
                    path.write_text(drawn(picture.name, picture.title, screen, _COLUMNS), encoding="utf-8")
                    progress.say(f"drew {path}")
    except (BedError, EngineError) as error:
        progress.say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
