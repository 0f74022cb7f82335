"""How the offline model finds what to calculate: by the meaning of the question and of those before it."""

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from decimal import Decimal
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

import msgspec

from finassist.application.ports.knowledge import Embedder, Vector
from finassist.application.ports.language_model import ToolAnswer, ToolCallRequest, ToolSpec
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.chains import Continued
from finassist.domain.calculators.recognition.choice import Choice, Chooser
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups import gone_on, is_new
from finassist.domain.calculators.recognition.gathering import (
    asks,
    asks_for_figure,
    asks_for_result,
    gathered,
    is_one_calculation,
)
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.recogniser import understand
from finassist.domain.calculators.recognition.views import figure_for, figure_inflated
from finassist.domain.calculators.recognition.wording import worded
from finassist.domain.errors import EmbeddingError
from finassist.domain.retrieval.questions import leans_on_earlier

_log = logging.getLogger(__name__)

_SHIPPED: Final = files("finassist.data") / "calculators" / "choice.msgpack"
_EARLIER_MAX: Final = 6
_ASKED: Final = 0.4
"""What the likelihood that nothing is to be calculated counts for when the last message asks for a figure."""
_REMEMBERED: Final = 2
"""A calculation is gone on with after so many messages that ask for none."""
_PAIR: Final = 2
_NOTICEABLE: Final = 0.01
_PLAIN: Final = 0.6
_DIGIT: Final = re.compile(r"\d")
_CALL_ID: Final = "call_1"
_SECOND_CALL_ID: Final = "call_2"
_RECURRING: Final = "recurring_cost"
_IN_ALL_PERIODS: Final = frozenset(("pay_conversion", "recurring_cost", "fuel_cost", "energy_cost"))
_INFLATION: Final = "inflation_adjustment"


@dataclass(frozen=True, slots=True)
class ThenInflated:
    """What is left to do after a tool's result: state it after inflation, in percent a year."""

    yearly_inflation: Decimal


@dataclass(frozen=True, slots=True)
class ThenCalled:
    """What is left to do after a tool's result: call another one, with a figure of the result for its slot
    when the calculation takes it, that of the ``period`` if there is one; or else to compare both."""

    draft: Draft
    slot: str = ""
    period: str = ""


@dataclass(frozen=True, slots=True)
class ThenConverted:
    """What is left to do after a tool's result: state its amount of a month for another period."""


class Calculations:
    """Reads what a conversation asks to be calculated, with the vectors of the shipped embedding model; with
    another one, or none, by its words."""

    def __init__(self, embedder: Embedder | None = None, *, weights: Traversable = _SHIPPED) -> None:
        """``weights`` is the file that ``training/calculations.py`` makes, loaded with the first question."""
        self._embedder = embedder
        self._file = weights

    async def asked(self, question: str, earlier: Sequence[str] = ()) -> Continued | None:
        """The calculation that a message asks for, whole or not, or None when it asks for none. ``earlier``
        is what the user wrote before, oldest first: a message may change the calculation before it."""
        reading = read(question)
        found = await self._understood(reading)
        if not earlier or is_new(reading, found):
            return None if found is None else Continued(found)
        return await self._last_of([*(read(text) for text in earlier[-_EARLIER_MAX:]), reading])

    async def _last_of(self, readings: Sequence[Reading]) -> Continued | None:
        """What the last message asks for: a change of the last calculation, one of its own, or one whose
        numbers several messages gave. A calculation is remembered over some messages that ask for none."""
        asked: Continued | None = None
        state: Continued | None = None
        whole: Continued | None = None
        since = 0
        for place, reading in enumerate(readings):
            is_idle = place - since > 1 and not reading.quantities
            asked = gone_on(None if is_idle else state, reading, await self._understood(reading))
            if asked is None or (asked.draft.missing and not asked.is_chained):
                asked = await self._gathered(readings[since : place + 1], whole) or asked
            if asked is not None:
                state = asked if asked.draft.filled or whole is None else whole
                if not asked.draft.missing or asked.is_chained:
                    whole, since = asked, place
            elif place - since > _REMEMBERED or _changes_subject(reading):
                state, whole, since = None, None, place
        return asked

    async def _gathered(self, readings: Sequence[Reading], state: Continued | None) -> Continued | None:
        """A calculation from the messages since the last whole one, which the first of them asked for."""
        if not asks_for_result(readings[-1]):
            return None
        for reading in gathered(readings):
            found = await self._understood(reading, doubt=_ASKED if asks_for_figure(readings[-1]) else 1.0)
            if found is not None and is_one_calculation(found, readings[0], state):
                return Continued(found)
        return None

    async def likely(self, said: Sequence[str]) -> frozenset[str]:
        """The calculators that any of the last texts may mean; none of them when no text holds a number."""
        texts = said[-_EARLIER_MAX:]
        if not any(_DIGIT.search(worded(text)) for text in texts):
            return frozenset()
        names: set[str] = set()
        for reading in map(read, texts):
            shares = self._chooser.shares(reading, await self._vector(reading.sketch))
            names |= {name.partition("/")[0] for name, share in shares.items() if share >= _NOTICEABLE}
        return frozenset(names)

    async def calculator_of(self, text: str) -> str:
        """The calculator that a text plainly asks for when it gives every number; else an empty text."""
        reading = read(text)
        if not reading.quantities:
            return ""
        vector = await self._vector(reading.sketch)
        draft = understand(reading, self._chooser, vector)
        if draft is None or draft.missing:
            return ""
        is_plain = self._chooser.shares(reading, vector)[draft.name] >= _PLAIN
        return draft.calculator if is_plain else ""

    async def _understood(self, reading: Reading, *, doubt: float = 1.0) -> Draft | None:
        if reading.quantities is None:
            return None
        return understand(reading, self._chooser, await self._vector(reading.sketch), doubt=doubt)

    async def _vector(self, text: str) -> Vector | None:
        if self._embedder is None or self._embedder.model != self._chooser.model or not text.strip():
            return None
        try:
            return await self._embedder.embed_query(text)
        except EmbeddingError as error:
            _log.warning("the question could not be embedded, its words decide: %s", error.kind)
            return None

    @cached_property
    def _chooser(self) -> Chooser:
        return Chooser(msgspec.msgpack.decode(self._file.read_bytes(), type=Choice))


def _changes_subject(reading: Reading) -> bool:
    """Whether a message is a whole question without a number: what was calculated before it is over."""
    return not reading.quantities and asks(reading) and not leans_on_earlier(reading.text)


def call_of(asked: Continued, tools: Sequence[ToolSpec]) -> ToolCallRequest | None:
    """The tool call for a calculation; None while it lacks a number, and when there is no such tool."""
    first = (
        asked.before if asked.before is not None and (asked.is_chained or asked.is_compared) else asked.draft
    )
    if first.missing:
        return None
    call = recognised(first)
    if call.name not in {tool.name for tool in tools}:
        return None
    return ToolCallRequest(_CALL_ID, call.name, _in_json(call.arguments))


def rest_of(asked: Continued) -> ThenInflated | ThenCalled | ThenConverted | None:
    """What is to be done with the result of a calculation."""
    if asked.is_chained or asked.is_compared:
        return ThenCalled(asked.draft, asked.slot if asked.is_chained else "", asked.period)
    if asked.period and asked.draft.calculator not in _IN_ALL_PERIODS:
        return ThenConverted()
    return None if asked.inflation is None else ThenInflated(asked.inflation)


def next_call(answer: ToolAnswer, rest: object) -> ToolCallRequest | None:
    """The call that is left to do after a result: with one of its figures, or to compare with it."""
    if answer.outcome.is_error:
        return None
    if isinstance(rest, ThenCalled):
        return _called_with(answer, rest)
    if isinstance(rest, ThenConverted):
        amount = _figure(answer, figure_for(answer.call.name, "month") or ())
        told: dict[str, Any] = {"amount": amount, "per": "month"}
        return None if amount is None else ToolCallRequest(_SECOND_CALL_ID, _RECURRING, _in_json(told))
    return _inflated(answer, rest)


def _called_with(answer: ToolAnswer, rest: ThenCalled) -> ToolCallRequest | None:
    draft = rest.draft
    if rest.slot:
        amount = _figure(answer, (rest.period, *(figure_for(answer.call.name, rest.slot) or ())))
        if amount is None or amount <= 0:
            return None
        per = "month" if "month" in rest.slot or rest.slot == "contribution" else None
        kind = Kind.MONTHLY_AMOUNT if per else Kind.AMOUNT
        known = Quantity(kind=kind, value=amount, before="", after="", written=f"{amount:,}", per=per)
        draft = draft.with_numbers({rest.slot: (known,)}, "")
    call = recognised(draft)
    return ToolCallRequest(_SECOND_CALL_ID, call.name, _in_json(call.arguments))


def _figure(answer: ToolAnswer, names: Sequence[str]) -> Decimal | None:
    figures = answer.outcome.result["figures"]
    found = next((figures[name] for name in names if figures.get(name) is not None), None)
    return None if found is None else Decimal(str(found))


def _inflated(answer: ToolAnswer, rest: object) -> ToolCallRequest | None:
    figure = figure_inflated(answer.call.name)
    if not isinstance(rest, ThenInflated) or figure is None:
        return None
    amount = answer.outcome.result["figures"].get(figure)
    if amount is None:
        return None
    term: dict[str, Any] = {
        name: answer.call.arguments[name] for name in ("years", "months") if name in answer.call.arguments
    }
    arguments: dict[str, Any] = {
        "amount_today": Decimal(amount),
        "yearly_inflation": rest.yearly_inflation,
        **term,
    }
    return ToolCallRequest(_SECOND_CALL_ID, _INFLATION, _in_json(arguments))


def number_needed(asked: Continued) -> str:
    """What to say when a calculation lacks numbers: which, and what was given."""
    draft = asked.draft
    names = draft.needed
    given = [
        f"{' and '.join(map(_said, quantities))} ({draft.form.slots[name].says})"
        for name, quantities in draft.filled.items()
        if name not in draft.unclear and all(quantity.written for quantity in quantities)
    ]
    if not given:
        return f"I can calculate this for you. Tell me {_listed(names)}."
    needed = "one more number" if len(names) == 1 else f"{len(names)} more numbers"
    return (
        f"I can calculate that, but I need {needed}: {_listed(names)}. So far I have {_listed(given)}. "
        "Tell me just what is missing."
    )


def _said(quantity: Quantity) -> str:
    return f"{quantity.written} a {quantity.per}" if quantity.per else quantity.written


def _listed(names: Sequence[str]) -> str:
    separator = "; " if any(", " in name for name in names) and len(names) > _PAIR else ", "
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"


def _in_json(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _json(value) for name, value in arguments.items()}


def _json(value: Any) -> Any:
    """A recognised value as a model writes it."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return _in_json(asdict(value))
    return value
