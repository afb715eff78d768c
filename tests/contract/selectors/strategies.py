"""Hypothesis strategies for labels and selectors, valid and nearly valid."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

_NAMES = st.sampled_from(["tier", "in", "notin", "exists", "A.b_c-9", "x" * 63]) | st.from_regex(
    r"[A-Za-z0-9]([-._A-Za-z0-9]{0,8}[A-Za-z0-9])?", fullmatch=True
)
_PREFIXES = st.sampled_from(["", "", "example.com/", "app.kubernetes.io/", "in/", "0/", f"{'p' * 253}/"])
KEYS = st.builds(str.__add__, _PREFIXES, _NAMES)
VALUES = st.just("") | _NAMES

_NEARLY = (
    st.text("aZ0-._/ é\n", max_size=6)
    | st.builds(str.__mul__, st.just("a"), st.integers(62, 65))
    | st.builds("{}/{}".format, st.text("aZ0-.", max_size=4), st.text("aZ0-._/", max_size=4))
    | st.builds("{}/a".format, st.builds(str.__mul__, st.just("p"), st.integers(252, 255)))
    | st.builds("a/{}".format, st.builds(str.__mul__, st.just("n"), st.integers(62, 65)))
)
NEARLY_KEYS = KEYS | _NEARLY
NEARLY_VALUES = VALUES | _NEARLY
NEARLY_PORT_NAMES = st.text("a0-", max_size=17) | st.builds(str.__mul__, st.just("a"), st.integers(14, 16))


@dataclass(frozen=True)
class Labelled:
    """Labels of objects, and selectors with the same keys and values."""

    objects: list[dict[str, str]]
    selectors: list[Mapping[str, Any]]


@st.composite
def labelled(draw: st.DrawFn) -> Labelled:
    """Few keys and values, so that selectors match often enough."""
    keys = st.sampled_from(draw(st.lists(KEYS, min_size=1, max_size=4, unique=True)))
    values = st.sampled_from(draw(st.lists(VALUES, min_size=1, max_size=4, unique=True)))
    labels = st.dictionaries(keys, values, max_size=4)
    compared = st.fixed_dictionaries(
        {"key": keys, "operator": st.sampled_from(["In", "NotIn"]), "values": _lists(values, min_size=1)}
    )
    looked_for = st.fixed_dictionaries({"key": keys, "operator": st.sampled_from(["Exists", "DoesNotExist"])})
    selectors = _selectors(st.dictionaries(keys, values, max_size=2), compared | looked_for)
    return Labelled(
        draw(st.lists(labels, min_size=1, max_size=6)), draw(st.lists(selectors, min_size=1, max_size=10))
    )


def nearly_right_selectors() -> st.SearchStrategy[Mapping[str, Any]]:
    """Well-formed selectors whose keys, operators and values may be invalid."""
    conditions = st.fixed_dictionaries(
        {
            "key": NEARLY_KEYS,
            "operator": st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist", "in", "Equals", ""]),
        },
        optional={"values": _lists(NEARLY_VALUES)},
    )
    return _selectors(st.dictionaries(NEARLY_KEYS, NEARLY_VALUES, max_size=1), conditions, most=1)


def _selectors(
    labels: st.SearchStrategy[dict[str, str]], conditions: st.SearchStrategy[dict[str, Any]], most: int = 3
) -> st.SearchStrategy[Mapping[str, Any]]:
    return st.fixed_dictionaries(
        {}, optional={"matchLabels": labels, "matchExpressions": st.lists(conditions, max_size=most)}
    )


def _lists(values: st.SearchStrategy[str], min_size: int = 0) -> st.SearchStrategy[list[str]]:
    return st.lists(values, min_size=min_size, max_size=3)
