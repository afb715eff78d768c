"""The servers of a stack: each API with its login, its certificate and its clock."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from dittoinfra.automation.reach import Reach
from dittoinfra.dittofs import ApiAccess, NotAsked
from dittoinfra.dittofs.checkup import Examination, examine
from dittoinfra.dittofs.users import READER
from dittoinfra.doctor.line import Line, failed, ok, split, warning
from dittoinfra.exitcodes import ExitCode
from dittoinfra.model import Answered, Denied

SOON = timedelta(days=21)
"""A certificate that ends within this time is worth a warning: a holiday is shorter."""
SKEW = timedelta(minutes=1)
"""A clock that is off by more makes tokens expire at the wrong time."""


def check_server(stack: str, server: str, reach: Reach) -> list[Line]:
    """One API."""
    check, access = f"API {server}", reach.to(server)
    if isinstance(access, NotAsked):
        return [warning(check, *split(access.why, "set api.url"), stack)]
    return list(judge(stack, check, access, examine(access), datetime.now(UTC)))


def judge(stack: str, check: str, access: ApiAccess, examined: Examination, now: datetime) -> Iterator[Line]:
    """What an examination comes to. Pure."""
    match examined.outcome:
        case Answered(adapters):
            user = f" as role {examined.role}" if examined.role else ""
            yield ok(check, f"{access.url} answers{user}: {len(adapters)} adapters", stack)
        case unanswered:
            code = ExitCode.AUTHENTICATION if isinstance(unanswered, Denied) else ExitCode.GENERIC
            yield failed(check, *split(unanswered.why, "check the server"), stack, code)
            return
    if examined.role not in (None, READER):
        yield warning(
            check,
            f"the login has the role {examined.role}, and `{READER}` would be enough",
            f"make a user of its own with `dittoinfra init {stack}`, and name it in api.username",
            stack,
        )
    yield from _certificate(stack, check, examined.certificate_end, now)
    if examined.clock_ahead is not None and abs(examined.clock_ahead) > SKEW:
        seconds = int(examined.clock_ahead.total_seconds())
        where = "ahead of" if seconds > 0 else "behind"
        text = f"the server's clock is {abs(seconds)} s {where} ours"
        yield warning(check, text, "set both clocks by the network", stack)


def _certificate(stack: str, check: str, end: datetime | None, now: datetime) -> Iterator[Line]:
    if end is not None and end - now < SOON:
        text = f"its TLS certificate ends on {end:%Y-%m-%d}, in {max((end - now).days, 0)} days"
        yield warning(check, text, "renew it", stack)
