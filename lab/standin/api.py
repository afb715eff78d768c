"""Objects in a real Kubernetes API: made by a plain creation, changed by server-side apply."""

from dittoinfra.kubernetes import Cluster
from lab.standin import creating, scope
from lab.standin.annotations import DELETION_PROPAGATION, annotation
from lab.standin.conflicts import explained, is_forced
from lab.standin.errors import ApiError, NoSuchKindError, NotPreviewedError
from lab.standin.handover import forces_preview, handed_over
from lab.standin.ignoring import without_ignored
from lab.standin.properties import Properties
from lab.standin.requests import NOT_FOUND, Requests
from lab.standin.schemas import Schemas
from lab.standin.target import Target
from lab.standin.terms import Terms
from lab.standin.waits.ready import await_gone, await_ready, check_ready

_PROPAGATIONS = {"orphan": "Orphan", "background": "Background"}


class ApiStore:
    """Keeps objects in one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._requests = Requests(cluster)
        self._schemas = Schemas(cluster)

    @property
    def default_namespace(self) -> str:
        """The namespace of the kubeconfig's context."""
        return self._cluster.namespace

    def is_namespaced(self, api_version: str, kind: str) -> bool:
        """What the API says about the kind; by its name while the API does not serve it yet."""
        resource = self._cluster.resource(api_version, kind)
        return scope.is_namespaced(kind) if resource is None else resource.namespaced

    def serves(self, api_version: str, kind: str) -> bool:
        """Whether the API serves the kind now."""
        return self._cluster.resource(api_version, kind) is not None

    def fitted(self, manifest: Properties) -> Properties:
        """The manifest in the shape of the API's own schema."""
        return self._schemas.fitted(manifest)

    def create(self, target: Target, terms: Terms) -> Properties:
        """Make the object; one that exists is refused, or with `upsertExistingObjects` applied over."""
        live = creating.create(self._requests, target, terms)
        return await_ready(self._requests, target, live, terms)

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """The object as the API would make it, without the empty status that it would have."""
        live = creating.preview_create(self._requests, target, terms)
        return {key: value for key, value in live.items() if key != "status"}

    def update(self, target: Target, terms: Terms) -> Properties:
        """Apply the declared fields: those no longer declared are removed, those of others stay."""
        live = self._hand_over(target, self._requests.get(target.key), terms.manager)
        live = self._apply(target, live, terms, preview=False)
        return await_ready(self._requests, target, live, terms)

    def preview_update(self, target: Target, terms: Terms) -> Properties:
        """The object as the API would change it, but without the handover that comes first in earnest."""
        live = self._requests.get(target.key)
        try:
            return self._apply(target, live, terms, preview=True)
        except ApiError as error:
            if error.reason != "Forbidden":
                raise
            raise NotPreviewedError(str(error)) from None

    def look(self, target: Target) -> Properties:
        """The live object."""
        return self._requests.get(target.key)

    def read(self, target: Target, terms: Terms) -> Properties | None:
        """The live object; one that was declared, and not only named, must be ready."""
        del terms  # a reading waits for nothing
        try:
            live = self._requests.get(target.key)
            if target.declared:
                check_ready(self._requests, target, live)
        except NoSuchKindError:
            return None
        except ApiError as error:
            if error.reason != NOT_FOUND:
                raise
            return None
        return live

    def delete(self, target: Target, terms: Terms) -> None:
        """Delete the object by its name, by whatever manager it was made; of a patch, give up its fields."""
        try:
            if target.is_patch:
                self.release(target, terms.manager)
                return
            wanted = annotation(target.declared, DELETION_PROPAGATION).lower()
            answer = self._requests.delete(target.key, _PROPAGATIONS.get(wanted, "Foreground"))
        except NoSuchKindError:
            return
        except ApiError as error:
            if error.reason != NOT_FOUND:
                raise _about_required_fields(target, error) from None
            return
        uid = answer["metadata"].get("uid") or (answer.get("details") or {}).get("uid", "")
        await_gone(self._requests, target, uid, terms)

    def release(self, target: Target, manager: str) -> None:
        """Apply nothing in a manager's name: the object keeps only what others own too."""
        self._requests.apply(target.key, target.key.manifest, manager)

    def close(self) -> None:
        """Give back the connections."""
        self._cluster.close()

    def _hand_over(self, target: Target, live: Properties, manager: str) -> Properties:
        entries = live["metadata"].get("managedFields") or []
        taken = None if target.is_patch else handed_over(entries, manager)
        if taken is None:
            return live
        operation = {"op": "replace", "path": "/metadata/managedFields", "value": taken}
        return self._requests.patch(target.key, [operation])

    def _apply(self, target: Target, live: Properties, terms: Terms, *, preview: bool) -> Properties:
        entries = live["metadata"].get("managedFields") or []
        force = is_forced(target, terms) or not entries or (preview and forces_preview(entries))
        manifest = without_ignored(target.declared, live, terms.manager, terms.ignored)
        with explained(terms.manager):
            return self._requests.apply(target.key, manifest, terms.manager, force=force, preview=preview)


def _about_required_fields(target: Target, error: ApiError) -> ApiError:
    """Giving up fields that an object cannot be without makes it invalid, which says nothing to a user."""
    if not (target.is_patch and error.reason == "Invalid" and error.required):
        return error
    return ApiError(
        "this Patch resource is currently managing a required field, so it can't be deleted directly. Either "
        "set the `retainOnDelete` resource option, or transfer ownership of the field before deleting: "
        f"{error.required}",
        reason=error.reason,
    )
