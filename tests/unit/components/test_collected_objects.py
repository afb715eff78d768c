"""A rehearsal tells what a run would declare, and the engine hears nothing of it."""

import base64

from dittoinfra.components import ServerArgs, collect_server
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.object_model import DeclaredObject, HeldObject
from dittoinfra.settings import ServerSecrets, ServerSettings
from lab.bed.credentials import credential


def rehearsed(secrets: ServerSecrets | None = None, **settings: object) -> dict[str, DeclaredObject]:
    server = ServerSettings.model_validate({"name": "media", "namespace": "files", **settings})
    nfs = DeclaredAdapter("nfs", 12049, State.SERVING)
    decision = ServerDecision("media", Answered(()), bootstrap=False, adapters=(nfs,))
    args = ServerArgs(server, decision, secrets=secrets)
    objects = collect_server(args)
    return {str(this): this for this in objects}


def test_every_object_is_told_with_its_manifest_and_its_name_in_the_state() -> None:
    nfs = rehearsed()["Service media-adapter-nfs"]

    assert nfs.held == HeldObject("v1", "Service", "media/nfs")
    assert nfs.manifest["spec"] == {
        "type": "LoadBalancer",
        "selector": {"app": "dittofs-server", "instance": "media"},
        "ports": [{"name": "adapter-nfs", "port": 12049, "targetPort": 12049, "protocol": "TCP"}],
    }


def test_a_whole_server_is_told_secrets_included_and_nothing_of_them_is_shown() -> None:
    password = credential("administrator")
    encoded = base64.b64encode(password.encode()).decode()
    secrets = ServerSecrets.model_validate({"jwt": credential("signing-key"), "adminPassword": password})

    objects = rehearsed(secrets, deploy={})

    assert objects["StatefulSet media"].manifest["spec"]["replicas"] == 1
    admin = objects["Secret media-admin-bootstrap-credentials"]
    assert admin.manifest["data"] == {"username": "YWRtaW4=", "password": encoded}
    assert encoded not in repr(objects)


def test_a_patch_of_a_foreign_object_is_no_object() -> None:
    assert set(rehearsed(patchPorts=True)) == {"Service media-adapter-nfs"}
