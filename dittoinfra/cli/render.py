"""`dittoinfra render`: the manifests that a stack would declare, as files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dittoinfra.changes import count_text
from dittoinfra.cli import options
from dittoinfra.cli.command_errors import CommandError, UsageError, stack_errors
from dittoinfra.cli.console import say
from dittoinfra.cli.stack_lookup import configured_stack

if TYPE_CHECKING:  # models take a fifth of a second to import, which a wrong flag need not cost
    from dittoinfra.setup.dry_run import DryRun
    from dittoinfra.setup.manifests import Rendering
    from dittoinfra.setup.setup_documents import RenderDocument


def render(
    context: typer.Context,
    stack: options.Stack,
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

    Every server is asked, as in a preview; a cluster is needed only to find servers.
    The folder is the memory: its file .dittoinfra-render holds what is known of
    servers and adapters, so keep it with the manifests. Without a believable answer
    or a complete listing they stay as they are. Printed manifests have the stack's state as memory.
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
        raise UsageError("--json tells what became of files; name their folder with --out")
    chosen = configured_stack(context, stack)
    from dittoinfra.setup.dry_run import dry_run
    from dittoinfra.setup.manifests import FolderRefusedError, read_marker
    from dittoinfra.setup.manifests import render as render_objects

    try:
        marker = read_marker(out, stack) if out is not None else None
        with stack_errors(stack):
            run = dry_run(chosen, marker.rendered if marker is not None else None)
        rendering = render_objects(run.objects, with_secrets=with_secrets)
        _show_left_out(run, rendering)
        if out is None:
            typer.echo(rendering.stream, nl=False)
            return
        document = _written(stack, out, rendering, run)
    except FolderRefusedError as error:
        raise CommandError(str(error)) from None
    if as_json:
        typer.echo(document.model_dump_json(indent=2))
    else:
        _show(document)


def _show_left_out(run: "DryRun", rendering: "Rendering") -> None:
    for note in run.notes:
        say(f"{'warning: ' if note.warning else ''}{note}")
    for what in rendering.left_out:
        say(f"left out: {what}: make it in the cluster, or give --with-secrets")
    for name in run.patched:
        say(f"left out: {name}: patchPorts changes an object that others manage")


def _show(document: "RenderDocument") -> None:
    for file in document.files:
        if file.state != "unchanged":
            typer.echo(f"{file.state}: {Path(document.folder) / file.path}")
    unchanged = sum(file.state == "unchanged" for file in document.files)
    if unchanged:
        typer.echo(f"unchanged: {count_text(unchanged, 'manifest')} in {document.folder}")


def _written(stack: str, out: Path, rendering: "Rendering", run: "DryRun") -> "RenderDocument":
    from dittoinfra.setup.manifests import write_folder
    from dittoinfra.setup.setup_documents import RenderDocument, RenderedFile

    states = write_folder(out, stack, rendering.manifests, run.memory())
    return RenderDocument(
        stack=stack,
        folder=str(out),
        files=tuple(RenderedFile(path=path, state=state) for path, state in states.items()),
        left_out=(*rendering.left_out, *(f"ports of StatefulSet {name}" for name in run.patched)),
        notes=tuple(map(str, run.notes)),
    )
