"""The bank statements of a conversation: reading them, and the tool that calculates from them."""

import asyncio
import json
import logging
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from operator import mul
from typing import Any, Final

from finassist.application.ports.files import FileRepository, ObjectStore, Spool, StatementReader
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.application.ports.language_model import ToolOutcome, ToolSpec
from finassist.domain.conversations.message import Attachment, Message
from finassist.domain.errors import EmbeddingError, FinassistError, ValidationFailed
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.statements.categories import ENCODER, meanings, names, unexplained
from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.query import LIMIT, LIMIT_MAX, Direction, Kind, query_of
from finassist.domain.statements.record import Statement, StatementError
from finassist.domain.statements.reports import report
from finassist.domain.statements.wording import day_said
from finassist.domain.users import Caller

STATEMENT: Final = "statement"
"""The name of the tool."""

FILES_MAX: Final = 20
"""The newest files of a conversation that are read."""

ROWS_KEPT: Final = 50_000
"""Transactions that a process remembers, so that a file is not decoded with every question."""

_KINDS: Final = (FileKind.TEXT, FileKind.PDF)
_TEXTS_MAX: Final = 60
"""Texts without a telling word whose meaning is looked for, those with the most money."""
_ALIKE: Final = 0.35
_VECTORS_KEPT: Final = 4_000
_ROWS_IN_PROMPT: Final = 20
_CHART: Final = "series"

_log = logging.getLogger(__name__)


class ReadStatements:
    """Read the bank statements among the files of a conversation, each file once in a process. A file that
    is no statement is left to others; one that cannot be read is named in ``problems`` of the ledger."""

    def __init__(
        self,
        *,
        files: FileRepository,
        object_store: ObjectStore,
        spool: Spool,
        statement_reader: StatementReader,
    ) -> None:
        self._files = files
        self._object_store = object_store
        self._spool = spool
        self._statement_reader = statement_reader
        self._known: OrderedDict[str, Statement | str | None] = OrderedDict()

    async def __call__(
        self, caller: Caller, history: Sequence[Message], current: Sequence[Attachment]
    ) -> Ledger | None:
        """The statements together; None for a conversation without any. The ``caller`` owns it, so a file of
        anybody else's is as good as deleted."""
        attached = chain(*(message.attachments for message in history), current)
        ids = list(dict.fromkeys(attachment.file_id for attachment in attached))[-FILES_MAX:]
        if not ids:
            return None
        found = {file.id: file for file in await self._files.get_many(ids)}
        read: list[Named] = []
        problems: dict[str, str] = {}
        for file in (found[file_id] for file_id in ids if file_id in found):
            if file.owner_id not in caller.owner_ids or file.kind not in _KINDS:
                continue
            statement = await self._statement(caller, file)
            if isinstance(statement, str):
                problems[file.filename] = statement
            elif statement is not None:
                read.append(Named(file.filename, statement))
        return await asyncio.to_thread(ledger_of, read, problems) if read else None

    async def _statement(self, caller: Caller, file: StoredFile) -> Statement | str | None:
        """The statement in a file, or why it cannot be read, which is remembered, too."""
        if file.id in self._known:
            self._known.move_to_end(file.id)
            return self._known[file.id]
        try:
            found: Statement | str | None = await self._decoded(caller, file)
        except ValidationFailed as refusal:
            found = " ".join(error.message for error in refusal.errors)
        except FinassistError as error:
            _log.warning("an attachment could not be read as a statement: %s", error.code)
            return "Could not be read at the moment."
        self._known[file.id] = found
        while len(self._known) > 1 and sum(map(_weight, self._known.values())) > ROWS_KEPT:
            self._known.popitem(last=False)
        return found

    async def _decoded(self, caller: Caller, file: StoredFile) -> Statement | None:
        async with self._spool.draft() as draft:
            async for piece in self._object_store.open(file.key):
                await draft.write(piece)
            await draft.finish()
            return await self._statement_reader.statement(draft.path, mime_type=file.mime_type, caller=caller)


def _weight(known: Statement | str | None) -> int:
    """How many rows are remembered of a file; other files count as one."""
    return 1 + known.rows if isinstance(known, Statement) else 1


class StatementTool:
    """The tool ``statement``: exact sums, lists and comparisons of the transactions of a conversation."""

    def __init__(self, *, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def spec(self, ledger: Ledger) -> ToolSpec:
        """The tool as it is described to a model, with what there is to ask about."""
        return ToolSpec(name=STATEMENT, description=_described(ledger), parameters=_SCHEMA)

    async def call(self, ledger: Ledger, arguments: Mapping[str, Any]) -> ToolOutcome:
        """Check the arguments that a model wrote, and calculate. Never raises for what a model gets wrong."""
        try:
            query = query_of(arguments)
            meant = await self.by_meaning(ledger)
            found = await asyncio.to_thread(report, ledger, query, meant)
        except StatementError as error:
            return ToolOutcome({"error": str(error)}, is_error=True)
        result = json.loads(json.dumps(asdict(found)))
        brief = {key: value for key, value in result.items() if key not in (_CHART, "unread")}
        return ToolOutcome(result, brief={**brief, "rows": brief["rows"][:_ROWS_IN_PROMPT]})

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
        first, last = ledger.entries[0].transaction.day, ledger.entries[-1].transaction.day
        days = f", from {day_said(first)} to {day_said(last)}"
    return (
        f"Exact figures from the user's bank statements in this conversation ({', '.join(ledger.filenames)}: "
        f"{len(ledger.entries)} transactions{days}). Use it for every sum, list or comparison of their "
        "payments instead of adding up yourself, and cite the rows of its result as they are written there."
    )


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
    },
}
