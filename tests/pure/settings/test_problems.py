"""A configuration that cannot be used: every problem at once, by its place in the YAML, with a way out."""

import pytest

from dittoinfra.settings.problems import SettingPath, path_of
from tests.pure.settings.reading import problems


def test_every_problem_is_told_at_once_by_its_place() -> None:
    lines = problems(
        absencePolls=0,
        removal="sometimes",
        adapters={"pinned": [{"type": "nfs"}]},
        servers=[{"name": "Media", "api": {"url": "ftp://media"}}, {"labels": {}}],
    )

    assert lines == [
        "dittoinfra:absencePolls: must be greater than or equal to 1 (it is 0)",
        "dittoinfra:adapters.pinned[0].port: is required",
        "dittoinfra:removal: must be 'sync' or 'never' (it is 'sometimes')",
        "dittoinfra:servers[0].api.url: "
        "must be an address such as https://dittofs.example.com:8080 (it is 'ftp://media')",
        "dittoinfra:servers[0].name: must be lower-case letters, digits and '-' between them (it is 'Media')",
        "dittoinfra:servers[1].name: is required",
    ]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"absencePoll": 3}, "dittoinfra:absencePoll: is not a known key; did you mean 'absencePolls'?"),
        ({"absence_polls": 3}, "dittoinfra:absence_polls: is not a known key; did you mean 'absencePolls'?"),
        ({"ABSENCEPOLLS": 3}, "dittoinfra:ABSENCEPOLLS: is not a known key; did you mean 'absencePolls'?"),
        (
            {"servers": [{"name": "a", "deploy": {"metrics": {"prt": 1}}}]},
            "dittoinfra:servers[0].deploy.metrics.prt: is not a known key; did you mean 'port'?",
        ),
        (
            {"servers": [{"name": "a", "deploy": {"database": {"xyz": 1}}}]},
            "dittoinfra:servers[0].deploy.database.xyz: is not a known key; "
            "known here: percona, postgres, sqlite",
        ),
        (
            {"adapters": {"types": {"nfs": {"serviceport": 1}}}},
            "dittoinfra:adapters.types.nfs.serviceport: is not a known key; did you mean 'servicePort'?",
        ),
        (
            {"adapters": {"pinned": [{"type": "nfs", "port": 1, "typ": 2}]}},
            "dittoinfra:adapters.pinned[0].typ: is not a known key; did you mean 'type'?",
        ),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(keys: dict[str, object], line: str) -> None:
    assert problems(**keys) == [line]


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("servers", "a valid list"),
        ("approveRemovals", "a valid list"),
        ("absencePolls", "a valid integer"),
        ("adapters", "a block of settings"),
        ("api", "a block of settings"),
    ],
)
@pytest.mark.parametrize(
    ("text", "shown"),
    [("[{broken", "is '[{broken'"), ("[" * 100_000, f"starts with '{'[' * 80}'")],
    ids=["broken", "too deep"],
)
def test_what_is_no_json_is_refused_where_it_stands(key: str, kind: str, text: str, shown: str) -> None:
    assert problems(**{key: text}) == [f"dittoinfra:{key}: must be {kind} (it {shown})"]


def test_problems_are_told_in_the_order_of_a_list_and_not_of_its_digits() -> None:
    lines = problems(servers=[{"name": "A", "absencePolls": 0}] * 11)

    assert [line.partition(": ")[0] for line in lines] == [
        f"dittoinfra:servers[{index}].{key}" for index in range(11) for key in ("absencePolls", "name")
    ]


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({"absencePolls": "3.0"}, "dittoinfra:absencePolls: must be a valid integer (it is 3.0)"),
        ({"absencePolls": '"3"'}, "dittoinfra:absencePolls: must be a valid integer (it is '3')"),
        ({"absencePolls": True}, "dittoinfra:absencePolls: must be a valid integer (it is true)"),
        ({"absencePolls": None}, "dittoinfra:absencePolls: must be a valid integer (it is null)"),
        ({"servers": {"name": "a"}}, "dittoinfra:servers: must be a valid list"),
        ({"servers": [5]}, "dittoinfra:servers[0]: must be a block of settings (it is 5)"),
        (
            {"servers": [{"name": "a", "deploy": True}]},
            "dittoinfra:servers[0].deploy: must be a block of settings (it is true)",
        ),
        (
            {"adapters": {"pinned": [{"type": "nfs", "port": 70000}]}},
            "dittoinfra:adapters.pinned[0].port: must be less than or equal to 65535 (it is 70000)",
        ),
        (
            {"servers": [{"name": "1st"}]},
            "dittoinfra:servers[0].name: must start with a letter (it is '1st')",
        ),
        (
            {"servers": [{"name": "a" * 53}]},
            f"dittoinfra:servers[0].name: must have at most 52 characters (it is {'a' * 53!r})",
        ),
        (
            {"api": {"url": "https://media/api#top"}},
            "dittoinfra:api.url: must end with the path (it is 'https://media/api#top')",
        ),
        (
            {
                "servers": [
                    {"name": "a", "deploy": {"api": {"port": 9}, "metrics": {"enabled": True, "port": 9}}}
                ]
            },
            "dittoinfra:servers[0].deploy: api.port and metrics.port must differ, both are 9",
        ),
        (
            {"servers": [{"name": "a", "deploy": {}, "patchPorts": True}]},
            "dittoinfra:servers[0]: patchPorts is for servers that exist already; drop it, or drop deploy",
        ),
    ],
)
def test_a_wrong_value_is_shown_with_what_would_be_right(keys: dict[str, object], line: str) -> None:
    assert problems(**keys) == [line]


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ((), "dittoinfra"),
        (("servers",), "dittoinfra:servers"),
        (("servers", 0, "api", "url"), "dittoinfra:servers[0].api.url"),
        (("passwords", "*"), 'dittoinfra:passwords["*"]'),
    ],
)
def test_a_place_is_written_as_people_find_it_in_the_yaml(place: tuple[int | str, ...], path: str) -> None:
    assert str(path_of(place)) == path


def test_a_path_from_a_block_on_has_no_namespace() -> None:
    assert str(SettingPath(("api", "url"))) == "api.url"
    assert str(SettingPath(("contxt",), "kubernetes")) == "kubernetes:contxt"
