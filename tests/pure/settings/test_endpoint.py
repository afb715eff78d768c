"""How an API is reached: an address, the cluster, or none; and what may stand in a template."""

import pytest

from dittoinfra.settings import ByPortForward, effective_servers
from dittoinfra.settings.server import ByUrl, Endpoint, api_endpoint
from tests.pure.settings.reading import CREDENTIALS, only_server, problems, read

DEPLOYED = {"credentials": CREDENTIALS}
UNKNOWN = "knows the placeholders {server} and {namespace} only"


def endpoint(
    server: dict[str, object] | None = None, *, in_cluster: bool = False, **stack: object
) -> Endpoint | None:
    return api_endpoint(
        only_server(servers=[{"name": "media", "namespace": "files", **(server or {})}], **stack),
        in_cluster=in_cluster,
    )


def by_default(*, explicit: bool) -> ByPortForward:
    return ByPortForward(
        "pod", "files", "media-0", 8080, "http://media-api.files.svc:8080", explicit=explicit
    )


def test_an_existing_server_is_not_asked_unless_its_api_is_configured() -> None:
    assert endpoint() is None


def test_an_address_is_filled_in_for_each_server() -> None:
    servers = effective_servers(
        read(
            namespace="files",
            api={"url": "https://{server}.{namespace}.example.com:8443/"},
            servers=[{"name": "media"}, {"name": "backup", "namespace": "vault"}],
        )
    )

    assert [api_endpoint(server) for server in servers] == [
        ByUrl("https://media.files.example.com:8443"),
        ByUrl("https://backup.vault.example.com:8443"),
    ]


def test_a_server_that_is_deployed_here_is_reached_through_the_cluster() -> None:
    assert endpoint({"deploy": DEPLOYED}) == by_default(explicit=False)


def test_so_is_one_that_was_found_in_the_cluster() -> None:
    assert endpoint(in_cluster=True) == by_default(explicit=False)


def test_an_existing_server_is_reached_through_the_cluster_where_that_is_written() -> None:
    assert endpoint({"api": {"portForward": {}}}) == by_default(explicit=True)
    assert endpoint(api={"portForward": {}}) == by_default(explicit=True)


def test_nothing_leads_through_the_cluster_where_that_is_switched_off() -> None:
    assert endpoint({"deploy": DEPLOYED, "api": {"portForward": None}}) is None
    assert endpoint(api={"portForward": None}, in_cluster=True) is None


def test_the_deployments_own_port_and_tls_are_known() -> None:
    deploy = {**DEPLOYED, "api": {"port": 9443, "tls": {"secret": "media-tls"}}}

    assert endpoint({"deploy": deploy}) == ByPortForward(
        "pod", "files", "media-0", 9443, "https://media-api.files.svc:9443", explicit=False
    )


def test_everything_about_it_can_be_said() -> None:
    forward = {
        "port": 18080,
        "scheme": "https",
        "target": "service/{server}-api-{namespace}",
        "tlsName": "media.example.com",
    }

    assert endpoint({"api": {"portForward": forward}}) == ByPortForward(
        "service", "files", "media-api-files", 18080, "https://media.example.com:18080", explicit=True
    )


@pytest.mark.parametrize(
    ("far", "near", "kind"),
    [
        ({"url": "http://{server}:8080"}, {"portForward": {}}, ByPortForward),
        ({"portForward": {"port": 1}}, {"url": "http://media:8080"}, ByUrl),
        ({"url": "http://{server}:8080"}, {"portForward": None}, ByUrl),
        ({"portForward": {}}, {"url": None}, ByPortForward),
    ],
)
def test_the_way_that_is_written_nearer_is_taken(
    far: dict[str, object], near: dict[str, object], kind: type
) -> None:
    assert isinstance(endpoint({"api": near}, api=far), kind)


@pytest.mark.parametrize(
    ("far", "near", "env", "secret"),
    [
        ({"passwordEnv": "A"}, {"passwordSecret": {"name": "login"}}, None, "login"),
        ({"passwordSecret": {"name": "login"}}, {"passwordEnv": "A"}, "A", None),
        ({"passwordSecret": {"name": "login"}}, {"passwordSecret": {"key": "pw", "name": "x"}}, None, "x"),
    ],
)
def test_the_password_that_is_written_nearer_is_taken(
    far: dict[str, object], near: dict[str, object], env: str | None, secret: str | None
) -> None:
    api = only_server(api=far, servers=[{"name": "media", "api": near}]).api

    assert api.password_env == env
    assert (api.password_secret.name if api.password_secret else None) == secret


def test_two_ways_in_one_place_are_refused() -> None:
    both = {"url": "http://media:8080", "portForward": {}}
    passwords = {"passwordEnv": "A", "passwordSecret": {"name": "login"}}

    assert problems(api=both) == [
        "dittoinfra:api: url and portForward are two ways to the same API; drop one"
    ]
    assert problems(servers=[{"name": "media", "api": passwords}]) == [
        "dittoinfra:servers[0].api: passwordEnv and passwordSecret both say where the password is; drop one"
    ]


@pytest.mark.parametrize(
    ("api", "problem"),
    [
        ({"url": "http://{type}:8080"}, f"url: {UNKNOWN} (it is 'http://{{type}}:8080')"),
        (
            {"url": "http://media:{server}"},
            "url: must be an address with whatever is filled in (it is 'http://media:{server}')",
        ),
        ({"passwordSecret": {"name": "{}"}}, f"passwordSecret.name: {UNKNOWN} (it is '{{}}')"),
        (
            {"passwordSecret": {"name": "Login"}},
            "passwordSecret.name: must be lower-case letters, digits, '-' or '.' between them, and "
            "placeholders (it is 'Login')",
        ),
        (
            {"portForward": {"target": "{server}-0"}},
            "portForward.target: must be pod/NAME or service/NAME (it is '{server}-0')",
        ),
        (
            {"portForward": {"target": "pod/"}},
            "portForward.target: must be lower-case letters, digits, '-' or '.' between them, and "
            "placeholders (it is 'pod/')",
        ),
        ({"portForward": {"port": 0}}, "portForward.port: must be greater than or equal to 1 (it is 0)"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(api: dict[str, object], problem: str) -> None:
    [line] = problems(api=api)

    assert line == f"dittoinfra:api.{problem}"


def test_an_address_that_becomes_too_long_for_a_server_is_refused() -> None:
    long = "n" * 60

    assert problems(
        api={"url": "http://{server}-{namespace}.example.com"},
        servers=[{"name": "media"}, {"name": "backup", "namespace": long}],
    ) == [
        f"dittoinfra:servers[1].api.url: has 'backup-{long}' in it, and a part of a host name has at most 63 "
        "characters"
    ]


def test_a_deployed_api_with_tls_is_not_asked_in_the_clear() -> None:
    deploy = {**DEPLOYED, "api": {"tls": {"secret": "tls", "clientCa": "ca"}}}

    assert problems(
        servers=[{"name": "m", "deploy": deploy, "api": {"portForward": {"scheme": "http"}}}]
    ) == [
        "dittoinfra:servers[0].api.clientCertificate: is required, because deploy.api.tls.clientCa lets "
        "no client in without one",
        "dittoinfra:servers[0].api.portForward.scheme: must be https, because deploy.api.tls makes the API "
        "speak TLS",
    ]


def test_an_unused_way_to_the_api_makes_no_demands() -> None:
    deploy = {**DEPLOYED, "api": {"tls": {"secret": "tls", "clientCa": "ca"}}}

    assert read(servers=[{"name": "m", "deploy": deploy}]).servers[0].api.port_forward is None
