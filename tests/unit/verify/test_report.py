"""What `verify` found, as Markdown."""

from dittoinfra.reports.failure import Failure
from dittoinfra.reports.report_formats import LIMIT
from dittoinfra.reports.verify_document import AdapterVerdict, At, HopName, VerifyDocument
from dittoinfra.verify.verify_report import verify_markdown

PORT = At("outside", HopName.PORT, "192.0.2.1:2049/TCP")


def verdict(adapter_type: str, why: str | None = None) -> AdapterVerdict:
    hops = (PORT.passed("open") if why is None else PORT.failed(why, "open the firewall"),)
    return AdapterVerdict.of("prod", "media", adapter_type, hops)


def test_what_failed_comes_first_and_stacks_that_could_not_be_told_before_it() -> None:
    failure = Failure(stack="eu", errors=("no such stack",), exit_code=4)

    text = verify_markdown(
        VerifyDocument.of((verdict("nfs"), verdict("smb", "refused | dropped")), (failure,))
    )

    assert text.splitlines() == [
        "### dittoinfra verify: 1 of 2 adapters reached",
        "",
        "- `eu`: `no such stack`",
        "",
        "| stack | adapter | hop | found | next |",
        "|---|---|---|---|---|",
        "| `prod` | `media/smb` | ✗ outside port "
        "| `192.0.2.1:2049/TCP: refused \\| dropped` | `open the firewall` |",
        "| `prod` | `media/nfs` | ✓ all right | | |",
    ]


def test_as_much_is_shown_as_fits_into_a_comment() -> None:
    many = tuple(verdict(f"t{number}", "refused " * 40) for number in range(1000))

    text = verify_markdown(VerifyDocument.of(many, ()))

    assert len(text) <= LIMIT
    shown = text.count("✗")
    assert text.endswith(f"_… and {1000 - shown} more are left out, so that this fits into a comment._\n")
