"""What is installed is the product: nothing of what it is tested, shown, measured or described with."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from dittoinfra import __version__
from tests.repository.project.installed_package import build_wheel
from tools.locked import ROOT


@pytest.fixture(scope="module")
def carried(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The names of all files in the wheel, built by the very backend that pip would use."""
    with ZipFile(build_wheel(tmp_path_factory.mktemp("wheel"))) as archive:
        return archive.namelist()


def test_the_wheel_carries_the_product_its_policy_pack_and_nothing_else(carried: list[str]) -> None:
    pack = f"dittoinfra-{__version__}.data/data/share/dittoinfra/policy/"
    others = [name for name in carried if not name.startswith(pack)]

    assert {name.split("/")[0] for name in others} == {"dittoinfra", f"dittoinfra-{__version__}.dist-info"}
    assert f"{pack}PulumiPolicy.yaml" in carried


def test_the_wheel_carries_what_new_projects_and_reports_are_made_of(carried: list[str]) -> None:
    data = {name for name in carried if name.startswith("dittoinfra/") and not name.endswith(".py")}

    assert {"dittoinfra/setup/stack.schema.json", "dittoinfra/reports/templates/report.html.j2"} <= data


def test_no_part_of_the_laboratory_has_come_back_into_the_product(carried: list[str]) -> None:
    laboratory = {path.name for path in (ROOT / "lab").iterdir() if (path / "__init__.py").exists()}

    assert {"bed", "demo", "gotools", "simulator", "standin"} <= laboratory
    assert not laboratory & {Path(name).parts[1] for name in carried if name.startswith("dittoinfra/")}
    assert not [name for name in carried if name.endswith(("go.mod", "go.sum"))]
