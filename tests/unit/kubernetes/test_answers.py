"""What a refusal, or no answer at all, comes to, whichever of the clients asked."""

import httpx
import pytest

from dittoinfra.kubernetes import ClusterError
from dittoinfra.kubernetes.cluster_client import CONNECT_TIMEOUT, POLL_TIMEOUT, http_timeout
from dittoinfra.kubernetes.cluster_errors import (
    ForbiddenError,
    NotThereError,
    RefusedByClusterError,
    UnansweredError,
    UnknownUserError,
    denial,
    object_of,
    refusal,
    unanswered,
)
from dittoinfra.kubernetes.rbac import Rule

SERVER = "https://cluster"
NEEDED = Rule("get", "pods", "media-0")


def saying(status: int, message: str) -> httpx.Response:
    return httpx.Response(status, json={"message": message})


@pytest.mark.parametrize(
    ("status", "kind", "cause", "next_step"),
    [
        (
            401,
            UnknownUserError,
            f"the Kubernetes API at {SERVER} does not know the credentials of the kubeconfig",
            "renew them",
        ),
        (404, NotThereError, f"the Kubernetes API at {SERVER} answered 404 to GET /x: no; never", ""),
        (409, UnansweredError, f"the Kubernetes API at {SERVER} answered 409 to GET /x: no; never", "wait"),
        (
            422,
            RefusedByClusterError,
            f"the Kubernetes API at {SERVER} answered 422 to GET /x: no; never",
            "wait",
        ),
        (500, UnansweredError, f"the Kubernetes API at {SERVER} answered 500 to GET /x: no; never", "wait"),
    ],
)
def test_a_refusal_has_a_kind_a_cause_and_a_next_step(
    status: int, kind: type[ClusterError], cause: str, next_step: str
) -> None:
    error = refusal(
        SERVER, saying(status, "no;\n never"), "to GET /x", "wait", errors={422: RefusedByClusterError}
    )

    assert type(error) is kind
    assert (error.cause, error.next_step) == (cause, next_step)
    assert str(error) == (f"{cause}; {next_step}" if next_step else cause)


def test_words_that_may_quote_a_secret_are_replaced() -> None:
    error = refusal(SERVER, saying(400, "hunter2 is no password"), "when patched", said="Bad Request")

    assert str(error) == f"the Kubernetes API at {SERVER} answered 400 when patched: Bad Request"


def test_no_answer_at_all_names_the_request() -> None:
    error = unanswered(SERVER, "GET /x", httpx.ReadTimeout(""))

    assert error.cause == f"no answer from the Kubernetes API at {SERVER} to GET /x: ReadTimeout"
    assert error.next_step == "check that the cluster of this kubeconfig can be reached"


def test_what_is_forbidden_is_what_the_api_says_it_missed() -> None:
    said = 'pods "media-0" is forbidden: User "jo" cannot create resource "pods/portforward" in API group ""'
    told, untold = (denial(SERVER, saying(403, words), "/x", NEEDED, "files") for words in (said, "no"))

    assert isinstance(told, ForbiddenError)
    assert isinstance(untold, ForbiddenError)

    assert (told.rule, told.who) == (Rule("create", "pods/portforward", "media-0"), "user jo")
    assert (untold.rule, untold.who) == (NEEDED, "the user of the kubeconfig")
    assert str(told) == "user jo may not create pods/portforward in namespace files"


@pytest.mark.parametrize("body", ["<html>", "[]", "null"])
def test_what_no_kubernetes_api_would_say_is_no_answer(body: str) -> None:
    response = httpx.Response(200, text=body, request=httpx.Request("GET", f"{SERVER}/x"))

    with pytest.raises(UnansweredError) as caught:
        object_of(response)

    assert caught.value.cause == f"the answer of {SERVER}/x is not a Kubernetes API response"
    assert caught.value.next_step == "check that the kubeconfig leads to one"


def test_connecting_never_takes_longer_than_an_answer() -> None:
    assert http_timeout(POLL_TIMEOUT).connect == CONNECT_TIMEOUT
    assert http_timeout(1.0).connect == 1.0
