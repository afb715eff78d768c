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
        note.text
        == "config.yaml: gc, integrity, logging carried over as it is there; deploy.config.extra changes it"
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
        "logging.level there is not what the settings here say, and they win; set what is to stay"
    )


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
