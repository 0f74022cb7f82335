"""Bank statements in a conversation: exact answers from their rows, over several files and turns."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from finassist import ChatMessage
from finassist.application.chat import InlineFile
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.chat.events import Done
from finassist.domain.conversations.message import Message
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel
from unit.statements.exports import EXPORTS, Export, camt, table
from usecases.conftest import guest_of, opened
from usecases.test_tools import in_turn

pytestmark = pytest.mark.engine  # files are decoded in processes of their own

SMALL = (
    "date,description,amount\n"
    "2025-01-03,Aldi,-23.50\n"
    "2025-01-05,Salary ACME,2000\n"
    "2025-01-07,Netflix,-12.99\n"
    "2025-02-05,Salary ACME,2000\n"
    "2025-02-09,Aldi,-30.25\n"
    "2025-02-07,Netflix,-12.99\n"
    "2025-03-07,Netflix,-13.99\n"
)


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Finassist]:
    async with opened(replace(settings, free_message_threshold=1000)) as service:
        yield service


def sent(content: str | bytes, filename: str = "statement.csv", mime_type: str = "text/csv") -> InlineFile:
    raw = content.encode() if isinstance(content, str) else content
    return InlineFile(filename=filename, mime_type=mime_type, pieces=lambda: iter([raw]))


async def ask(
    service: Finassist, *questions: str, files: tuple[InlineFile, ...] = (), caller: Caller | None = None
) -> list[Message]:
    """The replies to questions in one conversation; the files come with the first."""
    caller = caller or await guest_of(service, "device-1")
    conversation_id, replies = None, []
    for number, text in enumerate(questions):
        message = ChatMessage(
            message=text, conversation_id=conversation_id, attachments=[] if number else list(files)
        )
        ending = await (await service.send_message(caller, message)).ending()
        assert isinstance(ending, Done)
        replies.append(ending.message)
        conversation_id = ending.message.conversation_id
    return replies


def result(reply: Message) -> dict[str, Any]:
    [call] = reply.tool_calls
    assert call.name == "statement", call
    assert not call.is_error, call.result
    found: dict[str, Any] = call.result
    return found


def asked(reply: Message) -> dict[str, Any]:
    [call] = reply.tool_calls
    return dict(call.arguments)


async def test_what_was_spent_in_total_is_said_under_a_csv_of_three_lines(offline: Finassist) -> None:
    csv = "date,description,amount\n2025-01-03,Aldi,-23.50\n2025-01-05,Rent,-900\n2025-01-07,Netflix,-12.99\n"
    [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),))
    assert reply.content.startswith("You spent 936.49 ")
    assert "[statement.csv, rows 2-4]" in reply.content


async def test_every_export_is_answered_with_its_exact_totals(offline: Finassist) -> None:
    async def check(number: int, export: Export) -> None:
        caller = await guest_of(offline, f"device-{number}")
        file = sent(export.content, export.filename, export.mime_type)
        [reply] = await ask(offline, "how much came in and how much went out?", files=(file,), caller=caller)
        found = {
            each["currency"]: (Decimal(each["out"]), Decimal(each["in"]))
            for each in result(reply)["figures"]["totals"]
        }
        assert found == export.totals, export.name
        assert len(result(reply)["unread"]) == export.unread, export.name
        assert result(reply)["row_count"] == export.transactions, export.name

    for number, export in enumerate(EXPORTS):
        await check(number, export)


@pytest.mark.parametrize(
    ("question", "kind", "says"),
    [
        ("how much did I spend on groceries?", "totals", "53.75"),
        ("what did I pay Netflix?", "totals", "39.97"),
        ("how much did I spend in February?", "totals", "43.24"),
        ("how much was paid into my account?", "totals", "4,000.00"),
        ("show me my spending month by month", "by_month", "| February 2025 | 43.24 |"),
        ("where does my money go?", "by_category", "Groceries (53.75)"),
        ("which shops do I spend the most at?", "by_counterparty", "Aldi (53.75)"),
        ("what was my biggest expense?", "largest", "-30.25"),
        (
            "what subscriptions do I have?",
            "recurring",
            "| Netflix | 13.99 | every month | 167.88 | rows 4, 7-8 |",
        ),
        ("compare january and february", "compare_months", "6.75 more"),
        ("what's my savings rate?", "savings_rate", "97.7 %"),
    ],
)
async def test_a_question_in_other_words_is_recognised(
    offline: Finassist, question: str, kind: str, says: str
) -> None:
    [reply] = await ask(offline, question, files=(sent(SMALL),))
    assert asked(reply)["kind"] == kind
    assert says in reply.content


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "was habe ich insgesamt ausgegeben?",
            "Du hast 93.72 vom 3. Januar 2025 bis 7. März 2025 ausgegeben",
        ),
        ("wie viel habe ich für Lebensmittel ausgegeben?", "Du hast 53.75 für Lebensmittel"),
        ("combien ai-je dépensé au total ?", "Vous avez dépensé 93.72 du 3 janvier 2025"),
        ("wofür gebe ich mein Geld aus?", "Lebensmittel (53.75)"),
        ("¿cuánto gasté en febrero?", "Gastaste 43.24 del 1 de febrero de 2025"),
        ("quanto ho speso in totale?", "Hai speso 93.72"),
        ("hoeveel heb ik in totaal uitgegeven?", "Je hebt 93.72"),
        ("quanto gastei no total com isto?", "Gastou 93.72"),
    ],
)
async def test_questions_in_other_languages_are_answered_in_them(
    offline: Finassist, question: str, says: str
) -> None:
    [reply] = await ask(offline, question, files=(sent(SMALL),))
    assert says in reply.content
    assert "How I counted" not in reply.content


async def test_a_later_question_may_say_only_what_is_different(offline: Finassist) -> None:
    replies = await ask(
        offline,
        "how much did I spend at Aldi?",
        "and in January?",
        "what about Netflix?",
        files=(sent(SMALL),),
    )
    assert [asked(reply).get("match") for reply in replies] == ["aldi", "aldi", "netflix"]
    assert "23.50" in replies[1].content


async def test_questions_about_other_things_are_answered_as_before(offline: Finassist) -> None:
    _, article, sum_, thanks = await ask(
        offline,
        "what did I spend in total?",
        "what is an emergency fund?",
        "what is 15% of 480?",
        "thanks!",
        files=(sent(SMALL),),
    )
    assert article.tool_calls == thanks.tool_calls == ()
    assert any(source.cited for source in article.sources)
    assert [call.name for call in sum_.tool_calls] == ["percentage"]


async def test_without_a_statement_no_question_is_taken_for_one(offline: Finassist) -> None:
    replies = await ask(offline, "what did I spend in total?", "what subscriptions do I have?")
    assert all(call.name != "statement" for reply in replies for call in reply.tool_calls)


async def test_a_file_that_is_no_statement_is_quoted_as_before(offline: Finassist) -> None:
    [reply] = await ask(offline, "what is the rent?", files=(sent("Item,Amount\nRent,900\nGas,71\n"),))
    assert reply.tool_calls == ()
    assert "Rent,900 [statement.csv]" in reply.content


async def test_balances_are_those_that_the_statement_states(offline: Finassist) -> None:
    csv = "date,description,amount,balance\n2025-01-03,Aldi,-23.50,76.50\n2025-01-05,Gift,50,126.50\n"
    [reply] = await ask(offline, "what was my lowest balance?", files=(sent(csv),))
    assert "Lowest of statement.csv: 76.50 on 3 January 2025 [statement.csv, row 2]" in reply.content
    [reply] = await ask(offline, "what was my lowest balance?", files=(sent(SMALL),))
    assert reply.content.startswith("The statements state no balance. Over their time it changed by 3,9")


async def test_who_was_not_paid_is_told_so(offline: Finassist) -> None:
    [reply] = await ask(offline, "how much did I spend at Lidl?", files=(sent(SMALL),))
    assert reply.content.startswith("There are no transactions that match “lidl” in statement.csv.")


async def test_rows_that_are_in_two_files_are_counted_once(offline: Finassist) -> None:
    january = "".join(SMALL.splitlines(keepends=True)[:4]) + "2025-01-03,Aldi,-23.50\n"
    [reply] = await ask(
        offline, "what did I spend in total?", files=(sent(january, "jan.csv"), sent(SMALL, "all.csv"))
    )
    [totals] = result(reply)["figures"]["totals"]
    # Two alike in one file are two payments; those of the second file are the same ones again.
    assert totals["out"] == "117.22"
    assert "In several files, counted once: [all.csv, rows 2-4]" in reply.content


async def test_transfers_between_own_accounts_are_left_out_when_both_sides_are_there(
    offline: Finassist,
) -> None:
    checking = SMALL + "2025-03-10,Transfer to savings,-500\n"
    savings = (
        "date,description,amount,balance\n"
        "2025-03-11,Transfer from checking,+500,500.00\n"
        "2025-03-31,Interest,+1.23,501.23\n"
    )
    both, alone = [
        (await ask(offline, "totals in and out", files=files))[0]
        for files in (
            (sent(checking, "checking.csv"), sent(savings, "savings.csv")),
            (sent(checking, "checking.csv"),),
        )
    ]
    assert result(both)["figures"]["totals"][0]["out"] == "93.72"
    assert result(both)["figures"]["totals"][0]["in"] == "4001.23"
    assert "Transfers between your own accounts are left out: 500.00" in both.content
    assert result(alone)["figures"]["totals"][0]["out"] == "593.72"


async def test_a_long_statement_is_read_whole(offline: Finassist) -> None:
    csv = "date,description,amount\n" + "2025-01-03,Aldi,-1.00\n2025-01-03,Rewe,-2.00\n" * 5_000
    [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),))
    assert reply.content.startswith("You spent 15,000.00 on 3 January 2025, in 10,000 payments.")
    assert "[statement.csv, rows 2-10001]" in reply.content
    assert "only its beginning" not in reply.content


async def test_currencies_are_never_mixed(offline: Finassist) -> None:
    csv = "Date,Description,Amount,Currency\n2025-01-03,Aldi,-10.00,EUR\n2025-01-04,Tesco,-20.00,GBP\n"
    [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),))
    assert {each["currency"]: each["out"] for each in result(reply)["figures"]["totals"]} == {
        "EUR": "10.00",
        "GBP": "20.00",
    }
    assert "10.00 EUR" in reply.content
    assert "30.00" not in reply.content


async def test_rows_that_could_not_be_read_are_named(offline: Finassist) -> None:
    csv = SMALL + "31/02/2025,Shop,-5\n2025-03-01,Shop,five\n,Total,-99\n"
    [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),))
    assert "Of 10 rows in statement.csv 7 are transactions and 3 are not counted." in reply.content
    assert "row 9 of statement.csv has a date that I cannot read: 31/02/2025" in reply.content
    assert [row["place"] for row in result(reply)["unread"]] == ["row 9", "row 10", "row 11"]


async def test_dates_that_may_mean_two_days_are_said(offline: Finassist) -> None:
    csv = "Date,Description,Amount\n01/02/2025,Aldi,-10.00\n01/02/2025,Tesco,-20.00\n"
    [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),))
    assert "I read 01/02/2025 as 1 February 2025" in reply.content


HOSTILE = {
    "columns.csv": ("text/csv", b"date,description,amount" + b",x" * 1_000_000 + b"\n2025-01-01,a,-1\n"),
    "rows.csv": ("text/csv", b"date,description,amount\n" + b"2025-01-01,a,-1\n" * 250_000),
    "field.csv": ("text/csv", b"date,description,amount\n2025-01-01," + b"a" * 1_000_000 + b",-1\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_table_that_is_too_large_is_no_statement_and_harms_nobody(
    offline: Finassist, name: str
) -> None:
    mime_type, content = HOSTILE[name]
    files = (sent(content, name, mime_type), sent(SMALL))
    [reply] = await ask(offline, "what did I spend in total?", files=files)
    assert "You spent 93.72" in reply.content
    assert f"{name}: Must have at most" in reply.content


async def test_formulas_and_marks_in_a_statement_stay_text(offline: Finassist) -> None:
    csv = (
        "date,description,amount\n"
        '2025-01-03,"=HYPERLINK(""http://x"",""y"")",-10.00\n'
        "2025-01-04,<script>alert(1)</script> [x](http://x),-20.00\n"
        "2025-01-05,Shop,=1+1\n"
    )
    [reply] = await ask(offline, "what was my biggest expense?", files=(sent(csv),))
    assert result(reply)["rows"][0]["amount"] == "-20.00"
    assert "<script>" not in reply.content
    assert "](http" not in reply.content
    assert "row 4 of statement.csv has an amount that I cannot read" in reply.content


async def test_a_bomb_of_entities_is_refused(offline: Finassist) -> None:
    bomb = camt([], '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;">]>')
    files = (sent(bomb, "camt.xml", "application/xml"), sent(SMALL))
    [reply] = await ask(offline, "what did I spend in total?", files=files)
    assert "camt.xml: Must not declare a document type (DTD)." in reply.content


async def test_a_model_that_writes_is_offered_the_tool_when_there_is_a_statement(
    service: Finassist, model: ScriptedModel, guest: Caller
) -> None:
    from finassist.application.ports.language_model import ToolCallRequest

    call = ToolCallRequest("c1", "statement", {"kind": "totals", "match": "aldi", "end": "2025-01-31"})
    wrong = ToolCallRequest("c2", "statement", {"kind": "sum"})
    model.script = in_turn((call, wrong), ("It is 23.50.",), ("Hello.",))
    [reply] = await ask(service, "what did I spend at Aldi?", files=(sent(SMALL),), caller=guest)
    first, second = reply.tool_calls
    assert first.result["figures"]["totals"][0]["out"] == "23.50"
    assert first.result["rows"][0]["place"] == "row 2"
    assert second.is_error
    assert "must be one of: totals, by_month" in second.result["error"]
    offered = [tool for tool in model.requests[0].tools if tool.name == "statement"]
    assert "7 transactions, from 3 January 2025 to 7 March 2025" in offered[0].description
    await ask(service, "hello", caller=guest)
    assert "statement" not in {tool.name for tool in model.requests[-1].tools}


async def test_many_ask_about_their_statements_at_once(offline: Finassist) -> None:
    async def one(number: int) -> str:
        caller = await guest_of(offline, f"device-{number}")
        csv = f"date,description,amount\n2025-01-03,Aldi,-{number}.50\n"
        [reply] = await ask(offline, "what did I spend in total?", files=(sent(csv),), caller=caller)
        return str(result(reply)["figures"]["totals"][0]["out"])

    assert await asyncio.gather(*map(one, range(8))) == [f"{number}.50" for number in range(8)]


async def test_a_result_has_a_series_for_a_chart(offline: Finassist) -> None:
    csv = table([line.split(",") for line in SMALL.splitlines()])
    [reply] = await ask(offline, "show my spending by month", files=(sent(csv),))
    series = result(reply)["series"]
    assert series["label"] == "month"
    assert series["points"][1] == {
        "at": 2,
        "name": "2025-02",
        "currency": "",
        "in": "2000.00",
        "out": "43.24",
    }
