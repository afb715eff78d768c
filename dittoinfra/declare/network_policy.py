"""Network policies around a server."""

from collections.abc import Mapping

import pulumi
from pulumi_kubernetes.meta.v1 import LabelSelectorArgs, LabelSelectorRequirementArgs
from pulumi_kubernetes.networking.v1 import (
    IPBlockArgs,
    NetworkPolicy,
    NetworkPolicyIngressRuleArgs,
    NetworkPolicyPeerArgs,
    NetworkPolicyPortArgs,
    NetworkPolicySpecArgs,
)

from dittoinfra import naming
from dittoinfra.decide.network import Ingress, IngressRule, baseline_ingress, default_deny
from dittoinfra.declare.metadata import metadata
from dittoinfra.settings import Peer, ServerSettings
from dittoinfra.settings.labels import LabelSelector
from dittoinfra.settings.network import IpBlock


def declare_adapter_policy(
    server: ServerSettings, adapter_type: str, ingress: Ingress, opts: pulumi.ResourceOptions
) -> NetworkPolicy:
    """The policy `{name}-adapter-{type}`."""
    resource = naming.adapter_resource(server.name, adapter_type)
    name = naming.adapter_service(server.name, adapter_type)
    labels = naming.adapter_policy_labels(server.name, adapter_type, server.labels)
    return _declare(server, resource, name, labels, ingress, opts)


def declare_baseline_policy(server: ServerSettings, opts: pulumi.ResourceOptions) -> NetworkPolicy | None:
    """The policy `{name}-baseline`, where the settings ask for policies and there is something to let in."""
    ingress = baseline_ingress(server)
    if ingress is None:
        return None
    name = naming.baseline_policy(server.name)
    labels = {**naming.server_labels(server.name, server.labels), naming.BASELINE_POLICY_LABEL: "true"}
    return _declare(server, name, name, labels, ingress, opts)


def declare_default_deny(server: ServerSettings, opts: pulumi.ResourceOptions) -> NetworkPolicy | None:
    """The policy `{name}-default-deny`, where the settings ask for it; it comes best after all others."""
    if not default_deny(server):
        return None
    name = naming.default_deny_policy(server.name)
    return _declare(server, name, name, naming.server_labels(server.name, server.labels), (), opts)


def _declare(
    server: ServerSettings,
    resource: str,
    name: str,
    labels: Mapping[str, str],
    ingress: Ingress,
    opts: pulumi.ResourceOptions,
) -> NetworkPolicy:
    return NetworkPolicy(
        resource,
        metadata=metadata(name, server.namespace, labels),
        spec=NetworkPolicySpecArgs(
            pod_selector=LabelSelectorArgs(match_labels=naming.selector(server.name)),
            policy_types=["Ingress"],
            ingress=[_rule(rule) for rule in ingress] or None,
        ),
        opts=opts,
    )


def _rule(rule: IngressRule) -> NetworkPolicyIngressRuleArgs:
    return NetworkPolicyIngressRuleArgs(
        ports=[NetworkPolicyPortArgs(port=port.port, protocol=port.protocol) for port in rule.ports],
        from_=[_peer(peer) for peer in rule.peers] or None,
    )


def _peer(peer: Peer) -> NetworkPolicyPeerArgs:
    return NetworkPolicyPeerArgs(
        pod_selector=_selector(peer.pod_selector),
        namespace_selector=_selector(peer.namespace_selector),
        ip_block=_ip_block(peer.ip_block),
    )


def _selector(selector: LabelSelector | None) -> LabelSelectorArgs | None:
    if selector is None:
        return None
    return LabelSelectorArgs(
        match_labels=selector.match_labels or None,
        match_expressions=[
            LabelSelectorRequirementArgs(key=need.key, operator=need.operator, values=need.values or None)
            for need in selector.match_expressions
        ]
        or None,
    )


def _ip_block(block: IpBlock | None) -> IPBlockArgs | None:
    return None if block is None else IPBlockArgs(cidr=block.cidr, except_=block.except_ or None)
