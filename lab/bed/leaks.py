"""Searches texts for credentials; linear in the length of the text, independent of their number."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ahocorasick_rs import BytesAhoCorasick

from lab.bed.encoded_forms import BASE64, PLAIN, encoded_forms

_JWT: Final = re.compile(rb"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{16,}")
# All of them begin with their algorithm.
_JWT_IN_BASE64: Final = re.compile(rb"ZXlKaGJHY2lPaU[A-Za-z0-9+/]{40,}")
UNNOTED: Final = "a token (JWT) that no test has noted"


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """A leaked credential, without its value."""

    purpose: str
    form: str


class Search:
    """A compiled search for many credentials."""

    def __init__(self, credentials: Mapping[str, str]) -> None:
        self.credentials = credentials
        found: dict[bytes, Leak] = {}
        for secret, purpose in credentials.items():
            for needle, form in encoded_forms(secret):
                # Most forms of most credentials are the same: the first name is the plainest one.
                found.setdefault(needle, Leak(purpose, form))
        self._leaks = list(found.values())
        self._needles = BytesAhoCorasick(list(found)) if found else None

    def leaks(self, text: bytes) -> frozenset[Leak]:
        """Every credential in a text, and every token that was not recorded."""
        if not len(text):
            return frozenset()
        matches = self._needles.find_matches_as_indexes(text) if self._needles is not None else ()
        found = {self._leaks[index] for index, _, _ in matches}
        if not found and _JWT.search(text):
            found.add(Leak(UNNOTED, PLAIN))
        if not found and _JWT_IN_BASE64.search(text):
            found.add(Leak(UNNOTED, BASE64))
        return frozenset(found)


def leaks(text: str | bytes, credentials: Mapping[str, str]) -> frozenset[Leak]:
    """Search one text."""
    return Search(credentials).leaks(
        text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    )
