"""`dittoinfra doctor` as a person types it: every line that can fail is made to fail once."""

import json
import socket
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml
from pulumi.automation import PulumiCommand

from lab.bed.credentials import noted
from lab.bed.kubernetes import KubernetesApi
from lab.simulator import SimulatedDittoFS
from tests.engine.cli.fleet_bed import PASSWORD, Fleet
from tests.engine.world import PASSWORD_ENV
from tests.unit.dittofs.bench import server_context

pytestmark = pytest.mark.long

MANIFESTS = {"kubernetes:renderYamlToDirectory": "rendered"}


@pytest.fixture
def made(fleet: Fleet, pulumi_cli: PulumiCommand) -> Fleet:
    """A project with a healthy stack, whose login is a plain user's."""
    fleet.server("prod").add_user("dittoinfra", PASSWORD)
    write(fleet, "prod")
    fleet.stack("prod").configuration()
    return fleet


def write(fleet: Fleet, stack: str, config: Mapping[str, Any] = MANIFESTS, **settings: object) -> None:
    block = fleet.block("prod", **settings)
    if "api" not in settings:
        block["api"]["username"] = "dittoinfra"
    fleet.add_stack(stack, block)
    fleet.set_values(stack, config)


def lines(done: "subprocess.CompletedProcess[str]") -> list[str]:
    assert "Traceback" not in done.stderr, done.stderr
    return list(done.stdout.splitlines())


def test_a_healthy_stack_has_nothing_but_good_lines(made: Fleet) -> None:
    before = made.config_file("prod").read_bytes()

    done = made.run("doctor")

    assert done.returncode == 0, done.stdout + done.stderr
    told = lines(done)
    assert [line.split(" ", 1)[0] for line in told] == ["ok"] * 10
    assert told[0].startswith("ok pulumi CLI: /")
    assert told[1].startswith("ok Python SDKs: pulumi 3.")
    assert "ok Kubernetes provider: attached on port " in told[2]
    assert told[3].endswith("answers, and has 1 stack of this project")
    assert told[4:] == [
        "ok prod: secrets: can be read and written",
        "ok prod: configuration: valid, 1 server",
        "ok prod: state: 0 resources, no operation pending",
        "ok prod: cluster: none is needed: manifests are written to rendered",
        f"ok prod: API media: {made.server('prod').url} answers as role user: 2 adapters",
        "ok prod: DittoFS media: unknown (its API does not tell it, and there is no cluster to ask)",
    ]
    assert made.config_file("prod").read_bytes() == before, "it changes nothing"


def test_what_fails_is_told_with_what_to_do_and_a_fitting_code(made: Fleet, tmp_path: Path) -> None:
    lock = made.root / "state/.pulumi/locks/organization/dittoinfra/prod/0.json"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text('{"pid": 7, "username": "ann", "hostname": "desk", "timestamp": "2026-01-01T00:00:00Z"}')

    locked = made.run("doctor", "prod")
    with subprocess.Popen([sys.executable, "-c", "pass"]) as ended:
        ended.wait()
    lock.write_text(json.dumps({"pid": ended.pid, "username": "ann", "hostname": socket.gethostname()}))
    stale = made.run("doctor", "prod")
    lock.unlink()
    passphrase = made.run("doctor", "prod", environment={"PULUMI_CONFIG_PASSPHRASE": "wrong"})
    plugin = made.run(
        "doctor",
        "prod",
        environment={"PULUMI_DEBUG_PROVIDERS": "", "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "1"},
    )
    backend = made.run("doctor", "prod", environment={"PULUMI_BACKEND_URL": f"file://{tmp_path}/nowhere"})
    unset = made.run("doctor", "prod", environment={PASSWORD_ENV: ""})

    assert locked.returncode == 1
    assert (
        "failed prod: state: locked by ann@desk (pid 7) since 2026-01-01T00:00:00Z -> wait for that run to "
        "end or, if it is dead, release it: `pulumi cancel --stack prod`" in lines(locked)
    )
    assert stale.returncode == 1
    assert any(
        f"(pid {ended.pid}) since an unknown time, which has ended -> `dittoinfra up prod --break-lock`"
        in line
        for line in lines(stale)
    )
    assert passphrase.returncode == 3
    assert (
        "failed prod: secrets: the stack's secrets cannot be read: PULUMI_CONFIG_PASSPHRASE is wrong -> "
        "set PULUMI_CONFIG_PASSPHRASE to the stack's passphrase" in lines(passphrase)
    )
    assert plugin.returncode == 1
    assert "forbids to download it -> run `pulumi plugin install" in lines(plugin)[2]
    assert backend.returncode == 1
    assert lines(backend)[-1].startswith("failed backend: pulumi stack ls: unable to open state directory")
    assert unset.returncode == 2
    assert (
        "servers[0].api.passwordEnv: the environment variable DITTOFS_PASSWORD is empty" in lines(unset)[-1]
    )


def test_stacks_are_looked_at_one_by_one_and_each_problem_is_a_line(
    made: Fleet, pulumi_cli: PulumiCommand
) -> None:
    write(made, "new")
    for stack in ("wrong", "denied"):
        write(made, stack)
        made.stack(stack).configuration()
    write(made, "wrong", absencePolls=0, removal="maybe")
    content = yaml.safe_load(made.config_file("denied").read_text())
    content["config"]["dittoinfra:servers"][0]["api"]["username"] = "nobody"
    made.config_file("denied").write_text(yaml.safe_dump(content))

    done = made.run("doctor", "--json")

    document = json.loads(done.stdout)
    told: dict[tuple[str | None, str], list[dict[str, Any]]] = {}
    for check in document["checks"]:
        told.setdefault((check["stack"], check["state"]), []).append(check)
    assert done.returncode == 1, "there are failures of two kinds"
    assert document["ok"] is False
    (new,) = told["new", "warning"]
    assert new["text"] == "the backend does not know this stack yet"
    assert [check["text"].split(": ")[:2] for check in told["wrong", "failed"]] == [
        ["stacks/Pulumi.wrong.yaml:3", "dittoinfra:servers[0].absencePolls"],
        ["stacks/Pulumi.wrong.yaml:12", "dittoinfra:servers[0].removal"],
    ]
    (denied,) = told["denied", "failed"]
    assert "refused user 'nobody'" in denied["text"]
    assert denied["next"] == "export the right one"
    assert denied["exitCode"] == 3
    assert ("prod", "failed") not in told
    assert PASSWORD not in done.stdout + done.stderr

    one = made.run("doctor", "denied")
    unknown = made.run("doctor", "nosuch")

    assert one.returncode == 3
    assert unknown.returncode == 6
    assert unknown.stderr == (
        "error: no stack 'nosuch' is configured in this project; there are denied, new, prod, wrong; "
        "`dittoinfra init nosuch` makes it\n"
    )


def test_missing_permissions_are_named_with_the_role_that_gives_them(
    made: Fleet, kubernetes_api: KubernetesApi, tmp_path: Path
) -> None:
    namespace = kubernetes_api.namespace()
    restricted = someone(kubernetes_api, namespace, tmp_path)
    own = {"deploy": {"credentials": CREDENTIALS}, "namespace": namespace}
    found = {"selector": {"matchLabels": {"app": "dittofs-server"}}, "namespaces": [namespace]}
    kubeconfig = {"kubernetes:kubeconfig": str(restricted)}
    write(made, "prod", {**kubeconfig, "dittoinfra:serversFrom": [found]}, **own)

    done = made.run("doctor", "prod")

    assert done.returncode == 3, done.stdout
    failed, listing = [line for line in lines(done) if line.startswith("failed")]
    assert listing.startswith(
        "failed prod: serversFrom[0]: 0 objects found, but not allowed to list statefulsets.apps in namespace"
    )
    write(made, "prod", kubeconfig, **own)
    done = made.run("doctor", "prod")
    assert failed.startswith(
        f"failed prod: permissions: namespace {namespace}: not allowed to "
        "create, delete, get, patch configmaps; "
    )
    assert "delete services" in failed
    role = yaml.safe_load("\n".join(line for line in lines(done) if line.startswith("    ")))
    with kubernetes_api.client() as client:
        path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"
        client.post(path, json=role).raise_for_status()
        bind(kubernetes_api, namespace, role["metadata"]["name"])

    again = made.run("doctor", "prod")

    assert again.returncode == 0, again.stdout
    assert "ok prod: permissions: " in again.stdout

    write(made, "prod", {"kubernetes:kubeconfig": str(tmp_path / "nowhere")})
    away = made.run("doctor", "prod")

    assert away.returncode == 1
    assert "failed prod: cluster: kubeconfig " in away.stdout


def test_a_namespace_that_is_missing_is_said_with_the_command_that_makes_it(
    made: Fleet, kubernetes_api: KubernetesApi
) -> None:
    kubeconfig = {"kubernetes:kubeconfig": str(kubernetes_api.kubeconfig)}
    write(made, "prod", kubeconfig, namespace="nowhere")

    done = made.run("doctor", "prod")

    assert done.returncode == 1
    assert (
        "failed prod: namespace: the cluster has no namespace nowhere -> `kubectl create namespace nowhere`, "
        "or set deploy.createNamespace where a server is deployed" in lines(done)
    )
    assert "all that is needed" not in done.stdout

    write(made, "prod", kubeconfig, namespace=kubernetes_api.namespace())
    assert made.run("doctor", "prod").returncode == 0


CREDENTIALS = {
    "jwt": {"secret": "given", "key": "jwt"},
    "adminPassword": {"secret": "given", "key": "password"},
}


def someone(api: KubernetesApi, namespace: str, folder: Path) -> Path:
    """A kubeconfig of a user who may do with Services all but delete them, and nothing else."""
    role = {
        "metadata": {"name": "some"},
        "rules": [{"apiGroups": [""], "resources": ["services"], "verbs": ["get", "create", "patch"]}],
    }
    with api.client() as client:
        path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles"
        client.post(path, json=role).raise_for_status()
        account = f"/api/v1/namespaces/{namespace}/serviceaccounts"
        client.post(account, json={"metadata": {"name": "ann"}}).raise_for_status()
        token = client.post(f"{account}/ann/token", json={"spec": {}}).json()["status"]["token"]
        noted(token, "token of ann")
    bind(api, namespace, "some")
    content = yaml.safe_load(api.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    path_of_it = folder / "restricted"
    path_of_it.write_text(yaml.safe_dump(content))
    return path_of_it


def bind(api: KubernetesApi, namespace: str, role: str) -> None:
    binding = {
        "metadata": {"name": role},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role},
        "subjects": [{"kind": "ServiceAccount", "name": "ann", "namespace": namespace}],
    }
    with api.client() as client:
        path = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings"
        client.post(path, json=binding).raise_for_status()


def test_a_certificate_that_ends_soon_and_an_administrators_login_are_warnings(
    made: Fleet, pulumi_cli: PulumiCommand
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(made.root / "ca.pem"))
    soon = datetime.now(UTC) + timedelta(days=5, hours=1)
    tls = server_context(authority.issue_cert("127.0.0.1", not_after=soon))
    with SimulatedDittoFS(tls=tls, admin_password=PASSWORD) as server:
        api = {"url": server.url, "username": "admin", "passwordEnv": PASSWORD_ENV, "caBundle": "ca.pem"}
        write(made, "prod", api=api)

        done = made.run("doctor", "prod")

    assert done.returncode == 0, done.stdout
    warnings = [line for line in lines(done) if line.startswith("warning")]
    assert warnings == [
        "warning prod: API media: the login has the role admin, and `user` would be enough -> make a user of "
        "its own with `dittoinfra init prod`, and name it in api.username",
        f"warning prod: API media: its TLS certificate ends on {soon:%Y-%m-%d}, in 5 days -> renew it",
    ]


def test_without_a_cli_the_one_line_that_matters_is_told(fleet: Fleet, tmp_path: Path) -> None:
    nowhere = {
        "PATH": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "HOME": str(tmp_path),
        "HTTPS_PROXY": "http://127.0.0.1:9",
    }

    done = fleet.run("doctor", "--json", environment=nowhere)

    assert done.returncode == 1
    (check,) = json.loads(done.stdout)["checks"]
    assert check["check"] == "pulumi CLI"
    assert "none on PATH" in check["text"]
    assert "https://www.pulumi.com/docs/install/" in check["next"]
