"""What a calculation that a message asked for comes to, as the result that later messages go on from."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.arguments import recognised
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import telling
from finassist.domain.calculators.recognition.follow_ups.chains import Continued
from finassist.domain.calculators.recognition.follow_ups.gathering import refers_back
from finassist.domain.calculators.recognition.follow_ups.ledger import ONCE, PERIOD_NAMES, Entry, entry_of
from finassist.domain.calculators.recognition.follow_ups.recalled import TAXED
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading, Recognised
from finassist.domain.calculators.recognition.sums.roles import is_received
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import MONEY, Value, plain, with_unit
from finassist.domain.calculators.recognition.sums.words import PLAIN_CALCULATORS, said
from finassist.domain.calculators.recognition.threads.outcomes import IN_ALL_PERIODS
from finassist.domain.calculators.recognition.threads.standing import (
    Standing,
    Step,
    in_cents,
    standing_of,
)
from finassist.domain.calculators.recognition.views import (
    DIFFERENCE,
    figure_for,
    figures_named,
    figures_wanted,
    period_named,
    period_wanted,
    wants_table,
)
from finassist.domain.retrieval.words import topic_words

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_SHARE_ASKED: Final = (said("share"), said("percent"))
_PERCENTAGE: Final = "percentage"
"""Of an amount of another period than the message asks for, its share is read for that one."""
_RECURRING: Final = "recurring_cost"
_DIFFERENCE: Final = "difference"
_YEAR: Final = 12
TIME_SAVED: Final = "months_saved"
PERIODS_TOLD: Final = {"hourly": "hour"}


def standing_after(asked: Continued, reading: Reading) -> Standing | None:
    """The result that a message asked for by itself."""
    if asked.operation:
        return standing_of(entry_of(asked.operation[-1]))
    entry = entry_asked(asked)
    if asked.inflation is not None:
        return _in_todays_money(entry, asked.inflation)
    digits = any(map(str.isdigit, reading.text))
    given = {each.per for filled in asked.draft.filled.values() for each in filled}
    period = asked.period or period_wanted(reading.text) or ("" if digits else period_named(reading.text))
    if period in PERIODS_TOLD and PERIODS_TOLD[period] in given and digits:
        period = ""  # its own number tells it
    named = () if digits and not asked.wanted else figures_wanted(reading.text)
    wanted = (*asked.wanted, *named)
    if entry is not None and period in entry.figures:
        wanted = (*asked.wanted, period, *wanted)
    found = standing_of(entry, wanted)
    if found is None or period not in PERIOD_NAMES or period in wanted:
        return found
    if found.value is None or found.value.periods in ([], [PERIOD_NAMES[period]]):
        return found
    return found.after(Step("in", plain(1), PERIOD_NAMES[period])) or found


def _in_todays_money(entry: Entry | None, inflation: Decimal) -> Standing | None:
    """The main figure of savings as what it buys today."""
    figure = None if entry is None else entry.main()
    terms = entry.draft.filled.get("term", ()) if entry is not None and entry.draft is not None else ()
    if figure is None or len(terms) != 1:
        return None
    years = terms[0].value / _YEAR
    value = in_cents(figure.value / (1 + inflation / 100) ** years)
    return Standing(None, "", with_unit(value, **{MONEY: 1}))


def result_meant(standing: Standing | None, ledger: Sequence[Entry], reading: Reading) -> Value | None:
    """What stands, or the figure of it that a message has taxed by its name; a difference without sign."""
    if standing is not None and ledger and reading.says(TAXED) and not standing.steps:
        figures = ledger[-1].figures
        named = next((figures[name] for name in figures_named(reading.text) if name in figures), None)
        if named is not None:
            return with_unit(named, **{MONEY: 1})
    value = None if standing is None else standing.value
    is_difference = value is not None and standing is not None and standing.name == _DIFFERENCE
    return replace(value, number=abs(value.number)) if value is not None and is_difference else value


def names_figure(ledger: Sequence[Entry], reading: Reading) -> bool:
    """Whether a message asks for a figure by a name that the last result has: "how much interest is it in
    all", after a message about something else."""
    figures = ledger[-1].figures if ledger else {}
    return any(name in figures for name in figures_wanted(reading.text)[:1])


def asks_time_saved(ledger: Sequence[Entry], draft: Draft, reading: Reading) -> bool:
    """Whether a message asks how much sooner the last calculation is over, which tells that."""
    if reading.quantities or not ledger or ledger[-1].draft is not draft:
        return False
    return TIME_SAVED in ledger[-1].figures and TIME_SAVED in figures_wanted(reading.text)


def lacks_figure(asked: Continued, reading: Reading) -> bool:
    """Whether a message without numbers asks for a figure that its calculation does not have."""
    if reading.quantities or wants_table(reading.text) or reading.says(DIFFERENCE):
        return False
    names = asked.wanted or figures_wanted(reading.text)
    if asked.period and not asked.is_chained:
        names = (asked.period, *(figure_for(asked.draft.calculator, "month") or ()))
    entry = entry_asked(asked) if names else None
    return entry is not None and not any(name in entry.figures for name in names)


def entry_asked(asked: Continued) -> Entry | None:
    """What a calculation comes to, with the figure of the one before it in its place."""
    draft = asked.draft
    if asked.is_chained and asked.before is not None:
        before = entry_of(recognised(asked.before), asked.before)
        names = (asked.period, *(figure_for(asked.before.calculator, asked.slot) or ()))
        found = [before.figure(name) for name in names if before is not None]
        figure = next(filter(None, found), None)
        if figure is None or figure.value <= 0:
            return None
        draft = draft.with_numbers({asked.slot: (number_of(figure.value, asked.slot, figure.per),)}, "")
    return None if draft.missing else entry_of(recognised(draft), draft)


def number_of(value: Decimal, slot: str, per: str) -> Quantity:
    """A figure of a result as a number for a slot."""
    is_monthly = "month" in slot or slot == "contribution"
    kind = Kind.MONTHLY_AMOUNT if is_monthly else Kind.AMOUNT
    told = "month" if is_monthly else per if per != ONCE else None
    return Quantity(kind=kind, value=value, before="", after="", written=f"{value:,}", per=told or None)


def calls_for(asked: Continued, reading: Reading) -> Sequence[Recognised]:
    """The calls that answer what a message asks, the last of them for the period that it names; none for what
    takes more than calls side by side."""
    if asked.operation:
        period = PERIOD_NAMES.get(period_named(reading.text), "")
        is_told = asked.operation[0].name == _RECURRING and asked.operation[0].arguments["per"] == period
        return () if is_told else asked.operation
    if (
        asked.choice
        or asked.draft.missing
        or asked.is_chained
        or asked.is_compared
        or asked.inflation is not None
    ):
        return ()
    standing = standing_after(asked, reading)
    is_turned = standing is not None and standing.steps and standing.steps[-1].sign == "in"
    is_read_so = asked.draft.calculator == _PERCENTAGE and asked.draft.said.endswith(reading.text.casefold())
    turned = standing.call() if standing is not None and is_turned and not is_read_so else None
    return [recognised(asked.draft)] if turned is None else [turned]


def figures_told(calls: Sequence[Recognised], reading: Reading) -> Sequence[str]:
    """The names of the figures that a message without numbers asks for and that one call tells already."""
    entry = entry_of(calls[0]) if len(calls) == 1 and not reading.quantities else None
    names = figures_wanted(reading.text) if entry is not None else ()
    period = PERIOD_NAMES.get(period_named(reading.text))
    return [name for name in names if entry and name in entry.figures if period in (None, entry.per_of(name))]


def asks_of_result(reading: Reading) -> bool:
    """Whether a message without numbers asks what part the result before it is."""
    return bool(refers_back(reading) and not reading.quantities and not period_named(reading.text))


def is_same(some: Sequence[Recognised], others: Sequence[Recognised]) -> bool:
    """Whether calls are the same calculations of the same numbers."""
    return [_numbers(each) for each in some] == [_numbers(each) for each in others]


def _numbers(call: Recognised) -> tuple[str, dict[str, object]]:
    text = () if call.name in PLAIN_CALCULATORS - {"currency_conversion"} else (str,)
    return call.name, {name: value for name, value in call.arguments.items() if not isinstance(value, text)}


def left_of_income(last: Entry, reading: Reading) -> Continued | None:
    """What the costs that were summed up leave of an income, which is still to be told or was before."""
    names = {} if last.draft is None else _DATA["left_of"].get(last.draft.name, {})
    if last.draft is not None and names:
        filled = {names[name]: each for name, each in last.draft.filled.items()}
        return Continued(Draft("money_left", filled, reading.text), before=last.draft)
    total = last.main() if last.call.name in _DATA["cost_results"] else None
    if total is None or total.value <= 0:
        return None
    costs = number_of(total.value, "monthly", "month")
    return Continued(Draft("money_left", {"expenses": (costs,)}, reading.text))


def share_of_income(last: Entry, reading: Reading) -> Continued | None:
    """A result, or the only cost that a message names, as a part of the only income that stands beside it:
    "what share of my pay is that", "what share of my pay is the rent"."""
    is_asked = not reading.quantities and any(map(reading.says, _SHARE_ASKED))
    told = [each for filled in (last.draft.filled if last.draft else {}).values() for each in filled]
    incomes = [each for each in told if is_received(Term(with_unit(each.value), each, 0))]
    if last.draft is None or not is_asked or len(incomes) != 1:
        return None
    words = telling(reading.text)
    named = [each for each in told if each is not incomes[0] and words & set(topic_words(each.before)[-2:])]
    result = (last.figure("left") or last.main()) if refers_back(reading) else None
    part = named[0].value if len(named) == 1 else None if result is None else result.value
    if len({each.per for each in told if each.per}) > 1 or part is None or not 0 < part < incomes[0].value:
        return None
    amounts = {"amount": incomes[0].value, "other_amount": part}
    return Continued(last.draft, operation=[Recognised(_PERCENTAGE, {"operation": "share", **amounts})])


def of_steps(asked: Continued, standing: Standing | None) -> Continued | None:
    """A calculation that takes the result before it, as it is after what was done with it."""
    value = None if standing is None else standing.value
    if value is None or MONEY not in value.unit or value.number <= 0:
        return None
    number = number_of(in_cents(value.number), asked.slot, next(iter(value.periods), ONCE))
    return Continued(asked.draft.with_numbers({asked.slot: (number,)}, ""))


def in_same_period(asked: Continued, reading: Reading, last: Standing | None) -> Continued:
    """A changed calculation with the figure first that the ``last`` result was told by."""
    if last is None or not asked.is_changed or asked.wanted or asked.period or asked.operation:
        return asked
    is_of_last = last.draft is asked.before and not last.steps and last.figure in PERIOD_NAMES
    if not is_of_last or asked.draft.calculator not in IN_ALL_PERIODS or period_named(reading.text):
        return asked
    return replace(asked, wanted=(last.figure,))
