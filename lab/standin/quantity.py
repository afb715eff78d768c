"""Normalizes Kubernetes quantities: `0.5` is `500m`, `1024Mi` is `1Gi`."""

import re
from fractions import Fraction

_WRITTEN = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?")
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_LEAST = Fraction(1, 1000**3)


def canonical(written: str) -> str:
    """The canonical form of a quantity; invalid ones are left for the API to refuse."""
    found = _WRITTEN.fullmatch(written)
    if found is None:
        return written
    sign, digits, suffix = found.group(1), found.group(2), found.group(3) or ""
    number = Fraction(digits)
    if suffix in _BINARY[1:]:
        number *= 1024 ** _BINARY.index(suffix)
        # Small amounts are spelled in the plain way, whatever their suffix was.
        text = _scaled(number, 1024, _BINARY) if number >= 1024 else _decimal(number)
    elif suffix[:1] in {"e", "E"} and suffix != "E":
        return written
    else:
        text = _decimal(number * Fraction(1000) ** (_DECIMAL.index(suffix) - _DECIMAL.index("")))
    return f"-{text}" if sign == "-" and number else text


def _decimal(number: Fraction) -> str:
    # What is finer than the finest unit is rounded up: less than asked for would not do.
    units = -(-number // _LEAST)
    return _scaled(Fraction(units), 1000, _DECIMAL)


def _scaled(number: Fraction, base: int, suffixes: tuple[str, ...]) -> str:
    """The number with the largest suffix that leaves it whole."""
    if not number:
        return "0"
    whole, place = -(-number.numerator // number.denominator), 0
    while whole % base == 0 and place < len(suffixes) - 1:
        whole, place = whole // base, place + 1
    return f"{whole}{suffixes[place]}"
