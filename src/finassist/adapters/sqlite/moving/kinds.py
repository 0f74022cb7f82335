"""The tables of every kind of record."""

from collections.abc import Iterable, Mapping, Sequence
from sqlite3 import Connection
from types import MappingProxyType
from typing import Any, Final

from finassist.adapters.sqlite.moving.tables import Changes, Part, Row, Table, table_of
from finassist.adapters.sqlite.rows import MESSAGE_COLUMNS, message_from, message_row
from finassist.application.operations.moving.kinds import BY_NAME, As
from finassist.application.operations.moving.stores import (
    Fields,
    Key,
    Record,
    message_fields,
    message_of,
    normal_erasure,
)
from finassist.domain.conversations.message import Role

NOT_MOVED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "catalog_counts": "counts the rows of both catalogs, and is counted again at the end",
        "questions": "the folded texts of users' messages, which are written with them",
    }
)
"""Tables that are derived from others, each with the reason."""


class _Messages(Table):
    """A message is read and written as the repository does it: most of it is one value of its row."""

    __slots__ = ()

    @property
    def tables(self) -> Sequence[Changes]:
        return [("messages", ("id",))]

    def write(self, connection: Connection, records: Sequence[Record]) -> None:
        Table.write(self, connection, records)
        messages = [message_of(record.fields) for record in records]
        questions = [
            (message.conversation_id, message.id, message.content.casefold())
            for message in messages
            if message.role is Role.USER
        ]
        connection.executemany(
            "INSERT OR REPLACE INTO questions (conversation_id, id, text_folded) VALUES (?, ?, ?)", questions
        )

    def remove(self, connection: Connection, keys: Sequence[Key]) -> None:
        for (message_id,) in keys:
            pair = "SELECT conversation_id, id FROM messages WHERE id = ?"
            connection.execute(
                f"DELETE FROM questions WHERE (conversation_id, id) IN ({pair})", (message_id,)
            )
        Table.remove(self, connection, keys)

    def _selected(self) -> str:
        owner = "SELECT owner_id FROM conversations WHERE id = messages.conversation_id"
        return f"{MESSAGE_COLUMNS}, ({owner})"

    def _written(self) -> tuple[str, ...]:
        return tuple(name.strip() for name in MESSAGE_COLUMNS.split(","))

    def _records(self, connection: Connection, rows: Iterable[Row]) -> list[Record]:
        return [
            Record((message.id,), message_fields(message), {"owner_id": row[-1]})
            for row in rows
            for message in (message_from(row),)
        ]

    def _row(self, fields: Fields) -> Row:
        return message_row(message_of(fields))


class _Erasures(Table):
    """What an erasure counts and concerns is written as its repository writes it."""

    __slots__ = ()

    def _fields(self, row: Row) -> dict[str, Any]:
        return normal_erasure(Table._fields(self, row))

    def _row(self, fields: Fields) -> Row:
        return Table._row(self, normal_erasure(fields))


class _Sessions(Table):
    """A session's devices are pairs."""

    __slots__ = ()

    def _fields(self, row: Row) -> dict[str, Any]:
        fields = Table._fields(self, row)
        fields["devices"] = [[each["id"], each.get("platform")] for each in fields["devices"]]
        return fields

    def _row(self, fields: Fields) -> Row:
        devices = [{"id": device_id, "platform": platform} for device_id, platform in fields["devices"]]
        return Table._row(self, {**fields, "devices": devices})


class _IdempotencyKeys(Table):
    """The empty text is a turn that is not stored yet."""

    __slots__ = ()

    def _fields(self, row: Row) -> dict[str, Any]:
        fields = Table._fields(self, row)
        return {**fields, "message_id": fields["message_id"] or None}

    def _row(self, fields: Fields) -> Row:
        return Table._row(self, {**fields, "message_id": fields["message_id"] or ""})


class _Single(Table):
    """The one row of a table, whose number is 1. A version that was never raised is no record."""

    __slots__ = ()

    @property
    def tables(self) -> Sequence[Changes]:
        return [(self.table, ("id",))]

    def page(
        self, connection: Connection, cursor: str | None, limit: int
    ) -> tuple[Sequence[Record], str | None]:
        return self.read(connection, ()), None

    def read(self, connection: Connection, keys: Sequence[Key]) -> Sequence[Record]:
        names = [name for name, _ in self._own() if name != "id"]
        row = connection.execute(f"SELECT {', '.join(names)} FROM {self.table} WHERE id = 1").fetchone()
        if row is None or row == (0,):
            return ()
        holds = self.kind.fields
        values = {
            name: value == 1 if holds[name] is As.FLAG else value
            for name, value in zip(names, row, strict=True)
        }
        return [Record((self.kind.name,), {"id": self.kind.name, **values})]

    def count(self, connection: Connection, expires_after: int) -> int:
        return len(self.read(connection, ()))

    def remove(self, connection: Connection, keys: Sequence[Key]) -> None:
        """Nothing: these are never deleted."""

    def _row(self, fields: Fields) -> Row:
        return Table._row(self, {**fields, "id": 1})


class _Links(Table):
    """All links are one record."""

    __slots__ = ()

    def written(self) -> Mapping[str, Sequence[str]]:
        return {"links": ("name", "url")}

    @property
    def tables(self) -> Sequence[Changes]:
        return [("links", ("name",))]

    def page(
        self, connection: Connection, cursor: str | None, limit: int
    ) -> tuple[Sequence[Record], str | None]:
        return self.read(connection, ()), None

    def read(self, connection: Connection, keys: Sequence[Key]) -> Sequence[Record]:
        rows = connection.execute("SELECT name, url FROM links ORDER BY name").fetchall()
        return [Record(("links",), {"id": "links", "values": [list(row) for row in rows]})] if rows else ()

    def write(self, connection: Connection, records: Sequence[Record]) -> None:
        for record in records:
            connection.execute("DELETE FROM links")
            connection.executemany("INSERT INTO links (name, url) VALUES (?, ?)", record.fields["values"])

    def remove(self, connection: Connection, keys: Sequence[Key]) -> None:
        """Nothing: links are never deleted."""

    def count(self, connection: Connection, expires_after: int) -> int:
        return len(self.read(connection, ()))


def _email_folded(fields: Fields) -> str | None:
    return None if fields["email"] is None else fields["email"].casefold()


_TOKENS: Final = Part(
    "tokens",
    "refresh_tokens",
    "family_id",
    "id",
    {"hash": As.TEXT, "expires_at": As.TIME, "used_at": As.TIME},
    {"subject": lambda fields: fields["subject"]},
)
_SHARE: Final = {"ends_at": "expires_at"}

TABLES: Final = (
    table_of(
        "users",
        derived={"email_folded": _email_folded},
        parts=(Part("identities", "identities", "user_id", "id", {"issuer": As.TEXT, "subject": As.TEXT}),),
    ),
    table_of("devices"),
    table_of(
        "accounts",
        derived={"email_folded": _email_folded},
        parts=(
            Part(
                "social",
                "account_social",
                "subject",
                "subject",
                {"issuer": As.TEXT, "social_subject": As.TEXT},
            ),
        ),
    ),
    _Sessions(BY_NAME["sessions"], parts=(_TOKENS,)),
    *map(table_of, ("tickets", "sign_in_failures", "sign_in_addresses", "second_factors")),
    *map(table_of, ("second_factor_challenges", "otp_codes")),
    table_of(
        "quotas",
        parts=(
            Part(
                "reservations",
                "quota_reservations",
                "subject",
                "subject",
                {"turn_id": As.TEXT, "reserved_at": As.TIME},
            ),
        ),
    ),
    *map(table_of, ("rate_windows", "preprompts", "second_opinion_preprompts", "visual_embeds")),
    _IdempotencyKeys(BY_NAME["idempotency_keys"]),
    _Links(BY_NAME["links"]),
    _Single(BY_NAME["catalog_filling"]),
    _Single(BY_NAME["catalog_versions"], name="visual_embeds_version"),
    table_of(
        "user_profiles",
        parts=(
            Part(
                "answers",
                "profile_answers",
                "user_id",
                "user_id",
                {"question_key": As.TEXT, "value": As.DATA, "do_not_use": As.FLAG},
            ),
        ),
    ),
    table_of("payee_categories"),
    table_of(
        "conversations",
        derived={
            "title_folded": lambda fields: fields["title"].casefold(),
            "preview_folded": lambda fields: fields["preview"].casefold(),
        },
    ),
    _Messages(BY_NAME["messages"], order=("conversation_id", "id")),
    table_of("files"),
    table_of(
        "shares",
        order=("id",),
        columns=_SHARE,
        parts=(
            Part(
                "days",
                "share_days",
                "share_id",
                "share_id",
                {"day": As.NUMBER, "views": As.NUMBER, "unique_viewers": As.NUMBER},
            ),
            Part(
                "viewers",
                "share_viewers",
                "share_id",
                "share_id",
                {"viewer": As.TEXT, "counted_at": As.TIME},
            ),
        ),
    ),
    table_of("share_texts"),
    _Erasures(BY_NAME["erasures"]),
    *map(table_of, ("erased_identities", "audit_records")),
)

BY_KIND: Final[Mapping[str, Table]] = MappingProxyType({table.kind.name: table for table in TABLES})
