"""Trouble on the way to a server: names, and others who offer to carry our words."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dittoinfra.model import Answered, Unreachable
from lab.bed.loopback_only import stuck_resolver
from tests.chaos.faults.connection import TOO_SLOW
from tests.chaos.faults.fault import LASTING, SLOW, Fault, Place
from tests.chaos.faults.serving import HEALTHY_ANSWER, api, bystander

UNKNOWN_NAME = "nobody.invalid"
SLOW_NAME = "slow.invalid"
PROXY_VARIABLES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")


@contextmanager
def unknown_name() -> Iterator[Place]:
    """A host name that does not exist."""
    yield Place(f"http://{UNKNOWN_NAME}:8080")


@contextmanager
def slow_name() -> Iterator[Place]:
    """A name that is looked up for longer than anybody wants to wait."""
    with stuck_resolver(SLOW_NAME):
        yield Place(f"http://{SLOW_NAME}:8080")


@contextmanager
def proxy_around() -> Iterator[Place]:
    """A healthy API, and an environment that names a proxy for everything but the engine's own calls."""
    with (
        bystander() as (proxy, url),
        api(HEALTHY_ANSWER)() as place,
        pytest.MonkeyPatch.context() as environment,
    ):
        for variable in PROXY_VARIABLES:
            environment.setenv(variable, url)
        for variable in ("NO_PROXY", "no_proxy"):
            environment.setenv(variable, "127.0.0.1")
        yield Place(place.url.replace("127.0.0.1", "localhost"), bystander=proxy)


FAULTS = (
    Fault("dns-fails", unknown_name, Unreachable, "the host name cannot be resolved", limits=LASTING),
    Fault("dns-is-slow", slow_name, Unreachable, TOO_SLOW, limits=SLOW),
    Fault("proxy-in-the-environment", proxy_around, Answered),
)
