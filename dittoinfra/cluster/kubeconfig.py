"""Which kubeconfig a setting means: a file, the content itself, or whatever the environment offers."""

import os
from pathlib import Path
from typing import Any

import yaml

from dittoinfra.cluster.errors import ClusterError

KubeconfigSource = str | dict[str, Any] | None
"""Path(s), parsed content, or None for KUBECONFIG, then ~/.kube/config, then the Pod's service account."""


def kubeconfig_source(setting: str | None) -> KubeconfigSource:
    """Tell a path from content the way `kubernetes:kubeconfig` accepts both."""
    if not setting or not setting.strip():
        return None
    if _is_content(setting):
        return _parse(setting)
    if not any(Path(part).expanduser().is_file() for part in setting.split(os.pathsep)):
        raise ClusterError(f"kubeconfig {setting} is not a file; name an existing file or give its content")
    return setting


def _is_content(setting: str) -> bool:
    return "\n" in setting or setting.lstrip().startswith("{")


def _parse(content: str) -> dict[str, Any]:
    # The parser's own message quotes the lines around the mistake, and those may hold credentials.
    try:
        parsed = yaml.safe_load(content)
    except yaml.YAMLError as error:
        raise ClusterError(f"kubeconfig content is not YAML{_line_of(error)}; check the setting") from None
    if not isinstance(parsed, dict) or "clusters" not in parsed:
        raise ClusterError("kubeconfig content has no clusters; check the setting")
    return parsed


def _line_of(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    return f" (line {mark.line + 1})" if mark is not None else ""
