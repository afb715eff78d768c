"""The words and signs of a report, the same in every format. Pure."""

from collections.abc import Iterator, Mapping

from dittoinfra.reports.view import Change, Counts, ObjectView, Report

SIGNS: Mapping[Change, str] = {
    Change.CREATE: "+",
    Change.UPDATE: "~",
    Change.REPLACE: "±",
    Change.DELETE: "\N{MINUS SIGN}",
    Change.SAME: "=",
}
"""Colour alone tells nothing to many readers."""

_PLANNED: Mapping[Change, str] = {
    Change.CREATE: "to create",
    Change.UPDATE: "to update",
    Change.REPLACE: "to replace",
    Change.DELETE: "to delete",
    Change.SAME: "as it is",
}
_DONE: Mapping[Change, str] = {
    Change.CREATE: "created",
    Change.UPDATE: "updated",
    Change.REPLACE: "replaced",
    Change.DELETE: "deleted",
    Change.SAME: "as it was",
}


def change_word(change: Change, *, planned: bool) -> str:
    """What becomes, or became, of an object."""
    return (_PLANNED if planned else _DONE)[change]


def fate(view: ObjectView, *, planned: bool) -> str:
    """The same for one object, which may have resisted."""
    return f"could not be {_DONE[view.change]}" if view.failed else change_word(view.change, planned=planned)


def counted(counts: Counts) -> Iterator[tuple[Change, int]]:
    """What there is to tell, the gravest first."""
    for change, number in (
        (Change.DELETE, counts.deletes),
        (Change.REPLACE, counts.replaces),
        (Change.CREATE, counts.creates),
        (Change.UPDATE, counts.updates),
    ):
        if number:
            yield change, number


def counts_text(counts: Counts, *, planned: bool) -> str:
    """`2 to delete, 1 to create`."""
    found = [f"{number} {change_word(change, planned=planned)}" for change, number in counted(counts)]
    return ", ".join(found) or "no changes"


def plural(number: int, word: str) -> str:
    """`1 server`, `2 servers`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def headline(report: Report) -> str:
    """The whole report in one line."""
    text = f"{counts_text(report.totals, planned=report.planned)} in {plural(report.totals.stacks, 'stack')}"
    return f"{text}, {report.totals.failed} failed" if report.totals.failed else text
