"""Turns a component's inputs into settings, or into every problem with them. Pure."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, get_args

import pulumi
from pydantic import BaseModel

from dittoinfra.sdk.resolved_inputs import Resolved
from dittoinfra.sdk.server_inputs import DeployedServerArgs, ExistingServerArgs
from dittoinfra.settings import ConfigurationError, Problem, SettingPath, StackSettings
from dittoinfra.settings.configuration import validated
from dittoinfra.settings.headless_settings import HeadlessSettings
from dittoinfra.settings.problems import NAMESPACE, unknown_key

_OF_STACK = ("approve_removals", "approveRemovals", "brake", "on_refusal", "onRefusal")
_NAME = ("server_name", "serverName")
_MAY_BE_SECRET = _MAY_BE_UNKNOWN = frozenset({"password", "secrets"})
"""The only inputs that hold secrets, and those without which a preview can still tell what is declared."""

_PLACEHOLDER = "0" * 48
"""In place of a secret that is not known yet: as long as any must be, and never declared."""

_IN_THE_CLEAR = (
    "has a secret in it, which would be in the clear in the state and in previews; put it into a Kubernetes "
    "Secret and refer to that (deploy.env by valueFrom.secretKeyRef, deploy.credentials, "
    "api.passwordSecret), or give it as password or secrets; what is no secret, pass through Output.unsecret"
)


def input_steps(path: SettingPath) -> tuple[int | str, ...]:
    """The input of a component that gives a setting of a stack's configuration."""
    if path.namespace != NAMESPACE:
        return path.steps  # an input already
    match path.steps:
        case ("servers", 0, "name"):
            return ("serverName",)
        case ("servers", 0, *rest):
            return tuple(rest)
        case ("passwords", *_):
            return ("password",)
        case ("serverSecrets", _, *rest):
            return ("secrets", *rest)
    return path.steps


@dataclass(frozen=True, slots=True)
class InputWords:
    """How messages name settings that are inputs of a component in a program."""

    remote: bool = False
    """Whether it is written in another language than Python, which spells them as YAML does."""
    steps: Callable[[SettingPath], tuple[int | str, ...]] = input_steps

    def path(self, path: SettingPath) -> SettingPath:
        """The input that gives a setting, as its program spells it: `api.request_timeout` in Python."""
        names = _names() if self.remote else {alias: name for name, alias in _names().items()}
        return SettingPath(tuple(names.get(str(step), step) for step in self.steps(path)))

    def problem(self, problem: Problem, place: str | None = None) -> Problem:
        """A problem of a setting as one of its input."""
        return Problem(self.path(problem.path), problem.message, place)

    def name(self, path: SettingPath) -> str:
        """The input as text."""
        return str(self.path(path))

    def place(self, path: SettingPath) -> None:
        """None: inputs are in no file of the project."""

    def set_secret(self, path: SettingPath) -> str:
        """The instruction to give the input."""
        return f"give `{self.name(path)}`"

    def correct_secret(self, path: SettingPath) -> str:
        """The instruction to give another one."""
        return f"give the right `{self.name(path)}`"


@dataclass(frozen=True, slots=True)
class InputSettings:
    """The settings that a component's inputs give."""

    settings: StackSettings = field(repr=False)
    not_yet: str = ""
    """Why the server cannot be asked before the update."""
    secrets_known: bool = True


def input_settings(
    inputs: Resolved, server: str, words: InputWords, *, deployed: bool
) -> InputSettings | None:
    """The settings, or `ConfigurationError` with every problem in the inputs.

    None while inputs are unknown that settings cannot be without. `server` is the server's name unless an
    input gives another, and `words` name inputs in messages.
    """
    if inputs.unknown - _MAY_BE_UNKNOWN:
        return None
    try:
        settings = validated(
            _document(inputs, server, deployed=deployed),
            found=(*_in_the_clear(inputs), *_misplaced(inputs.values, _args(deployed=deployed))),
            python_names=True,
            words=words,
        )
    except ConfigurationError as error:
        raise ConfigurationError(map(words.problem, error.problems)) from None
    unknown = inputs.unknown
    return InputSettings(
        settings,
        not_yet="its password is not known before the update" if "password" in unknown else "",
        secrets_known="secrets" not in unknown,
    )


def server_name(inputs: Resolved, default: str) -> str | None:
    """The server's name; None while it is unknown."""
    given = next((inputs.values[key] for key in _NAME if key in inputs.values), default)
    return given if isinstance(given, str) else None if pulumi.contains_unknowns(given) else default


def _document(inputs: Resolved, server: str, *, deployed: bool) -> dict[str, Any]:
    known = _args(deployed=deployed)
    unknown = inputs.unknown
    # An unknown input is refused on its own, and what remains is checked as well.
    values = {k: v for k, v in inputs.values.items() if k in known or k in map(_names().get, known)}
    name: object = server
    for key in _NAME:
        name = values.pop(key, name)
    password, secrets = values.pop("password", None), values.pop("secrets", None)
    of_stack = {key: values.pop(key) for key in _OF_STACK if key in values}
    if deployed:
        values.setdefault("deploy", {})
    document: dict[str, Any] = {"servers": [{**values, "name": name}], **of_stack}
    key = name if isinstance(name, str) else server
    if password is not None and "password" not in unknown:
        document["passwords"] = {key: password}
    if secrets is not None:
        document["serverSecrets"] = {key: _known(secrets)}
    return document


def _known(secrets: object) -> object:
    if isinstance(secrets, Mapping):
        return {key: _PLACEHOLDER if pulumi.contains_unknowns(v) else v for key, v in secrets.items()}
    placeholders = {"jwt": _PLACEHOLDER, "adminPassword": _PLACEHOLDER}
    return placeholders if pulumi.contains_unknowns(secrets) else secrets


def _in_the_clear(inputs: Resolved) -> Iterator[Problem]:
    for name in sorted(inputs.secret - _MAY_BE_SECRET):
        yield Problem(SettingPath((name,)), _IN_THE_CLEAR)


def _args(*, deployed: bool) -> Collection[str]:
    return (DeployedServerArgs if deployed else ExistingServerArgs).__annotations__


def _misplaced(values: Mapping[str, Any], known: Collection[str]) -> Iterator[Problem]:
    for name in values:
        if name not in known and name not in map(_names().get, known):
            yield Problem(SettingPath((name,)), unknown_key(name, known))
    deploy = values.get("deploy")
    if isinstance(deploy, Mapping) and (deploy.get("create_namespace") or deploy.get("createNamespace")):
        yield Problem(
            SettingPath(("deploy", "createNamespace")),
            "is not for a component: declare the Namespace in your program, and give its name as namespace",
        )


@cache
def _names() -> Mapping[str, str]:
    """How the settings are spelled in Python, and in YAML."""
    found = {"server_name": "serverName"}
    for model in (StackSettings, HeadlessSettings):
        _collect(model, found)
    return {name: alias for name, alias in found.items() if name != alias}


def _collect(hint: object, found: dict[str, str]) -> None:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        for name, this in hint.model_fields.items():
            found[name] = this.alias or name
            _collect(this.annotation, found)
    for inner in get_args(hint):
        _collect(inner, found)
