"""The templates of the reports, and what they may call."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from dittoinfra.reports import words
from dittoinfra.reports.view import Change
from dittoinfra.visible import visible


@cache
def environment() -> Environment:
    """Templates: of HTML every value is escaped, and of Markdown the template says how."""
    made = Environment(
        loader=PackageLoader("dittoinfra.reports", "templates"),
        autoescape=select_autoescape(("html.j2",)),
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals.update(
        Change=Change,
        SIGNS=words.SIGNS,
        change_word=words.change_word,
        counted=words.counted,
        counts_text=words.counts_text,
        fate=words.fate,
        headline=words.headline,
        plural=words.plural,
    )
    return made


def _visible(value: object) -> object:
    # A name that reorders what follows it could pass for another one. Markup is our own.
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
