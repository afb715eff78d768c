"""A Pulumi program without dittoinfra that declares Services of adapters by hand."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from pulumi import automation as auto

from dittoinfra.sdk_internals import InlineStack
from dittoinfra.stacks.cli_process import CommandLine
from dittoinfra.stacks.result import RunReport
from lab.bed.keys import PROVIDER
from tests import ROOT
from tests.engine.recorded import recorded

PACK = ROOT / "policy"
PROJECT, STACK = "shop", "dev"


@dataclass
class ForeignProgram:
    """The program and its stack."""

    command: auto.PulumiCommand
    root: Path
    environment: Mapping[str, str]
    namespace: str = "files"
    kubeconfig: str | None = None
    adapters: dict[str, dict[str, Any]] = field(default_factory=lambda: {"media/nfs": {}, "media/smb": {}})
    """Arguments of each Service beside the usual ones; `opts` are its resource options."""
    more: Callable[[pulumi.ResourceOptions], object] = lambda _: None
    """What else the program declares."""

    def preview(self, config: Mapping[str, object] | None = None) -> RunReport:
        """`pulumi preview --policy-pack`."""
        return self._run(self._stack().preview, self._policies(config))

    def update(self, config: Mapping[str, object] | None = None) -> RunReport:
        """`pulumi up --skip-preview --policy-pack`: what the Automation API does."""
        return self._run(self._stack().up, self._policies(config))

    def begin(self) -> None:
        """The first update, without policies."""
        report = self._run(self._stack().up, {})
        assert report.ok, report.lines("error")

    def state(self) -> Sequence[dict[str, Any]]:
        """The resources in the stack's state."""
        deployment = self._stack().export_stack().deployment
        return list((deployment or {}).get("resources", []))

    def services(self) -> set[str]:
        """The Services in the stack's state."""
        return {
            str(this["urn"]).rpartition("::")[2] for this in self.state() if this["type"].endswith(":Service")
        }

    def _policies(self, config: Mapping[str, object] | None) -> dict[str, Any]:
        arguments: dict[str, Any] = {"policy_packs": [str(PACK)]}
        if config is not None:
            file = self.root / "policies.json"
            file.write_text(json.dumps(config))
            arguments["policy_pack_configs"] = [str(file)]
        return arguments

    def _stack(self) -> auto.Stack:
        environment = {
            "PULUMI_BACKEND_URL": f"file://{self.root}",
            "PULUMI_HOME": str(self.root / "home"),
            "PULUMI_SKIP_UPDATE_CHECK": "1",
            **self.environment,
        }
        if not (self.root / "Pulumi.yaml").exists():
            (self.root / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n")
            CommandLine(self.command, self.root, environment).ask(
                "stack", "init", STACK, "--secrets-provider", PROVIDER
            )
        workspace = auto.LocalWorkspace(
            work_dir=str(self.root),
            program=self._program,
            env_vars=environment,
            pulumi_command=self.command,
        )
        return InlineStack(STACK, workspace)

    def _program(self) -> None:
        where = (
            {"kubeconfig": self.kubeconfig}
            if self.kubeconfig
            else {"render_yaml_to_directory": str(self.root / "rendered")}
        )
        provider = declare(kubernetes.Provider, "cluster", **where)
        opts = pulumi.ResourceOptions(provider=provider)
        for name, arguments in self.adapters.items():
            own = dict(arguments)
            server, adapter = name.split("/")
            labels = {
                "dittofs.io/adapter-service": "true",
                "dittofs.io/adapter-type": adapter,
                "instance": server,
            }
            annotations = {"pulumi.com/skipAwait": "true"}
            declare(
                kubernetes.core.v1.Service,
                own.pop("resource", name),
                metadata={
                    "name": own.pop("name", f"{server}-{adapter}"),
                    "namespace": self.namespace,
                    "labels": labels,
                    "annotations": {**annotations, **own.pop("annotations", {})},
                },
                spec={"type": "LoadBalancer", "ports": [{"port": 2049}], **own.pop("spec", {})},
                opts=pulumi.ResourceOptions.merge(opts, own.pop("opts", None)),
            )
        self.more(opts)

    def _run(self, operate: Callable[..., object], arguments: Mapping[str, Any]) -> RunReport:
        return recorded(lambda heard: operate(on_event=heard, **arguments))


def declare(kind: Any, name: str, **arguments: Any) -> Any:  # noqa: ANN401 - the SDK's types want literals
    """A resource whose arguments are plain dictionaries."""
    return kind(name, **arguments)
