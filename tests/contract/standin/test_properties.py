"""The engine's wire values as plain ones, and back."""

from hypothesis import given, settings
from hypothesis import strategies as st
from pulumi.runtime.rpc import UNKNOWN

from lab.standin.properties import (
    Properties,
    Secret,
    from_struct,
    has_secrets,
    has_unknowns,
    plain,
    to_struct,
)

WHOLE = st.integers(min_value=-(2**53), max_value=2**53)
SCALARS = st.booleans() | WHOLE | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(st.text(), VALUES))
def test_properties_survive_the_wire_with_their_types(properties: Properties) -> None:
    returned = from_struct(to_struct(properties))
    assert repr(_ordered(returned)) == repr(_ordered(properties))


def test_a_null_entry_is_no_entry() -> None:
    assert from_struct(to_struct({"a": None, "b": {"c": None}})) == {"b": {}}


def test_a_secret_is_marked_on_the_wire_and_off_it() -> None:
    wrapped = {
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "value": "clusters: []",
    }
    properties = from_struct(to_struct({"list": [{"kubeconfig": wrapped}]}))

    assert properties == {"list": [{"kubeconfig": Secret("clusters: []")}]}
    assert has_secrets(properties)
    assert plain(properties) == {"list": [{"kubeconfig": "clusters: []"}]}
    assert from_struct(to_struct(properties)) == properties


def test_unknowns_are_found_however_deep() -> None:
    assert has_unknowns({"a": [{"b": UNKNOWN}]})
    assert not has_unknowns({"a": [{"b": "known"}]})


def _ordered(value: object) -> object:
    # repr tells 1 from 1.0 and True, which == does not; maps have no order on the wire.
    if isinstance(value, dict):
        return [(key, _ordered(value[key])) for key in sorted(value)]
    return [_ordered(entry) for entry in value] if isinstance(value, list) else value
