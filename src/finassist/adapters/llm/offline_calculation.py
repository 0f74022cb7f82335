"""How the offline model finds what to calculate: by the meaning of the question and of those before it."""

import logging
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
from finassist.domain.calculators.recognition.choice import Choice, Chooser
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups import Continued, continued, figure_inflated, is_new
from finassist.domain.calculators.recognition.quantities import Quantity
from finassist.domain.calculators.recognition.reading import Reading, read
from finassist.domain.calculators.recognition.recogniser import understand
from finassist.domain.errors import EmbeddingError

_log = logging.getLogger(__name__)

_SHIPPED: Final = files("finassist.data") / "calculators" / "choice.msgpack"
_EARLIER_MAX: Final = 6
_PAIR: Final = 2
_CALL_ID: Final = "call_1"
_INFLATION_CALL_ID: Final = "call_2"
_INFLATION: Final = "inflation_adjustment"


@dataclass(frozen=True, slots=True)
class ThenInflated:
    """What is left to do after a tool's result: state it after inflation, in percent a year."""

    yearly_inflation: Decimal


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
        before = [read(text) for text in earlier[-_EARLIER_MAX:]]
        drafts = [await self._understood(each) for each in before]
        return continued([*before, reading], [*drafts, found])

    async def _understood(self, reading: Reading) -> Draft | None:
        if reading.quantities is None:
            return None
        return understand(reading, self._chooser, await self._vector(reading.sketch))

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


def call_of(asked: Continued, tools: Sequence[ToolSpec]) -> ToolCallRequest | None:
    """The tool call for a calculation; None while it lacks a number, and when there is no such tool."""
    if asked.draft.missing:
        return None
    call = recognised(asked.draft)
    if call.name not in {tool.name for tool in tools}:
        return None
    return ToolCallRequest(_CALL_ID, call.name, _in_json(call.arguments))


def rest_of(asked: Continued) -> ThenInflated | None:
    """What is to be done with the result of a calculation."""
    return None if asked.inflation is None else ThenInflated(asked.inflation)


def next_call(answer: ToolAnswer, rest: object) -> ToolCallRequest | None:
    """The call that takes inflation off a result, when that is left to do."""
    figure = figure_inflated(answer.call.name)
    if not isinstance(rest, ThenInflated) or answer.outcome.is_error or figure is None:
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
    return ToolCallRequest(_INFLATION_CALL_ID, _INFLATION, _in_json(arguments))


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
