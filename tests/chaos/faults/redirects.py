"""Redirects: followed inside the API's own origin, and nowhere else, because our token goes with them."""

from collections.abc import Iterator
from contextlib import contextmanager

from dittoinfra.model import Answered, Nonsense
from tests.chaos.faults.caller import Caller
from tests.chaos.faults.fault import Fault, Place, Serve
from tests.chaos.faults.serving import HEALTHY, METADATA_ADDRESS, Phase, answer, api, bystander, saying

NOT_FOLLOWED = "a redirect to {} that is not followed"


def redirect(location: str, status: bytes = b"302 Found") -> bytes:
    """An answer that sends us elsewhere."""
    return answer(b"", b"Location: " + location.encode(), status=status)


def followed(caller: Caller) -> None:
    """The list lies two redirects further on."""
    step = {"/api/v1/adapters/ports": "/moved", "/moved": "moved/again"}.get(caller.path)
    caller.say(redirect(step, b"308 Permanent Redirect") if step else answer(HEALTHY))


def always_further(caller: Caller) -> None:
    """Every address leads to yet another one."""
    caller.say(redirect(f"{caller.path}x"))


def looping(caller: Caller) -> None:
    """Every address leads back to itself."""
    caller.say(redirect(caller.path))


def leading_to(location: str) -> Serve:
    """A server that sends us to an address of its choice."""
    return api(saying(redirect(location)))


def leading_away(
    form: str = "{url}", address: str = "127.0.0.1", *, at: Phase = "list", status: bytes = b"302 Found"
) -> Serve:
    """A server that redirects us to one that would answer, and that we must not ask."""

    @contextmanager
    def serve() -> Iterator[Place]:
        with bystander(address) as (someone, url):
            location = form.format(url=url, host=url.removeprefix("http://"))
            with api(saying(redirect(location, status)), at=at)() as place:
                yield Place(place.url, bystander=someone)

    return serve


def away(name: str, serve: Serve, where: str) -> Fault:
    """A redirect that is not followed."""
    return Fault(f"redirect-{name}", serve, Nonsense, where)


FAULTS = (
    Fault("redirect-same-origin", api(followed), Answered),
    away("loop", api(looping), NOT_FOLLOWED.format("'/api/v1/adapters/ports'")),
    away("chain", api(always_further), NOT_FOLLOWED.format("'/api/v1/adapters/portsxxxx'")),
    away("nowhere", api(saying(answer(b"", status=b"302 Found"))), NOT_FOLLOWED.format("''")),
    away("other-port", leading_away(), "a redirect to 'http://127.0.0.1:"),
    away("other-scheme", leading_away("https://{host}/"), "a redirect to 'https://127.0.0.1:"),
    away("without-scheme", leading_away("//{host}/"), "a redirect to '//127.0.0.1:"),
    away("with-credentials", leading_away("http://user:word@{host}/"), "a redirect to 'http://user:"),
    away(
        "metadata",
        leading_away("{url}/latest/meta-data", METADATA_ADDRESS),
        "a redirect to 'http://127.0.0.2:",
    ),
    away(
        "login",
        leading_away(at="login", status=b"307 Temporary"),
        "HTTP 307, a redirect to 'http://127.0.0.1:",
    ),
    away(
        "login-metadata",
        leading_away(address=METADATA_ADDRESS, at="login"),
        "a redirect to 'http://127.0.0.2:",
    ),
    away("file", leading_to("file:///etc/passwd"), NOT_FOLLOWED.format("'file:///etc/passwd'")),
    away("endless-address", leading_to("http://h/" + "x" * 60_000), "a redirect to 'http://h/xxx"),
)
