"""`python -m tools.licences`: write the page of licences; `--check` only says whether it is right.

Of a package's own words the most exact count: its licence expression, else its licence, else its classifiers.
"""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.message import Message
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

from tools.locked import ROOT, RUNTIME, Pin, pins

PAGE: Final = ROOT / "docs" / "licences.md"

ALLOWED: Final[Mapping[str, str]] = {
    "0BSD": "asks for nothing",
    "Apache-2.0": "ours",
    "BSD-2-Clause": "asks to be named",
    "BSD-3-Clause": "asks to be named",
    "ISC": "asks to be named",
    "MIT": "asks to be named",
    "MIT-0": "asks for nothing",
    "MPL-2.0": "asks for the source of changed files, and we change none",
    "PSF-2.0": "asks to be named",
}
"""What may be in the product, and why."""

_WORDS: Final[Mapping[str, str]] = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""What packages say instead of the identifier. `BSD License` is not here: it may be any of several."""

_READ: Final[Mapping[str, str]] = {
    "jinja2": "BSD-3-Clause",
}
"""Packages that do not say it clearly enough, read by hand in the file that they bring."""


class LicenceError(Exception):
    """Licences that are not allowed, or not known: one line for each package."""


@dataclass(frozen=True, slots=True)
class Licensed:
    """A package and what it may be used under, as an SPDX expression."""

    pin: Pin
    licence: str


def licence_of(name: str, told: Message) -> str | None:
    """The licence of a package from its metadata; None where it does not say, or not clearly."""
    classifiers = [
        str(each) for each in told.get_all("Classifier") or () if str(each).startswith("License ::")
    ]
    last = [each.rpartition(" :: ")[2] for each in classifiers]
    words = [told.get("License-Expression"), told.get("License"), last[0] if len(last) == 1 else None]
    for word in (_READ.get(name), *words):
        if word is not None and (found := _expression(str(word))) is not None:
            return found
    return None


def _expression(word: str) -> str | None:
    try:
        return canonicalize_license_expression(_WORDS.get(word, word))
    except InvalidLicenseExpression:
        return None


def allowed(licence: str) -> bool:
    """Whether one of the choices that it leaves is allowed in all its parts."""
    return any(all(part in ALLOWED for part in way.split(" AND ")) for way in licence.split(" OR "))


def licensed(wanted: Iterable[Pin]) -> tuple[Licensed, ...]:
    """Every package with its licence, or `LicenceError`."""
    found: list[Licensed] = []
    problems: list[str] = []
    for pin in wanted:
        try:
            told = metadata.distribution(pin.name)
        except metadata.PackageNotFoundError:
            problems.append(f"{pin.name} {pin.version} is not installed; install requirements.txt")
            continue
        licence = licence_of(pin.name, told.metadata)  # type: ignore[arg-type]  # a Message by another name
        if told.version != pin.version:
            problems.append(f"{pin.name} is {told.version} here, not {pin.version}; install requirements.txt")
        elif licence is None:
            problems.append(
                f"{pin.name} {pin.version} does not say its licence clearly; read it and say so in {_HERE}"
            )
        elif not allowed(licence):
            problems.append(
                f"{pin.name} {pin.version} is under {licence}; do without it, or allow that in {_HERE}"
            )
        else:
            found.append(Licensed(pin, licence))
    if problems:
        raise LicenceError("\n".join(problems))
    return tuple(found)


_COMMAND: Final = "python -m tools.licences"
_HERE: Final = "tools/licences.py"

_HEAD: Final = """\
# Licences

dittoinfra is under [Apache 2.0](../LICENSE). What `requirements.txt` installs with it is under these, which
`python -m tools.licences` reads from the packages themselves; another one would fail the checks:

"""
_TAIL: Final = """
The image carries two programs beside them, both under Apache-2.0: the pulumi CLI and the Kubernetes
provider's plugin. What only the tests and the checks use is not part of the product, and not listed.
"""


def page(packages: Iterable[Licensed]) -> str:
    """The page, with everything in an order that no machine changes."""
    rows = sorted((each.pin.name, each.pin.version, each.licence) for each in packages)
    used = sorted(
        {part for _, _, licence in rows for way in licence.split(" OR ") for part in way.split(" AND ")}
    )
    policy = "".join(f"- {name}: {ALLOWED.get(name, 'not needed: there is a choice')}\n" for name in used)
    table = "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in rows)
    return f"{_HEAD}{policy}\n| package | version | licence |\n|---|---|---|\n{table}{_TAIL}"


def main(arguments: list[str], path: Path = PAGE) -> int:
    """Write the page, or with `--check` compare it."""
    try:
        text = page(licensed(pins(RUNTIME.read_text()).values()))
    except LicenceError as error:
        sys.stderr.write("".join(f"error: {line}\n" for line in str(error).splitlines()))
        return 1
    if "--check" not in arguments:
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"wrote {path.name}\n")
    elif not path.exists() or path.read_text(encoding="utf-8") != text:
        sys.stderr.write(f"error: {path.name} is not what the packages say; run `{_COMMAND}`\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
