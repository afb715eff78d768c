"""Marks parts of an object as secret where the declaration is secret."""

from typing import Any

from lab.standin.properties import Properties, Secret, has_secrets

SECRET_KIND = "Secret"  # noqa: S105  (the name of a kind)


def marked(properties: Properties, declared: Properties) -> Properties:
    """Properties with the marks of what was declared; the data of a Secret is marked in any case.

    Maps are marked entry by entry. A list is marked as a whole: its entries may have changed places.
    """
    if properties.get("kind") == SECRET_KIND:
        return {key: _whole_data(key, value) for key, value in properties.items()}
    return {key: _marked_value(value, declared.get(key)) for key, value in properties.items()}


def _whole_data(key: str, value: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    return Secret(value) if key in {"data", "stringData"} and not isinstance(value, Secret) else value


def _marked_value(value: Any, declared: Any) -> Any:  # noqa: ANN401  (JSON has no narrower type)
    if isinstance(value, dict) and isinstance(declared, dict):
        return marked(value, declared)
    return Secret(value) if has_secrets(declared) and not isinstance(value, Secret) else value
