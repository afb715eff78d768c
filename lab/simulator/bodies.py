"""Parses request bodies with the server's strictness."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from lab.simulator.answers import RefusedError, problem


def members(body: bytes, kinds: Mapping[str, type]) -> dict[str, Any]:
    """The known members that are present; null counts as absent, unknown ones are ignored."""
    try:
        value = json.loads(body)
    except ValueError:
        raise _invalid() from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _invalid()
    known = {name: value[name] for name in kinds if value.get(name) is not None}
    # The exact type: to Python true is an integer, to the server it is not.
    if any(type(given) is not kinds[name] for name, given in known.items()):
        raise _invalid()
    return known


def _invalid() -> RefusedError:
    return RefusedError(problem(HTTPStatus.BAD_REQUEST, "Invalid request body"))
