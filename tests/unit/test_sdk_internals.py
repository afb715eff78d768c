"""What is assumed of the SDK's private parts, held to the installed SDK."""
# ruff: noqa: SLF001 - private parts are what these tests are about

import ast
import inspect
import re
from collections.abc import Iterator
from contextvars import copy_context
from importlib import metadata
from pathlib import Path
from typing import cast
from unittest.mock import Mock

import pulumi
import pytest
from pulumi import automation as auto
from pulumi.runtime import _grpc_settings, rpc, set_all_config
from pulumi.runtime._depends_on import _resolve_depends_on
from pulumi.runtime.resource import all_aliases, collapse_alias_to_urn

from dittoinfra.kubernetes.credentials import TESTED_KR8S
from dittoinfra.nested_values import SECRET_KEY, SECRET_MARK, UNKNOWN
from dittoinfra.sdk_internals import TESTED_SDK, InlineStack, patch_sdk, running_configuration
from tests import ROOT

EXPORTED = {"proto", "rpc"}
"""Modules of `pulumi.runtime` that are public: the protocol, and what the SDK lists as one."""


def test_private_names_were_seen_with_the_installed_libraries() -> None:
    assert metadata.version("pulumi") == TESTED_SDK, "look at each name again, then change TESTED_SDK"
    assert metadata.version("kr8s") == TESTED_KR8S, "look at KubeAuth again, then change TESTED_KR8S"


def test_private_names_of_other_libraries_are_used_in_one_file_for_each() -> None:
    product = ROOT / "dittoinfra"
    files = {
        str(path.relative_to(product)): [*_private_names(path)] for path in sorted(product.rglob("*.py"))
    }

    using = {path: {name.split(".")[0] for name in names} for path, names in files.items() if names}
    assert using == {"kubernetes/credentials.py": {"kr8s"}, "sdk_internals.py": {"pulumi", "attribute"}}


def _private_names(path: Path) -> Iterator[str]:
    """Private names of other libraries that a file imports, and private attributes that it uses."""
    text = path.read_text()
    if "noqa: SLF001" in text:
        yield "attribute"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imported = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in imported:
            library, *inside = name.split(".")
            unlisted = name.startswith("pulumi.runtime.") and len(inside) > 2 and inside[1] not in EXPORTED
            if library not in {"dittoinfra", "__future__"} and (
                unlisted or any(part.startswith("_") for part in inside)
            ):
                yield name


def test_the_whole_configuration_is_read_whatever_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", '{"dittoinfra:servers": "[]", "other:key": "environment"}')

    def read() -> object:
        set_all_config({"other:key": "engine", "unknown": "too"})
        return running_configuration()

    # A context of its own: the SDK keeps the configuration in a context variable.
    assert copy_context().run(read) == {"dittoinfra:servers": "[]", "other:key": "engine", "unknown": "too"}


def test_channels_are_kept_apart_once_however_often_it_is_asked_for() -> None:
    patch_sdk()
    patch_sdk()

    apart = [option for option in _grpc_settings._GRPC_CHANNEL_OPTIONS if "subchannel" in option[0]]
    assert apart == [("grpc.use_local_subchannel_pool", 1)]


def test_no_debug_message_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Mock()
    monkeypatch.setattr(pulumi.log, "get_engine", lambda: engine)
    patch_sdk()

    pulumi.log.debug("nothing", stream_id=1)
    pulumi.log.info("something")

    assert [call.args[0].message for call in engine.Log.mock_calls] == ["something"]


def test_a_stack_of_the_sdk_keeps_what_a_lean_one_sets_and_no_more() -> None:
    made = inspect.getsource(auto.Stack.__init__)

    assert set(re.findall(r"self\.(\w+)\s*(?::[^=]+)?=[^=]", made)) == {"name", "workspace", "_mode"}
    assert {"name", "workspace", "_mode"} <= set(vars(InlineStack("prod", cast("auto.LocalWorkspace", None))))


def test_what_a_resource_depends_on_is_read_by_the_names_that_the_sdk_has_for_it() -> None:
    parameters = [
        [*inspect.signature(each).parameters]
        for each in (_resolve_depends_on, rpc._expand_dependencies, pulumi.ResourceOptions._depends_on_list)
    ]

    assert parameters == [["depends_on"], ["deps", "from_resource"], ["self"]]
    assert "_childResources" in pulumi.Resource.__annotations__


def test_former_urns_are_computed_by_the_names_that_the_sdk_has_for_it() -> None:
    parameters = [[*inspect.signature(each).parameters] for each in (all_aliases, collapse_alias_to_urn)]

    assert parameters == [
        ["child_aliases", "child_name", "child_type", "parent"],
        ["alias", "defaultName", "defaultType", "defaultParent"],
    ]


def test_a_secret_is_marked_as_the_sdk_marks_it() -> None:
    assert (rpc._special_sig_key, rpc._special_secret_sig) == (SECRET_KEY, SECRET_MARK)


def test_an_unknown_value_is_marked_as_the_sdk_marks_it() -> None:
    assert rpc.UNKNOWN == UNKNOWN
