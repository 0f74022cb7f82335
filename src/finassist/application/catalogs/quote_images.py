"""Quote images by category: the catalog that administrators keep, and the one that goes with a reply
(contract section 8)."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import PurePosixPath
from typing import Final, TypeVar

from finassist.application.files.objects import discard, discard_unless, open_object
from finassist.application.ports.catalogs import QuoteImageRepository
from finassist.application.ports.classifiers import QuestionClassifier
from finassist.application.ports.database import Page
from finassist.application.ports.files import FileInspector, ObjectStore
from finassist.application.ports.system import Clock, IdFactory
from finassist.domain.catalogs.quote_images import (
    MATCH_THRESHOLD,
    QuoteImage,
    QuoteImageCategories,
    QuoteImageCategory,
    QuoteImageChanges,
    QuoteImageShelf,
    choose,
    match_score,
)
from finassist.domain.conversations.message import Message, ShownQuoteImage
from finassist.domain.errors import Conflict, FieldError, FinassistError, NotFound, ValidationFailed
from finassist.domain.files.content import EMBED_IMAGE_RULES

T = TypeVar("T")

PATH: Final = "/api/v1/visual-embeds"
IMAGE_TYPE: Final = "image/png"
_KEPT_FOR: Final = timedelta(minutes=5)


def image_url_of(quote_image: QuoteImage) -> str:
    """The address of the image: an external one, or a path of this service that is valid while it exists.

    What is under an address never changes: an image that took the place of the first has one of its own.
    """
    if quote_image.image_url is not None:
        return quote_image.image_url
    name = PurePosixPath(quote_image.image_key or "").stem
    address = f"{PATH}/{quote_image.id}/image"
    return address if name == quote_image.id else f"{address}?v={name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewQuoteImage:
    """A quote image as sent; ``category`` is an id or a key. ``image`` is a PNG in place of an address."""

    category: str
    image_url: str | None = None
    image: bytes | None = field(default=None, repr=False)
    quote_text: str | None = None
    is_active: bool = True


@dataclass(slots=True)
class _Kept:
    """The cached quote images."""

    shelf: QuoteImageShelf | None = None
    reading: asyncio.Lock = field(default_factory=asyncio.Lock)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuoteImages:
    """All quote images, cached for five minutes and read again as soon as any process has changed one."""

    quote_images: QuoteImageRepository
    clock: Clock
    _kept: _Kept = field(default_factory=_Kept)

    async def __call__(self) -> QuoteImageShelf:
        version = await self.quote_images.version()
        if (shelf := self._kept_at(version)) is not None:
            return shelf
        async with self._kept.reading:  # one task reads, the others wait for it
            if (shelf := self._kept_at(version)) is None:
                now = self.clock.now()
                shelf = self._kept.shelf = QuoteImageShelf(await self.quote_images.edition(), now)
            return shelf

    def _kept_at(self, version: int) -> QuoteImageShelf | None:
        """The cached edition, while it is recent and at least of that version."""
        shelf = self._kept.shelf
        if shelf is None or shelf.edition.version < version:
            return None
        return shelf if abs(self.clock.now() - shelf.read_at) < _KEPT_FOR else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuoteImages:
    """The quote images, oldest first; of one category, named by id or key, when it is given. All without a
    limit."""

    read_quote_images: ReadQuoteImages
    quote_image_categories: QuoteImageCategories

    async def __call__(self, category: str | None, *, limit: int | None, offset: int) -> Page[QuoteImage]:
        shelf = await self.read_quote_images()
        found: Sequence[QuoteImage] = shelf.edition.quote_images
        if category is not None:
            known = self.quote_image_categories.find(category)
            found = shelf.of_category(known.key) if known is not None else ()
        return page_of(found, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class GetQuoteImage:
    """One quote image. Raises NotFound."""

    read_quote_images: ReadQuoteImages

    async def __call__(self, quote_image_id: str) -> QuoteImage:
        quote_image = (await self.read_quote_images()).by_id.get(quote_image_id)
        if quote_image is None:
            raise NotFound("visual embed")
        return quote_image


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuoteImageCategories:
    """The categories that quote images belong to, with the keywords that replies are matched by."""

    quote_image_categories: QuoteImageCategories

    async def __call__(self, *, limit: int | None, offset: int) -> Page[QuoteImageCategory]:
        return page_of(self.quote_image_categories.categories, limit=limit, offset=offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCategories:
    """Return an error for each category that does not exist. They are given by the names of their fields."""

    quote_image_categories: QuoteImageCategories

    def __call__(self, categories: Mapping[str, str]) -> Sequence[FieldError]:
        return [
            FieldError(name, "There is no such category.")
            for name, category in categories.items()
            if self.quote_image_categories.find(category) is None
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class CreateQuoteImages:
    """Add quote images to the catalog: all of them, or none.

    Each belongs to a category, named by id or key, and has an external address, or is a PNG of at most
    10 MB, detected by content, that is stored in the category's folder.
    """

    quote_images: QuoteImageRepository
    quote_image_categories: QuoteImageCategories
    file_inspector: FileInspector
    object_store: ObjectStore
    clock: Clock
    ids: IdFactory

    async def __call__(self, new: Sequence[NewQuoteImage]) -> Sequence[QuoteImage]:
        images = [await self._inspected(each) for each in new]
        # Stored before their records: a crash in between leaves images that no quote image names.
        made: list[QuoteImage] = []
        try:
            for each, image in zip(new, images, strict=True):
                made.append(await self._made(each, image))
            await self.quote_images.add(made)
        except FinassistError:
            if not await self._is_stored(made):
                raise
        return made

    async def _is_stored(self, made: Sequence[QuoteImage]) -> bool:
        """Whether these quote images were stored and the answer was lost; else their pictures are discarded.
        When that cannot be told, they stay."""
        try:
            known = {quote_image.id for quote_image in (await self.quote_images.edition()).quote_images}
        except FinassistError:
            return False
        if known.issuperset(quote_image.id for quote_image in made):
            return bool(made)
        for quote_image in made:
            await discard(self.object_store, quote_image.image_key)
        return False

    async def _inspected(self, new: NewQuoteImage) -> bytes | None:
        if new.image is None:
            return None
        inspected = await self.file_inspector.inspect(
            new.image, IMAGE_TYPE, rules=EMBED_IMAGE_RULES, field="image", caller=None
        )
        return inspected.content

    async def _made(self, new: NewQuoteImage, image: bytes | None) -> QuoteImage:
        category = self.quote_image_categories.find(new.category)
        if category is None:
            raise ValidationFailed.of("categoryId", "There is no such category.")
        quote_image_id, now = self.ids.new_id(), self.clock.now()
        key = None if image is None else f"visual-embeds/{category.folder}/{quote_image_id}.png"
        if key is not None and image is not None:
            await self.object_store.put(key, image, IMAGE_TYPE)
        return QuoteImage(
            id=quote_image_id,
            category_key=category.key,
            created_at=now,
            updated_at=now,
            image_url=new.image_url if image is None else None,
            image_key=key,
            quote_text=new.quote_text,
            is_active=new.is_active,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedQuoteImages:
    """Load quote images into the catalog. An existing one is recognised by its category and its quote.

    With ``only_missing`` it stays as it is; otherwise the given address replaces its own. Returns how
    many were stored.
    """

    read_quote_images: ReadQuoteImages
    create_quote_images: CreateQuoteImages
    quote_images: QuoteImageRepository
    quote_image_categories: QuoteImageCategories
    clock: Clock

    async def __call__(self, records: Sequence[NewQuoteImage], *, only_missing: bool) -> int:
        shelf = await self.read_quote_images()
        known = {
            (quote_image.category_key, quote_image.quote_text): quote_image
            for quote_image in shelf.edition.quote_images
        }
        missing, stored = [], 0
        for record in records:
            category = self.quote_image_categories.find(record.category)
            quote_image = known.get((category.key, record.quote_text)) if category is not None else None
            if quote_image is None:
                missing.append(record)
            elif not only_missing and record.image_url not in (None, quote_image.image_url):
                changes = QuoteImageChanges(image_url=record.image_url)
                stored += (
                    await self.quote_images.update(quote_image.id, changes, self.clock.now()) is not None
                )
        return stored + len(await self.create_quote_images(missing)) if missing else stored


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateQuoteImage:
    """Change a quote image; what is left out stays. A new picture or address takes the place of a stored
    image, which is deleted; in another category a stored image is moved to that category's folder.

    Raises NotFound, ValidationFailed for a picture that cannot be read, and StorageError.
    """

    quote_images: QuoteImageRepository
    get_quote_image: GetQuoteImage
    quote_image_categories: QuoteImageCategories
    file_inspector: FileInspector
    object_store: ObjectStore
    clock: Clock
    ids: IdFactory

    async def __call__(
        self, quote_image_id: str, changes: QuoteImageChanges, image: bytes | None = None
    ) -> QuoteImage:
        current = await self.get_quote_image(quote_image_id)
        content = None
        if image is not None:
            inspected = await self.file_inspector.inspect(
                image, IMAGE_TYPE, rules=EMBED_IMAGE_RULES, field="image", caller=None
            )
            content = inspected.content
        while True:
            # Stored before its record says so: a crash in between leaves an image that no quote image names.
            placed = await self._place(current, changes, content)
            try:
                return await self._store(quote_image_id, placed)
            except Conflict:
                await discard(self.object_store, placed.image_key)
            except FinassistError:
                key = placed.image_key
                await discard_unless(partial(self._is_named, key), self.object_store, key)
                raise
            current = await self.get_quote_image(quote_image_id)

    async def _is_named(self, key: str | None) -> bool:
        """Whether the change was stored, and its answer lost."""
        edition = await self.quote_images.edition()  # as it is stored, not as it is remembered
        return key in {quote_image.image_key for quote_image in edition.quote_images}

    async def _place(
        self, current: QuoteImage, changes: QuoteImageChanges, content: bytes | None
    ) -> QuoteImageChanges:
        """Store a new picture, or copy the stored one to the folder of its new category."""
        if content is None and (
            changes.image_url is not None or changes.category_key is None or current.image_key is None
        ):
            return changes
        changes = replace(changes, replaces=current.image_key)
        if content is None and changes.category_key == current.category_key:
            return changes
        category = self.quote_image_categories.find(changes.category_key or current.category_key)
        assert category is not None  # checked with the request
        # A name of its own, so that discarding what another call replaced takes no picture away.
        key = f"visual-embeds/{category.folder}/{self.ids.new_id()}.png"
        source = content or self.object_store.open(current.image_key or "")
        await self.object_store.put(key, source, IMAGE_TYPE)
        return replace(changes, image_key=key)

    async def _store(self, quote_image_id: str, changes: QuoteImageChanges) -> QuoteImage:
        now = self.clock.now()
        before = await self.quote_images.update(quote_image_id, changes, now)
        if before is None:
            raise NotFound("visual embed")
        after = before.changed(changes, now)
        if before.image_key != after.image_key:
            await discard(self.object_store, before.image_key)
        return after


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteQuoteImage:
    """Remove a quote image and its stored image. Replies that show it keep the quote. Raises NotFound."""

    quote_images: QuoteImageRepository
    object_store: ObjectStore

    async def __call__(self, quote_image_id: str) -> None:
        removed = await self.quote_images.delete(quote_image_id)
        if removed is None:
            raise NotFound("visual embed")
        await discard(self.object_store, removed.image_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuoteImage:
    """The stored image of a quote image. Anybody may load it while the record exists. Raises NotFound."""

    get_quote_image: GetQuoteImage
    object_store: ObjectStore

    async def __call__(self, quote_image_id: str) -> AsyncIterator[bytes]:
        quote_image = await self.get_quote_image(quote_image_id)
        if quote_image.image_key is None:
            raise NotFound("image")
        return await open_object(self.object_store, quote_image.image_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchQuoteImage:
    """Find the quote image for a reply, or return None.

    It is of the category that question and answer are clearly about, and one that the conversation has not
    shown yet; a conversation gets at most three. It needs no lock: a conversation has one turn at a time.
    """

    quote_images: QuoteImageRepository
    read_quote_images: ReadQuoteImages
    quote_image_categories: QuoteImageCategories
    question_classifier: QuestionClassifier

    async def __call__(self, reply: Message, question: str, earlier: Sequence[str]) -> ShownQuoteImage | None:
        shelf = await self.read_quote_images()
        if not shelf.edition.quote_images:
            return None
        category = self._category_of(question, earlier, reply.content)
        candidates = shelf.active(category.key) if category is not None else ()
        if category is None or not candidates:
            return None
        quote_image = choose(candidates, await self.quote_images.shown_in(reply.conversation_id), reply.id)
        if quote_image is None:
            return None
        return ShownQuoteImage(
            id=quote_image.id,
            category_key=category.key,
            image_url=image_url_of(quote_image),
            quote_text=quote_image.quote_text,
        )

    def _category_of(self, question: str, earlier: Sequence[str], answer: str) -> QuoteImageCategory | None:
        asked = self.question_classifier.classify(question, earlier)
        category = self.quote_image_categories.find(asked.category) if asked.category is not None else None
        if category is None:
            return None
        answered = self.question_classifier.classify(answer)
        score = match_score(category, question, answer, asked, answered)
        return category if score >= MATCH_THRESHOLD else None


def page_of(found: Sequence[T], *, limit: int | None, offset: int) -> Page[T]:
    """A page of the items; all from ``offset`` on without a limit."""
    items = tuple(found[offset:] if limit is None else found[offset : offset + limit])
    return Page(items, len(found), len(found) if limit is None else limit, offset)
