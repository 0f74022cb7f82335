"""How the offline model reads a result out: figure first, in the currency and grouping of the question."""

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

import msgspec

from finassist.adapters.llm.offline.calls import ThenStory, ThenTold
from finassist.adapters.llm.offline.phrases import texts_in
from finassist.adapters.llm.offline.words import any_of
from finassist.application.ports.language_model import ToolAnswer
from finassist.data import shipped
from finassist.domain.calculators.recognition.quantities import symbol_of
from finassist.domain.calculators.recognition.spellings import QUANTITY
from finassist.domain.calculators.recognition.views import (
    figures_wanted,
    period_named,
    period_wanted,
    wants_difference,
    wants_table,
)
from finassist.domain.calculators.recognition.wording import CURRENCIES, worded
from finassist.domain.calculators.stories.numbers import is_grouped_by_points
from finassist.domain.retrieval.languages import ENGLISH
from finassist.patterns import late_pattern

_COUNTS_IN_LAKH: Final = re.compile(
    rf"[\d ]{any_of('indianNumbers')}\b(?!['\u2019])|\b{any_of('indian')}\b|\u20b9", re.IGNORECASE
)
_IN_LAKH: Final = ("hi", "hi-Latn")
_IN_SPACES: Final = ("fr", "pl")
_POINTED: Final = ("de", "es", "it", "nl", "pt")
"""Languages that write 1.234,50, unless the question has 1,234."""
_SPACED: Final = str.maketrans({",": "\u202f", ".": ","})
_POINTS: Final = str.maketrans(",.", ".,")
_IN_SPACED_GROUPS: Final = re.compile(r"(?<!\d)[1-9]\d{0,2}[ \u00a0\u202f]\d{3},\d\d?(?!\d)")
_GROUPED: Final = re.compile(r"\d{1,3}(?:,\d{3})+")
_NUMBER: Final = re.compile(r"\d+(?:,\d+)*(?:\.\d+)?")
_MONEY: Final = re.compile(r"(?<![\w.,])\d[\d,]*\.\d{2}(?![\d%])")
_MONTHS: Final = re.compile(r"\bmonth(?:ly)? (?:by|for) month|\bmonthly\b|by month")
_WITHOUT_SYMBOL: Final = frozenset(("currency_conversion",))
_DOLLARS: Final = {
    **dict.fromkeys(("c$", "ca$", "cad"), "C$"),
    **dict.fromkeys(("a$", "au$", "aud"), "A$"),
    **dict.fromkeys(("nz$", "nzd"), "NZ$"),
    **dict.fromkeys(("s$", "sgd"), "S$"),
}
"""Dollars as they are shown; they are all read alike."""
_IN_ALL_PERIODS: Final = frozenset(("pay_conversion", "recurring_cost"))
_FLOWS: Final = frozenset(shipped("calculators/follow_ups")["flows"])
_COMPARISON: Final = "difference"
_PLAINLY: Final = ThenTold()
_CHECKED: Final = "I calculated it again, from the numbers as I understood them, and came to the same result."
_CORRECT_ME: Final = (
    "It holds for the numbers that you gave and these assumptions alone. If I took one of them for something "
    "else than you meant, tell me the right one, and I calculate it again."
)
_LEFT_OPEN: Final = (
    "I calculated one of the two things that you ask. Left open is: {}. Ask me that by itself."
)
_ROWS_MAX: Final = 60
_COMPARED_MAX: Final = 3
_LATER: Final = 2
_COMPARED: Final[Mapping[str, str]] = shipped("chat/offline_words")["compared"]
_INFLATED: Final = frozenset(shipped("calculators/follow_ups")["inflated"])
_NAMES: Final = "languages/figures"
"""What figures and premises are called in other languages."""
_FROM: Final = "from"
_FIGURES_MAX: Final = 3
_COUNTS: Final = frozenset(
    ("months", "months_saved", "months_to_fill", "years", "people", "months_paid", "months_covered", "times")
)
_PERCENT: Final = frozenset(
    "percent yearly_rate yearly_return yearly_inflation inflation_rate tax_percent tip_percent "
    "effective_rate yearly_growth_rate total_growth real_return dividend_yield yearly_yield yearly_rise "
    "yearly_fall".split()
)
_AFTER_INTEREST: Final = ("total_paid",)
_NO_MONEY: Final = frozenset(("rate",))
_BEHIND: Final = {"\u20ac": "\u20ac", "PLN": "z\u0142"}
"""Symbols that stand behind their amounts, as they are written there."""
_YEAR: Final = 12
_LIST: Final = "\n\n"
_COMES_TO: Final = re.compile(r"^It comes to (.*)$")


class _Shown(msgspec.Struct):
    """What a calculator's result says in words, and its figures."""

    answer: str
    formula: str
    steps: list[str]
    assumptions: list[str]
    figures: dict[str, Any] = {}
    series: dict[str, Any] | None = None


def told(
    answers: Sequence[ToolAnswer],
    asked: Sequence[str] = (),
    how: ThenTold = _PLAINLY,
    *,
    language: str = ENGLISH,
) -> str:
    """The results of tools as a reply: the figure, the formula, the steps and the assumptions; or a table, or
    one figure, when the last message asks for that. ``asked`` is what the user wrote, oldest first; ``how``
    names the figure that comes first, and says whether a result is doubted. ``language`` is that of the
    last message."""
    outcome = answers[-1].outcome
    if outcome.is_error:
        return in_english(f"I cannot calculate that. {outcome.result['error']}", language)
    shown = [msgspec.convert(answer.outcome.result, _Shown) for answer in answers]
    names = [answer.call.name for answer in answers]
    call = answers[0].call
    is_money = call.name not in _WITHOUT_SYMBOL and call.arguments.get("unit", "money") == "money"
    symbol = _symbol(asked) if is_money else ""
    last = asked[-1] if asked else ""
    each = _each(shown, how.labels) if how.labels else _first(shown, names, last, how.wanted)
    first = _with_symbol(each, symbol)
    local = "" if language == ENGLISH else _in_figures(answers, language, symbol)
    table = _table(shown[0], last) if wants_table(last) else None
    is_view = table is not None and not any(letter.isdigit() for letter in last)
    if isinstance(how, ThenStory):
        explained = _explained(shown[:1], ())
    else:
        explained = _explained(shown, _taken(answers, asked))
    parts = [
        f"{_CHECKED}{_LIST if first.startswith('- ') else ' '}{first}" if how.is_checked else first,
        *([how.changed] if how.changed else ()),
        *([_LEFT_OPEN.format(how.left_open)] if how.left_open else ()),
        *([table] if table else ()),
        *([] if is_view else [explained]),
        *([_CORRECT_ME] if how.is_checked else ()),
    ]
    text = in_english("\n\n".join(parts), language)
    return _grouped(f"{local}\n\n{text}" if local else text, asked, language)


def in_english(text: str, language: str) -> str:
    """A text on a calculation, below a note in the language of the question that it is in English."""
    texts = texts_in(language)
    return text if texts is None else f"{texts.calculated}\n\n{text}"


def _each(shown: Sequence[_Shown], labels: Sequence[str]) -> str:
    """What each result answers of a message that asks several things."""
    answers = [_COMES_TO.sub(r"\1", each.answer) for each in shown]
    if len(shown) == 1:
        return f"{labels[0]}: {answers[0]}"
    return "\n".join(f"- {label}: {answer}" for label, answer in zip(labels, answers, strict=True))


def _first(shown: Sequence[_Shown], names: Sequence[str], question: str, wanted: Sequence[str]) -> str:
    """The sentence with the figure that the question is about."""
    if set(names) == {_COMPARISON}:
        return " ".join(each.answer for each in shown)
    if len(shown) > 1 and not (names[-1].startswith("inflation") and names[0] in _INFLATED):
        told = _difference(shown[0], shown[-1], question) if wants_difference(question) else ""
        return f"{told}{shown[-1].answer}\n\nBefore: {shown[0].answer}"
    if len(shown) > 1:
        real = Decimal(str(shown[-1].figures["real_value"]))
        return f"At today's prices that is {real:,.2f}. {shown[0].answer}"
    for name in (*wanted, *figures_wanted(question)):
        figure = shown[0].figures.get(name)
        if figure is not None:
            number = f"{Decimal(figure):,.2f}" if isinstance(figure, str) else str(figure)
            return f"{name.replace('_', ' ').capitalize()}: {number}. {shown[0].answer}"
    period = period_wanted(question) or ("" if any(map(str.isdigit, question)) else period_named(question))
    figure = shown[0].figures.get(period) if names[0] in _IN_ALL_PERIODS else None
    if isinstance(figure, str):
        return f"{period.capitalize()}: {Decimal(figure):,.2f}. {shown[0].answer}"
    return shown[0].answer


def _difference(before: _Shown, now: _Shown, question: str) -> str:
    """How the figures that both results have differ, those that the question names first."""
    wanted = [name for name in figures_wanted(question) if name in _COMPARED]
    parts = []
    for name in dict.fromkeys([*wanted, *_COMPARED]):
        one, other = _of_plan(before).get(name), _of_plan(now).get(name)
        if one is None or other is None or one == other:
            continue
        change = Decimal(str(other)) - Decimal(str(one))
        shown = [str(each) if name == "months" else f"{Decimal(str(each)):,.2f}" for each in (one, other)]
        number = f"{abs(change):,}" if name == "months" else f"{abs(change):,.2f}"
        more = "more" if change > 0 else "less"
        parts.append(f"{_COMPARED[name]}: {shown[0]} before, {shown[1]} now, {number} {more}")
    return f"{'; '.join(parts[:_COMPARED_MAX])}. " if parts else ""


def _of_plan(shown: _Shown) -> Mapping[str, Any]:
    """The figures, with those of paying off debts among them."""
    return {**shown.figures, **(shown.figures.get("avalanche") or {})}


def _taken(answers: Sequence[ToolAnswer], asked: Sequence[str]) -> tuple[str, ...]:
    """What a later message is calculated with: it says only a part of it."""
    if len(asked) < _LATER:
        return ()
    given = (
        f"{name.replace('_', ' ')} {_plain(value)}"
        for name, value in answers[-1].call.arguments.items()
        if not isinstance(value, list | dict | bool)
    )
    return (f"Taken: {', '.join(given)}.",)


def _plain(value: object) -> str:
    return f"{Decimal(str(value)):,}" if isinstance(value, int | float) else str(value)


def _explained(shown: Sequence[_Shown], taken: Sequence[str]) -> str:
    formulas = "; then ".join(each.formula for each in shown)
    steps = "\n".join(
        f"{number}. {step}" for number, step in enumerate(_all(each.steps for each in shown), 1)
    )
    assumptions = "\n".join(
        f"- {each}" for each in dict.fromkeys([*taken, *_all(each.assumptions for each in shown)])
    )
    return f"Formula: {formulas}\n\nSteps:\n{steps}\n\nAssumptions:\n{assumptions}"


def _all(lists: Iterable[Sequence[str]]) -> list[str]:
    return [item for each in lists for item in each]


def _table(shown: _Shown, question: str) -> str | None:
    """The result by year, or by month when that is asked for; None when it has no parts."""
    rows, unit = _rows(shown, by_month=_MONTHS.search(question.casefold()) is not None)
    if not rows:
        return None
    names = [name for name in rows[0] if name not in {"at", "year", "month"}]
    heads = [unit, *(name.strip("_").replace("_", " ").capitalize() for name in names)]
    lines = [heads, ["---:"] * len(heads)]
    for number, row in enumerate(rows[:_ROWS_MAX], 1):
        cells = (f"{Decimal(str(row[name])):,.2f}" if row[name] is not None else "" for name in names)
        lines.append([str(row.get("at", row.get("year", number))), *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rows(shown: _Shown, *, by_month: bool) -> tuple[Sequence[Mapping[str, Any]], str]:
    points = (shown.series or {}).get("points") or []
    is_monthly = bool(points) and (shown.series or {}).get("label") == "month"
    if by_month and is_monthly:
        return points, "Month"
    schedule = shown.figures.get("schedule")
    if schedule:
        return schedule, "Year"
    return (_years(points), "Year") if is_monthly else (points, "Year")


def _years(points: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Months put together to years: what flows is added up, of the rest the last month counts."""
    return [
        {
            name: str(sum(Decimal(str(month[name] or 0)) for month in months)) if name in _FLOWS else value
            for name, value in months[-1].items()
        }
        | {"at": year}
        for year, months in enumerate(_by_twelve(points), 1)
    ]


def _by_twelve(points: Sequence[Mapping[str, Any]]) -> list[Sequence[Mapping[str, Any]]]:
    return [points[start : start + _YEAR] for start in range(0, len(points), _YEAR)]


_CURRENCY: Final = "|".join(sorted(filter(str.isalpha, CURRENCIES), key=len, reverse=True))
_CONVERTED: Final = late_pattern(rf"\b(?:in|to|into|en|em|nach) (?:{_CURRENCY}) (?:at|bei|à|a)\b")
"""Words with which an amount is changed into another currency."""


def _symbol(asked: Sequence[str]) -> str:
    """The currency that the user wrote last, dollars with their country; none after a change into another."""
    if any(_CONVERTED.search(text.casefold()) for text in asked):
        return ""
    matches = [match for text in asked for match in QUANTITY.finditer(worded(text))]
    found = next((match for match in reversed(matches) if symbol_of(match)), None)
    if found is None:
        return ""
    written = (found["currency"] or found["noun"] or "").strip()
    return _DOLLARS.get(written, symbol_of(found))


def _with_symbol(text: str, symbol: str) -> str:
    return _MONEY.sub(lambda number: f"{symbol}{number[0]}", text) if symbol else text


def _grouped(text: str, asked: Sequence[str], language: str) -> str:
    """Numbers in the grouping of the question: 20,00,000 for lakh and rupees, 20.000,00 for such euros,
    20 000,00 with spaces that do not break in French and Polish."""
    if language in _IN_SPACES:
        return _NUMBER.sub(lambda number: number[0].translate(_SPACED), text)
    if language in _IN_LAKH or any(_COUNTS_IN_LAKH.search(question) for question in asked):
        return _GROUPED.sub(lambda number: _in_lakh(number[0].replace(",", "")), text)
    has_points = language in _POINTED and not any(_GROUPED.search(question) for question in asked)
    if has_points or any(map(is_grouped_by_points, asked)):
        signs = _SPACED if any(map(_IN_SPACED_GROUPS.search, asked)) else _POINTS
        return _NUMBER.sub(lambda number: number[0].translate(signs), text)
    return text


def _in_lakh(digits: str) -> str:
    """``2000000`` as ``20,00,000``: three digits at the end, pairs before them."""
    pairs, last = digits[:-3], digits[-3:]
    return ",".join(
        [*(pairs[max(0, end - 2) : end] for end in range(len(pairs) % 2 or 2, len(pairs) + 1, 2)), last]
    )


def _in_figures(answers: Sequence[ToolAnswer], language: str, symbol: str) -> str:
    """The figures and the premises of the last result, named in a language; empty in one without names, and
    for a result with none of the figures that have one."""
    names: Mapping[str, str] = shipped(_NAMES).get(language, {})
    answer = answers[-1]
    if not names or answer.outcome.is_error:
        return ""
    given = answer.call.arguments
    figures = answer.outcome.result["figures"]
    told = _named({name: figures[name] for name in _chosen(figures, given)}, names, symbol)
    if not told:
        return ""
    first, *others = (f"{label}: {value}" for label, value in told)
    premises = ", ".join(f"{label} {value}" for label, value in _named(given, names, symbol))
    line = f"{'; '.join((f'**{first}**', *others[: _FIGURES_MAX - 1]))}."
    return f"{line}\n\n{names[_FROM]}: {premises}." if premises else line


def _chosen(figures: Mapping[str, object], given: Mapping[str, object]) -> Sequence[str]:
    """The figures that say something: none twice, and not the term that was given; interest before sums."""
    by_value = {str(value): name for name, value in reversed([*figures.items()]) if name not in given}
    first = [name for name in figures if name in by_value.values()]
    if "years" in given and first[:1] != ["months"]:
        first = [name for name in first if name != "months"]
    return sorted(first, key=lambda name: name in _AFTER_INTEREST)


def _named(values: Mapping[str, object], names: Mapping[str, str], symbol: str) -> list[tuple[str, str]]:
    shown = ((names[name], _number(name, value, symbol)) for name, value in values.items() if name in names)
    return [(label, value) for label, value in shown if value]


def _number(name: str, value: object, symbol: str) -> str:
    """A number as English writes it; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return ""
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return ""
    if name in _COUNTS:
        return f"{number:,f}"
    if name in _PERCENT:
        return f"{number.normalize():,f} %"
    return f"{number:,}" if name in _NO_MONEY else _money(number, symbol)


def _money(number: Decimal, symbol: str) -> str:
    shown = f"{number:,.2f}"
    return f"{shown} {_BEHIND[symbol]}" if symbol in _BEHIND else f"{symbol}{shown}"
