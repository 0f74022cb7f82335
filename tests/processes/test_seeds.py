"""Loading catalogs from files (contract section 12, ``seed``)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from engines.mongodb import empty_mongodb
from finassist import open_container
from finassist.adapters.data_files.seeds import shipped_seeds
from finassist.config import Settings
from finassist.entrypoints.cli.main import main
from finassist.entrypoints.seeding.seeds import check_seeds

pytestmark = pytest.mark.usefixtures("data_dir")

YAML = """
# A comment.
preprompts:
  - key: budget
    publicValue: Make a budget
    maskedValue: >-
      Ask for income first,
      then for costs.
    tags: [start]
secondOpinion:
  - {key: offer, public_value: Check an offer, masked_value: Ask for the costs.}
systemUrls:
  faqs: https://help.test/faq
"""


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


async def records(**verbs: Any) -> dict[str, Any]:
    """What is stored, after these records were deleted."""
    async with open_container(Settings.from_env()) as container:
        if key := verbs.get("delete"):
            known = await container.adapters.preprompts.find(key)
            assert known is not None
            await container.delete_preprompt(known.id)
        if key := verbs.get("edit"):
            known = await container.adapters.preprompts.find(key)
            assert known is not None
            await container.update_preprompt(known.id, {"public_value": "Edited"})
        main_catalog = await container.list_preprompts(include_deleted=True)
        second = await container.list_second_opinion_preprompts(include_deleted=True)
        return {
            "preprompts": {record.key: record for record in main_catalog.items},
            "second": {record.key: record for record in second.items},
            "links": await container.get_links(),
        }


def stored(**verbs: Any) -> dict[str, Any]:
    return asyncio.run(records(**verbs))


def test_a_yaml_file_is_loaded_and_loading_it_again_changes_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "mine.yaml", YAML)
    assert main(["seed", file]) == 0
    first = stored()
    assert first["preprompts"]["budget"].masked_value == "Ask for income first, then for costs."
    assert first["second"]["offer"].public_value == "Check an offer"
    assert first["links"].system_urls.faqs == "https://help.test/faq"
    assert main(["seed", file]) == 0
    assert stored() == first


def test_mongodb_is_loaded_the_same_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "mine.yaml", YAML)
    with empty_mongodb() as url:
        monkeypatch.setenv("DATABASE_URL", url)
        monkeypatch.setenv("SECRET_KEY", "a-secret-key-that-all-hosts-share")
        assert main(["seed", file]) == 0
        first = stored()
        assert main(["seed", file]) == 0
        assert stored() == first
    assert set(first["preprompts"]) == {"budget"}


def test_a_json_file_is_loaded_and_its_values_win(tmp_path: Path) -> None:
    record = {"key": "budget", "publicValue": "One", "maskedValue": "Two", "description": "Three"}
    path = tmp_path / "mine.json"
    main(["seed", write(path, json.dumps({"preprompts": [record]}))])
    stored(delete="budget")
    del record["description"]
    main(["seed", write(path, json.dumps({"preprompts": [{**record, "publicValue": "New"}]}))])
    kept = stored()["preprompts"]["budget"]
    assert (kept.public_value, kept.description, kept.is_deleted) == ("New", None, False)


def test_every_problem_of_every_file_is_named_and_nothing_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = write(tmp_path / "good.yaml", YAML)
    wrong = write(
        tmp_path / "wrong.yml",
        """
preprompts:
  - {key: one, publicValue: yes, maskedValue: Text}
  - {key: two, publicValue: Two, maskedValue: Text}
  - {key: two, publicValue: Two}
  - text
secondOpinion: {}
systemUrls: {faqs: /faq, supportEmail: nobody}
prompts: []
""",
    )
    broken = write(tmp_path / "broken.yaml", "preprompts:\n  - key: [")
    twice = write(tmp_path / "twice.yaml", "preprompts: []\npreprompts: []\n")
    no_json = write(tmp_path / "broken.json", "{'a': 1}")
    listing = write(tmp_path / "list.json", "[]")
    other = write(tmp_path / "seeds.txt", "{}")
    missing = str(tmp_path / "missing.yaml")
    assert main(["seed", good, wrong, broken, twice, no_json, listing, other, missing]) == 1
    errors = capsys.readouterr().err
    named = [line.split(": ")[1] for line in errors.splitlines() if line.startswith(wrong)]
    assert sorted(named) == [
        "preprompts[0].publicValue", "preprompts[2].maskedValue", "preprompts[3].body", "prompts",
        "secondOpinion", "systemUrls.faqs", "systemUrls.supportEmail",
    ]  # fmt: skip
    assert f"{broken}: Is not valid YAML: line 2, column" in errors
    assert f"{twice}: Is not valid YAML: line 2, column 1: the key preprompts again" in errors
    for file in (no_json, listing, other, missing):
        assert f"{file}: " in errors
    assert good not in errors
    assert stored()["preprompts"] == {}


def test_a_key_that_comes_twice_in_a_file_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = {"key": "budget", "publicValue": "One", "maskedValue": "Two"}
    file = write(tmp_path / "mine.json", json.dumps({"preprompts": [record, record]}))
    assert main(["seed", file]) == 1
    assert capsys.readouterr().err == f"{file}: preprompts[1].key: Is there already.\n"


def test_yaml_builds_nothing_but_plain_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path / "mine.yaml", "preprompts: !!python/object/apply:os.getcwd []")
    assert main(["seed", file]) == 1
    assert "Is not valid YAML" in capsys.readouterr().err


def test_without_a_file_what_is_missing_of_the_shipped_seeds_is_loaded(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["seed"]) == 0
    kept = stored(delete="first-investment", edit="debt-payoff")
    assert (len(kept["preprompts"]), len(kept["second"])) == (12, 6)
    assert main(["seed"]) == 0
    assert stored() == kept, "neither an edit nor a deletion is undone"
    assert "preprompts.yaml: preprompts: 0 stored" in capsys.readouterr().out


def test_the_shipped_seeds_say_what_they_are_for() -> None:
    kinds = check_seeds((file.name, file) for file in shipped_seeds())
    names = ("preprompts", "secondOpinion")
    records = [record for kind in kinds.values() for name in names for record in kind.get(name, ())]
    assert len(records) == 18
    for record in records:
        assert record.description
        assert record.tags
        assert len(record.masked_value) > 150
