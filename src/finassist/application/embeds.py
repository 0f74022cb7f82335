"""Quote images by category: the catalog that administrators keep, and the one that goes with a reply
(contract section 8)."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, TypeVar

from finassist.application.objects import discard, open_object
from finassist.application.ports.embeds import EmbedRepository
from finassist.application.ports.gateways import Clock, IdFactory, QuestionClassifier
from finassist.application.ports.objects import FileInspector, ObjectStore
from finassist.application.ports.repositories import Page
from finassist.domain.embeds import (
    MATCH_THRESHOLD,
    Embed,
    EmbedCategories,
    EmbedCategory,
    EmbedChanges,
    EmbedShelf,
    choose,
    match_score,
)
from finassist.domain.errors import FieldError, FinassistError, NotFound, ValidationFailed
from finassist.domain.files import EMBED_IMAGE_RULES
from finassist.domain.messages import Message, VisualEmbed

T = TypeVar("T")

PATH: Final = "/api/v1/visual-embeds"
IMAGE_TYPE: Final = "image/png"
_KEPT_FOR: Final = timedelta(minutes=5)


def image_url_of(embed: Embed) -> str:
    """Where the image is: elsewhere, or a path of this service that stays good while the embed exists."""
    return embed.image_url or f"{PATH}/{embed.id}/image"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEmbed:
    """An embed as it was sent; ``category`` is an id or a key. ``image`` is a PNG in place of an address."""

    category: str
    image_url: str | None = None
    image: bytes | None = field(default=None, repr=False)
    quote_text: str | None = None
    is_active: bool = True


@dataclass(slots=True)
class _Kept:
    """The embeds as they were read last."""

    shelf: EmbedShelf | None = None
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEmbeds:
    """All embeds, kept for five minutes and read anew as soon as any process has changed one."""

    embeds: EmbedRepository
    clock: Clock
    _kept: _Kept = field(default_factory=_Kept)

    async def __call__(self) -> EmbedShelf:
        version = await self.embeds.version()
        if (shelf := self._kept_at(version)) is not None:
            return shelf
        async with self._kept.reading:  # one reads for all that wait
            if (shelf := self._kept_at(version)) is None:
                now = self.clock.now()
                shelf = self._kept.shelf = EmbedShelf(await self.embeds.edition(), now)
            return shelf

    def _kept_at(self, version: int) -> EmbedShelf | None:
        """What is kept, while it is young and at least of that version."""
        shelf = self._kept.shelf
        if shelf is None or shelf.edition.version < version:
            return None
        return shelf if self.clock.now() - shelf.read_at < _KEPT_FOR else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEmbeds:
    """The embeds, oldest first; of one category, named by id or key, when it is given. All, unless a limit is
    set."""

    read_embeds: ReadEmbeds
    embed_categories: EmbedCategories

    async def __call__(self, category: str | None, *, limit: int | None, offset: int) -> Page[Embed]:
        shelf = await self.read_embeds()
        found: Sequence[Embed] = shelf.edition.embeds
        if category is not None:
            known = self.embed_categories.find(category)
            found = shelf.of_category(known.key) if known is not None else ()
        return page_of(found, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetEmbed:
    """One embed. Raises NotFound."""

    read_embeds: ReadEmbeds

    async def __call__(self, embed_id: str) -> Embed:
        embed = (await self.read_embeds()).by_id.get(embed_id)
        if embed is None:
            raise NotFound("visual embed")
        return embed


@dataclass(frozen=True, slots=True, kw_only=True)
class ListEmbedCategories:
    """The categories that quote images belong to, with the keywords that replies are matched by."""

    embed_categories: EmbedCategories

    async def __call__(self, *, limit: int | None, offset: int) -> Page[EmbedCategory]:
        return page_of(self.embed_categories.categories, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCategories:
    """Say which categories there are not. They come by the names of the fields that hold them."""

    embed_categories: EmbedCategories

    def __call__(self, categories: Mapping[str, str]) -> Sequence[FieldError]:
        return [
            FieldError(name, "There is no such category.")
            for name, category in categories.items()
            if self.embed_categories.find(category) is None
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateEmbeds:
    """Add quote images to the catalog: all of them, or none.

    Each belongs to a category, named by id or key, and is at an address of its own, or a PNG of at most
    10 MB, told by content, that is stored in the category's folder.
    """

    embeds: EmbedRepository
    embed_categories: EmbedCategories
    file_inspector: FileInspector
    object_store: ObjectStore
    clock: Clock
    ids: IdFactory

    async def __call__(self, new: Sequence[NewEmbed]) -> Sequence[Embed]:
        images = [await self._inspected(each) for each in new]
        # Stored before anybody can see them: a crash in between leaves images that no embed names.
        made: list[Embed] = []
        try:
            for each, image in zip(new, images, strict=True):
                made.append(await self._made(each, image))
            await self.embeds.add(made)
        except FinassistError:
            for embed in made:
                await discard(self.object_store, embed.image_key)
            raise
        return made

    async def _inspected(self, new: NewEmbed) -> bytes | None:
        if new.image is None:
            return None
        inspected = await self.file_inspector.inspect(
            new.image, IMAGE_TYPE, rules=EMBED_IMAGE_RULES, field="image"
        )
        return inspected.content

    async def _made(self, new: NewEmbed, image: bytes | None) -> Embed:
        category = self.embed_categories.find(new.category)
        if category is None:
            raise ValidationFailed.of("categoryId", "There is no such category.")
        embed_id, now = self.ids.new_id(), self.clock.now()
        key = None if image is None else f"visual-embeds/{category.folder}/{embed_id}.png"
        if key is not None and image is not None:
            await self.object_store.put(key, image, IMAGE_TYPE)
        return Embed(
            id=embed_id,
            category_key=category.key,
            created_at=now,
            updated_at=now,
            image_url=new.image_url if image is None else None,
            image_key=key,
            quote_text=new.quote_text,
            is_active=new.is_active,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedEmbeds:
    """Load quote images into the catalog. One that is there already is told by its category and its quote.

    With ``only_missing`` it stays as it is; without, the address that is given wins. Answers how many were
    stored.
    """

    read_embeds: ReadEmbeds
    create_embeds: CreateEmbeds
    embeds: EmbedRepository
    embed_categories: EmbedCategories
    clock: Clock

    async def __call__(self, records: Sequence[NewEmbed], *, only_missing: bool) -> int:
        shelf = await self.read_embeds()
        known = {(embed.category_key, embed.quote_text): embed for embed in shelf.edition.embeds}
        missing, stored = [], 0
        for record in records:
            category = self.embed_categories.find(record.category)
            embed = known.get((category.key, record.quote_text)) if category is not None else None
            if embed is None:
                missing.append(record)
            elif not only_missing and record.image_url not in (None, embed.image_url):
                changes = EmbedChanges(image_url=record.image_url)
                stored += await self.embeds.update(embed.id, changes, self.clock.now()) is not None
        return stored + len(await self.create_embeds(missing)) if missing else stored


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateEmbed:
    """Change an embed; what is left out stays. A new address takes the place of a stored image, which is
    deleted. Raises NotFound."""

    embeds: EmbedRepository
    embed_categories: EmbedCategories
    object_store: ObjectStore
    clock: Clock

    async def __call__(self, embed_id: str, changes: EmbedChanges) -> Embed:
        now = self.clock.now()
        before = await self.embeds.update(embed_id, changes, now)
        if before is None:
            raise NotFound("visual embed")
        after = before.changed(changes, now)
        if before.image_key != after.image_key:
            await discard(self.object_store, before.image_key)
        return after


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteEmbed:
    """Remove an embed and its stored image. Replies that show it keep the quote. Raises NotFound."""

    embeds: EmbedRepository
    object_store: ObjectStore

    async def __call__(self, embed_id: str) -> None:
        removed = await self.embeds.delete(embed_id)
        if removed is None:
            raise NotFound("visual embed")
        await discard(self.object_store, removed.image_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEmbedImage:
    """The stored image of an embed. Anybody may load it, for as long as the embed exists. Raises NotFound."""

    get_embed: GetEmbed
    object_store: ObjectStore

    async def __call__(self, embed_id: str) -> AsyncIterator[bytes]:
        embed = await self.get_embed(embed_id)
        if embed.image_key is None:
            raise NotFound("image")
        return await open_object(self.object_store, embed.image_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEmbed:
    """Find the quote image that goes with a reply: of the category that question and answer are about, if
    they clearly are, and none that the conversation has shown; at most three a conversation.

    A conversation has one turn at a time, so what was shown before is all there is. None for no match.
    """

    embeds: EmbedRepository
    read_embeds: ReadEmbeds
    embed_categories: EmbedCategories
    question_classifier: QuestionClassifier

    async def __call__(self, reply: Message, question: str, earlier: Sequence[str]) -> VisualEmbed | None:
        shelf = await self.read_embeds()
        if not shelf.edition.embeds:
            return None
        category = self._category_of(question, earlier, reply.content)
        candidates = shelf.active(category.key) if category is not None else ()
        if category is None or not candidates:
            return None
        embed = choose(candidates, await self.embeds.shown_in(reply.conversation_id), reply.id)
        if embed is None:
            return None
        return VisualEmbed(
            id=embed.id,
            category_key=category.key,
            image_url=image_url_of(embed),
            quote_text=embed.quote_text,
        )

    def _category_of(self, question: str, earlier: Sequence[str], answer: str) -> EmbedCategory | None:
        asked = self.question_classifier.classify(question, earlier)
        category = self.embed_categories.find(asked.category) if asked.category is not None else None
        if category is None:
            return None
        answered = self.question_classifier.classify(answer)
        score = match_score(category, question, answer, asked, answered)
        return category if score >= MATCH_THRESHOLD else None


def page_of(found: Sequence[T], *, limit: int | None, offset: int) -> Page[T]:
    """Some of what was found; all from ``offset`` on without a limit."""
    items = tuple(found[offset:] if limit is None else found[offset : offset + limit])
    return Page(items, len(found), len(found) if limit is None else limit, offset)
