"""Answers that are not HTTP, or not to their end, in plain words and in none of the server's."""

import re

import httpx

from dittoinfra.dittofs.ending import FinalError, PassingError, StepError
from dittoinfra.dittofs.wording import line
from dittoinfra.model import Nonsense

_NOT_TO_THE_END = "peer closed connection"
_NO_HTTP_AT_ALL = ("illegal status line", "illegal request line", "no response line")
_PLAIN_WORDS = {
    "buffer too long": "a header without end",
    "SWITCH_UPGRADE": "another protocol than asked for",
    "status_code": "a status that HTTP does not have",
}
"""For what its reader says in the words of its own code, told by a part of them."""
_QUOTED_BYTES = re.compile(r":? (bytearray\()?b['\"].*", re.DOTALL)


def garbled(error: httpx.RemoteProtocolError, subject: str, setting: str) -> StepError:
    """The end of a step in which `subject` began an answer that nobody can read."""
    said = str(error)
    if said.startswith(_NOT_TO_THE_END):
        # A server that stops in the middle of an answer may be back in a moment.
        cause = f"{subject} broke off in the middle of its answer"
        return PassingError(Nonsense(line(cause, "check the server's log")))
    if said.startswith(_NO_HTTP_AT_ALL):
        next_step = f"check whether {setting} must be https, or has another port"
        return FinalError(Nonsense(line(f"{subject} does not speak HTTP", next_step)))
    reason = next((plain for part, plain in _PLAIN_WORDS.items() if part in said), None)
    cause = f"{subject} answered in broken HTTP ({reason or _QUOTED_BYTES.sub('', said)})"
    return FinalError(Nonsense(line(cause, "check the server, and what stands between us and it")))
