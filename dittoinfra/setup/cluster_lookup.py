"""What a guided start can find out by asking: the kubeconfig, the cluster, and the servers' APIs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar, TypeVarTuple

from pydantic import SecretStr

from dittoinfra.dittofs import AccessProblems, ApiAccess, Login, NotAsked, resolve_access
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.examine import examine
from dittoinfra.dittofs.health import check_health
from dittoinfra.dittofs.users import administrators_login
from dittoinfra.kubernetes import Cluster, ClusterError
from dittoinfra.kubernetes.objects import namespace_exists
from dittoinfra.model import Answered, Denied
from dittoinfra.program.cluster_tunnels import ClusterTunnels
from dittoinfra.settings import ServerSettings
from dittoinfra.setup.kube_choices import (
    Contexts,
    FoundInCluster,
    find_servers,
    list_namespaces,
    open_cluster,
    read_contexts,
)
from dittoinfra.setup.questionnaire import UnverifiedAnswerError
from dittoinfra.setup.stack_template import InvalidAnswerError, NewServer

ADMINISTRATOR = "admin"
"""The role that may make users."""


_What = TypeVarTuple("_What")
_Answer = TypeVar("_Answer")


class _Asked(Generic[*_What, _Answer]):
    """A question to the cluster whose answer is remembered, a failure until it is forgotten."""

    def __init__(self, ask: Callable[[*_What], _Answer], failed: Callable[[_Answer], bool]) -> None:
        self._ask, self._failed = ask, failed
        self._answers: dict[tuple[*_What], _Answer] = {}

    def __call__(self, *what: *_What) -> _Answer:
        if what not in self._answers:
            self._answers[what] = self._ask(*what)
        return self._answers[what]

    def forget_failures(self) -> None:
        self._answers = {what: answer for what, answer in self._answers.items() if not self._failed(answer)}


class ClusterLookup:
    """One cluster and some servers. What was found is remembered; a check tries again what failed."""

    def __init__(self, root: Path, environ: Mapping[str, str], kubeconfig: str | None) -> None:
        self._root = root
        self._environ = environ
        self._kubeconfig = kubeconfig
        # Questions are made anew after every answer, and most of what they offer stays the same. A failure is
        # remembered too, or each of them would wait for a cluster that does not answer, but only until the
        # person asks for it again: the VPN may be up by then.
        self.cluster = _Asked(self._cluster, lambda found: isinstance(found, str))
        self.namespaces = _Asked(self._namespaces, lambda found: not found)
        self.exists = _Asked(self._exists, lambda found: found is None)
        self.servers = _Asked(self._servers, lambda found: not found)

    def contexts(self) -> Contexts:
        """The contexts to choose from."""
        return read_contexts(self._kubeconfig, self._environ)

    def check_context(self, context: str) -> str:
        """The context, if its cluster answers; otherwise it is doubtful."""
        known = self.contexts().names
        if known and context not in known:
            raise InvalidAnswerError(
                f"context {context!r} is not in the kubeconfig; it has {', '.join(known)}"
            )
        self._forget_failures()
        found = self.cluster(context)
        if isinstance(found, str):
            raise UnverifiedAnswerError(f"the cluster of {context} does not answer: {found}", context)
        return context

    def check_server(self, server: NewServer, namespace: str, context: str | None, answer: str) -> str:
        """The answer that names this server, if its API answers; otherwise it is doubtful."""
        trouble = self.trouble(server, namespace, context)
        if trouble is not None:
            raise UnverifiedAnswerError(f"{server.name} does not answer: {trouble}", answer)
        return answer

    def _forget_failures(self) -> None:
        for asked in (self.cluster, self.namespaces, self.exists, self.servers):
            asked.forget_failures()

    def _cluster(self, context: str | None) -> Cluster | str:
        """The cluster, or why there is none."""
        try:
            return open_cluster(self._kubeconfig or self._environ.get("KUBECONFIG") or None, context)
        except ClusterError as error:
            return str(error)

    def _namespaces(self, context: str | None) -> tuple[str, ...]:
        cluster = self.cluster(context)
        return list_namespaces(cluster) if isinstance(cluster, Cluster) else ()

    def _exists(self, context: str | None, namespace: str) -> bool | None:
        cluster = self.cluster(context)
        return namespace_exists(cluster, namespace) if isinstance(cluster, Cluster) else None

    def _servers(self, context: str | None, namespace: str | None) -> tuple[FoundInCluster, ...]:
        """Servers of one namespace, or of all."""
        cluster = self.cluster(context)
        if not isinstance(cluster, Cluster):
            return ()
        return find_servers(cluster, namespace, () if namespace else self.namespaces(context))

    def trouble(self, server: NewServer, namespace: str, context: str | None) -> str | None:
        """Why a server's API does not answer; None where it does."""
        access = self._access(server, namespace, context)
        if isinstance(access, str):
            return access
        unanswered = check_health(access)
        return unanswered.why if unanswered is not None else None

    def login_problem(
        self,
        server: NewServer,
        namespace: str,
        context: str | None,
        user: str,
        password: str,
        role: str | None,
    ) -> tuple[str, bool] | None:
        """Why a login does not do, and whether that is certain; None where it does.

        With a `role`, the user must have it.
        """
        access = self._access(server, namespace, context)
        if isinstance(access, str):
            return access, False
        login = administrators_login(user, SecretStr(password))
        if role is None:
            login = Login(user, SecretStr(password), PasswordSource("what was typed", "type the right one"))
        found = examine(replace(access, login=login))
        match found.outcome:
            case Answered() if role not in (None, found.role):
                return f"user {user} of {server.name} has the role {found.role}, and must have {role}", True
            case Answered():
                return None
            case Denied() as denied:
                return denied.why, True
            case unanswered:
                return unanswered.why, False

    def _access(self, server: NewServer, namespace: str, context: str | None) -> ApiAccess | str:
        """How a server would be asked, or why it cannot be."""
        forward = {} if server.target is None else {"target": server.target}
        api = {"url": server.url} if server.url is not None else {"portForward": forward}
        settings = ServerSettings.model_validate(
            {"name": server.name, "namespace": namespace, "api": {**api, "deadline": "10s"}}
        )
        cluster = None
        if server.url is None:
            self._forget_failures()
            cluster = self.cluster(context)
        if isinstance(cluster, str):
            return cluster
        tunnels = ClusterTunnels(cluster) if cluster is not None else None
        # Whatever the password will be, there is one.
        passwords = {server.name: SecretStr("unused")}
        match resolve_access(settings, passwords, self._environ, self._root, cluster=tunnels):
            case NotAsked() as not_asked:
                return not_asked.why
            case AccessProblems(problems):
                return "; ".join(map(str, problems))
            case access:
                return access
