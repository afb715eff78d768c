"""Sizes of volumes in the one spelling that Kubernetes itself gives back."""

import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = ("", "k", "M", "G", "T", "P", "E")
_LIMIT = 2**63
_SIZE = re.compile(r"([1-9][0-9]{0,17})([KMGTPE]i|[kMGTPE])?")


def canonical(size: str) -> str:
    """The same size with the largest unit that leaves it whole: 1024Mi is 1Gi.

    A claim spelled another way is another claim to the engine, and a StatefulSet is replaced for it.
    """
    match = _SIZE.fullmatch(size)
    if match is None:
        raise ValueError("must be a whole number with a unit, such as 10Gi")
    number, unit = int(match[1]), match[2] or ""
    units, step = (_BINARY, 1024) if unit.endswith("i") else (_DECIMAL, 1000)
    place = units.index(unit)
    if number * step**place >= _LIMIT:
        raise ValueError("must be less than 8Ei, the most that Kubernetes can count")
    while place < len(units) - 1 and number % step == 0:
        number, place = number // step, place + 1
    return f"{number}{units[place]}"


Quantity = Annotated[
    str,
    AfterValidator(canonical),
    WithJsonSchema({"type": "string", "pattern": f"^{_SIZE.pattern}$", "examples": ["10Gi"]}),
]
