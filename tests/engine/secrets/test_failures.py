"""No credential leaks from failures: servers that echo requests, wrong passwords, failed updates."""

import json
from pathlib import Path

from pulumi.automation import PulumiCommand

from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.bed.leaks import Search
from tests.engine.secrets.engine import log_lines
from tests.engine.secrets.stage import STACK, Stage, stage
from tests.engine.secrets.test_life import traced
from tests.engine.world import PASSWORD_ENV

LOGIN = "/api/v1/auth/login"
PORTS = "/api/v1/adapters/ports"


def refuse(operation: str, urn: str) -> str | None:
    """Let the cluster refuse one Service."""
    return "the cluster went away" if urn.endswith("::deployed/nfs") else None


def let_servers_talk(there: Stage) -> tuple[str, ...]:
    """Make each server fail differently and echo what it knows; returns the tokens that one issues."""
    tokens = credential("access.token"), credential("refresh.token")
    login = {"access_token": tokens[0], "refresh_token": tokens[1], "token_type": "Bearer", "expires_in": 900}
    by_config, by_secret, by_key = (there.servers[name] for name in ("by-config", "by-secret", "by-key"))
    by_config.answer_with(403, f"no, {there.given.by_config} is no password", "text/plain", path=LOGIN)
    by_secret.answer_with(200, json.dumps(login), path=LOGIN)
    by_secret.answer_with(401, json.dumps({"detail": f"expired: {' '.join(tokens)}"}), path=PORTS)
    named = {"type": f"x.{there.given.by_key}", "port": 1, "enabled": True, "running": True}
    by_key.answer_with(200, json.dumps([named]), path=PORTS)
    return tokens


def test_failures(pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path) -> None:
    with stage(tmp_path, pulumi_cli, kubernetes_api, fail_on=refuse) as there:
        (tmp_path / "left").mkdir()
        guess, wrong = credential("guess"), credential("wrong-passphrase")
        more = (*let_servers_talk(there), guess, wrong)

        failed = there.run(
            "up", STACK, "--yes", "--verbose", "--diff", *traced("up"), **{PASSWORD_ENV: guess}
        )
        there.run("status", STACK, "--json", **{PASSWORD_ENV: guess})
        there.run("doctor", STACK, **{PASSWORD_ENV: guess})
        locked = there.run("preview", STACK, *traced("locked"), PULUMI_CONFIG_PASSPHRASE=wrong)

        assert there.leaks(*more) == {}
        assert "error: Service deployed/nfs: the cluster went away" in failed.stdout, failed.stdout
        assert "PULUMI_CONFIG_PASSPHRASE is wrong" in locked.stdout, locked.stdout
        # Each of them was refused or not understood, and said what it knows.
        for server in ("by-env: denied", "by-config: denied", "by-secret: denied", "by-key: nonsense"):
            assert f"warning: {server}: " in failed.stderr, failed.stderr
        given = there.credentials | dict.fromkeys(more, "another credential")
        assert Search(given).leaks(b"\n".join(log_lines(tmp_path))) == frozenset()
