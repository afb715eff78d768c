"""What `verify` found, as Markdown: for the summary of a CI job, or the comment of a pull request."""

from collections.abc import Iterator

from dittoinfra.naming import adapter_resource
from dittoinfra.reports.report_formats import LIMIT, code_span, table_cell
from dittoinfra.reports.verify_document import AdapterVerdict, Verification

_HEAD = ("| stack | adapter | hop | found | next |", "|---|---|---|---|---|")
_MORE = len("\n_… and 100000 more are left out, so that this fits into a comment._\n")


def verify_markdown(document: Verification) -> str:
    """What failed, hop by hop, then the adapters that are reached; as much of it as fits into a comment."""
    adapters = sorted(document.adapters, key=lambda each: each.ok)
    told = [
        f"- {code_span(failure.stack)}: {code_span(error)}"
        for failure in document.failures
        for error in failure.errors
    ]
    lines = [f"### dittoinfra verify: {document.reached} of {len(adapters)} adapters reached", ""]
    lines += [*told, ""] if told else []
    lines += _HEAD if adapters else ()
    rows = [row for adapter in adapters for row in _rows(adapter)]
    size = sum(len(line) + 1 for line in lines) + _MORE
    for number, row in enumerate(rows):
        size += len(row) + 1
        if size > LIMIT:
            lines += [
                "",
                f"_… and {len(rows) - number} more are left out, so that this fits into a comment._",
            ]
            break
        lines.append(row)
    return "\n".join(lines) + "\n"


def _rows(verdict: AdapterVerdict) -> Iterator[str]:
    place = f"| {table_cell(verdict.stack)} | {table_cell(adapter_resource(verdict.server, verdict.type))}"
    if verdict.ok:
        yield f"{place} | ✓ all right | | |"
    for hop in verdict.hops:
        if hop.state == "failed":
            then = table_cell(hop.next) if hop.next else ""
            found = table_cell(f"{hop.where}: {hop.text}")
            yield f"{place} | ✗ {hop.side} {hop.hop} | {found} | {then} |"
