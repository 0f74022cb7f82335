"""The knowledge base in Weaviate: words and vectors in one hybrid query of the server."""

import asyncio
import hashlib
import logging
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter, HybridFusion, MetadataQuery, Sort
from weaviate.util import generate_uuid5

from finassist.adapters.data_files.vocabulary import vocabulary
from finassist.adapters.sqlite.retrieval.section_search import FoundSection, Row, SectionQuery
from finassist.adapters.sqlite.retrieval.sections import PASSAGE_END, WORDING_END, SectionIndex
from finassist.adapters.sqlite.retrieval.stems import Stemmer
from finassist.adapters.vectors.weaviate_active import ActiveCollection
from finassist.adapters.vectors.weaviate_collections import (
    KEPT,
    VECTORS,
    article_of,
    create_states,
    everything,
    frequencies_of,
    once,
)
from finassist.adapters.vectors.weaviate_server import WeaviateServer
from finassist.application.ports.knowledge import Embedder, Vector
from finassist.domain.errors import Conflict, EmbeddingError, KnowledgeError
from finassist.domain.knowledge import Article, Hit
from finassist.domain.retrieval.hybrid import asked_for, texts_to_embed
from finassist.domain.retrieval.relevance import TITLE_WEIGHT

_CANDIDATES: Final = 20
_MEANING: Final = 0.5
"""The weight of the vectors in the server's fusion, beside 0.5 for the words."""
_FUSED_SHARE: Final = 0.3
"""How much the server's fusion counts in the order, beside our own score of the words."""
_BATCH: Final = 100
_PAGED_MAX: Final = 10_000
"""The server pages no further."""
_SEARCHED: Final = [f"titleTerms^{TITLE_WEIGHT}", "bodyTerms"]
_OWN: Final = "own"
"""The edition of what an operator added."""
_NAME: Final = "FinassistKnowledge"
_STATE: Final = generate_uuid5("state")

_decode_sections = msgspec.json.Decoder(list[tuple[int, str]]).decode

_log = logging.getLogger(__name__)


class WeaviateKnowledge:
    """``KnowledgeBase`` in one Weaviate, shared by all hosts.

    An article is one object with a vector of each passage. Weaviate knows no stems, so title and body are
    indexed as the stems that the embedded index would make. All articles of one embedder's model are a
    collection, to which an alias points; another model is refused until ``replace_vectors``. Shipped articles
    show when the state names their edition; the edition before is kept, for searches that began earlier.
    """

    def __init__(
        self, server: WeaviateServer, embedder: Embedder | None = None, *, name: str = _NAME
    ) -> None:
        self._server = server
        self._embedder = embedder
        self._name = name
        self._vocabulary = vocabulary()
        self._stemmer = Stemmer()
        self._sections = SectionIndex(self._vocabulary, self._stemmer)
        self._active = ActiveCollection(name, embedder.model if embedder is not None else "")
        self._has_state = False
        self._storing = asyncio.Lock()

    async def open(self) -> None:
        """Nothing yet: a server that is not there must not keep the service from starting."""

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def add(self, articles: Sequence[Article]) -> int:
        newest = list({article.id: article for article in articles}.values())
        for batch in _batches(newest):
            await self._store(batch, _OWN)
            await self._delete_shipped(batch)
        return len(articles)

    async def has_edition(self, edition: str) -> bool:
        async with self._server.calling() as client:
            return bool(await self._edition(client) == edition)

    async def store_edition(self, articles: Sequence[Article], *, edition: str) -> bool:
        async with self._storing:
            async with self._server.calling() as client:
                if await self._edition(client) == edition:
                    return False
            for batch in _batches(articles):
                own = {article.id for article in await self._stored(batch, _OWN)}
                await self._store([article for article in batch if article.id not in own], edition)
                if added := [article for article in await self._stored(batch, _OWN) if article.id not in own]:
                    await self._delete_shipped(added)  # a command has stored them meanwhile
            async with self._server.writing() as client:
                return await self._show(client, edition)

    async def list(self, *, limit: int, offset: int) -> Sequence[Article]:
        async with self._server.writing() as client:
            collection = await self._collection(client)
            editions = (_OWN, await self._edition(client))
            if offset + limit > _PAGED_MAX:
                every = [each async for each in collection.iterator(return_properties=KEPT)]
                found = [article_of(each) for each in every if each.properties["edition"] in editions]
                return sorted(found, key=lambda article: article.id)[offset : offset + limit]
            answer = await collection.query.fetch_objects(
                filters=_of(editions), sort=Sort.by_property("articleId"), limit=limit, offset=offset
            )
            return [article_of(each) for each in answer.objects]

    async def count(self) -> int:
        async with self._server.calling() as client:
            collection = await self._collection(client)
            shown = _of((_OWN, await self._edition(client)))
            answer = await collection.aggregate.over_all(total_count=True, filters=shown)
            return int(answer.total_count)

    async def search(self, query: str, *, limit: int) -> Sequence[Hit]:
        asked = SectionQuery(query, self._vocabulary, self._stemmer)
        if not asked:
            return ()
        vector = await self._vector(query)
        async with self._server.calling() as client:
            collection = await self._collection(client)
            shown = _of((_OWN, await self._edition(client)))
            by_words, by_both, (size, frequencies) = await asyncio.gather(
                self._by_words(collection, asked.stems, filters=shown, limit=limit + _CANDIDATES),
                self._by_both(collection, asked.stems, vector, filters=shown, limit=limit + _CANDIDATES),
                frequencies_of(client, collection.name, asked.stems),
            )
            found = {each.uuid: each for each in (*by_words, *by_both)}
            objects = list(found.values())
            rows = [row for number, each in enumerate(objects) for row in _sections(number, each)]
            sections = asked.rank(rows, size, frequencies, len(objects))
            hits = [_hit(section, article_of(objects[section.article])) for section in sections]
            fused = [objects[section.article].metadata.score or 0.0 for section in sections]
        return _fused(hits, fused)[:limit]

    async def replace_vectors(self) -> int:
        """Copy what another model's collection holds, also what is added meanwhile, into one of this model;
        one of several commands does. The others return 0, and finish what one that was stopped has left."""
        async with self._server.writing() as client:
            earlier = await self._active.target(client, fresh=True)
            if is_done := self._active.is_ours(earlier):
                replaced = await self._active.replaced(client)
            else:
                every = await everything(client, earlier)
                made = await self._active.another(client)
        if is_done:
            if replaced is not None:
                await self._delete_replaced(replaced, earlier)
            return 0
        try:
            await self._copy(every, made)
        except BaseException:
            async with self._server.writing() as client:
                await client.collections.delete(made)
            raise
        async with self._server.writing() as client:
            taken = await self._active.replace(client, earlier, made)
        if taken is not None:
            await self._delete_replaced(earlier, taken, every if taken == made else None)
        return len(every) if taken == made else 0

    async def _delete_replaced(
        self, earlier: str, active: str, copied: Sequence[tuple[Article, str]] | None = None
    ) -> None:
        """Delete a collection that was replaced, once the articles that came later are copied too."""
        async with self._server.writing() as client:
            there = set(await everything(client, active) if copied is None else copied)
            # What comes to the earlier one from now on is written again: see ``_store``.
            late = [each for each in await everything(client, earlier) if each not in there]
        await self._copy(late, active)
        await self._delete_shipped([article for article, edition in [*there, *late] if edition == _OWN])
        async with self._server.writing() as client:
            await self._active.forget(client, earlier)

    async def _copy(self, stored: Sequence[tuple[Article, str]], to: str) -> None:
        for edition in sorted({edition for _, edition in stored}):
            for batch in _batches([article for article, of in stored if of == edition]):
                await self._put(to, batch, edition)

    async def vectors(self) -> Mapping[str, Vector]:
        """The vectors of this embedder's model, by the text that each was made of."""
        async with self._server.writing() as client:
            collection = await self._collection(client)
            if not self._active.is_ours(collection.name):
                return {}
            every = [each async for each in collection.iterator(include_vector=True, return_properties=KEPT)]
        return {
            text: array("f", vector)
            for each in every
            for article in (article_of(each),)
            for text, vector in zip(
                texts_to_embed(article.title, article.body, quotable=article.quotable),
                each.vector.get(VECTORS, ()),
                strict=False,
            )
        }

    # Where the articles are.

    async def _collection(self, client: Any) -> Any:
        return client.collections.use(await self._active.target(client))

    async def _edition(self, client: Any) -> str:
        """Which edition of the shipped articles shows; none is the empty text."""
        states = client.collections.use(self._name + "State")
        if not self._has_state:
            await create_states(client, states.name)
            self._has_state = True
        state = await states.query.fetch_object_by_id(_STATE)
        return "" if state is None else str(state.properties["edition"])

    async def _show(self, client: Any, edition: str) -> bool:
        """Let this edition show; False when another caller did. What decides is the one alias."""
        earlier = await self._edition(client)
        states = client.collections.use(self._name + "State")
        prefix = f"{self._name}Edition_"
        alias = prefix + hashlib.sha256(edition.encode()).hexdigest()[:16]
        first = await once(client.alias.create(alias_name=alias, target_collection=states.name))
        await states.data.insert_many([DataObject(properties={"edition": edition}, uuid=_STATE)])
        if first:
            collection = await self._collection(client)
            await collection.data.delete_many(
                where=Filter.all_of(
                    [Filter.by_property("edition").not_equal(kept) for kept in {_OWN, edition, earlier}]
                )
            )
            for other in await client.alias.list_all(collection=states.name):
                if other != alias and other.startswith(prefix):
                    await client.alias.delete(alias_name=other)
        return first

    # What is written.

    async def _store(self, articles: Sequence[Article], edition: str) -> None:
        """Write the articles that are not there as they are; only those are embedded. What was written to a
        collection that another command has replaced meanwhile may be lost with it: it is written again."""
        stored_in = ""
        while True:
            async with self._server.calling() as client:
                target = await self._active.target(client, fresh=True)
            if target == stored_in:
                return
            if not self._active.is_ours(target):
                raise Conflict(
                    "The knowledge base in Weaviate was filled with another EMBEDDINGS_MODEL: "
                    "run `finassist knowledge embed --replace` to embed it again."
                )
            there = await self._stored(articles, edition)
            await self._put(target, [article for article in articles if article not in there], edition)
            stored_in = target

    async def _delete_shipped(self, articles: Sequence[Article]) -> None:
        """Delete the shipped articles that an operator has replaced by these."""
        for batch in _batches(articles):
            async with self._server.writing() as client:
                collection = await self._collection(client)
                shipped = Filter.by_property("edition").not_equal(_OWN)
                await collection.data.delete_many(where=_about(batch) & shipped)

    async def _stored(self, articles: Sequence[Article], edition: str) -> Sequence[Article]:
        async with self._server.writing() as client:
            collection = await self._collection(client)
            found = await collection.query.fetch_objects(
                filters=_about(articles) & _of((edition,)), limit=len(articles), return_properties=KEPT
            )
            return [article_of(each) for each in found.objects]

    async def _put(self, target: str, articles: Sequence[Article], edition: str) -> None:
        if not articles:
            return
        texts = [
            texts_to_embed(article.title, article.body, quotable=article.quotable) for article in articles
        ]
        vectors: Iterator[Vector] | None = None
        if self._embedder is not None:
            vectors = iter(await self._embedder.embed([text for each in texts for text in each]))
        objects = [
            DataObject(
                uuid=generate_uuid5(f"{edition}\0{article.id}"),
                properties=self._properties(article, edition),
                vector=None if vectors is None else {VECTORS: [next(vectors).tolist() for _ in each]},
            )
            for article, each in zip(articles, texts, strict=True)
        ]
        async with self._server.writing() as client:
            answer = await client.collections.use(target).data.insert_many(objects)
        if answer.has_errors:
            raise KnowledgeError(f"The knowledge base's server refused {len(answer.errors)} articles.")

    def _properties(self, article: Article, edition: str) -> dict[str, str]:
        sections = list(self._sections.sections(article.body, article.variants))
        return {
            "articleId": article.id,
            "edition": edition,
            "titleTerms": self._sections.stems(article.title),
            "bodyTerms": " ".join(
                body.replace(PASSAGE_END, " ").replace(WORDING_END, " ") for _, body in sections
            ),
            "sections": msgspec.json.encode(sections).decode(),
            "record": msgspec.json.encode(article).decode(),
        }

    # What is searched.

    async def _vector(self, query: str) -> Vector | None:
        """The question's vector; None when the search is by words alone."""
        if self._embedder is None or not self._active.may_be_ours:
            return None
        try:
            return await self._embedder.embed_search(asked_for(query))
        except EmbeddingError as error:
            _log.warning("the query could not be embedded, the search is lexical: %s", error.kind)
            return None

    async def _by_words(self, collection: Any, terms: Sequence[str], **limits: Any) -> Sequence[Any]:
        answer = await collection.query.bm25(" ".join(terms), query_properties=_SEARCHED, **limits)
        objects: Sequence[Any] = answer.objects
        return objects

    async def _by_both(
        self, collection: Any, terms: Sequence[str], vector: Vector | None, **limits: Any
    ) -> Sequence[Any]:
        """What the server finds by words and meaning, with its score."""
        if vector is None or not self._active.is_ours(collection.name):
            return ()
        answer = await collection.query.hybrid(
            " ".join(terms),
            alpha=_MEANING,
            vector={VECTORS: [vector.tolist()]},
            target_vector=VECTORS,
            query_properties=_SEARCHED,
            fusion_type=HybridFusion.RELATIVE_SCORE,
            return_metadata=MetadataQuery(score=True),
            **limits,
        )
        objects: Sequence[Any] = answer.objects
        return objects


def _about(articles: Sequence[Article]) -> Any:
    return Filter.by_property("articleId").contains_any([article.id for article in articles])


def _of(editions: Sequence[str]) -> Any:
    return Filter.by_property("edition").contains_any([each for each in editions if each])


def _batches(articles: Sequence[Article]) -> Iterator[Sequence[Article]]:
    return (articles[start : start + _BATCH] for start in range(0, len(articles), _BATCH))


def _sections(number: int, stored: Any) -> Iterator[Row]:
    sections = _decode_sections(stored.properties["sections"])
    return ((number, first, stored.properties["titleTerms"], body) for first, body in sections)


def _hit(section: FoundSection, article: Article) -> Hit:
    return Hit(
        article_id=article.id,
        title=article.title,
        url=article.url,
        snippet=section.shown(article.body, quotable=article.quotable),
        score=section.score,
        quotable=article.quotable,
        jurisdiction=article.jurisdiction,
        as_of=article.as_of,
    )


def _fused(hits: Sequence[Hit], fused: Sequence[float]) -> Sequence[Hit]:
    """The hits in the order of words and vectors together. The words say how well the best one answers, and
    what shares no word with the query is no hit: the server's scores cannot tell near from nearest."""
    answered = max((hit.score for hit in hits), default=0.0)
    best = max(fused, default=0.0)
    if not answered or not best:
        return [hit for hit in hits if hit.score]
    scores = [
        (1 - _FUSED_SHARE) * hit.score + _FUSED_SHARE * answered * score / best
        for hit, score in zip(hits, fused, strict=True)
    ]
    highest = max(scores)
    ranked = sorted(zip(scores, hits, strict=True), key=lambda scored: scored[0], reverse=True)
    return [replace(hit, score=round(answered * score / highest, 4)) for score, hit in ranked if hit.score]
