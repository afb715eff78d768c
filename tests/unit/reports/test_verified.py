"""The report of an `up --verify`: what it adds, and that it fits and stays text."""

import json
from datetime import UTC, datetime

import pytest
from jsonschema import validate
from markdown_it import MarkdownIt

from dittoinfra.reports.build import build_report
from dittoinfra.reports.failure import Failure
from dittoinfra.reports.report_formats import LIMIT, markdown, page
from dittoinfra.reports.result_model import Report
from dittoinfra.reports.verify_document import AdapterVerdict, At, HopName, Verification
from dittoinfra.request import Operation
from tests.unit.reports.make import Server, Stack, result
from tools.schemas import schema

PORT = At("outside", HopName.PORT, "192.0.2.1:2049/TCP")
HOSTILE = "<script>alert(1)</script> @everyone ![x](http://evil.example/x)\n# heading"


def verdict(adapter_type: str, why: str | None = None) -> AdapterVerdict:
    hops = (PORT.passed("open") if why is None else PORT.failed(why, "open the firewall"),)
    return AdapterVerdict.of("prod", "media", adapter_type, hops)


def report(*adapters: AdapterVerdict, failures: tuple[Failure, ...] = ()) -> Report:
    """The report of a good update, whose adapters were then verified."""
    fleet = result(Stack("prod", [Server("media")]), operation=Operation.UP)
    made = build_report(fleet, datetime(2026, 1, 2, tzinfo=UTC))
    assert (made.verify, made.exit_code) == (None, 0)
    return made.verified(Verification.of(adapters, failures))


def test_what_clients_do_not_reach_comes_before_the_stacks() -> None:
    found = report(verdict("nfs"), verdict("smb", "refuses connections"))

    assert markdown(found).splitlines()[2:7] == [
        "",
        "> [!CAUTION]",
        "> **Clients reach 1 of 2 adapters**",
        "> - `prod`: `media/smb` fails at outside port: `192.0.2.1:2049/TCP: refuses connections` "
        "→ `open the firewall`",
        "",
    ]
    html = page(found)
    assert "Clients reach 1 of 2 adapters" in html
    assert "media/smb fails at outside port: 192.0.2.1:2049/TCP: refuses connections" in html
    assert "not every adapter reached" in html
    assert "media/nfs fails" not in html


def test_the_document_has_every_hop_and_the_exit_code_of_the_whole() -> None:
    forbidden = Failure(stack="eu", errors=("may not list services",), exit_code=3)

    found = report(verdict("nfs"), failures=(forbidden,))
    document = json.loads(found.model_dump_json())

    validate(document, json.loads(schema("up")))
    assert (document["ok"], document["exitCode"], document["verify"]["ok"]) == (True, 3, False)
    assert document["verify"]["adapters"][0]["hops"][0]["text"] == "open"
    assert report(verdict("nfs", "refused")).exit_code == 1
    assert "> - `eu`: `may not list services`" in markdown(found)


def test_what_clients_reach_is_one_line() -> None:
    found = report(verdict("nfs"), verdict("smb"))

    assert found.exit_code == 0
    assert "✓ verified: clients reach 2 adapters" in markdown(found)
    assert "clients reach 2 adapters" in page(found)


@pytest.mark.parametrize("count", [1, 3000])
def test_however_much_fails_it_fits_and_stays_text(count: int) -> None:
    found = report(*(verdict(f"t{number}", HOSTILE * 9) for number in range(count)))

    text = markdown(found)

    assert len(text) <= LIMIT
    assert f"Clients reach 0 of {count} adapter" in text
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(text)
    assert "<script>" not in rendered
    assert "<img" not in rendered
    assert "<script>alert" not in page(found)
