"""Creates an object: with POST, or with server-side apply where existing objects may be taken over."""

import secrets
import string

from lab.standin.conflicts import explained, is_forced
from lab.standin.errors import ApiError, NoSuchKindError, NotPreviewedError, StandInError
from lab.standin.properties import Properties
from lab.standin.requests import NOT_FOUND, Requests
from lab.standin.target import ObjectKey, Target
from lab.standin.terms import Terms
from lab.standin.waits.deadline import Deadline, InterruptedWaitError

RETRY_SECONDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Pauses after a creation whose namespace or kind is not there: both may come from the same run."""

ALREADY_EXISTS = "AlreadyExists"
_IMMUTABLE = "field is immutable"
_ADVICE = """

The resource already exists in the cluster. This can happen when:

  - Renaming a Pulumi resource: use an alias to preserve the identity,
    or use deleteBeforeReplace if the resource needs replacement.
  - Managing an existing resource: use a Patch resource (e.g. NamespacePatch)
    to manage specific fields without owning the resource lifecycle.
  - Adopting a resource into Pulumi: use `pulumi import`. Note that
    protected resources (e.g. kube-system) cannot be deleted on destroy.
  - Intentional upsert: set upsertExistingObjects on the provider to allow
    server-side apply to update existing objects on create."""


def create(requests: Requests, target: Target, terms: Terms) -> Properties:
    """Create the object, with retries while its namespace or kind is missing."""
    deadline = Deadline(sum(RETRY_SECONDS), terms.interrupted)
    failure: StandInError | None = None
    for pause in RETRY_SECONDS:
        try:
            return _create(requests, target, terms, preview=False)
        except (ApiError, NoSuchKindError) as error:
            if isinstance(error, ApiError) and error.reason != NOT_FOUND:
                raise _advised(error) from None
            failure = error
        try:
            deadline.sleep(pause)
        except InterruptedWaitError:
            break
    assert failure is not None  # noqa: S101  (every round that does not return leaves one)
    raise failure


def preview_create(requests: Requests, target: Target, terms: Terms) -> Properties:
    """The object as the API would create it."""
    try:
        return _create(requests, target, terms, preview=True)
    except ApiError as error:
        missing_namespace = error.reason == NOT_FOUND and error.about == "namespaces"
        if missing_namespace or error.reason in {ALREADY_EXISTS, "Forbidden"}:
            raise NotPreviewedError(str(error)) from None
        raise


def _create(requests: Requests, target: Target, terms: Terms, *, preview: bool) -> Properties:
    if not (target.is_patch or terms.settings.upsert_existing_objects):
        return requests.create(target.key, target.declared, preview=preview)
    # What a replacement will have deleted by then is still there: its fields cause no conflict.
    force = preview or is_forced(target, terms)
    with explained(terms.manager):
        try:
            return requests.apply(target.key, target.declared, terms.manager, force=force, preview=preview)
        except ApiError as error:
            if not preview or error.reason != "Invalid" or _IMMUTABLE not in str(error):
                raise
        key, manifest = _renamed(target)
        return requests.apply(key, manifest, terms.manager, force=force, preview=True)


def _renamed(target: Target) -> tuple[ObjectKey, Properties]:
    """The object under a name of its own, so that a replacement is not taken for a change."""
    ending = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(5))
    key = target.key
    name = f"{key.name}{ending}"
    manifest = target.declared | {"metadata": target.declared["metadata"] | {"name": name}}
    return ObjectKey(key.api_version, key.kind, key.namespace, name), manifest


def _advised(error: ApiError) -> ApiError:
    if error.reason != ALREADY_EXISTS:
        return error
    return ApiError(f"{error}{_ADVICE}", reason=error.reason)
