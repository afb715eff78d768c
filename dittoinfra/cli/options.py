"""The flags that several commands share, with the names that `pulumi` gives them."""

from pathlib import Path
from typing import Annotated

import typer

from dittoinfra.cli.completion import stack_names

Stacks = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="STACK",
        help="Stacks by name or glob ('prod-*'). Without any: the selected one, or the only one.",
        autocompletion=stack_names,
        show_default=False,
    ),
]
Every = Annotated[bool, typer.Option("--all", help="Every stack of the project.")]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="NAME[=VALUE]", help="Only stacks with this tag; may be given again."),
]
AtOnce = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Stacks at a time.", show_default="2 to 8, by processors"),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask: go on after the preview.")]
SkipPreview = Annotated[
    bool, typer.Option("--skip-preview", "-f", help="Neither preview nor ask: do it at once.")
]
Diff = Annotated[bool, typer.Option("--diff", help="Show every change property by property.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Show what the engine itself prints about every stack.")
]
Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        "-t",
        metavar="URN",
        help="Touch only this resource: its URN, or a glob such as '**media/nfs'. May be given again.",
    ),
]
ExpectNoChanges = Annotated[
    bool, typer.Option("--expect-no-changes", help="End with exit code 7 where something would change.")
]
Refresh = Annotated[
    bool, typer.Option("--refresh", "-r", help="First take over what the cluster really holds.")
]
Parallel = Annotated[
    int | None,
    typer.Option("--parallel", "-p", min=1, metavar="N", help="Resource operations at a time, per stack."),
]
Json = Annotated[bool, typer.Option("--json", "-j", help="Print one JSON document instead of a summary.")]
Message = Annotated[
    str | None, typer.Option("--message", "-m", metavar="TEXT", help="What the stack's history says.")
]
BreakLock = Annotated[
    bool,
    typer.Option(
        "--break-lock", help="First release the lock that a dead run has left (as `pulumi cancel` does)."
    ),
]
StandIn = Annotated[
    bool,
    typer.Option(
        "--stand-in",
        envvar="DITTOINFRA_STANDIN",
        help="Use the built-in stand-in for the Kubernetes provider, where the official one cannot be had.",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        "--save",
        metavar="FILE",
        help="Write a plan, for `up --plan FILE`. No secret is in it.",
        dir_okay=False,
    ),
]
PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan",
        metavar="FILE",
        dir_okay=False,
        help="Do exactly what `preview --save FILE` has shown, or refuse and say what has moved since.",
    ),
]
