"""What one cost on average of what was bought in several lots: the price at which nothing is lost."""

from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    WORD,
    Figure,
    Figures,
    Question,
    amount,
)
from finassist.domain.calculators.recognition.sums.values import with_unit
from finassist.domain.calculators.recognition.sums.words import before, noun_of, said

_ASKED: Final = said("break_even", "average_price")
_PRICE: Final = said("price_of_one")
_BOUGHT: Final = said("bought_lots")
_SOLD: Final = said("sold")
_AT: Final = before("lot_price")
_COUNTS: Final = frozenset((Kind.COUNT, Kind.SMALL, Kind.AMOUNT))
_PRICES: Final = frozenset((Kind.AMOUNT, Kind.SMALL, Kind.PRICE, Kind.RATE))
_MORE: Final = frozenset(map(noun_of, ("more", "further", "another", "bought", "purchased", "gekauft")))


def average_of_lots(question: Question) -> Figures:
    """The price that one of several lots cost on average: "40 at 61.20, then 25 at 48"."""
    numbers = question.quantities
    if len(numbers) < PAIR * 2 or len(numbers) % PAIR or not question.asks(_ASKED):
        return ()
    if not question.says(_BOUGHT) or question.says(_SOLD) or not question.asks(_PRICE):
        return ()
    lots = list(zip(numbers[::PAIR], numbers[1::PAIR], strict=True))
    if not all(_is_lot(count, price) for count, price in lots):
        return ()
    things = [found for count, _ in lots if (found := _things(count))]
    if any(_AT.search(count.before) for count, _ in lots) or not all(things[0] & each for each in things):
        return ()
    paid = reduce(add, (with_unit(count.value) * amount(price) for count, price in lots))
    number = reduce(add, (with_unit(count.value) for count, _ in lots))
    return (Figure("The price of one", paid / number), Figure("Paid in all", paid))


def _is_lot(count: Quantity, price: Quantity) -> bool:
    """Whether two numbers are how many there were and what one cost."""
    is_count = count.kind in _COUNTS and not count.symbol and not count.per and count.value > 0
    is_price = price.kind in _PRICES and price.per is None and "%" not in price.written
    return is_count and is_price and _AT.search(price.before) is not None


def _things(count: Quantity) -> set[str]:
    """What a number counts, as the words between it and the price tell."""
    words = WORD.findall(f"{count.written} {_AT.sub('', count.after)}")
    return {noun for word in words if (noun := noun_of(word)) and noun not in _MORE}
