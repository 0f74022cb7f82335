"""Reading the bank statements of a conversation."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from finassist.application.ports.files import FileRepository, ObjectStore, Spool, StatementReader
from finassist.domain.conversations.message import Attachment, Message
from finassist.domain.errors import FinassistError, ValidationFailed
from finassist.domain.files.content import FileKind
from finassist.domain.files.record import StoredFile
from finassist.domain.statements.ledger import Ledger, Named, ledger_of
from finassist.domain.statements.record import Statement
from finassist.domain.users import Caller

FILES_MAX: Final = 20
"""The newest files of a conversation that are read."""

ROWS_KEPT: Final = 50_000
"""Transactions that a process remembers, so that a file is not decoded with every question."""

_KINDS: Final = (FileKind.TEXT, FileKind.PDF)

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
        if not read:
            return None
        ledger = await asyncio.to_thread(ledger_of, read, problems)
        return replace(ledger, caller=caller)

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
