"""Questions that are a plain percentage and nothing else: "15% of 480", "18% GST on 2500", "20 % off 80"."""

import re
from collections.abc import Sequence
from decimal import Decimal

from finassist.domain.calculators.recognition.quantities import outline
from finassist.domain.calculators.recognition.reading import Recognised

_MAX_PERCENT = 1000

# In the patterns, <p> stands for a number with a percent sign and <a> for any other number.
_LEAD = (
    r"(?:(?:hi|hello|hey|please|so|ok|and)[,!]? )?(?:(?:can|could) you )?"
    r"(?:what'?s|what (?:is|are|would be|will be)|how much(?:'s| is| are| would be| will be)?(?: for)?"
    r"|calculate|compute|work out|find|tell me|give me|show me)?:? ?(?:the |an? )?"
)
_TAX = (
    r"(?:(?:sales |service |value added )?tax(?:es)?|gst|vat|hst|mwst|surcharge|tip|gratuity|mark-?up|tds"
    r"|cess|service charge|commission|brokerage|(?:stamp )?duty|raise|pay rise|hike|increment|increase)"
)
_ONTO = "(?:on|to|for|of|onto|over)(?: top of)?"
_PRICE = "(?:bill|price|amount|total|salary|purchase|meal|sum|cost)"
_AMOUNT = (
    rf"(?:an? |the |my |our |this )?(?:{_PRICE}(?: of| is)? )?<a>"
    r"(?: (?!over|for|per|each|every|at|in|after|is|was)[a-z]+(?<!ly))?"
)
_PERCENT = "(?:percent(?:age)?s?|per cent|%|pct)"
_CHANGE = (
    "(?:change|increase|decrease|growth|difference|rise|drop|fall|raise|hike|gain|loss|discount|jump|decline)"
)
_WENT = (
    "(?:went|gone|goes|rose|risen|increased|grew|grown|raised|fell|fallen|dropped|changed|decreased|declined"
    "|jumped|moved)(?: up| down)?"
)
_WHOLE_PRICE = f"(?:(?:total|final|full|gross) )?{_PRICE}?,? ?"
_WITH_OR_AFTER = r"(?:with|after|plus|including|incl\.?)"
_OFF = r"(?:discount(?: (?:off|on|from|of))?|off(?: of| from)?|less than|(?:reduction|rebate) (?:on|of))"
_BEFORE_TAX = f"(?:{_TAX}|net(?: {_PRICE})?|base(?: {_PRICE})?|price (?:before|without) {_TAX})"
_HOW_MANY = "(?:what |which |how many )?"

_SHAPES = {
    "of": (rf"<p> (?:out )?of {_AMOUNT}", r"<p> (?:x|times|\*) <a>"),
    "add": (
        rf"<p> {_TAX} {_ONTO} {_AMOUNT}",
        rf"{_TAX} (?:of |at |@ ?)?<p> {_ONTO} {_AMOUNT}",
        rf"{_TAX} {_ONTO} {_AMOUNT} (?:at|@|with|of) <p>",
        rf"add(?:ing)? (?:an? )?<p>(?: {_TAX})?(?: (?:to|on|onto))? {_AMOUNT}",
        rf"{_WHOLE_PRICE}{_WITH_OR_AFTER} (?:an? )?<p> {_TAX} {_ONTO} {_AMOUNT}",
        rf"{_AMOUNT} (?:plus|\+|and) (?:an? )?<p>(?: {_TAX})?",
        rf"{_AMOUNT} with (?:an? )?<p> {_TAX}(?: added| on top)?",
        rf"{_AMOUNT} (?:increased|raised|marked up|up) by <p>",
        rf"(?:increase|raise|mark up) {_AMOUNT} by <p>",
    ),
    "subtract": (
        rf"(?:{_PRICE} (?:after|with|at) )?(?:an? )?<p> {_OFF} {_AMOUNT}",
        rf"(?:an? )?discount(?: of)? <p>(?: off)?(?: on| off| from| of)? {_AMOUNT}",
        rf"(?:take|subtract|deduct) <p> (?:off|from|off of) {_AMOUNT}",
        rf"{_AMOUNT},? (?:minus|less|-) (?:an? )?<p>(?: discount)?",
        rf"{_AMOUNT},? (?:(?:with|after|at) )?(?:an? )?<p> (?:discount|off|reduction|rebate)",
        rf"{_AMOUNT} (?:reduced|decreased|discounted|lowered|cut|down) by <p>",
        rf"(?:reduce|decrease|lower|discount|cut) {_AMOUNT} by <p>",
    ),
    "included": (
        rf"(?:remove|take out|back out|exclude|extract) (?:the )?<p> {_TAX} from {_AMOUNT}",
        rf"(?:the )?{_TAX}(?: is)? (?:included |contained )?in {_AMOUNT},? (?:at|with|@|of) <p>(?: {_TAX})?",
        rf"<p> {_TAX} (?:included |contained )?in {_AMOUNT}",
        rf"{_AMOUNT} (?:includes|including|incl\.?|inclusive of) <p> {_TAX}"
        rf"(?:[,.:]? (?:what|how much)(?:'s| is)? (?:the )?{_BEFORE_TAX})?",
    ),
    "change": (
        rf"(?:{_HOW_MANY}{_PERCENT} )?(?:of )?(?:an? )?{_CHANGE}(?: in {_PERCENT})?(?: of)?"
        r"(?: is| was)?(?: it)? (?:(?:from|between) )?<a> (?:to|and) <a>",
        rf"{_HOW_MANY}{_PERCENT}(?: is| was)?(?: it)? (?:(?:from|between) )?<a> (?:to|and) <a>",
        "(?:from|between) <a> (?:to|and) <a>",
        rf"(?:(?:my|our|its) (?:[a-z]+ ){{1,4}}|[a-z]+ )?(?:has |have )?{_WENT} from <a> to <a>",
    ),
    "share": (
        rf"<a> (?:is|are) (?:what|how many|which) {_PERCENT} of <a>",
        rf"{_HOW_MANY}{_PERCENT} (?:is|are) <a> (?:out )?of <a>",
        rf"<a> (?:out )?of <a>,? (?:in|as)(?: an?)? {_PERCENT}",
        rf"<a> as an? {_PERCENT} of <a>",
    ),
    "whole first": (rf"{_HOW_MANY}{_PERCENT} of <a> (?:is|are|makes?) <a>",),
}
_ENDS = (
    rf"(?: (?:in|as)(?: an?)? {_PERCENT}(?: terms)?| {_PERCENT} {_CHANGE})?"
    rf"(?:[,.:;?]? (?:so |and )?(?:what|how many|which)(?:'s| is| was)?(?: the)?(?: {_PERCENT})?"
    rf"(?: {_CHANGE}| {_PRICE})?(?: (?:is|was) (?:that|it|this))?|,? how much(?: is (?:it|that))?)?"
)
_COMPILED = {
    operation: tuple(re.compile(f"{_LEAD}{shape}{_ENDS}") for shape in shapes)
    for operation, shapes in _SHAPES.items()
}
_PERCENT_ASKED = re.compile(_PERCENT)


def plain_percentage(text: str) -> Recognised | None:
    """The percentage that a text in lower case asks for, or None when it holds anything besides."""
    outlined = outline(text)
    if outlined is None:
        return None
    shape, rates, amounts = outlined
    shape = shape.strip(" .?!=")
    fitting = (
        operation
        for operation, patterns in _COMPILED.items()
        if any(pattern.fullmatch(shape) for pattern in patterns)
    )
    operation = next(fitting, None)
    if operation is None:
        return None
    if operation in {"of", "add", "subtract", "included"}:
        return _percentage(operation, amount=amounts[0], percent=rates[0]) if _plausible(rates) else None
    if operation == "change":
        asked = _PERCENT_ASKED.search(shape) is not None
        return _percentage("change", amount=amounts[0], other_amount=amounts[1]) if asked else None
    whole, part = amounts if operation == "whole first" else reversed(amounts)
    return _percentage("share", amount=whole, other_amount=part)


def _plausible(rates: Sequence[Decimal]) -> bool:
    return rates[0] <= _MAX_PERCENT


def _percentage(operation: str, **arguments: Decimal) -> Recognised:
    return Recognised("percentage", {"operation": operation, **arguments})
