"""What a user counts payments as: said in words, kept for the user, shown in results, taken back."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from finassist.application.statements.tool import STATEMENT_CATEGORY, StatementTools
from finassist.composition.application import Finassist
from finassist.config import Settings
from finassist.domain.errors import Unauthorized
from finassist.domain.statements.ledger import Named, ledger_of
from finassist.domain.statements.record import Statement, Transaction
from finassist.domain.users import Caller
from finassist.testing import ScriptedModel
from usecases.conftest import guest_of, opened
from usecases.test_tools import in_turn
from usecases.turns.test_statements import ask, asked, result, sent
from waiting import until

pytestmark = pytest.mark.engine  # files are decoded in processes of their own

CSV = (
    "date,description,amount\n2025-01-03,Aldi,-23.50\n2025-01-04,Bookworm,-40\n2025-01-05,Salary ACME,2000\n"
)
GROCERIES = "how much did I spend on groceries?"


@pytest.fixture
async def offline(settings: Settings) -> AsyncIterator[Finassist]:
    async with opened(replace(settings, free_message_threshold=1000)) as service:
        yield service


async def test_a_correction_counts_from_then_on_and_is_shown(offline: Finassist) -> None:
    before, said, after = await ask(
        offline, GROCERIES, "count Bookworm as groceries", GROCERIES, files=(sent(CSV),)
    )
    assert before.content.startswith("You spent 23.50 in Groceries")
    assert said.tool_calls[0].name == "statement_category"
    assert said.content.startswith(
        "From now on “bookworm” counts as Groceries: 1 payment here, together -40.00."
    )
    assert after.content.startswith("You spent 63.50 in Groceries")
    assert "You count Bookworm as Groceries." in after.content


async def test_a_correction_holds_in_other_conversations_and_for_this_user_alone(offline: Finassist) -> None:
    ann, ben = await guest_of(offline, "device-ann"), await guest_of(offline, "device-ben")
    await ask(offline, "what came in?", "treat Bookworm as groceries please", files=(sent(CSV),), caller=ann)
    for caller, out in ((ann, "63.50"), (ben, "23.50")):
        [reply] = await ask(offline, GROCERIES, files=(sent(CSV),), caller=caller)
        assert result(reply)["figures"]["totals"][0]["out"] == out


async def test_a_correction_is_taken_back(offline: Finassist) -> None:
    *_, back, after = await ask(
        offline, GROCERIES, "count Bookworm as groceries", "Bookworm is not groceries", GROCERIES,
        files=(sent(CSV),),
    )  # fmt: skip
    assert back.tool_calls[0].arguments["is_not"] is True
    assert after.content.startswith("You spent 23.50 in Groceries")
    assert "You count" not in after.content


async def test_what_a_payment_is_not_counts_as_other_until_it_is_taken_back(offline: Finassist) -> None:
    _, said, after = await ask(
        offline, GROCERIES, "Aldi isn't groceries", "where does my money go?", files=(sent(CSV),)
    )
    assert said.content.startswith("From now on “aldi” counts as Other")
    assert "You count Aldi as Other." in after.content


@pytest.mark.parametrize(
    "text",
    [
        "zähle Bookworm zu Lebensmittel",
        "compte Bookworm comme courses",
        "Bookworm belongs to groceries",
        "please put Bookworm under groceries",
    ],
)
async def test_corrections_are_understood_in_other_words(offline: Finassist, text: str) -> None:
    _, said = await ask(offline, "what did I spend?", text, files=(sent(CSV),))
    understood = {"match": "bookworm", "category": "Groceries", "is_not": False}
    assert asked(said).items() >= understood.items()


@pytest.mark.parametrize(
    "text", ["is Aldi groceries?", "Bookworm is a nice shop", "count my payments", "I go to Aldi in a bus"]
)
async def test_what_corrects_nothing_changes_nothing(offline: Finassist, text: str) -> None:
    _, reply = await ask(offline, "what did I spend?", text, files=(sent(CSV),))
    assert "statement_category" not in [call.name for call in reply.tool_calls]


async def test_a_model_corrects_by_the_tool_and_is_told_what_is_wrong(
    service: Finassist, model: ScriptedModel, guest: Caller
) -> None:
    from finassist.application.ports.language_model import ToolCallRequest

    right = ToolCallRequest("c1", "statement_category", {"match": "Bookworm", "category": "education"})
    wrong = ToolCallRequest("c2", "statement_category", {"match": "Bookworm", "category": "Books"})
    absent = ToolCallRequest("c3", "statement_category", {"match": "Lidl", "category": "Groceries"})
    model.script = in_turn((right, wrong, absent), ("Done.",))
    [reply] = await ask(service, "Bookworm is for my studies", files=(sent(CSV),), caller=guest)
    kept, unknown, missing = reply.tool_calls
    assert kept.result["figures"]["categories"] == ["Education"]
    assert "There is no category 'Books'. There are: Income" in unknown.result["error"]
    assert "no transactions that match “Lidl”" in missing.result["error"]


async def test_a_correction_of_somebody_who_was_erased_meanwhile_is_not_kept(offline: Finassist) -> None:
    ann = await guest_of(offline, "device-ann")
    owner_id, user_id = offline.adapters.ids.new_id(), offline.adapters.ids.new_id()
    gone = replace(ann, user_id=user_id, owner_id=owner_id, owner_ids=(owner_id,))
    rows = [
        Transaction(
            day=date(2025, 1, 3), amount=Decimal(-1), currency="", counterparty="Bookworm", text="", place="1"
        )
    ]
    ledger = replace(ledger_of([Named("a.csv", Statement(transactions=rows))]), caller=gone)
    tools = StatementTools(
        embedder=None,
        payee_categories=offline.adapters.payee_categories,
        clock=offline.adapters.clock,
        require_account=offline.send_message.begin_turn.require_account,
    )
    with pytest.raises(Unauthorized):
        await tools.call(STATEMENT_CATEGORY, ledger, {"match": "Bookworm", "category": "Groceries"})
    await offline.workers.erasure_runner()

    async def erased() -> bool:
        return not await offline.adapters.payee_categories.list_of([gone.owner_id])

    await until(erased)
