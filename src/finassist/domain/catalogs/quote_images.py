"""Quote images that go with replies, and how one is found for a reply (spec "Visual embed and category",
contract section 8)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Final

from finassist.domain.errors import Conflict
from finassist.domain.ids import named_id
from finassist.domain.retrieval.questions import Classification

QUOTE_MAX: Final = 500
IMAGE_URL_MAX: Final = 2048
_URL_PART = r"([A-Za-z0-9._~:/?@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*"
IMAGE_URL_PATTERN: Final = (
    rf"^https?://[A-Za-z0-9.-]+(:[0-9]{{1,5}})?([/?]{_URL_PART})?(#{_URL_PART})?$(?!\n)"
)
"""The characters that RFC 3986 allows in an address: others have to be percent-encoded."""
BULK_MAX: Final = 100
EMBEDS_PER_CONVERSATION: Final = 3

MATCH_THRESHOLD: Final = 0.6
"""The score from which a reply gets an image; measured in tests/unit/chat/test_quote_image_matching.py."""

_NOT_A_WORD = re.compile(r"[^a-z0-9/%]+")


@dataclass(frozen=True, kw_only=True)
class QuoteImageCategory:
    """One of the ten categories. ``folder`` is where its images are stored."""

    key: str
    display_name: str
    keywords: tuple[str, ...]
    folder: str

    @cached_property
    def id(self) -> str:
        """Follows from the key."""
        return named_id("quote_image-category", self.key)

    def mentions(self, text: str) -> int:
        """How many of the keywords the text holds, plurals included."""
        plain = _plain(text)
        return sum(keyword in plain for keyword in self._plain_keywords)

    @cached_property
    def _plain_keywords(self) -> tuple[str, ...]:
        return tuple(_plain(keyword) for keyword in self.keywords)


@dataclass(frozen=True, slots=True)
class QuoteImageCategories:
    """All categories, in the order in which they are listed."""

    categories: tuple[QuoteImageCategory, ...]

    def find(self, id_or_key: str) -> QuoteImageCategory | None:
        """The category with this id or key."""
        return next((each for each in self.categories if id_or_key in (each.id, each.key)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteImage:
    """A quote image. Either ``image_url`` says where it is, or ``image_key`` what it is stored under.

    Only an active one goes with replies.
    """

    id: str
    category_key: str
    created_at: datetime
    updated_at: datetime
    image_url: str | None = None
    image_key: str | None = None
    quote_text: str | None = None
    is_active: bool = True

    def changed(self, changes: "QuoteImageChanges", now: datetime) -> "QuoteImage":
        """The quote image with the changes; a new address takes the place of a stored image, and a stored
        image that of an address. Raises Conflict when the stored image is not the one to replace."""
        if changes.replaces is not None and changes.replaces != self.image_key:
            raise Conflict("The picture was replaced meanwhile.")
        values = {
            name: value
            for name in ("category_key", "image_url", "image_key", "quote_text", "is_active")
            if (value := getattr(changes, name)) is not None
        }
        if changes.image_key is not None:
            values["image_url"] = None
        if changes.image_url is not None:
            values["image_key"] = None
        if changes.clear_quote:
            values["quote_text"] = None
        return replace(self, **values, updated_at=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteImageChanges:
    """What a PATCH changes; None leaves a field as it is. ``clear_quote`` removes the quote.

    ``image_key`` is where a new image is stored, ``replaces`` the stored image that the change was made for.
    """

    category_key: str | None = None
    image_url: str | None = None
    image_key: str | None = None
    replaces: str | None = None
    quote_text: str | None = None
    is_active: bool | None = None
    clear_quote: bool = False


@dataclass(frozen=True, slots=True)
class QuoteImageEdition:
    """All quote images, oldest first, as they were at one ``version``: a number that every change raises."""

    version: int
    quote_images: Sequence[QuoteImage]


@dataclass(frozen=True)
class QuoteImageShelf:
    """The quote images of an edition, indexed by id and by category; ``read_at`` is when they were read."""

    edition: QuoteImageEdition
    read_at: datetime
    by_id: Mapping[str, QuoteImage] = field(init=False)
    _by_category: dict[str, list[QuoteImage]] = field(init=False)

    def __post_init__(self) -> None:
        by_category: dict[str, list[QuoteImage]] = {}
        for quote_image in self.edition.quote_images:
            by_category.setdefault(quote_image.category_key, []).append(quote_image)
        object.__setattr__(
            self, "by_id", {quote_image.id: quote_image for quote_image in self.edition.quote_images}
        )
        object.__setattr__(self, "_by_category", by_category)

    def of_category(self, category_key: str) -> Sequence[QuoteImage]:
        """The category's quote images, oldest first."""
        return self._by_category.get(category_key, ())

    def active(self, category_key: str) -> Sequence[QuoteImage]:
        """Those of them that go with replies."""
        return [quote_image for quote_image in self.of_category(category_key) if quote_image.is_active]


def match_score(
    category: QuoteImageCategory, question: str, answer: str, asked: Classification, answered: Classification
) -> float:
    """How well a category fits question and answer, 0..1.

    ``asked`` and ``answered`` are what the classifier says of both. A category that the question does not
    have scores 0.
    """
    if asked.category != category.key:
        return 0.0
    agreement = answered.category_confidence if answered.category == category.key else 0.0
    named = min(2, category.mentions(question)) / 2
    spoken_of = min(3, category.mentions(answer)) / 3
    return 0.4 * asked.category_confidence + 0.25 * agreement + 0.2 * named + 0.15 * spoken_of


def choose(candidates: Sequence[QuoteImage], shown: Iterable[str], seed: str) -> QuoteImage | None:
    """One of the candidates that was not shown yet, None when there is none or enough were shown.

    The same one for the same ``seed``, an id, so that nothing depends on who asks.
    """
    seen = frozenset(shown)
    left = [quote_image for quote_image in candidates if quote_image.id not in seen]
    if not left or len(seen) >= EMBEDS_PER_CONVERSATION:
        return None
    return left[int(seed, 16) % len(left)]


def _plain(text: str) -> str:
    """The text in lower case, with single blanks around every word and without plural s."""
    words = _NOT_A_WORD.sub(" ", text.casefold().replace("401(k)", "401k")).split()
    return f" {' '.join(word.removesuffix('s') for word in words)} "
