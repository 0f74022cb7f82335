"""Weaviate's collections: creating them, once also with parallel callers, reading and counting them."""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Final

import msgspec
from weaviate.classes.config import Configure, DataType, Property, Tokenization, VectorDistances
from weaviate.exceptions import UnexpectedStatusCodeError, WeaviateQueryError

from finassist.domain.knowledge import Article

VECTORS: Final = "passages"
"""The name of an article's vectors, one of each passage."""

KEPT: Final = ["record", "edition"]
"""The properties that an article is made of again."""

_EXISTS: Final = 422
_NAP_SECONDS: Final = 0.05

_decode = msgspec.json.Decoder(Article).decode


async def create(client: Any, name: str) -> None:
    """Make a collection of articles, unless another caller has."""
    exact: dict[str, Any] = {
        "data_type": DataType.TEXT,
        "tokenization": Tokenization.FIELD,
        "index_searchable": False,
    }
    searched: dict[str, Any] = {"data_type": DataType.TEXT, "tokenization": Tokenization.WHITESPACE}
    nearness = Configure.VectorIndex.hnsw(distance_metric=VectorDistances.DOT)
    await once(
        client.collections.create(
            name,
            properties=[
                Property(name="articleId", **exact),
                Property(name="edition", **exact),
                Property(name="titleTerms", **searched),
                Property(name="bodyTerms", **searched),
                Property(name="sections", **exact | {"index_filterable": False}),
                Property(name="record", **exact | {"index_filterable": False}),
            ],
            vector_config=[Configure.MultiVectors.self_provided(name=VECTORS, vector_index_config=nearness)],
        )
    )


async def create_states(client: Any, name: str) -> None:
    if not await client.collections.exists(name):
        edition = Property(name="edition", data_type=DataType.TEXT, index_searchable=False)
        vectors = Configure.Vectors.self_provided()
        await once(client.collections.create(name, properties=[edition], vector_config=vectors))
    await wait_for(client, name)


async def wait_for(client: Any, name: str) -> None:
    """What another caller has just made is known before it can be searched."""
    while True:
        try:
            await client.collections.use(name).query.fetch_objects(limit=1)
        except WeaviateQueryError:
            await asyncio.sleep(_NAP_SECONDS)
        else:
            return


async def once(call: Awaitable[object]) -> bool:
    """Whether this caller made what every caller wants made once: the servers agree on names (Raft)."""
    try:
        await call
    except UnexpectedStatusCodeError as error:
        if error.status_code != _EXISTS:
            raise
        return False
    return True


def article_of(stored: Any) -> Article:
    """The article of an object."""
    return _decode(stored.properties["record"])


async def everything(client: Any, collection: str) -> Sequence[tuple[Article, str]]:
    """The articles of a collection, with their editions; none when another command has just deleted it."""
    stored = client.collections.use(collection).iterator(return_properties=KEPT)
    try:
        return [(article_of(each), str(each.properties["edition"])) async for each in stored]
    except WeaviateQueryError:
        if await client.collections.exists(collection):
            raise
        return []


async def frequencies_of(client: Any, collection: str, terms: Sequence[str]) -> tuple[int, Mapping[str, int]]:
    """How many articles there are, and how many have each term, in one request."""
    counts = [f"all: {collection} {{meta {{count}}}}"]
    for number, term in enumerate(terms):
        having = f'{{path: ["titleTerms"], operator: Equal, valueText: {json.dumps(term)}}}'
        or_having = having.replace("titleTerms", "bodyTerms", 1)
        either = f"{{operator: Or, operands: [{having}, {or_having}]}}"
        counts.append(f"t{number}: {collection}(where: {either}) {{meta {{count}}}}")
    answer = await client.graphql_raw_query("{Aggregate {" + " ".join(counts) + "}}")
    found = {name: int(each[0]["meta"]["count"]) for name, each in answer.aggregate.items()}
    return found["all"], {term: found[f"t{number}"] for number, term in enumerate(terms)}
