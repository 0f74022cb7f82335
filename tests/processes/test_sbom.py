"""`make sbom`: what an installation consists of."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_bill_of_materials_lists_every_locked_package_with_its_hashes(tmp_path: Path) -> None:
    pytest.importorskip("cyclonedx_py", reason="make installs it with requirements/dev.txt")
    [recipe] = re.findall(r"-m (cyclonedx_py .+?) \$\(ARGS\)", (ROOT / "Makefile").read_text(), re.DOTALL)
    arguments = recipe.replace("\\\n", " ").replace("dist/", f"{tmp_path}/").split()
    subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, check=True)
    bill = json.loads((tmp_path / "sbom.json").read_text())
    locked = re.findall(
        r"^([a-z0-9.-]+)==([^\s;]+)", (ROOT / "requirements" / "extras.txt").read_text(), re.MULTILINE
    )
    assert (bill["bomFormat"], bill["metadata"]["component"]["name"]) == ("CycloneDX", "finassist")
    assert sorted((each["name"], each["version"]) for each in bill["components"]) == sorted(locked)
    hashes = [each["externalReferences"][0]["hashes"] for each in bill["components"]]
    assert all(each["alg"] == "SHA-256" for some in hashes for each in some)
    assert all(hashes)
