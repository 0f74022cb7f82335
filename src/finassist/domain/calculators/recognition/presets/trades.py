"""What was bought and sold, by the order of the story and its verbs."""

from collections.abc import Sequence
from typing import Any, Final

from finassist.data import shipped
from finassist.domain.calculators.recognition.filling import Filled
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.patterns import late_pattern

_SAID: Final[Any] = shipped("calculators/recognition")["presets"]
_MONEYS: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.PRICE, Kind.PAY))
_VERB: Final = late_pattern(rf"\b(?:(?P<buy>{_SAID['bought']})|(?P<sell>{_SAID['sold']}))\b")
_FEE_BEFORE: Final = late_pattern(rf"\b(?:{_SAID['fees']})\b[^,;.\d]{{0,15}}$")
_FEE_AFTER: Final = late_pattern(rf"^ ?(?:[^\W\d_]+ )?(?:{_SAID['fees']}|{_SAID['fee_each']})\b")
_COUNTED: Final = late_pattern(rf"^ ?(?:{_SAID['shares']})\b|^ ?(?:[^\W\d_]+ )?(?:at|@|for) ?$")
_FOR_ONE: Final = late_pattern(rf"^ ?(?:{_SAID['fee_of_one']})\b")
_OF_ALL: Final = late_pattern(rf"^ ?(?:{_SAID['of_all']})(?!\w)")
_PRICES: Final = 2


def traded(quantities: Sequence[Quantity]) -> Filled | None:
    """Two prices in the order of the story, what is bought first, unless the verbs tell the other order, and
    fees by the words beside them; one price alone by its verb. Nothing when there are more."""
    counts = [each for each in quantities if each.kind is Kind.COUNT] or [
        each for each in quantities if each.kind in _MONEYS and not each.symbol and _COUNTED.match(each.after)
    ][:1]
    rest = [each for each in quantities if each.kind in _MONEYS and all(each is not one for one in counts)]
    fees = [each for each in rest if _FEE_BEFORE.search(each.before) or _FEE_AFTER.match(each.after)]
    prices = [each for each in rest if all(each is not fee for fee in fees)]
    if any(_OF_ALL.match(each.after) for each in prices):
        return None  # no price of one
    if len(prices) == 1 and len(counts) == 1 and len(quantities) == _PRICES:
        name = {"buy": "buy_price", "sell": "sell_price"}.get(_verb(quantities, prices[0]))
        return {name: (prices[0],), "count": tuple(counts)} if name else {}
    if len(counts) > 1 or len(prices) != _PRICES or len({each.value for each in fees}) > 1:
        return {}
    if len(counts) + len(rest) != len(quantities):
        return {}
    if any(_FOR_ONE.match(each.after) for each in fees):
        return None  # a fee of each thing, or of each deal
    first, second = (_verb(quantities, each) for each in prices)
    bought, sold = reversed(prices) if (first, second) == ("sell", "buy") else prices
    if first == second == "sell":
        return None
    return {
        "buy_price": (bought,),
        "sell_price": (sold,),
        **({"count": tuple(counts)} if counts else {}),
        **({"buy_fee": tuple(fees)} if fees else {}),
    }


def _verb(quantities: Sequence[Quantity], price: Quantity) -> str:
    """The kind of the last verb before a price, as far as the price before it; empty for none."""
    told = ""
    for quantity in quantities:
        told += quantity.before
        if quantity is price:
            break
        if quantity.kind in _MONEYS and not _COUNTED.match(quantity.after):
            told = ""
    found = [match.lastgroup or "" for match in _VERB.finditer(told)]
    return found[-1] if found else ""
