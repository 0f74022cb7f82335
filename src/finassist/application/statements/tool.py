"""The tools for bank statements: one calculates, one keeps what payments are counted as."""

import asyncio
import json
import logging
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from operator import mul
from typing import Any, Final

from finassist.application.erasure.admission import RequireAccount
from finassist.application.ports.files import PayeeCategoryRepository
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.application.ports.language_model import ToolOutcome, ToolSpec
from finassist.application.ports.system import Clock
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.statements.categories import ENCODER, meanings, names, unexplained
from finassist.domain.statements.correcting import Correction, corrected, correction_of
from finassist.domain.statements.corrections import CORRECTIONS_MAX, Categories
from finassist.domain.statements.ledger import Ledger
from finassist.domain.statements.phrases import languages, phrases_in
from finassist.domain.statements.query import LIMIT, LIMIT_MAX, Direction, Kind, query_of
from finassist.domain.statements.record import StatementError
from finassist.domain.statements.reports import Report, report
from finassist.domain.users import Caller

STATEMENT: Final = "statement"
"""The name of the tool that calculates."""

STATEMENT_CATEGORY: Final = "statement_category"
"""The name of the tool that keeps what payments are counted as."""

STATEMENT_TOOLS: Final = (STATEMENT, STATEMENT_CATEGORY)

_TEXTS_MAX: Final = 60
"""Texts without a telling word whose meaning is looked for, those with the most money."""
_ALIKE: Final = 0.35
_VECTORS_KEPT: Final = 4_000
_ROWS_IN_PROMPT: Final = 20
_FOR_CLIENTS: Final = frozenset(("series", "tables", "unread"))

_ENGLISH: Final = phrases_in(ENGLISH)

_log = logging.getLogger(__name__)


class StatementTools:
    """``statement`` gives exact sums, lists and comparisons of the transactions of a conversation;
    ``statement_category`` keeps what the user counts payments as."""

    def __init__(
        self,
        *,
        embedder: Embedder | None,
        payee_categories: PayeeCategoryRepository,
        clock: Clock,
        require_account: RequireAccount,
    ) -> None:
        self._embedder = embedder
        self._payee_categories = payee_categories
        self._clock = clock
        self._require_account = require_account
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def specs(self, ledger: Ledger) -> Sequence[ToolSpec]:
        """The tools as they are described to a model, with what there is to ask about."""
        return (
            ToolSpec(name=STATEMENT, description=_described(ledger), parameters=_SCHEMA),
            ToolSpec(name=STATEMENT_CATEGORY, description=_OF_CATEGORIES, parameters=_CATEGORY_SCHEMA),
        )

    async def call(self, name: str, ledger: Ledger, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Check the arguments that a model wrote, and calculate. Never raises for what a model gets wrong."""
        try:
            if name == STATEMENT_CATEGORY:
                found = await self._correct(ledger, correction_of(arguments))
            else:
                query = query_of(arguments)
                found = await asyncio.to_thread(report, ledger, query, await self._categories(ledger))
        except StatementError as error:
            return ToolOutcome({"error": str(error)}, is_error=True)
        result = json.loads(json.dumps(asdict(found)))
        brief = {key: value for key, value in result.items() if key not in _FOR_CLIENTS}
        return ToolOutcome(result, brief={**brief, "rows": brief["rows"][:_ROWS_IN_PROMPT]})

    async def _categories(self, ledger: Ledger) -> Categories:
        """What is counted as what; of the corrections of several owners those of the one who asks decide."""
        if ledger.caller is None:
            return Categories(await self.by_meaning(ledger))
        own, owner_ids = ledger.caller.owner_id, ledger.caller.owner_ids
        kept = await self._payee_categories.list_of(owner_ids)
        own_last = sorted(kept, key=lambda corrections: corrections.owner_id == own)
        corrected = {payee: name for each in own_last for payee, name in each.categories.items()}
        return Categories(await self.by_meaning(ledger), corrected)

    async def _correct(self, ledger: Ledger, wanted: Correction) -> Report:
        """Keep a correction, or take it back, for all statements of the user from now on."""
        before = await self._categories(ledger)
        category = wanted.category_after(ledger, before)
        await self._keep(ledger.caller, wanted.payee, category)
        return await asyncio.to_thread(corrected, ledger, wanted, await self._categories(ledger))

    async def _keep(self, caller: Caller | None, payee: str, category: str | None) -> None:
        if caller is None:
            return
        kept = await self._payee_categories.list_of(caller.owner_ids)
        having = [each.owner_id for each in kept if payee in each.categories]
        for owner_id in having if category is None else (caller.owner_id,):
            if not await self._payee_categories.correct(owner_id, payee, category, self._clock.now()):
                raise StatementError(
                    f"You count {CORRECTIONS_MAX} payees as something else already; take one back first."
                )
        await self._require_account(caller)  # the user may have been erased while the model wrote

    async def by_meaning(self, ledger: Ledger) -> Mapping[str, str]:
        """The categories of texts that have no telling word, by the category that means most alike."""
        if self._embedder is None or self._embedder.model != ENCODER:
            return {}
        texts = await asyncio.to_thread(
            unexplained, [entry.transaction for entry in ledger.entries], _TEXTS_MAX
        )
        try:
            vectors = await self._vectors_of(self._embedder, [*meanings().values(), *texts])
        except EmbeddingError as error:
            _log.warning("payments could not be embedded, their words decide: %s", error.kind)
            return {}
        found: dict[str, str] = {}
        for text in texts:
            likeness = {name: _alike(vectors[text], vectors[said]) for name, said in meanings().items()}
            nearest = max(likeness, key=likeness.__getitem__)
            if likeness[nearest] >= _ALIKE:
                found[text] = nearest
        return found

    async def _vectors_of(self, embedder: Embedder, texts: Sequence[str]) -> Mapping[str, Vector]:
        """The vectors of these texts; those of the last ones are remembered."""
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        new = [text for text in dict.fromkeys(texts) if text not in found]
        if new:
            found.update(zip(new, await embedder.embed(new), strict=True))
            self._vectors.update((text, found[text]) for text in new)
        while len(self._vectors) > _VECTORS_KEPT:
            self._vectors.popitem(last=False)
        return found


def _alike(one: Vector, other: Vector) -> float:
    """The cosine of two vectors."""
    length = math.sqrt(_product(one, one) * _product(other, other))
    return _product(one, other) / length if length else 0.0


def _product(one: Vector, other: Vector) -> float:
    return float(sum(map(mul, one, other)))


def _described(ledger: Ledger) -> str:
    days = ""
    if ledger.entries:
        first, last = (_ENGLISH.day(ledger.entries[place].transaction.day) for place in (0, -1))
        days = f", from {first} to {last}"
    return (
        f"Exact figures from the user's bank statements in this conversation ({', '.join(ledger.filenames)}: "
        f"{len(ledger.entries)} transactions{days}). Use it for every sum, list or comparison of their "
        "payments instead of adding up yourself, and cite the rows of its result as they are written there."
    )


_LANGUAGE: Final[Mapping[str, Any]] = {
    "type": "string",
    "enum": [*languages()],
    "default": ENGLISH,
    "description": "The language of the sentences of the result",
}
_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "kind": {
            "type": "string",
            "enum": [kind.value for kind in Kind],
            "default": Kind.TOTALS.value,
            "description": "What to show: totals in and out, by month, category or counterparty, the "
            "largest, what recurs, two months compared, balances, the savings rate, or single transactions",
        },
        "direction": {
            "type": "string",
            "enum": [each.value for each in Direction],
            "default": Direction.ALL.value,
            "description": "Money out, money in, or both",
        },
        "match": {
            "type": "string",
            "description": "Words of a counterparty or text, such as a shop's name",
        },
        "category": {"type": "string", "enum": [*names()], "description": "One category alone"},
        "start": {"type": "string", "description": "The first day, as 2025-01-01"},
        "end": {"type": "string", "description": "The last day, as 2025-01-31"},
        "currency": {"type": "string", "description": "One currency alone, such as EUR"},
        "minimum": {
            "type": "string",
            "description": "The least amount of a payment, without a sign, as 100.50",
        },
        "maximum": {"type": "string", "description": "The greatest amount of a payment"},
        "months": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The two months to compare, the earlier first, as 2025-01; unset: the last two",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": LIMIT_MAX,
            "default": LIMIT,
            "description": "How many lines a list may have",
        },
        "language": _LANGUAGE,
    },
}

_OF_CATEGORIES: Final = (
    "Keep what the user counts payments in bank statements as, when the user says so: count Aldi as "
    "groceries; Aldi is not groceries. It holds for all statements of the user from now on."
)
_CATEGORY_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["match", "category"],
    "properties": {
        "match": {
            "type": "string",
            "description": "Words of the counterparty or text, such as a shop's name",
        },
        "category": {"type": "string", "enum": [*names()], "description": "The category that the user names"},
        "is_not": {
            "type": "boolean",
            "default": False,
            "description": "True when the user says that they are not of this category",
        },
        "language": _LANGUAGE,
    },
}
