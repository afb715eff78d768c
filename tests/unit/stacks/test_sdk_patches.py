"""What is assumed of the SDK's private parts, held to the installed SDK."""
# ruff: noqa: SLF001 - private parts are what these tests are about

import inspect
import re
from importlib import metadata
from typing import cast
from unittest.mock import Mock

import pulumi
import pytest
from pulumi import automation as auto
from pulumi.runtime import _grpc_settings, rpc
from pulumi.runtime._depends_on import _resolve_depends_on

from dittoinfra.nested_values import SECRET_KEY, SECRET_MARK, UNKNOWN
from dittoinfra.stacks.sdk_patches import TESTED_SDK, InlineStack, patch_sdk


def test_the_patches_were_seen_with_the_installed_sdk() -> None:
    assert metadata.version("pulumi") == TESTED_SDK, "look at each patch again, then change TESTED_SDK"


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


def test_a_secret_is_marked_as_the_sdk_marks_it() -> None:
    assert (rpc._special_sig_key, rpc._special_secret_sig) == (SECRET_KEY, SECRET_MARK)


def test_an_unknown_value_is_marked_as_the_sdk_marks_it() -> None:
    assert rpc.UNKNOWN == UNKNOWN
