"""The stack's configuration, as the engine hands it over, becomes one validated model."""

import json
from collections.abc import Collection, Iterator, Mapping

from pydantic import ValidationError

from dittoinfra.settings.checks import check
from dittoinfra.settings.problems import (
    SECRET_KEYS,
    ConfigurationError,
    Problem,
    path_of,
    problems_of,
)
from dittoinfra.settings.stack import StackSettings

_EXAMPLES = {"passwords": "SERVER", "serverSecrets": "SERVER.jwt"}
"""Where in a secret key a single secret is."""

_TEXTS = frozenset({"namespace", "pollInterval", "removal", "onUnreachable"})
"""Top-level keys that are plain text; the engine hands every other one over as JSON."""


def load(values: Mapping[str, str], encrypted: Collection[str]) -> StackSettings:
    """The settings of a stack, or `ConfigurationError` with every problem in them.

    `values` are the keys of the `dittoinfra:` namespace without it; `encrypted` those that are secrets.
    """
    problems = list(_in_the_clear(values, encrypted))
    try:
        stack = StackSettings.model_validate({key: _decoded(key, text) for key, text in values.items()})
    except ValidationError as error:
        problems += problems_of(error, StackSettings, hidden=SECRET_KEYS.union(encrypted))
        raise ConfigurationError(problems) from None
    problems += check(stack)
    if problems:
        raise ConfigurationError(problems)
    return stack


def _decoded(key: str, text: str) -> object:
    if key in _TEXTS:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _in_the_clear(values: Mapping[str, str], encrypted: Collection[str]) -> Iterator[Problem]:
    for key in sorted(SECRET_KEYS & values.keys() - set(encrypted)):
        if not _decoded(key, values[key]):
            continue  # Pulumi.yaml's default: there is nothing to hide in it
        path, example = path_of((key,)), path_of((key, _EXAMPLES[key]))
        yield Problem(
            path, f"is stored in the clear; store it with `pulumi config set --secret --path '{example}'`"
        )
