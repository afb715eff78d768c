"""Whole answers whose body is no list of adapters."""

import zlib

from dittoinfra.model import Nonsense
from tests.chaos.faults.fault import Fault
from tests.chaos.faults.serving import HEALTHY, answer, api, saying

NOT_JSON = "is not JSON from character"
NO_LIST = "is not a list"
NOT_A_NUMBER = "holds a number that JSON does not have"
TOO_LARGE_A_NUMBER = "holds a number too large"
NO_LOGIN = "is no login"


def document(name: str, body: bytes, says: str, kind: bytes = b"application/json") -> Fault:
    """A body in place of the list."""
    return Fault(name, api(saying(answer(body, kind=kind))), Nonsense, says)


def at_the_login(name: str, body: bytes, says: str) -> Fault:
    """A body in place of the tokens."""
    return Fault(f"{name}-at-the-login", api(saying(answer(body)), at="login"), Nonsense, says)


def encoded(encoding: bytes, body: bytes) -> Fault:
    """A body that its receiver would have to unpack."""
    reply = answer(body, b"Content-Encoding: " + encoding)
    return Fault(f"bomb-{encoding.decode()}", api(saying(reply)), Nonsense, "which was not asked for")


def bomb(window: int) -> bytes:
    """A mebibyte, about, that unpacks to a gibibyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, window)
    # After a full flush the packer remembers nothing: what it says next can be said again and again.
    first, again = (packer.compress(b" " * 1024**2) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + again * 1023


GZIP_BOMB = bomb(31)

FAULTS = (
    document("nothing", b"", "is empty"),
    document("only-spaces", b" \r\n\t ", "is empty"),
    document("null", b"null", NO_LIST),
    document("empty-object", b"{}", NO_LIST),
    document("list-in-an-object", b'{"adapters": %s}' % HEALTHY, NO_LIST),
    document("truncated", HEALTHY[:-7], NOT_JSON),
    document("html", b"<!doctype html><title>Sign in</title>", "('text/html') is not JSON", b"text/html"),
    document("a-zero-byte", HEALTHY.replace(b"nfs", b"nf\0s"), NOT_JSON),
    document("duplicate-keys", HEALTHY.replace(b'"port":12049', b'"port":1,"port":12049'), "repeats a key"),
    document("byte-order-mark", b"\xef\xbb\xbf" + HEALTHY, "starts with a byte order mark"),
    document("utf-16", HEALTHY.decode().encode("utf-16"), "is not UTF-8 from byte 0 on"),
    document("utf-16-without-a-mark", HEALTHY.decode().encode("utf-16-le"), NOT_JSON),
    document("deep-lists-that-end", b"[" * 400_000 + b"]" * 400_000, "is nested too deeply"),
    document("deep-objects", b'[{"a":' * 100_000, "is nested too deeply"),
    document("many-small-things", b"[" + b"{}," * 340_000 + b"{}]", "lacks type of item 0"),
    document("nan", HEALTHY.replace(b"12049", b"NaN"), NOT_A_NUMBER),
    document("infinity", HEALTHY.replace(b"12049", b"Infinity"), NOT_A_NUMBER),
    document("beyond-every-float", HEALTHY.replace(b"12049", b"1e999"), TOO_LARGE_A_NUMBER),
    document("a-number-beyond-64-bits", HEALTHY.replace(b"12049", b"1" + b"0" * 20), TOO_LARGE_A_NUMBER),
    document("ten-to-the-5000", HEALTHY.replace(b"12049", b"1" + b"0" * 5000), TOO_LARGE_A_NUMBER),
    document("a-million-digits", HEALTHY.replace(b"12049", b"9" * 1_000_000), TOO_LARGE_A_NUMBER),
    document("packed-and-not-saying-so", GZIP_BOMB[:900_000], "is not UTF-8 from byte"),
    encoded(b"gzip", GZIP_BOMB),
    encoded(b"deflate", bomb(15)),
    at_the_login("null", b"null", NO_LOGIN),
    at_the_login("html", b"<html>Sign in</html>", NOT_JSON),
    at_the_login(
        "header-in-the-token",
        b'{"access_token":"a\\r\\nX-Evil: 1","token_type":"Bearer","expires_in":900}',
        "(access_token: String should match pattern",
    ),
    at_the_login(
        "huge-lifetime",
        b'{"access_token":"a","token_type":"Bearer","expires_in":1%s}' % (b"0" * 5000),
        TOO_LARGE_A_NUMBER,
    ),
)
