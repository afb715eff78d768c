"""`renderYamlToDirectory`: manifests for others to apply, laid out as the official provider does."""

from pathlib import Path

import yaml

from lab.standin.errors import RefusedError
from lab.standin.properties import Properties
from lab.standin.scope import is_built_in
from lab.standin.store import ManifestFolder
from lab.standin.target import Target
from lab.standin.terms import Terms

DEFINITIONS, MANIFESTS = "0-crd", "1-manifest"
"""What has to be applied first, and what comes then."""


class RenderStore(ManifestFolder):
    """Writes manifests and reads none: what is in the folder is no live object."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def create(self, target: Target, terms: Terms) -> Properties:
        """Write the manifest, and say so if it holds something secret."""
        path = self._path(target.declared)
        if target.secret:
            terms.tell(f"rendered file {path} contains a secret value in plaintext")
        return self._write(path, target.declared)

    def preview_create(self, target: Target, terms: Terms) -> Properties:
        """Write the manifest: a preview renders, too."""
        return self.create(target, terms)

    def update(self, target: Target, terms: Terms) -> Properties:  # noqa: ARG002  (no owner, and no wait)
        """Write the manifest."""
        return self._write(self._path(target.declared), target.declared)

    def preview_update(self, target: Target, terms: Terms) -> Properties:
        """Write the manifest: a preview renders, too."""
        return self.update(target, terms)

    def look(self, target: Target) -> Properties:
        """What was rendered last."""
        return target.last

    def read(self, target: Target, terms: Terms) -> Properties | None:  # noqa: ARG002  (nothing is looked at)
        """What was rendered last."""
        return target.last

    def delete(self, target: Target, terms: Terms) -> None:  # noqa: ARG002  (a file is gone at once)
        """Remove the manifest, if it is still there."""
        self._path(target.last).unlink(missing_ok=True)

    def _path(self, manifest: Properties) -> Path:
        version, kind, metadata = str(manifest["apiVersion"]), str(manifest["kind"]), manifest["metadata"]
        parts = (
            version.replace("/", "_").replace(":", "_"),
            kind.lower(),
            metadata.get("namespace") or "default",
            metadata["name"],
        )
        is_definition = is_built_in(version) and kind == "CustomResourceDefinition"
        return self._root / (DEFINITIONS if is_definition else MANIFESTS) / f"{'-'.join(parts)}.yaml"

    def _write(self, path: Path, manifest: Properties) -> Properties:
        try:
            for folder in (DEFINITIONS, MANIFESTS):
                (self._root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            path.touch(mode=0o600)
            path.write_text(yaml.safe_dump(manifest, allow_unicode=True), encoding="utf-8")
        except OSError as error:
            raise RefusedError(f'failed to write YAML file: "{path}": {error.strerror}') from None
        return manifest
