"""The search of the list of conversations.

What is searched belongs to one caller, and the messages of a conversation lie in one place, so they are read
rather than indexed: nothing is written for a search. With 50,000 replies of one caller it takes half a second
of a reader thread (docs/benchmarks.md). Each statement returns one value, because a reader thread has to win
the interpreter lock for every row.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec

from finassist.adapters.sqlite.chat.listed import LISTED_CONVERSATION, listed_conversations
from finassist.adapters.sqlite.chat.superseded import is_visible
from finassist.adapters.sqlite.engine.codec import to_json
from finassist.adapters.sqlite.engine.connection import Connection, page_of
from finassist.adapters.sqlite.engine.database import snapshot
from finassist.application.ports.database import Page
from finassist.domain.conversations.conversation import ConversationFilter, ListedConversation
from finassist.domain.conversations.message import ListedMessage
from finassist.domain.conversations.searching import (
    FILES_SEARCHED,
    Found,
    FoundIn,
    Part,
    excerpt,
    excerpt_of_file,
    spelled,
)

_Holds = Callable[[str], str]
"""The condition that a text, an SQL expression, has the query."""

_CONTENT: Final = f"json_extract(shown, '$[{ListedMessage._fields.index('content')}]')"
_ATTACHMENTS: Final = f"json_each(shown, '$[{ListedMessage._fields.index('attachments')}]') AS attachment"
_ATTACHED: Final = "json_extract(attachment.value, '$.filename')"
_TRANSCRIPT: Final = "json_extract(attachment.value, '$.transcript')"
_FILE_ID: Final = "json_extract(attachment.value, '$.file_id')"
_OWNED: Final = "owner_id IN (SELECT value FROM json_each(:owners))"
_ASKED: Final = f"""questions WHERE questions.conversation_id = conversations.id
    AND instr(text_folded, :query) AND {is_visible("questions")}"""
# The whole message as it is stored is compared first: that is fast, and leaves few to be parsed.
_NEAR: Final = "messages WHERE messages.conversation_id = conversations.id AND shown LIKE :near"
# Questions alone have attachments. CROSS: only what has any is parsed, once.
_READ: Final = f"""questions CROSS JOIN messages USING (conversation_id, id) CROSS JOIN {_ATTACHMENTS}
    WHERE questions.conversation_id = conversations.id AND instr(shown, '"file_id":')
    AND {_FILE_ID} IN (SELECT value FROM json_each(:read))"""
_NEWEST_FILES: Final = f"""SELECT id FROM files WHERE {_OWNED} AND text IS NOT NULL
    ORDER BY id DESC LIMIT {FILES_SEARCHED}"""
_PAGE: Final = page_of(
    f"{LISTED_CONVERSATION}, 0", "FROM conversations WHERE id IN (SELECT value FROM json_each(?))"
)
_JOINED_MAX: Final = 12  # as deep as SQLite parses safely
_ANY: Final = "_"
_ESCAPED: Final = '"\\'


def search_page(
    connection: Connection,
    owner_ids: Sequence[str],
    which: ConversationFilter,
    query: str,
    limit: int,
    offset: int,
) -> Page[ListedConversation]:
    """The conversations of a page in which a query is found, and where."""
    parts = list(spelled(query))
    joined = list({letter: part.folded for part in parts for letter in part.joined}.items())[:_JOINED_MAX]
    values = {"query": query.casefold(), "owners": to_json(list(owner_ids))}
    values |= {"near": _near(parts), "like": _like(parts), "spelling": _glob(parts)}
    for number, pair in enumerate(joined):
        values[f"joined_{number}"], values[f"parts_{number}"] = pair

    def holds(text: str) -> str:
        whole = _unjoined(text, joined)
        return f"({whole} LIKE :like AND {whole} GLOB :spelling)"  # which takes ten times as long

    with snapshot(connection):
        read = _one(connection, _with_text(holds), values)
        values["read"] = to_json(read)
        ids = _one(connection, _matching(which, holds, bool(read)), {**values, **_chosen(which)})
        wanted = ids[offset : offset + limit]
        page = to_json(wanted)
        rows = connection.fetch_page(_PAGE, (page,))
        found = dict(_one(connection, _places(holds, bool(read)), {**values, "page": page}))
    listed = {
        item.id: item._replace(found=_told(query, found[item.id])) for item in listed_conversations(rows)
    }
    return Page(tuple(listed[each] for each in wanted), len(ids), limit, offset)


def _with_text(holds: _Holds) -> str:
    """The statement for the ids of the owners' files whose text has the query."""
    return f"""SELECT json_group_array(id) FROM files WHERE id IN ({_NEWEST_FILES}) AND {holds("text")}"""


def _matching(which: ConversationFilter, holds: _Holds, is_read: bool) -> str:
    """The statement for the ids of all conversations that have the query, in the order of the list.
    ``is_read`` says that a file has it in its text."""
    conditions = [_OWNED, "status IN (SELECT value FROM json_each(:statuses))"]
    if which.type is not None:
        conditions.append("type = :type")
    if which.pinned is not None:
        conditions.append("pinned = :pinned")
    if which.tags:
        conditions.append("""NOT EXISTS (SELECT 1 FROM json_each(:tags) AS wanted
            WHERE wanted.value NOT IN (SELECT value FROM json_each(conversations.tags)))""")
    attached = f"EXISTS (SELECT 1 FROM {_ATTACHMENTS} WHERE {holds(_ATTACHED)} OR {holds(_TRANSCRIPT)})"
    read = f"OR EXISTS (SELECT 1 FROM {_READ} AND {is_visible('messages')})" if is_read else ""
    conditions.append(f"""(instr(title_folded, :query) OR instr(preview_folded, :query)
        OR EXISTS (SELECT 1 FROM {_ASKED})
        OR EXISTS (SELECT 1 FROM {_NEAR} AND ({holds(_CONTENT)} OR {attached}) AND {is_visible("messages")})
        OR EXISTS (SELECT 1 FROM {_uploaded(holds)}) {read})""")
    return f"""SELECT json_group_array(id) FROM (SELECT id FROM conversations WHERE {" AND ".join(conditions)}
        ORDER BY pinned DESC, last_message_at DESC, id DESC)"""


def _chosen(which: ConversationFilter) -> dict[str, Any]:
    statuses, tags = to_json(list(which.statuses)), to_json(list(which.tags))
    return {"statuses": statuses, "type": which.type, "pinned": which.pinned, "tags": tags}


def _places(holds: _Holds, is_read: bool) -> str:
    """The statement for where the query was found: for each conversation of a page its id, and the place, the
    text and the message of the newest, and of a file with the query in its text that text."""
    question = f"""SELECT json_array('{FoundIn.QUESTION}', (SELECT {_CONTENT} FROM messages
            WHERE messages.conversation_id = conversations.id AND messages.id = questions.id), questions.id)
        FROM {_ASKED} ORDER BY questions.id DESC LIMIT 1"""
    reply = f"""SELECT json_array('{FoundIn.REPLY}', {_CONTENT}, messages.id) FROM {_NEAR}
        AND {holds(_CONTENT)} AND {is_visible("messages")} ORDER BY messages.id DESC LIMIT 1"""
    attached = _attached(holds(_ATTACHED))
    transcribed = _attached(holds(_TRANSCRIPT), f", {_TRANSCRIPT}")
    uploaded = f"""SELECT json_array('{FoundIn.FILE}', filename, NULL) FROM {_uploaded(holds)}
        ORDER BY files.id DESC LIMIT 1"""
    text = f"(SELECT text FROM files WHERE files.id = {_FILE_ID})"
    read = f"""(SELECT json_array('{FoundIn.FILE}', {_ATTACHED}, messages.id, {text})
        FROM {_READ} AND {is_visible("messages")} ORDER BY messages.id DESC LIMIT 1),"""
    return f"""SELECT json_group_array(json_array(id, json(iif(instr(title_folded, :query),
        json_array('{FoundIn.TITLE}', title, NULL),
        coalesce(({question}), ({attached}), ({uploaded}), ({transcribed}), {read if is_read else ""}
            ({reply}),
            json_array('{FoundIn.PREVIEW}', preview, NULL))))))
        FROM conversations WHERE id IN (SELECT value FROM json_each(:page))"""


def _attached(condition: str, text: str = "") -> str:
    """The statement for the newest message with an attachment of this condition."""
    messages, where = _NEAR.split(" WHERE ")
    return f"""SELECT json_array('{FoundIn.FILE}', {_ATTACHED}, messages.id{text})
        FROM {messages}, {_ATTACHMENTS} WHERE {where} AND {condition} AND {is_visible("messages")}
        ORDER BY messages.id DESC LIMIT 1"""


def _uploaded(holds: _Holds) -> str:
    """Files that were uploaded to a conversation; one that came inside a message is found with that."""
    return f"""files WHERE files.{_OWNED} AND files.conversation_id = conversations.id
        AND files.message_id IS NULL AND {holds("filename")}"""


def _told(query: str, place: list[Any]) -> Found:
    where, text, message_id, *within = place
    shown = excerpt_of_file(text, within[0], query) if within else excerpt(text, query)
    return Found(FoundIn(where), shown, message_id)


def _one(connection: Connection, statement: str, values: dict[str, Any]) -> Any:
    (value,) = connection.execute(statement, values).fetchone()
    return msgspec.json.decode(value)


def _unjoined(text: str, joined: Sequence[tuple[str, str]]) -> str:
    """The expression for a text in which single letters that fold to several are these."""
    for number in range(len(joined)):
        text = f"replace({text}, :joined_{number}, :parts_{number})"
    return text


def _glob(parts: Sequence[Part]) -> str:
    """The pattern of ``GLOB`` for texts that have this in them."""
    letters = (
        alike if len(alike) == 1 and alike not in "*?[" else f"[{alike}]"
        for part in parts
        for alike in part.letters
    )
    return f"*{''.join(letters)}*"


def _like(parts: Sequence[Part]) -> str:
    """A pattern of ``LIKE`` that matches all texts that have this in them, and some others: of ASCII alone it
    ignores the case, and for any other letter that has one it takes any character."""
    return f"%{''.join(map(_letter, (alike for part in parts for alike in part.letters)))}%"


def _letter(alike: str) -> str:
    return alike[0] if len(alike) == 1 or (alike.isascii() and len(alike) == 2) else _ANY


def _near(parts: Sequence[Part]) -> str:
    """The same for JSON that has this in it: the longest piece that is written in only one way there."""
    pieces = [""]
    for part in parts:
        if part.joined or part.folded < " " or part.folded in _ESCAPED:
            pieces.append("")
        else:
            pieces[-1] += _letter(part.letters[0])
    return f"%{max(pieces, key=lambda piece: len(piece.replace(_ANY, '')))}%"
