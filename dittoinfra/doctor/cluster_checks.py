"""The cluster of a stack: whether it answers, and whether it allows what the stack would declare."""

from collections import defaultdict
from collections.abc import Container, Iterator, Sequence

from dittoinfra.changes import count_text
from dittoinfra.decide.planned_objects import planned_objects, wanted_namespaces
from dittoinfra.doctor.check_result import CheckResult, failed, ok, warning
from dittoinfra.engine.versions import KUBERNETES, parsed
from dittoinfra.exitcodes import ExitCode
from dittoinfra.kubernetes import Cluster, ClusterError, connect
from dittoinfra.kubernetes.cluster_client import concurrently
from dittoinfra.kubernetes.cluster_errors import RefusedByClusterError, object_of
from dittoinfra.kubernetes.objects import read_object
from dittoinfra.kubernetes.portforward import slices_rule
from dittoinfra.kubernetes.rbac import Rule, role_yaml
from dittoinfra.kubernetes.server_listing import list_servers
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.program.provider_cluster import LISTING_ROLE
from dittoinfra.settings import ServerSettings, StackSettings
from dittoinfra.stacks.server_access import ServerAccess

_CLUSTER = "cluster"
_NAMESPACE = "namespace"
_PERMISSIONS = "permissions"
_CHECK_KUBECONFIG = "check the kubeconfig and its context"
_BIND = "have an administrator apply a Role with these rules and bind it to the user of this kubeconfig"

_ADAPTER = DeclaredAdapter("nfs", 12049, State.SERVING)
"""Any adapter: all of them need the same kinds of objects."""

_VERBS = ("get", "create", "patch", "delete")
"""What managing an object takes: a server-side apply is a patch, and may create."""


def check_cluster(access: ServerAccess) -> list[CheckResult]:
    """Everything about the cluster that the stack's provider uses."""
    configuration = access.configuration
    if configuration.manifests is not None:
        return [ok(_CLUSTER, f"none is needed: manifests are written to {configuration.manifests}")]
    try:
        with connect(configuration.kubeconfig(access.environment), configuration.context) as cluster:
            results = list(_check_version(cluster))
            missing = _missing_namespaces(cluster, access.servers)
            results += missing.values()
            results += _check_permissions(cluster, access, missing)
            return results + list(_check_listings(cluster, access.settings))
    except ClusterError as error:
        return [failed(_CLUSTER, error.cause, error.next_step or _CHECK_KUBECONFIG)]


def _check_version(cluster: Cluster) -> Iterator[CheckResult]:
    response = cluster.request("GET", "/version")
    reported = str(object_of(response).get("gitVersion", "")) if not response.is_error else ""
    yield ok(_CLUSTER, f"{cluster.server} answers{f' ({reported})' if reported else ''}")
    version = parsed(reported)
    objection = KUBERNETES.objection(version) if version is not None else None
    if objection is not None:
        text = f"Kubernetes {objection} ({KUBERNETES.why})"
        yield warning(_CLUSTER, text, "upgrade the cluster; this version is untested")


def _missing_namespaces(cluster: Cluster, servers: Sequence[ServerSettings]) -> dict[str, CheckResult]:
    """A result for every namespace that a user has to create."""
    names = sorted({server.namespace for server in servers} - set(wanted_namespaces(servers)))
    results = concurrently(lambda name: _missing_namespace(cluster, name), names)
    return {name: result for name, result in zip(names, results, strict=True) if result is not None}


def _missing_namespace(cluster: Cluster, name: str) -> CheckResult | None:
    try:
        live = read_object(cluster, "v1", "Namespace", "", name)
    except RefusedByClusterError:
        # Not every user may read namespaces; for those who may not, the first run reports a missing one.
        return None
    if live is None:
        step = f"`kubectl create namespace {name}`, or set deploy.createNamespace where a server is deployed"
        return failed(_NAMESPACE, f"the cluster has no namespace {name}", step)
    if "deletionTimestamp" in live["metadata"]:
        step = f"wait until it is gone, then `kubectl create namespace {name}`"
        return failed(_NAMESPACE, f"namespace {name} is being deleted", step)
    return None


def _managed_kinds(
    server: ServerSettings, stack: StackSettings
) -> Iterator[tuple[str, str, str, Sequence[str]]]:
    """Namespace, API version and kind of what a run may manage for a server, and the verbs it needs."""
    decision = ServerDecision(server.name, Answered(()), bootstrap=False, adapters=(_ADAPTER,))
    for this in planned_objects(server, decision, secrets=stack.server_secrets.get(server.name)):
        place = this.place
        # Adopting looks for what else there is of the server; Secrets are only ever read by name.
        listed = ("list",) if server.adopt and place.kind != "Secret" else ()
        yield place.namespace, place.api_version, place.kind, (*_VERBS, *listed)
    if server.patch_ports:
        yield server.namespace, "apps/v1", "StatefulSet", ("get", "patch")


def _check_permissions(
    cluster: Cluster, access: ServerAccess, missing: Container[str]
) -> Iterator[CheckResult]:
    """Whether the cluster allows what a run may do; no permission helps in a missing namespace."""
    rules: dict[str, set[Rule]] = defaultdict(set)
    unserved: set[tuple[str, str]] = set()
    for server in access.servers:
        for namespace, api_version, kind, verbs in _managed_kinds(server, access.settings):
            if namespace in missing:
                continue
            resource = cluster.resource(api_version, kind)
            if resource is None:
                unserved.add((api_version, kind))
            else:
                group = api_version.rpartition("/")[0]
                rules[namespace] |= {Rule(verb, resource.plural, None, group) for verb in verbs}
    for namespace in rules:
        # `status` asks whether a ready Pod is behind each Service.
        rules[namespace].add(slices_rule())
    for namespace, through in access.needed().items():
        if namespace not in missing:
            rules[namespace] |= through
    for api_version, kind in sorted(unserved):
        text = f"the cluster serves no {kind} of {api_version}, which the stack declares"
        yield warning(_PERMISSIONS, text, "install what brings it, or drop the setting")
    for namespace, needed in sorted(rules.items()):
        yield _check_rules(cluster, namespace, sorted(needed, key=str))


def _check_rules(cluster: Cluster, namespace: str, rules: Sequence[Rule]) -> CheckResult:
    answers = concurrently(lambda rule: cluster.allows(namespace, rule), rules)
    missing = [rule for rule, allowed in zip(rules, answers, strict=True) if not allowed]
    if not missing:
        kinds = sorted({rule.resource for rule in rules})
        return ok(_PERMISSIONS, f"namespace {namespace}: all that is needed on {', '.join(kinds)}")
    verbs: dict[str, list[str]] = defaultdict(list)
    for rule in missing:
        verbs[rule.resource].append(rule.verb)
    listed = "; ".join(f"{', '.join(found)} {resource}" for resource, found in sorted(verbs.items()))
    text = f"namespace {namespace}: not allowed to {listed}"
    return failed(_PERMISSIONS, text, _BIND, ExitCode.AUTHENTICATION, role_yaml(namespace, missing))


def _check_listings(cluster: Cluster, settings: StackSettings) -> Iterator[CheckResult]:
    """Whether servers can be found where the configuration looks for them."""
    for listing in list_servers(cluster, settings.servers_from, settings.namespace):
        count = f"{count_text(len(listing.objects), 'object')} found"
        if not listing.gaps:
            yield ok(listing.source, count)
        for gap in listing.gaps:
            if gap.lacks is None:
                yield failed(listing.source, gap.cause, gap.next_step or _CHECK_KUBECONFIG)
                continue
            role = role_yaml(gap.lacks.namespace, [Rule.allowing(gap.lacks)], LISTING_ROLE)
            text = f"{count}, but not allowed to {gap.lacks}"
            yield failed(listing.source, text, _BIND, ExitCode.AUTHENTICATION, role)
