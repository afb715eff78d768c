"""The report as one HTML page that needs nothing but itself."""

import base64
import re
from functools import cache
from hashlib import sha256

from markupsafe import Markup

from dittoinfra import __version__
from dittoinfra.reports.objects import order
from dittoinfra.reports.templating import environment
from dittoinfra.reports.view import ObjectView, Report, ServerView

_FEW_SERVERS = 6
"""Up to as many, all are drawn at once; of more, only those that somebody should look at."""

_MANY_SERVERS = 60
"""Beyond, whoever goes through the map with the Tab key meets only those that somebody should look at."""

_SHOWN_REMOVALS = 30
"""As many as a person reads; the others are one key away."""


def page(report: Report) -> str:
    """The whole page."""
    style, script = _asset("page.css"), _asset("page.js")
    text = (
        environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            style=Markup(style),  # noqa: S704 - our own file
            script=Markup(script),  # noqa: S704 - our own file
            policy=_policy(style, script),
            all_drawn=report.totals.servers <= _FEW_SERVERS,
            all_reached=report.totals.servers <= _MANY_SERVERS,
            widest=max((len(stack.servers) for stack in report.stacks), default=0),
            objects_beside=_objects_beside,
            shown_removals=_SHOWN_REMOVALS,
            version=__version__,
        )
    )
    return re.sub(r"\n\s*\n+", "\n", text).strip() + "\n"


def _objects_beside(server: ServerView) -> list[ObjectView]:
    """What is not left as it was, beside the adapters' own Services."""
    beside = [*server.others, *(each for adapter in server.adapters for each in adapter.others)]
    return sorted(beside, key=order)


@cache
def _asset(name: str) -> str:
    loader = environment().loader
    assert loader is not None  # noqa: S101 - the environment is made with one
    # The page drops empty lines, and what the policy allows is what the page carries.
    return re.sub(r"\n\s*\n+", "\n", loader.get_source(environment(), name)[0])


def _policy(style: str, script: str) -> str:
    """Nothing is loaded or sent, and no code runs but ours: whatever a name smuggles in stays text."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"
