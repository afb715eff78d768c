"""What each key of a block is for: the text under its field.

Pydantic can read these texts too, but whenever the settings are imported, which every command would wait for.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent

from pydantic import BaseModel


@cache
def meanings(model: type) -> Mapping[str, str]:
    """By the field's name, inherited ones included."""
    found: dict[str, str] = {}
    for part in reversed(model.__mro__):
        if part not in (BaseModel, object):
            found |= _own(part)
    return found


def _own(model: type) -> Iterator[tuple[str, str]]:
    [written] = ast.parse(dedent(inspect.getsource(model))).body
    assert isinstance(written, ast.ClassDef)  # noqa: S101 - it is the source of a class
    for field, text in pairwise(written.body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(meaning))):
                yield name, inspect.cleandoc(meaning)
