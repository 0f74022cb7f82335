"""What the offline model does with a calculation: the tools that it calls, one after the other, or what it
says while numbers lack."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from decimal import Decimal
from typing import Any, Final

from finassist.adapters.llm.offline.judgements import is_opinion
from finassist.application.ports.language_model import ToolAnswer, ToolCallRequest, ToolSpec
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.gathering import asks_for_figure
from finassist.domain.calculators.recognition.follow_ups.said_back import said_back
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Recognised, read
from finassist.domain.calculators.recognition.spellings import QUANTITY
from finassist.domain.calculators.recognition.sums.asked import read_asked
from finassist.domain.calculators.recognition.threads.outcomes import IN_ALL_PERIODS
from finassist.domain.calculators.recognition.views import figure_for, figure_inflated

_CALL_ID: Final = "call_1"
_SECOND_CALL_ID: Final = "call_2"
_RECURRING: Final = "recurring_cost"
_INFLATION: Final = "inflation_adjustment"
_PAIR: Final = 2
_DIGITS: Final = re.compile(r"[\d.,]*\d")
TELL_MISSING: Final = "Tell me just what is missing."
"""How a question for the numbers ends that a calculation lacks."""
_ALL_LACK: Final = "I can calculate this for you. Tell me"
_AGAIN: Final = "I calculate it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Then:
    """What is left to do after a tool's result; ``changed`` says which numbers were changed for it,
    ``left_open`` what of the message it does not answer."""

    changed: str = ""
    left_open: str = ""


@dataclass(frozen=True, slots=True)
class ThenInflated(Then):
    """What is left to do after a tool's result: state it after inflation, in percent a year."""

    yearly_inflation: Decimal


@dataclass(frozen=True, slots=True)
class ThenCalled(Then):
    """What is left to do after a tool's result: call another one, with a figure of the result for its slot
    when the calculation takes it, that of the ``period`` if there is one; or else to compare both."""

    draft: Draft
    slot: str = ""
    period: str = ""


@dataclass(frozen=True, slots=True)
class ThenTold(Then):
    """What is left to do after a tool's result: make more ``calls``, and read the results out, the figure
    that is ``wanted`` first, or as what was calculated once more; ``labels`` say what each result answers."""

    calls: Sequence[Recognised] = ()
    wanted: Sequence[str] = ()
    is_checked: bool = False
    labels: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ThenStory(ThenTold):
    """What is left to do after the results of a story: read out all figures, and explain the first."""


@dataclass(frozen=True, slots=True)
class ThenConverted(Then):
    """What is left to do after a tool's result: state its amount of a month for another period."""


def calls_of(asked: Continued, tools: Sequence[ToolSpec]) -> Sequence[ToolCallRequest]:
    """The tool calls to begin with: all figures of a story at once, of anything else the first."""
    first = call_of(asked, tools)
    if first is None or not asked.understood:
        return () if first is None else (first,)
    others = (
        ToolCallRequest(f"call_{number}", each.name, _in_json(each.arguments))
        for number, each in enumerate(asked.operation[1:], 2)
    )
    return (first, *others)


def call_of(asked: Continued, tools: Sequence[ToolSpec]) -> ToolCallRequest | None:
    """The tool call for a calculation; None while it lacks a number, and when there is no such tool."""
    names = {tool.name for tool in tools}
    if asked.choice or asked.lacking:
        return None
    if asked.operation:
        if not {call.name for call in asked.operation} <= names:
            return None
        return ToolCallRequest(_CALL_ID, asked.operation[0].name, _in_json(asked.operation[0].arguments))
    first = (
        asked.before if asked.before is not None and (asked.is_chained or asked.is_compared) else asked.draft
    )
    if first.missing:
        return None
    call = recognised(first)
    if call.name not in names:
        return None
    return ToolCallRequest(_CALL_ID, call.name, _in_json(call.arguments))


def rest_of(asked: Continued) -> Then | None:
    """What is to be done with the result of a calculation."""
    then = _rest_of(asked, said_back(asked))
    return replace(then or ThenTold(), left_open=asked.left_open) if asked.left_open else then


def _rest_of(asked: Continued, changed: str) -> Then | None:
    if asked.understood:
        changed = f"{changed} {asked.understood}".lstrip()
        return ThenStory((), asked.wanted, asked.is_checked, asked.labels, changed=changed)
    if asked.operation or asked.wanted or asked.is_checked:
        return ThenTold(asked.operation[1:], asked.wanted, asked.is_checked, asked.labels, changed=changed)
    if asked.is_chained or asked.is_compared:
        slot = asked.slot if asked.is_chained else ""
        return ThenCalled(asked.draft, slot, asked.period, changed=changed)
    if asked.period and asked.draft.calculator not in IN_ALL_PERIODS:
        return ThenConverted(changed=changed)
    if asked.inflation is not None:
        return ThenInflated(asked.inflation, changed=changed)
    return ThenTold(changed=changed) if changed else None


def next_call(answer: ToolAnswer, rest: object, made: int = 1) -> ToolCallRequest | None:
    """The call that is left to do after a result: with one of its figures, or to compare with it. ``made`` is
    how many calls there were."""
    if answer.outcome.is_error:
        return None
    if isinstance(rest, ThenTold):
        left = rest.calls[made - 1 :]
        return (
            ToolCallRequest(f"call_{made + 1}", left[0].name, _in_json(left[0].arguments)) if left else None
        )
    if made > 1:
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


def number_needed(asked: Continued) -> str:
    """What to say when a calculation lacks numbers, or the place of one: which, and what was given."""
    if asked.lacking:
        return asked.lacking
    if asked.choice:
        return f"{asked.choice} Then {_AGAIN}"
    draft = asked.draft
    names = draft.needed
    given = [
        f"{' and '.join(map(_said, quantities))} ({draft.form.slots[name].says})"
        for name, quantities in draft.filled.items()
        if name not in draft.unclear and all(quantity.written for quantity in quantities)
    ]
    if not given:
        return f"{_ALL_LACK} {_listed(names)}."
    needed = "one more number" if len(names) == 1 else f"{len(names)} more numbers"
    return (
        f"I can calculate that, but I need {needed}: {_listed(names)}. So far I have {_listed(given)}. "
        + TELL_MISSING
    )


def is_number_needed(reply: str) -> bool:
    """Whether a reply asks for numbers of a calculation, so that the next message may tell them."""
    return any(each in reply for each in (TELL_MISSING, _ALL_LACK, _AGAIN))


def sum_unclear(question: str) -> str:
    """What to say to somebody who asks for a figure of numbers that nothing was made of: which were read, and
    how to type them as a sum; empty for any other message."""
    reading = read(question)
    found = (match[0].strip() for match in QUANTITY.finditer(reading.text))
    written = [each for each in found if _stands_in(question, _DIGITS.findall(each)[0])]
    asked = read_asked(reading.quantities, reading.text) if reading.quantities else None
    if len(written) < _PAIR or is_opinion(reading) or not (asked or asks_for_figure(reading)):
        return ""
    return (
        f"I read {_listed(written)} there, but cannot tell for sure how they belong together, and I do not "
        "guess with money. Type it as a sum, such as (240 - 36) / 4, and I work it out; or ask for one step "
        "at a time."
    )


def _stands_in(question: str, number: str) -> bool:
    """Whether a number was typed, and is none of a word: "a" is read as 1."""
    return re.search(rf"(?<![\d.,]){re.escape(number)}(?!\d)", question) is not None


def _said(quantity: Quantity) -> str:
    return f"{quantity.written} a {quantity.per}" if quantity.per else quantity.written


def _listed(names: Sequence[str]) -> str:
    separator = "; " if any(", " in name for name in names) and len(names) > _PAIR else ", "
    return names[0] if len(names) == 1 else f"{separator.join(names[:-1])} and {names[-1]}"
