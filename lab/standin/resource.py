"""The operations on one resource, from check to delete, on plain values."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.standin.check import with_namespace
from lab.standin.checkpoint import Checkpoint
from lab.standin.errors import (
    NoSuchKindError,
    NotPreviewedError,
    PartialError,
    StandInError,
    UnfinishedError,
)
from lab.standin.normal import normalized
from lab.standin.properties import Properties, has_secrets, has_unknowns, plain
from lab.standin.secrecy import marked
from lab.standin.sessions import Session
from lab.standin.shape import adopted_inputs, live_inputs
from lab.standin.target import ObjectKey, ResourceUrn, Target, is_patch, object_kind
from lab.standin.terms import Terms

_NO_KIND = (
    "failed because the Kubernetes API server reported that the apiVersion for this resource does not exist. "
    "Verify that any required CRDs have been created: "
)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the engine saves of a resource."""

    id: str
    state: Properties
    inputs: Properties


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one engine, for one request."""

    session: Session
    urn: ResourceUrn
    tell: Callable[[str], None]
    interrupted: Callable[[], bool]

    def check(self, declared: Properties) -> Properties:
        """The inputs as they are compared and sent from now on, secret marks included."""
        manifest = self.normal(plain(declared))
        if self.is_namespaced(manifest):
            manifest = with_namespace(manifest, self.session.default_namespace)
        checked = marked(manifest, declared)
        if self.session.renders and has_secrets(checked):
            self.tell("rendered YAML will contain a secret value in plaintext")
        return checked

    def create(self, declared: Properties, timeout: float, *, preview: bool) -> Kept | None:
        """Make the object; None where a preview cannot tell more than what was declared."""
        manifest = plain(declared)
        target = self._target(manifest, secret=has_secrets(declared))
        if preview and (self._is_vague(target) or target.is_patch):
            return None
        known = Checkpoint(manifest, {}, "", Checkpoint({}, {}).manager_for(manifest))
        terms = self._terms(known.manager, timeout)
        store = self.session.store
        try:
            live = store.preview_create(target, terms) if preview else store.create(target, terms)
        except NotPreviewedError:
            return None
        except UnfinishedError as error:
            raise self._half_created(error, known, declared) from None
        except NoSuchKindError as error:
            kind = f"{self.urn.api_version}/{self.urn.kind}"
            raise StandInError(
                f'creation of resource "{self.urn.text}" with kind {kind} {_NO_KIND}{error}'
            ) from None
        except StandInError as error:
            said = f"was not successfully created by the Kubernetes API server: {error}"
            raise StandInError(f'resource "{self.urn.text}" {said}') from None
        shown = "" if preview and not self.session.renders else _id_of(live)
        return Kept(shown, _with_live(known, live).state(declared), declared)

    def update(
        self,
        state: Properties,
        declared: Properties,
        timeout: float,
        ignored: Sequence[str],
        *,
        preview: bool,
    ) -> Kept | None:
        """Bring the object to what is declared; None where a preview cannot tell more than that."""
        known, manifest = Checkpoint.parse(state), self.normal(plain(declared))
        target = self._target(manifest, known.live)
        if preview and self._is_vague(target):
            return None
        former = known.manager_for(known.inputs)
        new = Checkpoint(manifest, {}, known.initial_api_version, known.manager_for(manifest))
        terms = self._terms(new.manager, timeout, ignored)
        store = self.session.store
        try:
            live = store.preview_update(target, terms) if preview else store.update(target, terms)
        except NotPreviewedError:
            return None
        except NoSuchKindError as error:
            raise StandInError(f'update of resource "{self.urn.text}" {_NO_KIND}{error}') from None
        except StandInError as error:
            raise self._half_updated(error, target, new, declared) from None
        if not preview and known.manager and former != new.manager:
            store.release(target, former)
        return Kept(_id_of(live), _with_live(new, live).state(declared), declared)

    def read(self, resource_id: str, state: Properties, declared: Properties) -> Kept | None:
        """The object as it is now, and what became of the declared fields; None when it is gone."""
        known, manifest = Checkpoint.parse(state), self.normal(plain(declared))
        target = self._named(resource_id, manifest, known.live)
        terms = self._terms(known.manager_for(manifest), 0.0)
        failure: UnfinishedError | None = None
        try:
            live = self.session.store.read(target, terms)
        except UnfinishedError as error:
            live, failure = error.live, error
        if live is None:
            return None
        inputs = live_inputs(live, manifest) if manifest else adopted_inputs(live)
        found = Checkpoint(inputs, live, known.initial_api_version, terms.manager)
        kept = Kept(resource_id or _id_of(live), found.state(declared), marked(inputs, declared))
        if failure is not None:
            raise PartialError(
                str(failure),
                resource_id=kept.id,
                state=kept.state,
                inputs=kept.inputs,
                reasons=failure.reasons,
            )
        return kept

    def delete(self, resource_id: str, state: Properties, declared: Properties, timeout: float) -> None:
        """Remove the object and wait until it is gone."""
        known = Checkpoint.parse(state)
        inputs = known.inputs or plain(declared)
        target = self._named(resource_id, inputs, known.live or inputs)
        terms = self._terms(known.manager_for(inputs), timeout)
        try:
            self.session.store.delete(target, terms)
        except UnfinishedError as error:
            left = Checkpoint(known.live, error.live, known.initial_api_version, terms.manager)
            raise PartialError(
                str(error), resource_id=resource_id, state=left.state(state), reasons=error.reasons
            ) from None

    def normal(self, manifest: Properties) -> Properties:
        """The manifest in the one form in which it is compared and sent."""
        return normalized(manifest, self.session.store.fitted)

    def is_namespaced(self, manifest: Properties) -> bool:
        """Whether the object lives in a namespace."""
        version = str(manifest.get("apiVersion") or self.urn.api_version)
        return self.session.store.is_namespaced(version, object_kind(self.urn, manifest))

    def _is_vague(self, target: Target) -> bool:
        """Whether the API could not be asked: values are missing, or it does not serve the kind yet."""
        key = target.key
        return has_unknowns(target.declared) or not self.session.store.serves(key.api_version, key.kind)

    def _target(
        self, manifest: Properties, last: Properties | None = None, *, secret: bool = False
    ) -> Target:
        metadata = manifest.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        key = self._key(manifest, str(metadata.get("namespace") or ""), str(metadata.get("name") or ""))
        return Target(self.urn, key, is_patch(self.urn, manifest), manifest, last or {}, secret)

    def _named(self, resource_id: str, manifest: Properties, last: Properties) -> Target:
        """The object that an id names; `manifest` may know nothing of it yet."""
        namespace, _, name = resource_id.rpartition("/")
        key = self._key(manifest, namespace, name)
        return Target(self.urn, key, is_patch(self.urn, manifest), manifest, last)

    def _key(self, manifest: Properties, namespace: str, name: str) -> ObjectKey:
        return ObjectKey(
            api_version=str(manifest.get("apiVersion") or self.urn.api_version),
            kind=object_kind(self.urn, manifest),
            namespace=(namespace or self.session.default_namespace) if self.is_namespaced(manifest) else None,
            name=name,
        )

    def _terms(self, manager: str, timeout: float, ignored: Sequence[str] = ()) -> Terms:
        return Terms(manager, self.session.settings, timeout, tuple(ignored), self.tell, self.interrupted)

    def _half_created(self, error: UnfinishedError, known: Checkpoint, declared: Properties) -> PartialError:
        return PartialError(
            f'resource "{self.urn.text}" was successfully created, but the Kubernetes API server reported '
            f"that it failed to fully initialize or become live: {error}",
            resource_id=_id_of(error.live),
            state=_with_live(known, error.live).state(declared),
            reasons=error.reasons,
        )

    def _half_updated(
        self, error: StandInError, target: Target, new: Checkpoint, declared: Properties
    ) -> StandInError:
        """Whatever the cause, the engine keeps the new inputs beside the object as it is."""
        try:
            live = self.session.store.look(target)
        except StandInError as gone:
            return StandInError(
                f'update of resource "{self.urn.text}" failed: {error}\nunable to get cluster state: {gone}'
            )
        return PartialError(
            f'the Kubernetes API server reported that "{_id_of(live)}" failed to fully initialize or become '
            f"live: {error}",
            resource_id=_id_of(live),
            state=_with_live(new, live).state(declared),
            reasons=error.reasons if isinstance(error, UnfinishedError) else (),
        )


def _with_live(known: Checkpoint, live: Properties) -> Checkpoint:
    return Checkpoint(known.inputs, live, known.initial_api_version, known.manager)


def _id_of(live: Properties) -> str:
    metadata = live["metadata"]
    namespace, name = metadata.get("namespace"), str(metadata["name"])
    return f"{namespace}/{name}" if namespace else name
