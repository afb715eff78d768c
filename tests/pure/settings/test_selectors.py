"""Settings for the servers that a selector selects, with Kubernetes' meaning of selecting."""

from typing import Any

import pytest

from dittoinfra.settings import effective_servers
from dittoinfra.settings.selectors import LabelSelector
from tests.pure.settings.reading import problems, read

LABELS = {"tier": "cold", "team": "storage"}


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({}, True),
        ({"matchLabels": {"tier": "cold"}}, True),
        ({"matchLabels": {"tier": "cold", "team": "other"}}, False),
        ({"matchLabels": {"zone": "a"}}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "In", "values": ["hot", "cold"]}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}, False),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["cold"]}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "NotIn", "values": ["a"]}]}, True),
        ({"matchExpressions": [{"key": "team", "operator": "Exists"}]}, True),
        ({"matchExpressions": [{"key": "zone", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "zone", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}, False),
        (
            {
                "matchLabels": {"tier": "cold"},
                "matchExpressions": [{"key": "team", "operator": "DoesNotExist"}],
            },
            False,
        ),
    ],
)
def test_a_selector_selects_as_kubernetes_does(selector: dict[str, Any], selected: bool) -> None:
    assert LabelSelector.model_validate(selector).matches(LABELS) is selected


@pytest.mark.parametrize(
    ("selector", "query"),
    [
        ({}, ""),
        ({"matchLabels": {"tier": "cold", "example.com/team": ""}}, "tier=cold,example.com/team="),
        (
            {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["hot", "cold"]}]},
            "tier in (hot,cold)",
        ),
        ({"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": [""]}]}, "tier notin ()"),
        (
            {
                "matchLabels": {"tier": "cold"},
                "matchExpressions": [
                    {"key": "team", "operator": "Exists"},
                    {"key": "team", "operator": "DoesNotExist"},
                ],
            },
            "tier=cold,team,!team",
        ),
    ],
)
def test_a_selector_is_written_as_the_api_reads_it(selector: dict[str, Any], query: str) -> None:
    assert LabelSelector.model_validate(selector).query() == query


def test_nearest_wins_stack_then_selectors_in_order_then_server() -> None:
    def block(tier: str, **settings: object) -> dict[str, object]:
        return {"selector": {"matchLabels": {"tier": tier}}, **settings}

    stack = read(
        absencePolls=2,
        pollsPerRun=2,
        removal="never",
        selectors=[
            block("cold", absencePolls=3, pollsPerRun=3),
            block("cold", absencePolls=4),
            block("hot", absencePolls=9),
        ],
        servers=[
            {"name": "archive", "labels": {"tier": "cold"}},
            {"name": "vault", "labels": {"tier": "cold"}, "absencePolls": 5},
            {"name": "media"},
        ],
    )

    found = {s.name: (s.absence_polls, s.polls_per_run, s.removal) for s in effective_servers(stack)}

    assert found == {"archive": (4, 3, "never"), "vault": (5, 3, "never"), "media": (2, 2, "never")}


def test_policies_of_selected_servers_let_in_whom_the_selector_names() -> None:
    stack = read(
        selectors=[
            {
                "selector": {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
                "networkPolicy": {
                    "mode": "enabled",
                    "ports": [8080],
                    "from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}],
                },
            }
        ],
        servers=[{"name": "archive", "labels": {"tier": "cold"}}, {"name": "media"}],
    )

    archive, media = effective_servers(stack)

    assert [peer.ip_block.cidr for peer in archive.network_policy.from_ if peer.ip_block] == ["10.0.0.0/8"]
    assert media.network_policy.mode == "disabled"


def test_a_selector_without_its_values_is_refused_where_it_stands() -> None:
    wrong = {"selector": {"matchExpressions": [{"key": "tier", "operator": "In"}]}}

    assert problems(selectors=[wrong]) == [
        "dittoinfra:selectors[0].selector.matchExpressions[0]: "
        "In and NotIn need values, Exists and DoesNotExist have none"
    ]
