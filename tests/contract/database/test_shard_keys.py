"""The plan of docs/scaling.md holds for the queries of today, in every test that uses ``store``."""

import pytest
from pymongo.monitoring import CommandStartedEvent

from contract.shard_keys import RecordedQueries, scatters, shard_keys, unlisted
from finassist.adapters.mongo.engine.collections import ALL_DOCUMENTS
from finassist.adapters.mongo.engine.gate import MOVES, NOTES


def recorded(name: str, **command: object) -> set[tuple[str, str]]:
    queries = RecordedQueries()
    queries.started(CommandStartedEvent({name: "messages", **command}, "db", 1, ("host", 1), 1))
    return queries.queries


def test_every_collection_has_a_shard_key_or_stays_on_one_shard() -> None:
    assert set(shard_keys()) == {document.Settings.name for document in ALL_DOCUMENTS} | {MOVES, NOTES}


def test_what_is_listed_does_not_name_its_shard_key() -> None:
    assert [query for query in scatters() if shard_keys()[query[0]] in query[1].split()] == []


@pytest.mark.parametrize(
    ("where", "is_fine"),
    [
        ({"conversation_id": 1}, True),
        ({"conversation_id": {"$in": [1, 2]}, "_id": 3}, True),
        ({"$and": [{"conversation_id": 1}, {"_id": {"$gt": 2}}]}, True),
        ({"conversation_id": {"$gt": 1}}, False),
        ({"model": "a-new-query"}, False),
    ],
)
def test_a_new_query_names_its_shard_key_or_fails(where: dict[str, object], is_fine: bool) -> None:
    for sent in (
        recorded("find", filter=where),
        recorded("update", updates=[{"q": where, "u": {}}]),
        recorded("delete", deletes=[{"q": where, "limit": 1}]),
        recorded("aggregate", pipeline=[{"$match": where}, {"$group": {"_id": None}}]),
        recorded("findAndModify", query=where),
        recorded("distinct", query=where, key="_id"),
    ):
        assert (unlisted(sent) == set()) is is_fine
