"""Fields that another manager has: when they are taken all the same, and what is said when they are not."""

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
    """Whether the program or the provider's configuration wants every conflict won."""
    return is_true(target.declared, PATCH_FORCE) or terms.settings.enable_patch_force


@contextmanager
def explained(manager: str) -> Iterator[None]:
    """Say whose apply ran into a conflict, and where help is."""
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
