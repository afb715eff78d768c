"""What an adopted server's `config.yaml` has beyond the settings is carried over, and said."""

from typing import Any

import pytest
import yaml

from dittoinfra.decide.carried_config import CarriedConfig, carry_config
from dittoinfra.decide.config_file import config_yaml
from dittoinfra.decide.guard import Guarded
from dittoinfra.object_model import HeldObject, LiveObject, LiveObjects, ObjectPlace
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory, server_memory
from dittoinfra.state.server_outputs import remembered_config
from lab.bed.credentials import credential
from tests.pure.decide.make import server

HELD = HeldObject("v1", "ConfigMap", "media-config")
PLACE = ObjectPlace("v1", "ConfigMap", "default", "media-config")
ADOPTING = Guarded(adoptable={"media": frozenset({HELD})})
URN = "urn:pulumi:prod::dittoinfra::dittoinfra:index:Server::media"
SECRET = credential("in-a-config-map")


def live(config: object) -> LiveObjects:
    text = config if isinstance(config, str) or config is None else yaml.safe_dump(config)
    return {PLACE: LiveObject({}, content={"data": {"config.yaml": text}})}


def adopted(there: object, /, **deploy: object) -> CarriedConfig:
    servers = (server("media", deploy=deploy), server("other"))
    return carry_config(servers, Memory(), ADOPTING, live(there))


def written(this: ServerSettings, carried: CarriedConfig) -> dict[str, Any]:
    assert this.deploy is not None
    document = yaml.safe_load(config_yaml(this, this.deploy, carried.blocks.get("media")))
    assert isinstance(document, dict)
    return document


def test_what_no_setting_decides_on_is_carried_over_and_said() -> None:
    there = {
        "integrity": {"auto_enabled": False, "auto_interval": "12h"},
        "gc": {"dry_run_sample_size": 4},
        "logging": {"level": "INFO", "rotation": {"max_size": 100}},
        "blockstore": None,
    }

    carried = adopted(there)

    assert carried.blocks["media"] == {
        "integrity": {"auto_enabled": False, "auto_interval": "12h"},
        "gc": {"dry_run_sample_size": 4},
        "logging": {"rotation": {"max_size": 100}},
    }
    config = written(server("media", deploy={}), carried)
    assert config["integrity"] == there["integrity"]
    assert config["logging"] == {
        "level": "INFO",
        "format": "json",
        "output": "stdout",
        "rotation": {"max_size": 100},
    }
    [note] = carried.notes
    assert (
        note.text == "config.yaml: gc.dry_run_sample_size, integrity.auto_enabled, integrity.auto_interval, "
        "logging.rotation.max_size carried over as it is there; deploy.config.extra changes it"
    )
    assert not note.warning


def test_settings_win_and_what_they_leave_out_is_said() -> None:
    there = {
        "logging": {"level": "DEBUG"},
        "ldap": {"enabled": True, "bind_password": SECRET, "idmap": ""},
        "controlplane": {"tls": {"cert_file": "/tls/tls.crt"}, "JWT": {"secret": SECRET}, "pprof": True},
        "metrics": {"enabled": False},
    }

    carried = adopted(there)

    assert carried.blocks == {"media": {"controlplane": {"pprof": True}}}
    [_, lost] = carried.notes
    assert lost.warning
    assert lost.text == (
        "config.yaml: controlplane.jwt.secret, controlplane.tls.cert_file, ldap.bind_password, ldap.enabled, "
        "ldap.idmap, logging.level there is not what the settings here say, and they win; set what is to "
        "stay, or write it under deploy.config.extra"
    )


LDAP = {
    "url": "ldaps://dc",
    "baseDn": "DC=x",
    "bindDn": "CN=x",
    "bindPassword": {"secret": "ldap", "key": "password"},
}


def test_in_sections_that_settings_declare_only_the_keys_that_they_know_are_theirs() -> None:
    there = {
        "LDAP": {"enabled": True, "url": "ldaps://dc", "realm": "", "page_size": 0, "tls": {"ocsp": False}},
        "metrics": {"port": 9191, "tls": {"cert_file": "/tls/tls.crt", "key_file": "/tls/tls.key"}},
        "database": {"postgres": {"host": "db", "max_open_conns": 5, "sslmode": "require"}, "sqlite": {}},
        "controlplane": {"require_initial_password_change": False},
    }

    carried = adopted(
        there,
        config={"ldap": LDAP},
        metrics={"enabled": True},
        database={"postgres": {"secret": "pg"}},
    )

    assert carried.blocks["media"] == {
        "ldap": {"page_size": 0, "tls": {"ocsp": False}},
        "metrics": {"tls": {"cert_file": "/tls/tls.crt", "key_file": "/tls/tls.key"}},
        "database": {"postgres": {"max_open_conns": 5}},
        "controlplane": {"require_initial_password_change": False},
    }
    assert overruled(carried) == "database.postgres.host, ldap.realm, metrics.port"


def overruled(carried: CarriedConfig) -> str:
    [text] = [note.text for note in carried.notes if "they win" in note.text]
    return text.removeprefix("config.yaml: ").partition(" there is not")[0]


def test_what_settings_leave_out_or_have_as_one_value_is_said_whatever_it_is() -> None:
    there = {
        "kerberos": {"enabled": False, "max_contexts": 0, "identity_mapping": {"strategy": ""}},
        "database": {"type": "postgres", "postgres": {"max_open_conns": 0}},
        "metrics": {"enabled": True},
        "logging": {"level": {"default": "INFO"}},
        "snapshot": "off",
    }

    carried = adopted(there)

    assert carried.blocks == {}
    assert overruled(carried) == (
        "database.postgres.max_open_conns, database.type, kerberos.identity_mapping.strategy, "
        "kerberos.max_contexts, logging.level, metrics.enabled, snapshot"
    )


def test_what_the_pod_is_made_from_is_never_carried() -> None:
    carried = adopted({"metrics": {"enabled": True}}, config={"extra": {"metrics": {"host": "::"}}})

    assert carried.blocks == {}
    assert overruled(carried) == "metrics.enabled"


@pytest.mark.parametrize(
    ("there", "path"),
    [
        ({"remote": {"s3": {"secret_access_key": SECRET}}}, "remote.s3.secret_access_key"),
        ({"remote": {"apiKey": SECRET}}, "remote.apiKey"),
        ({"remote": {"access_key_id": SECRET}}, "remote.access_key_id"),
        ({"gc": {"tokens": {"first": SECRET}}}, "gc.tokens.first"),
        ({"gc": {"password": 12345678}}, "gc.password"),
        ({"remotes": [{"name": "a", "secret": SECRET}]}, "remotes"),
        ({"remote": {"url": f"s3://user:{SECRET}@host/bucket"}}, "remote.url"),
        ({"remote": {"urls": [f"s3://user:{SECRET}@host/bucket"]}}, "remote.urls"),
    ],
)
def test_what_looks_like_a_credential_stops_the_adoption_until_it_is_named(
    there: dict[str, Any], path: str
) -> None:
    carried = adopted(there)

    assert carried.blocks == {}
    [refusal] = carried.refusals
    assert str(refusal) == (
        f"media: ConfigMap media-config cannot be adopted: config.yaml: {path} there looks like a "
        "credential, which a ConfigMap and the state would show: name it under deploy.config.extra, with "
        "null and its value in a Secret for deploy.env, or with its value if it is none"
    )
    for named in (None, "another"):
        extra: Any = named
        for step in reversed(path.split(".")):
            extra = {step: extra}
        assert adopted(there, config={"extra": extra}).refusals == ()
    assert adopted(there, config={"extra": there}).refusals == ()


def test_numbers_files_durations_switches_and_blanks_are_no_credentials() -> None:
    there = {
        "remote": {"key_file": "/key", "token_ttl": "1h", "use_tokens": True, "hosts": [{"name": "a"}]},
        "journal": {"tokens_per_second": 5, "token_share": 0.5, "secret": "", "keys": [{"key": None}]},
        "limits": {"max_tokens": 100, "password_length": 8},
        "dedup": {"key_bits": 64},
    }

    carried = adopted(there)

    assert carried.blocks == {"media": there}
    assert carried.refusals == ()


def test_a_date_is_carried_as_it_is_written() -> None:
    assert adopted("gc: {since: 2026-01-31}").blocks == {"media": {"gc": {"since": "2026-01-31"}}}


def test_the_free_part_changes_or_takes_away_what_was_carried() -> None:
    carried = adopted({"integrity": {"auto_enabled": False}, "gc": {"auto_enabled": False}})
    extra = {"integrity": {"auto_enabled": True}, "gc": None}

    config = written(server("media", deploy={"config": {"extra": extra}}), carried)

    assert config["integrity"] == {"auto_enabled": True}
    assert config["gc"] is None


def test_later_runs_remember_it() -> None:
    carried = adopted({"gc": {"dry_run_sample_size": 4}})
    outputs = server_memory("files", (), None, carried=carried.blocks["media"])
    memory = Memory(carried=remembered_config({URN: {"outputs": outputs}}))

    later = carry_config((server("media", deploy={}),), memory, Guarded(), None)

    assert later == CarriedConfig(carried.blocks), "and say nothing of it"
    assert written(server("media", deploy={}), later)["gc"] == {"dry_run_sample_size": 4}, "as a whole number"
    assert carry_config((server("other", deploy={}),), memory, Guarded(), None) == CarriedConfig()


@pytest.mark.parametrize("text", ["a: [", "- a", "text"])
def test_a_file_that_cannot_be_read_stops_the_adoption(text: str) -> None:
    [refusal] = adopted(text).refusals

    assert str(refusal).startswith(
        "media: ConfigMap media-config cannot be adopted: its config.yaml is no YAML"
    )


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_file_has_nothing_to_carry(text: str | None) -> None:
    assert adopted(text) == CarriedConfig()


def test_only_a_file_that_is_adopted_now_is_read() -> None:
    servers = (server("media", deploy={}),)

    assert carry_config(servers, Memory(), Guarded(), live({"gc": {"a": 1}})) == CarriedConfig()
    assert carry_config(servers, Memory(), ADOPTING, {PLACE: None}) == CarriedConfig()


def test_a_key_that_no_tested_version_reads_is_written_and_said() -> None:
    carried = adopted({"journal": {"sync": True}}, config={"extra": {"gcc": {}}})

    assert carried.blocks == {"media": {"journal": {"sync": True}}}
    unknown = [note.text for note in carried.notes if note.warning]
    assert unknown[0] == "config.yaml: 'gcc' is written as it is, but is not a known key; did you mean 'gc'?"
    assert unknown[1].startswith(
        "config.yaml: 'journal' is written as it is, but is not a known key; known here"
    )


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        ({"blockstore": {"journal": {"sync": True}}}, "'blockstore.journal' {}; known here: local"),
        ({"Blockstore": {"Local": {"max_log_byte": 1}}}, "'Blockstore.Local.max_log_byte' {}; did you mean"),
        ({"gc": {"grace_period": {"hours": 1}}}, "'gc.grace_period.hours' {}: the server reads one value"),
    ],
)
def test_keys_below_others_are_compared_as_well(extra: dict[str, Any], text: str) -> None:
    servers = (server("media", deploy={"config": {"extra": extra}}),)

    [note] = carry_config(servers, Memory(), Guarded(), None).notes

    start = text.format("is written as it is, but is not a known key")
    assert note.warning
    assert note.text.startswith(f"config.yaml: {start}")


def test_names_that_users_choose_are_no_keys() -> None:
    users = {"alice@EXAMPLE.COM": {"uid": 1000, "gid": 1000}}
    extra = {"kerberos": {"identity_mapping": {"static_map": users}}}

    servers = (server("media", deploy={"config": {"extra": extra}}),)
    assert carry_config(servers, Memory(), Guarded(), None) == CarriedConfig()


def test_a_key_of_a_later_version_is_said() -> None:
    extra: dict[str, object] = {"config": {"extra": {"integrity": {}}}}
    older, newer, unknown = (
        carry_config((server("media", deploy={**extra, "image": image}),), Memory(), Guarded(), None).notes
        for image in ("d:v0.29.0", "d:v0.31.1", "d:latest")
    )

    assert [note.text for note in older] == [
        "config.yaml: 'integrity' is read since v0.31.0, and ignored by d:v0.29.0"
    ]
    assert newer == unknown == ()
