"""The command line (contract section 12)."""

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from finassist import open_container
from finassist.config import Settings
from finassist.domain.users import Platform
from finassist.entrypoints.cli.main import main

pytestmark = pytest.mark.usefixtures("data_dir")

ARTICLE = {"id": "zebra-fund", "title": "Zebra funds", "body": "A zebra fund keeps striped savings apart."}


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Commands set the log up for their process; here the process goes on, with another standard error."""
    root, ours = logging.getLogger(), logging.getLogger("finassist")
    before = (root.handlers[:], root.level, ours.level)
    yield
    structlog.reset_defaults()
    root.handlers[:], level, our_level = before
    root.setLevel(level)
    ours.setLevel(our_level)


def write_lines(path: Path, *lines: object) -> str:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_wrong_settings_and_flags_are_all_named_and_the_status_is_two(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LOG_LEVEL", "loud")
    assert main(["serve", "--port", "http", "--workers", "0"]) == 2
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "LOG_LEVEL",
        "PORT",
        "WORKERS",
    ]


def test_an_address_that_cannot_be_had_is_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--host", "203.0.113.1", "--port", "0"]) == 1
    assert "cannot listen on 203.0.113.1 port 0" in capsys.readouterr().err


def test_check_config_says_that_good_settings_are_good(
    capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    assert main(["check-config"]) == 0
    assert capsys.readouterr().out == "The settings are valid.\n"
    assert not data_dir.exists()


def test_check_config_refuses_one_port_for_both_of_weaviates_servers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VECTOR_STORE_URL", "weaviate://localhost:50051")
    assert main(["check-config"]) == 2
    assert capsys.readouterr().err.startswith("VECTOR_STORE_URL: ")


def test_check_config_names_a_database_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SECRET_KEY", "a-secret-key-for-the-tests-of-the-cli")
    monkeypatch.setenv("DATABASE_URL", "mongodb://127.0.0.1:9/finassist")
    assert main(["check-config"]) == 1
    assert "MongoDB cannot be used" in capsys.readouterr().err


async def make_guest(data_dir: Path) -> str:
    async with open_container(Settings(data_dir=data_dir)) as container:
        caller = await container.resolve_caller(
            bearer=None, device_id="device-1", platform=Platform.WEB, address="127.0.0.1"
        )
        return str(caller.user_id)


def test_granted_messages_add_to_the_allowance(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guest = asyncio.run(make_guest(data_dir))
    assert main(["quota", "grant", guest, "5"]) == 0
    assert main(["quota", "grant", guest, "-2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{guest}: 15 of 15 messages left.",
        f"{guest}: 13 of 13 messages left.",
    ]


@pytest.mark.parametrize("user", ["0" * 24, "nobody@example.com"])
def test_nobody_gets_messages_under_an_unknown_name(user: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["quota", "grant", user, "5"]) == 1
    assert capsys.readouterr().err == "finassist: There is no such user.\n"


def test_added_articles_are_listed_and_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = "https://example.com/zebra"
    assert main(["knowledge", "add", write_lines(tmp_path / "a.jsonl", ARTICLE, "\n")]) == 0
    assert main(["knowledge", "add", write_lines(tmp_path / "b.jsonl", ARTICLE | {"url": url})]) == 0
    assert capsys.readouterr().out == "1 article stored.\n" * 2
    assert main(["knowledge", "list"]) == 0
    assert capsys.readouterr().out.splitlines().count("zebra-fund\tZebra funds") == 1
    assert main(["knowledge", "search", "zebra", "--json", "--limit", "3"]) == 0
    hit, *_ = json.loads(capsys.readouterr().out)
    assert hit.keys() == {"id", "title", "url", "snippet", "score"}
    assert (hit["id"], hit["title"], hit["url"]) == ("zebra-fund", "Zebra funds", url)
    assert main(["knowledge", "search", "zebra"]) == 0
    assert capsys.readouterr().out.startswith("1. Zebra funds (zebra-fund, ")


def test_every_wrong_line_is_named_and_nothing_is_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_lines(tmp_path / "a.jsonl", ARTICLE, {"id": "x", "title": " ", "body": "b"}, "no json\n")
    with Path(path).open("ab") as file:
        file.write(b'{"id": "\xff"}\n')
    assert main(["knowledge", "add", path]) == 1
    named = capsys.readouterr().err.splitlines()
    assert [line.rpartition(".jsonl:")[2].partition(":")[0] for line in named] == ["2", "3", "4"]
    assert main(["knowledge", "search", "zebra", "--json"]) == 0
    assert ARTICLE["id"] not in {hit["id"] for hit in json.loads(capsys.readouterr().out)}


ANSWER = (
    "A zebra club in the UK is a savings club whose members keep their money apart in stripes. It suits "
    "people who save together, since each sees what the others paid in. Ask for the rules before you join."
)
TOPIC = {
    "id": "zebra-club",
    "jurisdiction": "GB",
    "asOf": "2026-11-22",
    "sources": ["https://www.gov.uk"],
    "entries": [
        {"question": f"{asked} a zebra club?", "answer": ANSWER}
        for asked in ("What is", "Who joins", "How do I found")
    ],
}
MARKDOWN = f"""---
id: zebra-herd
jurisdiction: GB
asOf: 2026-11-22
---

# Zebra herds

- herd of zebras

{ANSWER}
"""


def test_entries_without_fault_pass_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "check", write_lines(tmp_path / "a.jsonl", TOPIC)]) == 0
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "1 topics, 3 entries, 0 complaints\n")


def test_the_check_names_file_entry_and_rule_and_its_status_is_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = write_lines(tmp_path / "a.jsonl", TOPIC | {"asOf": "soon"})
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.md").write_text(MARKDOWN)
    (tmp_path / "below" / "c.md").write_text("# No front matter?")
    assert main(["knowledge", "check", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path}/below/c.md: c.md: Must begin with front matter between two lines of ---.",
        f"{lines}:1: zebra-club: asOf must be a date such as 2026-11-22",
        f"{tmp_path}/below/b.md: zebra-herd: has 1 entries, not 3 to 8",
        f'{tmp_path}/below/b.md: Zebra herds: heading does not end with "?"',
    ]


def test_only_for_shipping_the_check_asks_for_five_other_wordings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["knowledge", "check", "--shipped", write_lines(tmp_path / "a.jsonl", TOPIC)]) == 1
    assert capsys.readouterr().out.count("has 0 other wordings, not 5 to 10") == 3


def test_a_missing_file_is_said_plainly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["knowledge", "add", str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl" in capsys.readouterr().err


def test_the_search_is_evaluated_in_a_base_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data_dir: Path
) -> None:
    questions = [
        {"id": "1", "question": "What is a zebra fund?", "answer": "A zebra fund keeps striped savings."},
        {
            "id": "2",
            "question": "How do otters insure rivers?",
            "answer": "Otters insure rivers with stones.",
        },
    ]
    assert main(["knowledge", "eval", write_lines(tmp_path / "q.jsonl", *questions)]) == 0
    assert capsys.readouterr().out.startswith("2 questions")
    assert not data_dir.exists()


def test_keys_rotate_adds_a_key(capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
    assert main(["keys", "rotate"]) == 0
    assert main(["keys", "rotate"]) == 0
    assert len(list((data_dir / "keys").glob("*.pem"))) == 2
    assert len(set(capsys.readouterr().out.splitlines())) == 2


def test_users_set_password_reads_standard_input_and_names_broken_rules(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def sign_in(password: str) -> None:
        async with open_container() as container:
            await container.sign_in("ann@example.org", password, "127.0.0.1")

    async def sign_up() -> None:
        async with open_container() as container:
            await container.sign_up("ann@example.org", "Secret-123", "Ann")

    asyncio.run(sign_up())
    monkeypatch.setattr("sys.stdin", io.StringIO("weak\n"))
    assert main(["users", "set-password", "ann@example.org"]) == 1
    assert "password: Must have a digit." in capsys.readouterr().err

    monkeypatch.setattr("sys.stdin", io.StringIO("Changed123\n"))
    assert main(["users", "set-password", "ANN@example.org"]) == 0
    asyncio.run(sign_in("Changed123"))

    monkeypatch.setattr("sys.stdin", io.StringIO("Changed123\n"))
    assert main(["users", "set-password", "nobody@example.org"]) == 1


def test_commands_of_the_built_in_provider_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IDENTITY_PROVIDER", "oidc")
    monkeypatch.setenv("OIDC_ISSUER", "https://id.example.com")
    for name in ("OIDC_AUDIENCE", "OIDC_CLIENT_ID"):
        monkeypatch.setenv(name, "x")

    assert main(["keys", "rotate"]) == 2
