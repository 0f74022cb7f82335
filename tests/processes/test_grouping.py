"""Tests of one file or group run in one process, when several processes run tests."""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from grouping import GROUPS, group_of

TESTS = Path(__file__).parents[1]


def test_the_groups_name_files_that_exist() -> None:
    places = [place.partition("::") for places in GROUPS.values() for place in places]
    assert [file for file, _, name in places if f"def {name}" not in (TESTS / file).read_text()] == []


def test_the_tests_of_a_file_run_in_one_process() -> None:
    files = ["tests/unit/test_users.py", "tests/unit/shares/test_shares.py"]
    options = ["--verbose", "--numprocesses", "2", "--dist", "loadscope"]
    run = [sys.executable, "-m", "pytest", *options, *files]
    said = subprocess.run(run, cwd=TESTS.parent, capture_output=True, text=True, check=True).stdout
    processes = defaultdict(set)
    for process, test in re.findall(r"^\[(gw\d)\] .*? PASSED (\S+)", said, re.MULTILINE):
        processes[group_of(test)].add(process)
    assert {group: len(used) for group, used in processes.items()} == {
        file.removeprefix("tests/"): 1 for file in files
    }
