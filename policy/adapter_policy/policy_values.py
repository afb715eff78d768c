"""Properties as the policy SDK passes them, as plain values."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_policy.proxy import UnknownValueError


class _Unknown:
    """A value that is not known before the update; it is neither text nor a list."""

    def __bool__(self) -> bool:
        return True


UNKNOWN: Final = _Unknown()


def plain(value: object) -> Any:  # noqa: ANN401 - whatever a property may be
    """The value without the SDK's proxies, which raise an error where a value is not known yet.

    That error would end a policy for the whole stack, and an adapter's removal would go unseen because some
    other resource has an address that is not known yet.
    """
    if isinstance(value, Mapping):
        return {key: _known(value, key) for key in value}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_known(value, index) for index in range(len(value))]
    return value


def _known(container: Any, key: object) -> Any:  # noqa: ANN401 - a proxy of the SDK
    try:
        return plain(container[key])
    except UnknownValueError:
        return UNKNOWN
