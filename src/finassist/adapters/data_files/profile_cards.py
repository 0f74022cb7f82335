"""Files of profile cards: the one that ships, and an operator's own in its place (PROFILE_CARDS_FILE).

A file is a JSON object ``{cards: [{key, title, subtitle?, questions: [{key, text, type, topic?, options?,
required?, min?, max?}]}]}``. Cards are asked in the order of the file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Annotated, Final

import msgspec

from finassist.domain.profile_cards import SELECTS, Card, CardCatalog, Option, Question, QuestionType

_SHIPPED: Final = files("finassist.data") / "profile_cards.json"

_Key = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500, pattern=r"\S")]


class _OptionEntry(msgspec.Struct, forbid_unknown_fields=True):
    value: Annotated[str, msgspec.Meta(pattern=r"^[!-~]{1,64}$")]
    label: _Text


class _QuestionEntry(msgspec.Struct, forbid_unknown_fields=True):
    key: _Key
    text: _Text
    type: QuestionType
    topic: _Text | None = None
    options: list[_OptionEntry] = []
    required: bool = False
    min: int | float | None = None
    max: int | float | None = None


class _CardEntry(msgspec.Struct, forbid_unknown_fields=True):
    key: _Key
    title: _Text
    questions: Annotated[list[_QuestionEntry], msgspec.Meta(min_length=1)]
    subtitle: str = ""


class _CardFile(msgspec.Struct, forbid_unknown_fields=True):
    cards: Annotated[list[_CardEntry], msgspec.Meta(min_length=1)]


class WrongCards(Exception):
    """A file of cards that cannot be used; the message says why, all reasons where there are several."""


def shipped_cards() -> CardCatalog:
    """The cards of a fresh installation."""
    return read_cards(_SHIPPED.read_bytes())


def read_cards(content: bytes) -> CardCatalog:
    """The cards of a file. Raises WrongCards."""
    try:
        entries = msgspec.json.decode(content, type=_CardFile).cards
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise WrongCards(str(error)) from error
    problems = list(_problems(entries))
    if problems:
        raise WrongCards("; ".join(problems))
    return CardCatalog(tuple(_card(entry, order) for order, entry in enumerate(entries, start=1)))


def _problems(cards: list[_CardEntry]) -> Iterator[str]:
    questions = [question for card in cards for question in card.questions]
    yield from (f"two cards have the key {key}" for key in _twice(card.key for card in cards))
    yield from (f"two questions have the key {key}" for key in _twice(each.key for each in questions))
    for question in questions:
        for problem in _problems_of(question):
            yield f"question {question.key} {problem}"


def _problems_of(question: _QuestionEntry) -> Iterator[str]:
    has_options = bool(question.options)
    if has_options != (question.type in SELECTS):
        yield "has no options to choose from" if not has_options else "cannot have options"
    for value in _twice(option.value for option in question.options):
        yield f"has the option {value} twice"
    if question.min is not None and question.max is not None and question.min > question.max:
        yield "has a min above its max"
    bounds = [bound for bound in (question.min, question.max) if bound is not None]
    if bounds and question.type in (QuestionType.SINGLE_SELECT, QuestionType.BOOLEAN):
        yield "cannot have min or max"
    if question.type is QuestionType.MULTI_SELECT and any(
        not 1 <= bound <= len(question.options) for bound in bounds
    ):
        yield "has a min or max beyond its options"


def _twice(keys: Iterable[str]) -> list[str]:
    return [key for key, count in Counter(keys).items() if count > 1]


def _card(entry: _CardEntry, order: int) -> Card:
    return Card(
        key=entry.key,
        title=entry.title,
        subtitle=entry.subtitle,
        order=order,
        questions=tuple(map(_question, entry.questions)),
    )


def _question(entry: _QuestionEntry) -> Question:
    return Question(
        key=entry.key,
        text=entry.text,
        type=entry.type,
        topic=entry.topic or entry.text,
        options=tuple(Option(value=option.value, label=option.label) for option in entry.options),
        required=entry.required,
        min=entry.min,
        max=entry.max,
    )
