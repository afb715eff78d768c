"""Field conflicts with other managers: when they are forced, and what is reported otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager

from lab.standin.annotations import PATCH_FORCE, is_true
from lab.standin.errors import ApiError
from lab.standin.target import Target
from lab.standin.terms import Terms

CONFLICT = "Conflict"

_HELP = (
    "https://www.pulumi.com/registry/packages/kubernetes/how-to-guides/"
    "managing-resources-with-server-side-apply/#handle-field-conflicts-on-existing-resources"
)


def is_forced(target: Target, terms: Terms) -> bool:
    """Whether the program or the provider's configuration forces conflicts."""
    return is_true(target.declared, PATCH_FORCE) or terms.settings.enable_patch_force


@contextmanager
def explained(manager: str) -> Iterator[None]:
    """The conflict error with the manager's name and a link to help."""
    try:
        yield
    except ApiError as error:
        if error.reason != CONFLICT:
            raise
        raise ApiError(
            f"server-side apply field conflict detected, see {_HELP} for troubleshooting help\n"
            f'The resource managed by field manager "{manager}" had an apply conflict: {error}',
            reason=CONFLICT,
        ) from None
