"""Programs in Pulumi YAML: wrong inputs, inputs that are not known yet, and a provider of their own."""

from pathlib import Path

from pulumi.automation import PulumiCommand

from dittoinfra.kubernetes import connect
from dittoinfra.settings.provider import NEEDED
from lab.bed.kubernetes import KubernetesApi
from lab.standin import ApiStore
from tests.engine.component.conftest import NewServer
from tests.engine.component.yaml_program import YamlProgram, existing, yaml_program
from tests.engine.namespace import Namespace


def test_every_problem_of_every_component_is_said_with_the_input_s_name_and_nothing_is_declared(
    new_server: NewServer, program: YamlProgram
) -> None:
    media = new_server()
    cache = {"app": "memcached", "ports": [{"name": "my_port", "port": 0}]}
    program.write(
        {
            "media": existing(media, absencePolls=0, pollInterval="9x"),
            "scans": existing(media, absencePolls=101, namespace="Files_"),
            "cache": {"type": "dittoinfra:HeadlessService", "properties": cache},
        }
    )

    refused = program.run("preview")

    assert refused.returncode != 0
    for line in (
        "absencePolls: must be greater than or equal to 1 (it is 0)",
        "pollInterval: must be a duration such as 500ms, 20s or 2m (it is '9x')",
        "absencePolls: must be less than or equal to 100 (it is 101)",
        "namespace: must be lower-case letters, digits and '-' between them (it is 'Files_')",
        "ports[0].name: must be lower-case letters, digits and '-' between them (it is 'my_port')",
        "ports[0].port: must be greater than or equal to 1 (it is 0)",
    ):
        assert line in refused.stdout, refused.stdout
    assert "Traceback" not in refused.stdout
    assert program.run("up", "--yes", "--skip-preview").returncode != 0
    assert program.manifests() == {}


def test_a_password_that_is_not_known_before_the_update_is_no_answer(
    new_server: NewServer, program: YamlProgram
) -> None:
    media = new_server()
    seed = {
        "type": "kubernetes:core/v1:ConfigMap",
        "properties": {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "seed", "namespace": "files"},
        },
    }
    # Nothing is added to the password, which a preview cannot know: only an update gives the id.
    nothing = {"fn::select": [0, {"fn::split": ["files/seed", "${seed.id}"]}]}
    server = existing(media, password={"fn::join": ["", ["${password}", nothing]]})
    program.write({"seed": seed, "media": server}, {"adapters": "${media.adapters}"})

    preview = program.must("preview")
    assert "its password is not known before the update" in preview
    assert "media/nfs" not in preview
    program.up()
    assert program.outputs()["adapters"]["nfs"]["state"] == "serving"
    program.settled()


def test_the_provider_that_the_program_passes_must_suit_and_is_used(
    new_server: NewServer,
    pulumi_cli: PulumiCommand,
    yaml_host: Path,
    password: str,
    kubernetes_api: KubernetesApi,
    namespace: Namespace,
    tmp_path: Path,
) -> None:
    media = new_server()
    with (
        connect(str(kubernetes_api.kubeconfig), None) as cluster,
        yaml_program(pulumi_cli, yaml_host, tmp_path, password, store=ApiStore(cluster)) as program,
    ):

        def write(**settings: object) -> None:
            provider = {
                "type": "pulumi:providers:kubernetes",
                "properties": {"kubeconfig": str(kubernetes_api.kubeconfig), **settings},
            }
            server = existing(media, namespace=namespace.name)
            passed = {**server, "options": {"providers": ["${cluster}"]}}
            program.write({"cluster": provider, "media": passed}, {"adapters": "${media.adapters}"})

        write()
        refused = program.run("preview")
        assert refused.returncode != 0
        assert (
            "provider: the Kubernetes provider cluster must have upsertExistingObjects, enablePatchForce, "
        ) in refused.stdout, refused.stdout

        write(**dict.fromkeys(NEEDED, True))
        program.up()
        program.settled()
        assert set(namespace.services()) == {"media-adapter-nfs", "media-adapter-smb"}
        services = [this for this in program.resources() if this["type"].endswith(":Service")]
        assert all("::pulumi:providers:kubernetes::cluster::" in this["provider"] for this in services)
