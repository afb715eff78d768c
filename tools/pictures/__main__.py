"""`python -m tools.pictures`: take every picture of `docs/pictures` again."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.process import BedError
from lab.gotools import StreamProgress, find_cli
from tools.pictures.drawing import drawn
from tools.pictures.film import film
from tools.pictures.sessions import SESSIONS
from tools.pictures.stage import stage
from tools.pictures.terminal import record

_FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every command in a terminal, in order, and write its picture."""
    parser = ArgumentParser(
        prog="python -m tools.pictures", description="Take the pictures of docs/pictures."
    )
    parser.add_argument("folder", nargs="?", type=Path, default=_FOLDER, help="where they are written")
    options = parser.parse_args(arguments)
    progress = StreamProgress()
    try:
        cli = find_cli(progress)
        for session in SESSIONS:
            with stage(cli) as set_up:
                for picture in session:
                    frames = record(set_up, picture.steps, rows=picture.rows)
                    if not picture.shown:
                        continue
                    path = options.folder / f"{picture.name}.svg"
                    path.write_text(
                        film(picture.name, picture.title, frames)
                        if picture.moves
                        else drawn(picture.name, picture.title, frames[-1].screen),
                        encoding="utf-8",
                    )
                    progress.say(f"drew {path}")
    except (BedError, EngineError) as error:
        progress.say(f"error: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
