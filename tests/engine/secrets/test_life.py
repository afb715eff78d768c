"""Through all commands of a stack, its credentials appear only in Secrets."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.bed.leaks import Search
from tests.engine.secrets.engine import log_lines, traces, values_of_secrets
from tests.engine.secrets.stage import STACK, WAYS, Stage, stage

OF_THE_ENGINE = frozenset({"by_config", "by_key", "administrator", "jwt"})
"""Credentials that are configured, and so handed to the engine; all others are ours alone."""


def traced(name: str) -> tuple[str, ...]:
    """Every trace that a command writes on request."""
    reports = (f"--report-{kind}=left/{name}.{kind}" for kind in ("md", "json", "html"))
    return (*reports, "--events", f"left/{name}.jsonl")


def test_a_whole_life(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> None:
    with stage(tmp_path, pulumi_cli, kubernetes_api) as there:
        (tmp_path / "left").mkdir()
        there.must("preview", STACK, "--save", "left/plan", "--diff", "--verbose", *traced("preview"))
        there.must("up", STACK, "--plan", "left/plan", "--yes", "--verbose", *traced("up"))
        for look in (("status", "--json"), ("drift",), ("doctor",), ("explain", "deployed")):
            there.run(look[0], STACK, *look[1:])
        there.must("render", STACK, "--out", "left/rendered")
        rotated = credential("rotated-signing-key")
        there.encrypt("serverSecrets.deployed.jwt", rotated)
        shown = there.must("preview", STACK, "--diff", "--verbose", *traced("rotation"))

        assert "[secret]" in shown.stdout, "the change of a secret is shown, without the secret"
        assert all(name in there.printed for name in WAYS)
        assert len(list((tmp_path / "left").rglob("*"))) > 12
        assert there.leaks(rotated) == {}
        assert_engine_tells_no_more_than_it_must(there, rotated)


def assert_engine_tells_no_more_than_it_must(there: Stage, rotated: str) -> None:
    given = there.credentials | {rotated: "jwt"}
    ours = {value: name for value, name in given.items() if name not in OF_THE_ENGINE}
    log, trace = b"\n".join(log_lines(there.root)), b"\n".join(traces(there.root))
    told = Search(given).leaks(b"\n".join(values_of_secrets(there.root)))

    assert b'"v":9' in log, "the engine was not asked for everything"
    assert Search(given).leaks(log) == frozenset()
    assert Search(ours).leaks(trace) == frozenset()
    # What the engine itself tells: should it ever stop, this page and THREATS want to know.
    assert {leak.purpose for leak in told} == {"jwt", "administrator"}
    assert {leak.purpose for leak in Search(given).leaks(trace)} == OF_THE_ENGINE
