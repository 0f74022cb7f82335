"""The environments of peers."""

import re
from pathlib import Path

import pytest
from benchmarks.peers import environments
from benchmarks.peers.programs import PEERS

_REQUIREMENTS = Path(environments.__file__).with_name("requirements")


def test_an_environment_is_another_one_for_other_requirements_or_another_python() -> None:
    folders = {
        environments.folder_name("a", requirements, python)
        for requirements in (b"x==1\n", b"x==2\n")
        for python in ((3, 11), (3, 12))
    }
    assert len(folders) == 4


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_has_its_versions_pinned(name: str) -> None:
    lines = (_REQUIREMENTS / f"{name}.txt").read_text().splitlines()
    assert [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
