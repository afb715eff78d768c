"""The forms of errors: plain text, problem details, and nothing at all."""

import pytest

from tests.contract.dittofs.subject import ADAPTERS, LOGIN, Subject, assert_plain, assert_problem


@pytest.mark.parametrize("path", ["/nothing-here", "/api/v1/nothing-here"])
def test_an_unknown_path_is_plain_text_and_needs_no_login(api: Subject, path: str) -> None:
    assert_plain(api.call("GET", path), 404, "404 page not found")


def test_an_unknown_path_among_the_adapters_is_plain_text_for_an_administrator(api: Subject) -> None:
    assert_plain(api.as_admin("GET", f"{ADAPTERS}/nfs/nothing-here"), 404, "404 page not found")


def test_an_unknown_adapter_is_a_problem(api: Subject) -> None:
    for method in ("GET", "PUT", "DELETE"):
        assert_problem(api.as_admin(method, f"{ADAPTERS}/ftp", {}), 404, "Not Found", "Adapter not found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/health", {"GET"}),
        ("HEAD", "/health", {"GET"}),
        ("GET", LOGIN, {"POST"}),
        ("PATCH", ADAPTERS, {"GET", "POST"}),
        ("PATCH", f"{ADAPTERS}/nfs", {"GET", "PUT", "DELETE"}),
    ],
)
def test_a_method_that_is_not_allowed_has_no_body(
    api: Subject, method: str, path: str, allowed: set[str]
) -> None:
    answer = api.as_admin(method, path)

    assert answer.status_code == 405
    assert answer.content == b""
    assert "content-type" not in answer.headers
    assert set(answer.headers["allow"].split(", ")) == allowed


def test_the_login_comes_before_the_method(api: Subject) -> None:
    assert_plain(api.call("PATCH", ADAPTERS), 401, "Authorization header required")


@pytest.mark.parametrize(
    "raw", [b"", b"no json", b"[]", b'{"port": "1"}', b'{"port": 1.5}', b'{"enabled": 1}']
)
def test_a_change_that_is_no_object_of_the_right_types_is_refused(api: Subject, raw: bytes) -> None:
    answer = api.call("PUT", f"{ADAPTERS}/nfs", token=api.token("admin"), raw=raw)

    assert_problem(answer, 400, "Bad Request", "Invalid request body")
