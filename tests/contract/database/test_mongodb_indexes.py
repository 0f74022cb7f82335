"""The MongoDB of the tests finds the same with an index as without one, whatever the documents hold.

mongo-java-server has no indexes but unique ones: the others are ours (``tests/engines/mongo_java_server``).
"""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from bson import Decimal128, ObjectId
from pymongo import MongoClient
from pymongo.collection import Collection

from engines.mongodb import empty_mongodb

pytestmark = pytest.mark.engine

Stored = dict[str, Any]

DOCUMENTS, ROUNDS, QUERIES = 120, 6, 25
FIELDS = ("a", "b", "c.d")
IDS = [ObjectId() for _ in range(DOCUMENTS)]
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = [0, -0.0, 1, 1.5, 2**60, 2**60 + 1, Decimal128("1")]
SCALARS = [*NUMBERS, "", "x", "y", True, False, IDS[0], IDS[1], MOMENT]


@pytest.fixture
def database() -> Iterator[Any]:
    with empty_mongodb() as url, MongoClient[Stored](url) as client:
        yield client.get_default_database()


class Chance(random.Random):
    """Documents, queries and changes at random."""

    def value(self) -> Any:
        several = [self.choice([*SCALARS, None]) for _ in range(self.randrange(3))]
        return self.choices([self.choice(SCALARS), several, None, {"d": 1}], weights=(12, 4, 1, 1))[0]

    def document(self) -> Stored:
        made = {name: self.value() for name in ("a", "b") if self.random() < 0.8}
        inside = [
            {"d": self.value()} if self.random() < 0.8 else {"e": 1} for _ in range(self.randrange(1, 3))
        ]
        return made | ({"c": self.choice([inside, inside[0], 1])} if self.random() < 0.8 else {})

    def condition(self) -> Any:
        some = self.sample(SCALARS, 2)
        return self.choice(
            [
                *some, None, self.value(), {"$eq": some[0]}, {"$in": some}, {"$in": []},
                {"$in": [some[0], None]}, {"$gt": some[0]}, {"$lte": some[0]}, {"$gt": 0, "$lt": 2},
                {"$gte": some[0], "$lt": some[1]}, {"$not": {"$gt": some[0]}},
                {"$ne": some[0]}, {"$nin": some}, {"$exists": True}, {"$exists": False}, {"$size": 2},
            ]
        )  # fmt: skip

    def query(self, depth: int = 0) -> Stored:
        made = {name: self.condition() for name in self.sample(FIELDS, self.randrange(1, 3))}
        if depth < 2 and self.random() < 0.3:
            made[self.choice(["$and", "$or", "$nor"])] = [self.query(depth + 1) for _ in range(2)]
        if self.random() < 0.1:
            made["_id"] = self.choice(
                [{"$in": self.sample(IDS, 3)}, {"$gt": self.choice(IDS)}, self.choice(IDS)]
            )
        return made

    def change(self) -> Callable[[Collection[Stored]], object]:
        query, name = self.query(), self.choice(FIELDS[:2])
        update = self.choice([{"$set": {name: self.value()}}, {"$unset": {name: ""}}, {"$set": {"other": 1}}])
        replaced, document = self.choice(IDS), self.document()
        return self.choice(
            [
                lambda collection: collection.update_many(query, update),
                lambda collection: collection.replace_one({"_id": replaced}, document, upsert=True),
                lambda collection: collection.delete_many({"_id": {"$in": IDS[:9]}, **query}),
            ]
        )


def by_id(found: Any) -> list[Stored]:
    return sorted(found, key=lambda stored: str(stored["_id"]))


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_same_with_and_without_an_index(database: Any, seed: int) -> None:
    chance = Chance(seed)
    plain, indexed = database["plain"], database["indexed"]
    indexed.create_index([("a", 1), ("b", 1)], name="by_a")
    documents = [{"_id": identifier, **chance.document()} for identifier in IDS]
    for collection in (plain, indexed):
        collection.insert_many(documents)
    indexed.create_index("b", name="by_b", sparse=True)
    indexed.create_index("c.d", name="by_d")
    matched = 0
    for turn in range(ROUNDS):
        for query in (chance.query() for _ in range(QUERIES)):
            expected = by_id(plain.find(query))
            assert by_id(indexed.find(query)) == expected, query
            assert list(indexed.find(query, sort=[("_id", 1)], batch_size=7)) == expected, query
            assert list(indexed.find(query, {"a": 1}, sort=[("_id", 1)], limit=3)) == [
                {name: stored[name] for name in ("_id", "a") if name in stored} for stored in expected[:3]
            ]
            assert indexed.count_documents(query) == len(expected), query
            assert sorted(indexed.distinct("_id", query)) == [stored["_id"] for stored in expected], query
            matched += len(expected)
        change = chance.change()
        for collection in (plain, indexed):
            change(collection)
        assert by_id(indexed.find()) == by_id(plain.find())
        if turn == ROUNDS - 2:
            indexed.drop_index("by_a")
    assert matched > ROUNDS * QUERIES


def test_a_walk_by_id_finds_once_what_is_there_all_the_time(database: Any) -> None:
    walked = database["walked"]
    walked.insert_many({"_id": number, "kind": number % 2} for number in range(0, 400, 2))
    found = []
    for stored in walked.find({"kind": 0, "_id": {"$gt": 10}}, sort=[("_id", 1)], batch_size=10):
        found.append(stored["_id"])
        if len(found) % 7 == 0:
            walked.delete_one({"_id": stored["_id"]})  # what was found already
            walked.insert_one({"_id": stored["_id"] + 3, "kind": 0})
    assert [number for number in found if number % 2 == 0] == list(range(12, 400, 2))
    assert found == sorted(set(found))


def test_clients_side_by_side_find_what_each_has_written(database: Any) -> None:
    shared = database["shared"]
    shared.create_index("holder")

    def use(holder: int) -> None:
        for number in range(60):
            shared.insert_one({"_id": f"{holder}-{number}", "holder": holder})
            taken = shared.find_one_and_update({"holder": holder}, {"$set": {"holder": -holder}})
            assert taken["_id"] == f"{holder}-{number}"
            assert shared.count_documents({"holder": -holder}) == number + 1
            assert shared.find_one({"holder": holder}) is None
        shared.delete_many({"holder": -holder})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(use, range(1, 5)))
    assert shared.count_documents({}) == 0
    shared.drop()
    shared.insert_one({"holder": 1})
    assert shared.count_documents({"holder": {"$gte": 1}}) == 1
