"""`templates/dittoinfra`: the project that `dittoinfra init` begins, for `pulumi new`."""

from collections.abc import Mapping

import yaml

from dittoinfra.setup.new_project import DESCRIPTION, project_files

_TEMPLATE = {
    "template": {
        "displayName": "DittoFS adapters on Kubernetes",
        "description": DESCRIPTION,
        "quickstart": "Add a stack with its servers, `dittoinfra init files`, and run `dittoinfra up files`.",
        "metadata": {"cloud": "kubernetes"},
    }
}


def template_files() -> Mapping[str, str]:
    """The text of every file, with the names that `pulumi new` fills in."""
    metadata = yaml.safe_dump(_TEMPLATE, sort_keys=False, width=110)
    return project_files("pip", "${PROJECT}", "${DESCRIPTION}", metadata)
