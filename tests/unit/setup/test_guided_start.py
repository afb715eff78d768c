"""What a guided start asks for, offers and checks, told from what surrounds it."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from dittoinfra.kubernetes import Cluster
from dittoinfra.setup.cluster_lookup import ClusterLookup
from dittoinfra.setup.guided_start import GuidedStart, Typed, new_stack
from dittoinfra.setup.kube_choices import Contexts, FoundInCluster, read_contexts
from dittoinfra.setup.questionnaire import Question, SetupAnswers, ask_all
from dittoinfra.setup.stack_template import NewServer, NewStack, default_username, stack_yaml
from tests.unit.setup.test_questionnaire import Script

MEDIA = FoundInCluster("media", "files", None)
NO_CONTEXTS = Contexts()
ARCHIVE = FoundInCluster("archive", "files", "service/archive-api")


class Fake(ClusterLookup):
    """A cluster and servers as a test wants them."""

    def __init__(
        self,
        contexts: Contexts = NO_CONTEXTS,
        found: tuple[FoundInCluster, ...] = (),
        namespaces: tuple[str, ...] = (),
        down: tuple[str, ...] = (),
        passwords: dict[str, str] | None = None,
    ) -> None:
        super().__init__(Path(), {}, None)
        self._offered, self._there, self._names = contexts, found, namespaces
        self._down, self._passwords = down, passwords or {}
        self.logins: list[tuple[str, str]] = []
        """Passwords that were sent, each with the server that got it."""

    def contexts(self) -> Contexts:
        return self._offered

    def _cluster(self, context: str | None) -> Cluster | str:
        return "no route" if context == "far" else Cluster(None, context)

    def _namespaces(self, context: str | None) -> tuple[str, ...]:
        del context
        return self._names

    def _exists(self, context: str | None, namespace: str) -> bool | None:
        del context
        return namespace in self._names if self._names else None

    def _servers(self, context: str | None, namespace: str | None) -> tuple[FoundInCluster, ...]:
        del context
        return tuple(each for each in self._there if namespace in (None, each.namespace))

    def trouble(self, server: NewServer, namespace: str, context: str | None) -> str | None:
        del namespace, context
        return "refused" if server.name in self._down else None

    def login_problem(
        self,
        server: NewServer,
        namespace: str,
        context: str | None,
        user: str,
        password: str,
        role: str | None,
    ) -> tuple[str, bool] | None:
        del namespace, context, user, role
        self.logins.append((server.name, password))
        return None if self._passwords.get(server.name, "pw") == password else ("wrong password", True)


@dataclass
class Conversation:
    """What was typed, what came of it, and what was on the screen."""

    start: GuidedStart
    person: Script
    answers: SetupAnswers = field(default_factory=dict)

    def stack(self, kubeconfig: str | None) -> NewStack:
        """What goes into the file."""
        return new_stack(self.answers, self.start.servers(self.answers), kubeconfig)

    def offered(self, text: str) -> list[str]:
        """The choices of a question."""
        found: list[Question] = []
        for question in self.start.questions(self.answers):
            found += [question] if question.text == text else []
        return [
            f"{choice.value}: {choice.text}" if choice.text else choice.value for choice in found[0].choices
        ]


def talk(lookup: ClusterLookup, *typed: str, taken: tuple[str, ...] = (), sure: bool = False) -> Conversation:
    start, person = GuidedStart(lookup, taken), Script(list(typed), sure=sure)
    return Conversation(start, person, ask_all(start.questions, {}, person))


def test_what_is_found_is_offered_and_becomes_a_file() -> None:
    contexts = Contexts(("dev", "prod"), "prod")
    lookup = Fake(contexts, (MEDIA, ARCHIVE), ("default", "files"))

    talked = talk(lookup, "shop", "", "", "", "yes", "1", "", "", "", "", "", "pw", "yes", "")

    assert talked.offered("context") == ["dev", "prod: the current one"]
    assert talked.offered("namespace") == ["files: has DittoFS: media, archive", "default"]
    made = talked.stack(None)
    config = yaml.safe_load(stack_yaml(made))["config"]
    assert config["kubernetes:context"] == "prod"
    assert config["dittoinfra:namespace"] == "files"
    assert config["dittoinfra:servers"] == [
        {"name": "media", "api": {"portForward": {}}},
        {"name": "archive", "api": {"portForward": {"target": "service/archive-api"}}},
    ]
    assert config["dittoinfra:api"] == {"username": "dittoinfra-shop"}
    # One login does for both, where the person says so.
    assert "same login (admin) for archive, through the cluster? (yes, no) [no]" in talked.person.shown
    assert talked.start.administrator(talked.answers, "archive") == Typed("admin", "pw")


def test_of_many_namespaces_those_with_servers_are_all_offered() -> None:
    lookup = Fake(found=(MEDIA,), namespaces=(*(f"team-{number:02}" for number in range(30)), "files"))

    talked = talk(lookup, "shop", "", "", "", "", "", "", "", "pw", "")

    offered = talked.offered("namespace")
    assert offered[:2] == ["files: has DittoFS: media", "team-00"]
    assert len(offered) == 21
    assert any(line.endswith("(10 more are not shown)") for line in talked.person.shown)


def test_a_server_with_another_administrator_is_asked_for_its_own() -> None:
    lookup = Fake(Contexts(("dev",), "dev"), (MEDIA, ARCHIVE), ("files",), passwords={"archive": "other"})

    talked = talk(
        lookup,
        "shop",
        "",
        "",
        "media",
        "y",
        "archive",
        "n",
        "",
        "",
        "make",
        "",
        "pw",
        "yes",
        "no",
        "root",
        "pw",
        "other",
        "",
    )

    assert "wrong password (answer no to enter another login)" in talked.person.shown
    assert "wrong password (press Enter alone to go back)" in talked.person.shown
    assert talked.start.administrator(talked.answers, "media") == Typed("admin", "pw")
    assert talked.start.administrator(talked.answers, "archive") == Typed("root", "other")
    assert talked.start.administrator(talked.answers, "nobody") is None


def test_a_namespace_that_does_not_exist_can_be_made() -> None:
    lookup = Fake(Contexts(("dev",), "dev"), (), ("default",))

    made, kept = (
        talk(lookup, "shop", "", "files", say, "new", "media", "", "", "", "") for say in ("", "no")
    )

    for talked, wanted in ((made, True), (kept, False)):
        stack = talked.stack("~/kube")
        [server] = yaml.safe_load(stack_yaml(stack))["config"]["dittoinfra:servers"]
        assert server["deploy"].get("createNamespace", False) is wanted
    assert "namespace files does not exist: make it? (yes, no) [yes]" in made.person.shown


def test_wrong_answers_are_told_at_their_question() -> None:
    lookup = Fake(Contexts(("dev", "far"), None), (MEDIA,), ("files",), down=("far-one",))
    stack = ("sh op", "shop", "nowhere", "1", "Files", "files")
    servers = ("media", "y", "address", "media", "other", "ftp://x", "https://other", "maybe", "n")

    talked = talk(lookup, *stack, *servers, "Ingress", "", "", "existing", "pw", "yes", "")

    words = ("must", "context '", "already")
    told = [line for line in talked.person.shown if any(word in line for word in words)]
    assert [line.partition(" must")[0] for line in told] == [
        "stack name 'sh op'",
        "context 'nowhere' is not in the kubeconfig; it has dev, far",
        "namespace 'Files'",
        "server media is already in this stack; choose another name",
        "address 'ftp://x'",
        "must be yes or no",
        "'Ingress'",
    ]
    assert not talked.person.typed
    assert talked.start.administrator(talked.answers, "media") == Typed("dittoinfra-shop", "pw")


def test_what_does_not_answer_is_taken_only_where_the_person_says_so() -> None:
    lookup = Fake(Contexts(("far",), "far"), down=("other",))
    typed = ("shop", "", "files", "", "other", "https://other", "", "", "", "", "", "pw", "")

    talked = talk(lookup, *typed, sure=True)

    assert "the cluster of far does not answer: no route" in talked.person.shown
    assert "other does not answer: refused" in talked.person.shown
    assert talked.answers["server.0.url"] == "https://other"


@pytest.mark.parametrize("how", ["make", "existing"])
def test_a_password_is_sent_to_no_other_server_unasked(how: str) -> None:
    lookup = Fake(found=(MEDIA,), namespaces=("files",))
    servers = ("media", "yes", "address", "other", "https://other.example.com", "no")
    login = ("admin", "pw") if how == "make" else ("pw",)

    with pytest.raises(IndexError):  # the person has gone
        talk(lookup, "shop", "files", *servers, "", "", how, *login)

    assert lookup.logins == [("media", "pw")]
    own = ("root", "own") if how == "make" else ("own",)
    lookup = Fake(found=(MEDIA,), namespaces=("files",), passwords={"other": "own"})
    talked = talk(lookup, "shop", "files", *servers, "", "", how, *login, "", *own, "")
    assert lookup.logins == [("media", "pw"), ("other", "own")]
    assert any("for other, https://other.example.com? (yes, no) [no]" in line for line in talked.person.shown)


def test_a_draft_does_not_answer_where_a_password_may_be_sent() -> None:
    lookup, kept = Fake(found=(MEDIA, ARCHIVE), namespaces=("files",)), dict[str, str]()
    start = GuidedStart(lookup, ())
    typed = ["shop", "files", "media", "yes", "archive", "no", "", "", "make", "", "pw", "yes"]

    def save(answers: SetupAnswers) -> None:
        kept.clear()
        kept.update(answers)

    with pytest.raises(IndexError):  # the person has gone
        ask_all(start.questions, {}, Script(typed), save)
    assert "pw" not in kept.values()
    person = Script(["pw", "no", "old", "pw", ""])
    answers = ask_all(start.questions, kept, person, resumed=kept.keys())

    assert "same login (admin) for archive, through the cluster? (yes, no) [no]" in person.shown
    assert start.administrator(answers, "archive") == Typed("old", "pw")


def test_what_did_not_answer_is_asked_again_when_it_is_typed_again() -> None:
    class Returning(Fake):
        """Nothing answers at first, and everything at the second time."""

        def __init__(self) -> None:
            super().__init__(Contexts(("far",), "far"), (MEDIA,), ("files",))
            self.asked: list[str] = []

        def _again(self, what: str) -> bool:
            self.asked.append(what)
            return self.asked.count(what) > 1

        def _cluster(self, context: str | None) -> Cluster | str:
            return Cluster(None, context) if self._again("cluster") else "no route"

        def _namespaces(self, context: str | None) -> tuple[str, ...]:
            return super()._namespaces(context) if isinstance(self.cluster(context), Cluster) else ()

        def trouble(self, server: NewServer, namespace: str, context: str | None) -> str | None:
            del server, namespace, context
            return None if self._again("server") else "refused"

        def login_problem(
            self,
            server: NewServer,
            namespace: str,
            context: str | None,
            user: str,
            password: str,
            role: str | None,
        ) -> tuple[str, bool] | None:
            del server, namespace, context, user, password, role
            return None if self._again("login") else ("refused", False)

    lookup = Returning()
    assert lookup.namespaces("far") == ()

    talked = talk(lookup, "shop", "far", "files", "media", "media", "", "", "", "", "", "pw", "pw", "")

    assert talked.offered("namespace") == ["files: has DittoFS: media"]
    assert lookup.asked == ["cluster", "cluster", "server", "server", "login", "login"]


def test_a_cluster_that_does_not_answer_is_not_waited_for_at_every_question() -> None:
    class Counting(Fake):
        asked = 0

        def _cluster(self, context: str | None) -> Cluster | str:
            self.asked += 1
            return super()._cluster(context)

        def _exists(self, context: str | None, namespace: str) -> bool | None:
            return None if isinstance(self.cluster(context), str) else super()._exists(context, namespace)

    lookup = Counting(Contexts(("far",), "far"))
    talk(lookup, "shop", "", "files", "", "other", "https://other", "", "", "", "", "", "pw", "", sure=True)

    assert lookup.asked == 1


def test_a_stack_that_is_there_is_gone_on_with() -> None:
    talked = talk(Fake(), "prod", taken=("dev", "prod"))

    assert talked.answers == {"stack": "prod"}
    assert talked.person.shown[0] == (
        "A name for the stack, such as prod. Existing stacks: dev, prod. Enter one to finish setting it up."
    )


@pytest.mark.parametrize(
    ("stack", "user"), [("prod", "dittoinfra-prod"), ("Prod_EU.1", "dittoinfra-prod-eu-1")]
)
def test_each_stack_has_a_user_of_its_own(stack: str, user: str) -> None:
    assert default_username(stack) == user


def test_contexts_are_those_of_the_kubeconfigs_that_can_be_read(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    one.write_text(yaml.safe_dump({"contexts": [{"name": "a"}, {"name": "b"}], "current-context": "b"}))
    other.write_text(yaml.safe_dump({"contexts": [{"name": "c"}, {"name": "a"}]}))

    assert read_contexts(None, {"KUBECONFIG": f"{one}:{other}:{tmp_path}/gone"}) == Contexts(
        ("a", "b", "c"), "b"
    )
    assert read_contexts(str(other), {"KUBECONFIG": str(one)}) == Contexts(("c", "a"), None)
    for text in ("{", "- a", "contexts: [x]"):
        one.write_text(text)
        assert read_contexts(str(one), {}) == Contexts()
