"""The rules for code and texts that a machine can check (CONTRIBUTING.md, docs/adr/0002-hexagon.md)."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest
from importlinter import api
from importlinter.application.use_cases import lint_imports
from packaging.requirements import Requirement

from tables import each_row

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "finassist"
MODULES = sorted(PACKAGE.rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
OUR_PAGES = [page for page in PAGES if page.parent.name != "interface"]  # those state what was agreed

FILE_LINES_MAX = 400
FUNCTION_LINES_MAX = 40
FOLDER_ENTRIES_MAX = 20
FOLDERS = ("src/finassist", "tests", "docs", "benchmarks")
SCRIPTS = ("tests", "examples", "benchmarks", "training")

LISTED_WORDS_MAX = 10
NO_LANGUAGE = {
    "adapters/decoding/texts.py": "elements of HTML",
    "application/statements/tool.py": "parameters of a tool",
    "domain/calculators/recognition/slots.py": "kinds of numbers, which data and code name alike",
    "domain/calculators/recognition/spellings.py": "how units are written beside a number",
    "domain/calculators/recognition/sums/": "words that are still to become data",
    "domain/files/": "types of files",
    "domain/retrieval/entry_rules.py": "top-level domains",
    "domain/retrieval/languages/latin.py": "letters of a script",
    "domain/retrieval/romanised.py": "spellings of letters",
    "entrypoints/http/shares/": "commands of LaTeX and rules of Markdown",
}
"""Modules, or packages, that may list more words, and what these are."""

UNUSUAL_WORDS = {
    r"\banew\b": "again",
    r"\bbut for\b": "except for",
    r"\b(this|of the) house\b": "the project, the code base",
    r"\b(its|their|this|the|each|both) rooms?\b": "layer, package",
    r"\brooms of\b": "layer, package",
    r"\bthe walls\b": "boundaries",
    r"\bwhoever\b": "anyone who, the caller, the process that",
    r"(?<!there )\b(is|are) none\b(?! of)": "does not exist, there is no",
    r"\bnobody minds\b": "it does not matter",
    r"\bfor who\b": "for anyone who",
    r"\bin vain\b": "without effect",
    r"\bof ours\b": "our own",
    r"\bstands? in (?!for\b)": "is in",
    r"\banswers (how many|what|whether|None|True|False)\b": "returns",
}
"""Patterns of words that a reader would stumble over, each with what to write instead."""

CHOICE = re.compile(r"(?:[|(:]|\\b) ?([^\W\d_]{2,})")
"""A word at the beginning of an alternative of a pattern."""

VAGUE_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}


def named(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


@cache
def nodes(module: Path) -> Sequence[ast.AST]:
    return tuple(ast.walk(ast.parse(module.read_text())))


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in nodes(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def imported(module: Path) -> Iterator[str]:
    for node in nodes(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(module)}: imports are absolute"
            yield str(node.module)


def test_imports_point_inward_and_vendors_stay_in_their_adapter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    assert api.read_configuration()["contracts_options"]
    kept = lint_imports(cache_dir=None, no_logo=True)
    assert kept, capsys.readouterr().out


def test_every_route_module_is_protected_from_imports() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    [protected] = [each["protected_modules"] for each in contracts if each["type"] == "protected"]
    for module in (PACKAGE / "entrypoints" / "http").rglob("*routes.py"):
        name = ".".join(("finassist", *module.relative_to(PACKAGE).with_suffix("").parts))
        assert any(fnmatch(name, pattern) for pattern in protected), name


@each_row("module", sorted((PACKAGE / "domain").rglob("*.py")))
def test_the_domain_imports_only_the_standard_library(module: Path) -> None:
    allowed = sys.stdlib_module_names | {"finassist"}
    assert {name.partition(".")[0] for name in imported(module)} <= allowed


def test_files_and_functions_are_small() -> None:
    long = [named(module) for module in MODULES if len(module.read_text().splitlines()) >= FILE_LINES_MAX]
    long += [
        f"{named(module)}: {function.name}"
        for module in MODULES
        for function in functions(module)
        if (function.end_lineno or 0) - function.lineno >= FUNCTION_LINES_MAX
    ]
    assert long == []


def listed_words(node: ast.AST) -> set[str]:
    """The words of a collection, and those that a pattern has the choice between."""
    match node:
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            words = [part.value for part in parts if isinstance(part, ast.Constant)]
        case ast.Dict(keys=keys):
            words = [key.value for key in keys if isinstance(key, ast.Constant)]
        case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant(value=str() as text))):
            words = [*text.split()]
        case ast.Constant(value=str() as text):
            words = CHOICE.findall(text) if "|" in text else []
        case ast.JoinedStr(values=values):
            words = CHOICE.findall("".join(str(getattr(part, "value", "")) for part in values))
        case _:
            return set()
    return {word for word in words if isinstance(word, str) and word.isalpha() and word.islower()}


def test_words_of_a_language_are_data() -> None:
    listed = {
        f"{named(module)}:{getattr(node, 'lineno', 0)}": sorted(words)
        for module in MODULES
        if not named(module).startswith(tuple(NO_LANGUAGE))
        for node in nodes(module)
        if len(words := listed_words(node)) > LISTED_WORDS_MAX
    }
    assert listed == {}, "lists of words belong to src/finassist/data"


def test_modules_are_named_after_what_they_hold() -> None:
    assert [named(module) for module in MODULES if module.stem.strip("_") in VAGUE_NAMES] == []


def test_no_folder_has_more_entries_than_a_reader_takes_in() -> None:
    folders = [folder for top in FOLDERS for folder in (ROOT / top, *(ROOT / top).rglob("*/"))]
    entries = {
        str(folder.relative_to(ROOT)): sum(entry.name != "__pycache__" for entry in folder.iterdir())
        for folder in folders
        if folder.is_dir() and "__pycache__" not in folder.parts and "migrations" not in folder.parts
    }
    assert {folder: n for folder, n in entries.items() if n > FOLDER_ENTRIES_MAX} == {}


def test_nothing_is_left_to_do() -> None:
    left = re.compile(r"\b(TODO|FIXME|XXX)\b")
    assert [named(module) for module in MODULES if left.search(module.read_text())] == []


def test_the_lock_files_satisfy_the_project_and_agree_with_each_other() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"]
    runtime, dev = (locked(ROOT / "requirements" / f"{name}.txt") for name in ("runtime", "dev"))
    needed = [*project["project"]["dependencies"], *groups["build"]]
    for lock, requirements in ((runtime, needed), (dev, [*needed, *groups["dev"]])):
        for requirement in map(Requirement, requirements):
            assert requirement.specifier.contains(lock[requirement.name]), requirement
    assert runtime.items() <= locked(ROOT / "requirements" / "extras.txt").items() <= dev.items()


def locked(path: Path) -> dict[str, str]:
    text = path.read_text()
    assert "://" not in text, "a lock file names no address"
    return dict(re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", text, re.MULTILINE))


def test_decision_records_have_a_number_each() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    numbers = [int(record.name[:4]) for record in records]
    assert numbers == list(range(1, len(records) + 1))
    assert [record.read_text().partition(".")[0] for record in records] == [f"# {n}" for n in numbers]


@each_row("page", PAGES)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def unusual(text: str) -> list[str]:
    """The lines of a text that hold one of the unusual words, with what to write instead."""
    small = text.lower()
    likely = {
        pattern: instead for pattern, instead in UNUSUAL_WORDS.items() if certain_part(pattern) in small
    }
    return [
        f"{number}: {found[0]!r} -> {instead}"
        for number, line in enumerate(text.splitlines() if likely else (), 1)
        for pattern, instead in likely.items()
        if (found := re.search(pattern, line if "none" in pattern else line.lower()))
    ]


@cache
def certain_part(pattern: str) -> str:
    """The longest part of a pattern that is in whatever it finds, which is looked for at once."""
    while "(" in pattern:
        pattern = re.sub(r"\([^()]*\)", "|", pattern)
    return max(re.split(r"\\b|.\?|\|", pattern), key=len)


def with_names_as_sentences(text: str) -> str:
    """The text of a module, with the names of its tests in words; there ``none`` is the value None."""
    return re.sub(r"\bdef test_\w+", lambda name: name[0].replace("none", "None").replace("_", " "), text)


def test_pages_modules_and_names_of_tests_are_in_plain_english() -> None:
    others = [file for top in SCRIPTS for file in (ROOT / top).rglob("*.py") if file != Path(__file__)]
    found = {
        str(text.relative_to(ROOT)): lines
        for text in [*OUR_PAGES, *MODULES, *others]
        if (lines := unusual(with_names_as_sentences(text.read_text())))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Whoever signs in is a user; it is read anew.", 2),
        ("A key that is none fails, but for guests.", 2),
        ("    if caller is None:  # when there is none, a guest stands in for it", 0),
        ("the disk has no room", 0),
    ],
)
def test_unusual_words_are_told_from_ordinary_ones(line: str, words: int) -> None:
    assert len(unusual(line)) == words
