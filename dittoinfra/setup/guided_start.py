"""The questions of a guided start: which one follows from which answers, and what each must be."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from dittoinfra.setup.cluster_lookup import ADMINISTRATOR, ClusterLookup
from dittoinfra.setup.questionnaire import Choice, Question, SetupAnswers, UnverifiedAnswerError
from dittoinfra.setup.stack_template import (
    DEFAULT_SERVICE_TYPE,
    SERVICE_TYPES,
    InvalidAnswerError,
    NewServer,
    NewStack,
    api_url,
    default_username,
    server_name,
    service_type,
)
from dittoinfra.setup.stack_template import namespace as valid_namespace
from dittoinfra.setup.stack_template import stack_name as valid_stack_name

YES, NO = "yes", "no"
_NEW, _ADDRESS = "new", "address"
_MAKE, _EXISTING = "make", "existing"

_MOST_OFFERED = 20
"""Namespaces without a server that are listed; any other one is typed by its name."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A login as it was typed."""

    user: str
    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class GuidedStart:
    """The questions for one new stack."""

    lookup: ClusterLookup
    taken: tuple[str, ...]
    """Stacks that have a file already: naming one goes on with it."""
    check_stack: Callable[[str], str] = valid_stack_name
    """The name of a stack as it is kept, or `InvalidAnswerError`."""
    flag_servers: tuple[NewServer, ...] = ()
    """Servers that flags have named: then none are asked for."""
    passwords_known: bool = False
    """Whether logins are given otherwise: then none are asked for."""

    def questions(self, answers: SetupAnswers) -> Iterator[Question]:
        """Every question that these answers lead to, in order, up to the first that is not answered."""
        yield Question("stack", "stack", self.check_stack, intro=self._stacks())
        if answers["stack"] in self.taken:
            return
        contexts = self.lookup.contexts()
        if contexts.names:
            choices = tuple(
                Choice(name, "the current one" if name == contexts.current else "") for name in contexts.names
            )
            intro = "The cluster, as a context of your kubeconfig:"
            yield Question(
                "context",
                "context",
                self.lookup.check_context,
                choices,
                default=contexts.current,
                intro=intro,
            )
        yield self._namespace(answers)
        if self.lookup.exists(answers.get("context"), answers["namespace"]) is False:
            text = f"namespace {answers['namespace']} does not exist: make it? (yes, no)"
            yield Question("createNamespace", text, _yes_or_no, default=YES)
        if not self.flag_servers:
            yield from self._servers(answers)
        kinds = tuple(map(Choice, SERVICE_TYPES))
        yield Question(
            "serviceType",
            "Service type",
            choices=kinds,
            only_choices=True,
            default=DEFAULT_SERVICE_TYPE,
            intro="How clients reach the adapters:",
        )
        yield Question(
            "username",
            "DittoFS user of this stack",
            _not_empty,
            default=default_username(answers["stack"]),
        )
        yield from self._logins(answers)
        summary = "\n".join(self._summary(answers))
        yield Question("write", "write it? (yes, no)", _yes_or_no, default=YES, intro=summary)

    def servers(self, answers: SetupAnswers) -> tuple[NewServer, ...]:
        """The servers, as far as they are answered."""
        return self.flag_servers or tuple(_chosen_servers(answers, self._found(answers)))

    def administrator(self, answers: SetupAnswers, server: str) -> Typed | None:
        """The administrator's login at a server; None where none was typed."""
        return _typed_logins(answers, self.servers(answers)).get(server)

    def _stacks(self) -> str:
        known = (
            f" Existing stacks: {', '.join(self.taken)}. Enter one to finish setting it up."
            if self.taken
            else ""
        )
        return f"A name for the stack, such as prod.{known}"

    def _namespace(self, answers: SetupAnswers) -> Question:
        context = answers.get("context")
        found = self.lookup.servers(context, None)
        servers: dict[str, list[str]] = {}
        for server in found:
            servers.setdefault(server.namespace, []).append(server.name)
        others = [name for name in self.lookup.namespaces(context) if name not in servers]
        names = [*sorted(servers), *others[:_MOST_OFFERED]]
        choices = [
            Choice(name, f"has DittoFS: {', '.join(servers[name])}" if name in servers else "")
            for name in names
        ]
        default = next(iter(servers)) if len(servers) == 1 else None
        intro = "The namespace of the servers, one that exists or a new one:"
        if not self.lookup.contexts().names:
            intro = f"There is no kubeconfig to look for namespaces and servers with.\n{intro}"
        if len(others) > _MOST_OFFERED:
            intro = f"{intro} ({len(others) - _MOST_OFFERED} more are not shown)"
        return Question("namespace", "namespace", valid_namespace, choices, default=default, intro=intro)

    def _found(self, answers: SetupAnswers) -> dict[str, NewServer]:
        """Servers in the namespace, by name."""
        found = self.lookup.servers(answers.get("context"), answers["namespace"])
        return {each.name: NewServer(each.name, None, deploy=False, target=each.target) for each in found}

    def _servers(self, answers: SetupAnswers) -> Iterator[Question]:
        found, number = self._found(answers), 0
        while True:
            before = list(_chosen_servers(answers, found, number))
            taken = {server.name for server in before}
            left = {name: server for name, server in found.items() if name not in taken}
            yield self._server(f"server.{number}", left, answers)
            yield from self._named(f"server.{number}", answers, taken)
            key = f"server.{number}.more"
            yield Question(key, "another server? (yes, no)", _yes_or_no, default=NO)
            if answers[key] != YES:
                return
            number += 1

    def _server(self, key: str, found: dict[str, NewServer], answers: SetupAnswers) -> Question:
        choices = (
            *(Choice(name, "found in the namespace") for name in found),
            Choice(_ADDRESS, "one that exists, by the address of its API"),
            Choice(_NEW, "a new one, which the stack deploys"),
        )

        def check(chosen: str) -> str:
            server = found.get(chosen)
            if server is None:
                return chosen
            return self.lookup.check_server(server, answers["namespace"], answers.get("context"), chosen)

        return Question(
            key,
            "server",
            check,
            choices,
            only_choices=True,
            default=choices[0].value,
            intro="The DittoFS server:",
        )

    def _named(self, key: str, answers: SetupAnswers, taken: set[str]) -> Iterator[Question]:
        """What has to be known of a server that was not found."""
        if answers[key] not in (_NEW, _ADDRESS):
            return

        def unique(name: str) -> str:
            if name in taken:
                raise InvalidAnswerError(f"server {name} is already in this stack; choose another name")
            return server_name(name)

        yield Question(f"{key}.name", "its name", unique)
        if answers[key] == _ADDRESS:
            name = answers[f"{key}.name"]

            def reachable(url: str) -> str:
                server = NewServer(name, api_url(url), deploy=False)
                return self.lookup.check_server(server, answers["namespace"], None, str(server.url))

            yield Question(f"{key}.url", f"address of {name}'s API (https://…)", reachable)

    def _logins(self, answers: SetupAnswers) -> Iterator[Question]:
        existing = [server for server in self.servers(answers) if not server.deploy]
        if not existing or self.passwords_known:
            return
        user = answers["username"]
        choices = (
            Choice(_MAKE, f"an administrator makes {user}; that login is used once, and not stored"),
            Choice(_EXISTING, f"{user} is there already, and its password is known"),
        )
        yield Question(
            "login",
            "login",
            choices=choices,
            only_choices=True,
            default=_MAKE,
            intro=f"The stack logs in as {user}, which may only read adapter ports. "
            "How does it get its password?",
        )
        for number, server in enumerate(existing):
            key = f"login.{server.name}"
            before = list(_typed_logins(answers, existing[:number]).values())
            if before:
                # A login tells its password to the server: none is sent to another one unless wanted.
                yield self._same(server, answers, before[-1])
                if answers[f"{key}.same"] == YES:
                    continue
            if answers["login"] == _MAKE:
                yield Question(f"{key}.admin", f"administrator of {server.name}", _not_empty, default="admin")
                name = answers[f"{key}.admin"]
                check = self._login(server, answers, name)
                yield Question(f"{key}.password", f"password of {name}", check, hidden=True)
            else:
                check = self._login(server, answers, user)
                yield Question(f"{key}.password", f"password of {user} at {server.name}", check, hidden=True)

    def _same(self, server: NewServer, answers: SetupAnswers, before: Typed) -> Question:
        """Whether the login of a server before it is this one's, too."""

        def check(text: str) -> str:
            answer = _yes_or_no(text)
            if answer == YES:
                self._try(server, answers, before, YES, "answer no to enter another login")
            return answer

        where = server.url or "through the cluster"
        text = f"same login ({before.user}) for {server.name}, {where}? (yes, no)"
        return Question(f"login.{server.name}.same", text, check, default=NO, transient=True)

    def _login(self, server: NewServer, answers: SetupAnswers, user: str) -> Callable[[str], str]:
        def check(password: str) -> str:
            self._try(server, answers, Typed(user, password), password, "press Enter alone to go back")
            return password

        return check

    def _try(self, server: NewServer, answers: SetupAnswers, login: Typed, answer: str, hint: str) -> None:
        """Log in, or say why the answer that means this login is wrong or unverified."""
        where = (server, answers["namespace"], answers.get("context"))
        role = ADMINISTRATOR if answers["login"] == _MAKE else None
        problem = self.lookup.login_problem(*where, login.user, login.password, role)
        if problem is None:
            return
        why, certain = problem
        if certain:
            raise InvalidAnswerError(f"{why} ({hint})")
        raise UnverifiedAnswerError(f"the login could not be tried: {why}", answer)

    def _summary(self, answers: SetupAnswers) -> Iterator[str]:
        yield f"stack {answers['stack']}"
        yield f"  cluster    {answers.get('context') or 'whatever kubectl would use'}"
        made = " (is made)" if answers.get("createNamespace") == YES else ""
        yield f"  namespace  {answers['namespace']}{made}"
        for server in self.servers(answers):
            how = server.url or ("deployed by the stack" if server.deploy else "asked through the cluster")
            yield f"  server     {server.name}: {how}"
        yield f"  Services   {service_type(answers['serviceType'])}"
        yield f"  user       {answers['username']}"


def new_stack(answers: SetupAnswers, servers: tuple[NewServer, ...], kubeconfig: str | None) -> NewStack:
    """What goes into the file, from answers that were typed or given as flags."""
    return NewStack(
        stack=answers["stack"],
        namespace=answers["namespace"],
        servers=servers,
        service_type=service_type(answers.get("serviceType", DEFAULT_SERVICE_TYPE)),
        username=answers.get("username"),
        kubeconfig=kubeconfig,
        context=answers.get("context"),
        create_namespace=answers.get("createNamespace") == YES,
    )


def _chosen_servers(
    answers: SetupAnswers, found: dict[str, NewServer], limit: int | None = None
) -> Iterator[NewServer]:
    number = 0
    while (limit is None or number < limit) and (chosen := answers.get(f"server.{number}")) is not None:
        name = answers.get(f"server.{number}.name", chosen)
        if chosen == _NEW:
            yield NewServer(name, None, deploy=True)
        elif chosen == _ADDRESS:
            yield NewServer(name, answers.get(f"server.{number}.url"), deploy=False)
        else:
            yield found.get(chosen, NewServer(chosen, None, deploy=False))
        number += 1


def _typed_logins(answers: SetupAnswers, servers: Iterable[NewServer]) -> dict[str, Typed]:
    """The logins that were typed, by server; where one is the same, it is that of the server before."""
    logins: dict[str, Typed] = {}
    latest: Typed | None = None
    for server in servers:
        key = f"login.{server.name}"
        password = answers.get(f"{key}.password")
        if answers.get(f"{key}.same") != YES:
            user = answers.get(f"{key}.admin", answers["username"])
            own = Typed(user, password) if password is not None else None
        else:
            own = latest
        if own is not None:
            logins[server.name] = latest = own
    return logins


def _yes_or_no(text: str) -> str:
    for word in (YES, NO):
        if text and word.startswith(text.lower()):
            return word
    raise InvalidAnswerError("must be yes or no")


def _not_empty(text: str) -> str:
    if not text:
        raise InvalidAnswerError("must not be empty")
    return text
