"""`dittoinfra render`: the manifests that a stack would declare, as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.cli.completion import Stack
from dittoinfra.cli.errors import CommandError
from dittoinfra.cli.one_stack import configured_stack, end_of
from dittoinfra.cli.project import project_at_hand
from dittoinfra.exitcodes import ExitCode

if TYPE_CHECKING:  # the SDK takes most of a second to import, which a wrong flag need not cost
    from collections.abc import Callable

    from dittoinfra.memory import Memory
    from dittoinfra.program import Rehearsed
    from dittoinfra.setup.documents import RenderDocument
    from dittoinfra.setup.manifests import Rendering


def render(
    context: typer.Context,
    stack: Stack,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            file_okay=False,
            help="Keep this folder in step. Without it the manifests are printed.",
            show_default=False,
        ),
    ] = None,
    with_secrets: Annotated[
        bool, typer.Option("--with-secrets", help="Write Secrets too, with their values in the clear.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", "-j", help="Print what became of each file as one JSON document.")
    ] = False,
) -> None:
    """Write the manifests that a stack would declare, for GitOps. Nothing is changed in any cluster.

    Every server is asked, as in a preview; no cluster is needed. The folder is the
    memory: without a believable answer its adapters stay as they are, and absences
    are counted in its files. Printed manifests have the stack's state as memory.
    The same declaration gives the same bytes, and only files that an earlier
    `render` has written are ever replaced or removed. Secrets are left out, and
    named, unless asked for.

    Examples:

      dittoinfra render prod --out deploy/prod         files, one for each object
      dittoinfra render prod | kubectl diff -f -       what the cluster has to say about them
      dittoinfra render prod -o deploy/prod --json     what became of each file

    The document is described in docs/schemas/render.schema.json.
    """
    if as_json and out is None:
        raise CommandError(
            "--json tells what became of files; name their folder with --out", ExitCode.CONFIGURATION
        )
    chosen = configured_stack(project_at_hand(context), stack)
    from dittoinfra.automation import RunReport
    from dittoinfra.setup.manifests import render as render_objects
    from dittoinfra.setup.rehearsing import rehearse_stack

    rehearsed = rehearse_stack(chosen, _recalled(stack, out))
    if isinstance(rehearsed, RunReport):
        raise end_of(rehearsed)
    rendering = render_objects(rehearsed.objects, with_secrets=with_secrets)
    _tell(rehearsed, rendering)
    if out is None:
        typer.echo(rendering.stream, nl=False)
        return
    document = _written(stack, out, rendering, rehearsed)
    if as_json:
        typer.echo(document.model_dump_json(indent=2))
    else:
        _show(document)


def _recalled(stack: str, out: Path | None) -> "Callable[[Memory], Memory] | None":
    from dittoinfra.setup.folder import FolderRefusedError
    from dittoinfra.setup.recalled import recalled_from

    try:
        return recalled_from(out, stack) if out is not None else None
    except FolderRefusedError as error:
        raise CommandError(str(error)) from None


def _tell(rehearsed: "Rehearsed", rendering: "Rendering") -> None:
    for note in rehearsed.notes:
        typer.echo(f"{'warning: ' if note.warning else ''}{note.server}: {note.text}", err=True)
    for what in rendering.left_out:
        typer.echo(f"left out: {what}: make it in the cluster, or give --with-secrets", err=True)
    for name in rehearsed.patched:
        typer.echo(f"left out: {name}: patchPorts changes an object of somebody else", err=True)


def _show(document: "RenderDocument") -> None:
    for file in document.files:
        if file.state != "unchanged":
            typer.echo(f"{file.state}: {Path(document.folder) / file.path}")
    unchanged = sum(file.state == "unchanged" for file in document.files)
    if unchanged:
        typer.echo(f"unchanged: {unchanged} manifest{'s' if unchanged > 1 else ''} in {document.folder}")


def _written(stack: str, out: Path, rendering: "Rendering", rehearsed: "Rehearsed") -> "RenderDocument":
    from dittoinfra.setup.documents import RenderDocument, RenderedFile
    from dittoinfra.setup.folder import FolderRefusedError, write_folder

    try:
        done = write_folder(out, stack, rendering.manifests)
    except FolderRefusedError as error:
        raise CommandError(str(error)) from None
    states = {
        **dict.fromkeys(done.written, "written"),
        **dict.fromkeys(done.unchanged, "unchanged"),
        **dict.fromkeys(done.removed, "removed"),
    }
    return RenderDocument(
        stack=stack,
        folder=str(out),
        files=tuple(RenderedFile.model_validate({"path": p, "state": states[p]}) for p in sorted(states)),
        left_out=(*rendering.left_out, *(f"ports of StatefulSet {name}" for name in rehearsed.patched)),
        notes=tuple(f"{note.server}: {note.text}" for note in rehearsed.notes),
    )
