"""What a server says when it refuses: DittoFS's handlers use problem+json, its middleware plain text."""

import re

from dittoinfra.dittofs.strictjson import UnbelievableError, read_json
from dittoinfra.dittofs.wire import Reply
from dittoinfra.dittofs.wording import Hide, quote

_NEW_PASSWORD = re.compile(
    r"must (set|change) .*password|password (must be changed|change (is )?required)", re.IGNORECASE
)


def says(reply: Reply, hide: Hide) -> str:
    """The server's own words, ready to follow a status; nothing when it said nothing."""
    text = _text(reply).strip()
    return f" {quote(text, hide)}" if text else ""


def wants_new_password(reply: Reply) -> bool:
    return reply.status == 403 and _NEW_PASSWORD.search(_text(reply)) is not None


def _text(reply: Reply) -> str:
    try:
        match read_json(reply.body):
            case {"detail": str(detail)}:
                return detail
    except UnbelievableError:
        pass
    return reply.body.decode("utf-8", "replace")
