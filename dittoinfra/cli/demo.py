"""`dittoinfra demo`: a stack's life on the real engine."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from dittoinfra.cli.engine import engine_at_hand
from dittoinfra.cli.errors import CommandError


def demo(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per scene.")] = False,
    folder: Annotated[
        Path, typer.Option(help="Where manifests, project and state are left to be looked at.")
    ] = Path(".demo"),
) -> None:
    """Walk a stack through its life: no cluster, no account and no server needed.

    The engine is the real one. The DittoFS server is simulated, and a stand-in for the Kubernetes provider
    writes manifests into the folder instead of talking to a cluster.

    Examples:

      dittoinfra demo                    scene by scene, as the engine prints it
      dittoinfra demo --json             one object per scene
      dittoinfra demo --folder /tmp/it   leave everything there to be looked at
    """
    cli = engine_at_hand()
    # The SDK takes most of a second to import, which a wrong flag need not cost.
    from rich.console import Console

    from dittoinfra.demo import SCENES, FolderTakenError, SceneError, play, show, stage

    console = Console()
    try:
        with stage(folder.absolute(), cli.command) as set_up:
            for number, played in enumerate(play(set_up), start=1):
                if as_json:
                    sys.stdout.write(json.dumps(played.as_json()) + "\n")
                    sys.stdout.flush()
                else:
                    show(console, number, len(SCENES), played)
    except (FolderTakenError, SceneError) as error:
        raise CommandError(str(error)) from None
    if not as_json:
        console.print(f"\nManifests of every scene: [bold]{folder / 'manifests'}")
