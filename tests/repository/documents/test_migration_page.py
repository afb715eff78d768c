"""The page on migration says what the program says."""

import yaml

from dittoinfra.decide.refusals import ExistsAlready
from dittoinfra.settings import StackSettings
from tests import ROOT

PAGE = (ROOT / "docs" / "migration.md").read_text()


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_configuration_on_the_page_is_valid() -> None:
    block = PAGE.partition("```yaml\n")[2].partition("```")[0]
    (servers,) = yaml.safe_load(block)["config"].values()

    (server,) = StackSettings.model_validate({"servers": servers}).servers

    assert server.adopt
    assert server.deploy is not None


def test_the_refusal_on_the_page_is_the_programs() -> None:
    refused = ExistsAlready(
        "media", ("Service media-adapter-nfs in namespace files (of the Helm release media)",)
    )

    assert str(refused) in words(PAGE)
