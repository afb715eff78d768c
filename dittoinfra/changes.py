"""Changes of resources and objects: their kinds, their counts, and the words for both. Pure.

A plain dataclass, because everything that the engine's reports import delays the start of the CLI, and
pydantic takes long to import. Documents hold it as a field.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Change(StrEnum):
    """What becomes of a resource or an object, in the order in which counts are told everywhere."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    """Deleted and created anew: what the cluster gave the old one, such as an address, is lost."""
    DELETE = "delete"
    SAME = "same"

    def word(self, *, planned: bool) -> str:
        """The words for it: `to create` before, `created` after."""
        if self is Change.SAME:
            return "unchanged"
        return f"to {self}" if planned else f"{self}d"

    @property
    def sign(self) -> str:
        """The engine's symbol for it: many readers cannot tell colours apart."""
        return _SIGNS[self]

    @property
    def colour(self) -> str:
        """Its colour in terminals."""
        return _COLOURS[self]

    @property
    def severity(self) -> int:
        """Sorts first what a reader must not overlook."""
        return _BY_SEVERITY.index(self)


_SIGNS = dict(zip(Change, "+~±-=", strict=True))
_COLOURS = dict(zip(Change, ("green", "yellow", "magenta", "red", ""), strict=True))
_BY_SEVERITY = (Change.DELETE, Change.REPLACE, Change.CREATE, Change.UPDATE, Change.SAME)


@dataclass(frozen=True, slots=True)
class Changes:
    """Numbers of resources or objects, by kind of change."""

    create: int = 0
    """Number created."""
    update: int = 0
    """Number changed in place."""
    replace: int = 0
    """Number deleted and created anew."""
    delete: int = 0
    """Number deleted."""
    same: int = 0
    """Number that stays as it is; 0 where only changes are counted."""

    @classmethod
    def of(cls, each: Iterable[str]) -> "Changes":
        """Counted from what becomes of each; words that are no `Change` are not counted."""
        found = Counter(each)
        return cls(**{change.value: found[change] for change in Change})

    @property
    def any(self) -> bool:
        """Whether anything changes."""
        return any(number for _, number in self.each())

    @property
    def total(self) -> int:
        """The sum of all numbers, `same` included."""
        return self.same + sum(number for _, number in self.each())

    def each(self) -> Iterator[tuple[Change, int]]:
        """Every kind of change and its number, 0 included; what stays as it was is no change."""
        return ((change, getattr(self, change)) for change in Change if change is not Change.SAME)

    def followed_by(self, later: "Changes") -> "Changes":
        """The changes of two runs together; `same` is that of the later one."""
        both = {change.value: number + getattr(later, change) for change, number in self.each()}
        return Changes(**both, same=later.same)


def count_text(number: int, word: str) -> str:
    """`1 stack`, `6 stacks`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def in_words(changes: Changes, *, planned: bool = False) -> str:
    """`2 created, 1 updated`, and `2 to create` of what is planned."""
    words = [f"{number} {change.word(planned=planned)}" for change, number in changes.each() if number]
    return ", ".join(words) or "nothing to change"
