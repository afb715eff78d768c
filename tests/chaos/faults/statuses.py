"""Answers that are honest about having nothing for us."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from dittoinfra.model import Answered, Denied, Nonsense, Unreachable
from tests.chaos.faults.caller import Caller
from tests.chaos.faults.fault import LASTING, Fault
from tests.chaos.faults.serving import (
    HEALTHY,
    HEALTHY_ANSWER,
    Phase,
    Talk,
    answer,
    api,
    fresh_api,
    in_turn,
    saying,
)

LEFT_ALONE = "asks to retry after more than"
NEW_PASSWORD = b'account "reader" must set a new password before performing other operations'


def busy(status: int, at: Phase = "list") -> Fault:
    """A status that may pass."""
    name = f"http-{status}" + ("-at-the-login" if at == "login" else "")
    says = f"answered HTTP {status};"
    reply = answer(b"request 8f2a failed", status=b"%d Busy" % status, kind=b"text/plain")
    return Fault(name, api(saying(reply), at=at), Unreachable, says, limits=LASTING)


def odd(status: int, at: Phase = "list") -> Fault:
    """A status that a list of adapters does not come with."""
    name = f"http-{status}" + ("-at-the-login" if at == "login" else "")
    reply = answer(b"" if status in (204, 304) else HEALTHY, status=b"%d Odd" % status)
    return Fault(name, api(saying(reply), at=at), Nonsense, f"answered HTTP {status}")


def too_many(asks: bytes) -> Talk:
    """A server that has had enough of us for a while."""
    return saying(answer(b"", b"Retry-After: " + asks, status=b"429 Too Many Requests"))


def waiting(name: str, asks: bytes) -> Fault:
    """A server that wants to be asked later than there is time for."""
    return Fault(name, api(too_many(asks)), Unreachable, LEFT_ALONE)


def passing(name: str, asks: bytes) -> Fault:
    """A server that is too busy once, and then is not."""
    return Fault(name, fresh_api(in_turn(too_many(asks), HEALTHY_ANSWER)), Answered)


def until_a_moment_from_now(caller: Caller) -> None:
    """Refuse until a time on the clock that is about to come."""
    moment = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    too_many(moment.encode())(caller)


def refused(name: str, status: int, text: bytes, says: str, at: Phase = "list") -> Fault:
    """A server that knows us, and does not let us in."""
    kind = b"application/problem+json" if text.startswith(b"{") else b"text/plain"
    return Fault(name, api(saying(answer(text, status=b"%d No" % status, kind=kind)), at=at), Denied, says)


def echo(caller: Caller) -> None:
    """Tell us our token or our password, as a server in debug mode might."""
    secret = re.split(rb'Bearer |"password": ', caller.request)[-1]
    caller.say(answer(secret, status=b"403 Forbidden", kind=b"text/plain"))


PROBLEM = b'{"title":"Forbidden","status":403,"detail":"Password change required"}'
CHANGE_IT = "must change the password first"

FAULTS = (
    refused("401-loop", 401, b"Invalid or expired token", "'Invalid or expired token' after a fresh login"),
    refused("401-at-the-login", 401, b"", "refused user 'reader' with the password", "login"),
    refused("403-role", 403, b"Admin access required", "HTTP 403 'Admin access required'"),
    refused("403-page", 403, b"<h1>Blocked by policy</h1>", "Blocked by policy"),
    refused("403-deep", 403, b'{"detail":' * 50_000, "HTTP 403"),
    refused("403-disabled-user", 403, b"User account is disabled", "'User account is disabled'", "login"),
    refused("403-new-password", 403, NEW_PASSWORD, CHANGE_IT),
    refused("403-new-password-at-the-login", 403, NEW_PASSWORD, CHANGE_IT, "login"),
    refused("403-new-password-problem", 403, PROBLEM, CHANGE_IT),
    Fault("403-echo", api(echo), Denied, "HTTP 403"),
    Fault("403-echo-at-the-login", api(echo, at="login"), Denied, "HTTP 403"),
    *(odd(status) for status in (204, 206, 304, 400, 404, 405, 409)),
    odd(404, at="login"),
    *(busy(status) for status in (429, 500, 501, 502, 503, 504)),
    busy(429, at="login"),
    busy(503, at="login"),
    waiting("429-for-an-hour", b"3600"),
    waiting("429-until-the-year-9999", b"Fri, 31 Dec 9999 23:59:59 GMT"),
    waiting("429-for-ever", b"9" * 5000),
    passing("429-for-a-second", b"1"),
    passing("429-for-a-negative-time", b"-5"),
    passing("429-until-yesterday", b"Mon, 04 May 1998 12:00:00 GMT"),
    passing("429-for-soon", b"soon"),
    Fault(
        "429-until-a-moment-from-now", fresh_api(in_turn(until_a_moment_from_now, HEALTHY_ANSWER)), Answered
    ),
)
