"""A stack's whole configuration, as the engine hands it to a program and as the CLI prints it."""

import hashlib
import json
import secrets
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import ValidationError

from dittoinfra.model import ConfigurationSource
from dittoinfra.projectfile import NoProjectError, find_project, stack_file, written_values
from dittoinfra.settings.checks import check
from dittoinfra.settings.key_names import misnamed_keys
from dittoinfra.settings.problems import (
    NAMESPACE,
    SECRET_KEYS,
    ConfigurationError,
    Problem,
    SettingPath,
    path_of,
    problems_of,
)
from dittoinfra.settings.provider import PROVIDER, provider_problems
from dittoinfra.settings.setting_words import STACK_WORDS, SettingWords, StackWords
from dittoinfra.settings.source_lines import SourceLines
from dittoinfra.settings.stack import StackSettings

_EXAMPLES = {"passwords": "SERVER", "serverSecrets": "SERVER.jwt"}
"""Where in a secret key a single secret is."""

_PREFIX = f"{NAMESPACE}:"

_TEXTS = frozenset({"namespace", "pollInterval", "removal", "notRunning", "onUnreachable", "onRefusal"})
"""Top-level keys that are plain text; the engine hands every other one over as JSON."""


def load(values: Mapping[str, str], encrypted: Collection[str]) -> StackSettings:
    """The settings of a stack, or `ConfigurationError` with every problem in them.

    `values` are the keys of the `dittoinfra:` namespace without it; `encrypted` those that are secrets.
    """
    return validated(
        {key: _decoded(key, text) for key, text in values.items()},
        encrypted,
        _encryption_problems(values, encrypted),
    )


def validated(
    document: Mapping[str, object],
    encrypted: Collection[str] = (),
    found: Iterable[Problem] = (),
    *,
    python_names: bool = False,
    words: SettingWords = STACK_WORDS,
) -> StackSettings:
    """The settings in a document, or `ConfigurationError` with every problem, those `found` already included.

    With `python_names` its keys may be spelled as in Python, too; `words` name settings in messages.
    """
    problems = list(found)
    try:
        stack = StackSettings.model_validate(document, by_alias=True, by_name=python_names)
    except ValidationError as error:
        problems += problems_of(error, StackSettings, hidden=SECRET_KEYS.union(encrypted))
        raise ConfigurationError(problems) from None
    problems += check(stack, words)
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


def _encryption_problems(values: Mapping[str, str], encrypted: Collection[str]) -> Iterator[Problem]:
    for key in SECRET_KEYS & values.keys() - set(encrypted):
        if _decoded(key, values[key]):  # else it is Pulumi.yaml's default, with nothing to hide in it
            yield Problem(
                path_of((key,)),
                "is stored in the clear; store it with "
                f"`pulumi config set --secret --path '{path_of((key, _EXAMPLES[key]))}'`",
            )
    # The engine tells which key has something encrypted in it, and not where in it.
    for key in values.keys() & set(encrypted) - SECRET_KEYS:
        yield Problem(
            path_of((key,)),
            "has an encrypted value in it, which would be in the clear in the state, in previews and in "
            "reports; put it into a Kubernetes Secret and refer to that (deploy.env by "
            "valueFrom.secretKeyRef, deploy.credentials, config.ldap.bindPassword, api.passwordSecret), or "
            f"into {path_of(('passwords',))} or {path_of(('serverSecrets',))}; "
            "what is no secret goes in unencrypted",
        )


_KEY = secrets.token_bytes(32)
"""Keys the digests that do not leave this process: without it they reveal nothing."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What a stack is configured with, wherever that was read."""

    project: str
    stack: str
    root: Path
    """The project's folder, in which relative paths start."""
    values: Mapping[str, str] = field(repr=False)
    """By full key; lists and blocks as JSON, the project's defaults included."""
    encrypted: frozenset[str]
    """Keys that are secret, or have a secret in them."""
    inherited: frozenset[str] = frozenset()
    """Keys that the stack says nothing about: their value is the project's default."""
    input_words: SettingWords | None = field(default=None, repr=False, compare=False)
    """How settings are named that come from a program's inputs, and not from here."""

    @property
    def words(self) -> SettingWords:
        """How messages name settings."""
        return self.input_words or StackWords(self.place)

    def settings(self) -> StackSettings:
        """The part that is dittoinfra's, validated, or `ConfigurationError` with every problem."""
        problems = [
            *misnamed_keys(self.values, self.project),
            *provider_problems(self.values),
            *self._misplaced(),
        ]
        try:
            settings = self._loaded(self.values.keys())
        except ConfigurationError as error:
            raise ConfigurationError(self.located((*error.problems, *problems))) from None
        if problems:
            raise ConfigurationError(self.located(problems))
        return settings

    def own_settings(self) -> StackSettings:
        """The settings that the stack itself gives, without the project's defaults and the provider's."""
        return self._loaded(self.values.keys() - self.inherited)

    def located(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Problems with the file and the line of each, as far as these are known."""
        lines = self._lines
        return tuple(replace(problem, place=lines.place(problem.path)) for problem in problems)

    def place(self, path: SettingPath) -> str | None:
        """The file and the line of a setting, as far as these are known."""
        return self._lines.place(path)

    @property
    def _lines(self) -> SourceLines:
        return SourceLines(self.root, self.project, self.stack)

    @property
    def provider(self) -> Mapping[str, str]:
        """What the `kubernetes:` namespace says, without the namespace."""
        return {key.removeprefix(PROVIDER): v for key, v in self.values.items() if key.startswith(PROVIDER)}

    @property
    def manifests(self) -> str | None:
        """The folder that the provider writes manifests to; None where it has a cluster."""
        return self.values.get(f"{PROVIDER}renderYamlToDirectory") or None

    def kubeconfig(self, environ: Mapping[str, str]) -> str | None:
        """The kubeconfig that the provider uses; None where it looks for one itself."""
        return self.values.get(f"{PROVIDER}kubeconfig") or environ.get("KUBECONFIG") or None

    @property
    def context(self) -> str | None:
        """The context in it."""
        return self.values.get(f"{PROVIDER}context") or None

    def source_without_servers(self, settings: StackSettings) -> ConfigurationSource | None:
        """Where this stack's servers were looked for without finding any; None where it has some."""
        if settings.servers or settings.servers_from:
            return None
        own: Mapping[str, object] = {}
        try:
            root = find_project(self.root)
        except NoProjectError:  # a program that is not started from its project's folder
            file = self.root / f"Pulumi.{self.stack}.yaml"
        else:
            file, own = stack_file(root, self.stack), written_values(root, self.stack)
        elsewhere = (
            key
            for key in self.values
            if key.endswith((":servers", ":serversFrom")) and not key.startswith(_PREFIX)
        )
        return ConfigurationSource(
            str(file),
            file.is_file(),
            tuple(sorted(elsewhere)),
            # In a stack's file, too, keys of a project `dittoinfra` may go without their namespace.
            intended=any(
                own.get(name) == [] for key in ("servers", "serversFrom") for name in (key, f"{_PREFIX}{key}")
            ),
        )

    def digests(self, salt: bytes | None) -> Mapping[str, str]:
        """One for every key of every namespace.

        With a salt they may be stored in a file. Without one they are quick, and valid in this process only.
        """
        return {key: self._digest(key, _canonical(text), salt) for key, text in self.values.items()}

    def _loaded(self, keys: Set[str]) -> StackSettings:
        ours = {key.removeprefix(_PREFIX): self.values[key] for key in keys if key.startswith(_PREFIX)}
        return load(ours, {key.removeprefix(_PREFIX) for key in self.encrypted})

    def _misplaced(self) -> Iterator[Problem]:
        """Settings under the project's own name, where `pulumi config set` puts a key without a namespace."""
        names = {field.alias for field in StackSettings.model_fields.values()}
        for key in self.values:
            namespace, _, name = key.partition(":")
            if namespace == self.project != NAMESPACE and name in names:
                yield Problem(
                    SettingPath((name,), namespace),
                    f"is not read: settings have the namespace `{_PREFIX}` in a project of any name; "
                    f"rename it to {path_of((name,))}, or to something that is no setting if it is yours",
                )

    def _digest(self, key: str, text: str, salt: bytes | None) -> str:
        if salt is None:
            return hashlib.blake2b(text.encode(), key=_KEY).hexdigest()
        if key in self.encrypted:
            # It may be a password that a person chose: it must not be found by guessing.
            return hashlib.scrypt(text.encode(), salt=salt, n=2**14, r=8, p=1).hex()
        return hashlib.sha256(text.encode()).hexdigest()


def _canonical(text: str) -> str:
    """One text for equal values: the engine and the CLI write blocks each in their own way."""
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return text
