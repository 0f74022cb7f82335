"""Sums in two currencies: what an amount is at a rate that is told, with fees in either of the two."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    WORD,
    apart,
)
from finassist.domain.calculators.recognition.sums.values import Value, with_unit
from finassist.domain.calculators.recognition.sums.words import before, said, words
from finassist.domain.calculators.recognition.wording import CURRENCIES

_FEE: Final = said("fee_asked", "fee_taken")
_TURNED: Final = said("turn_into")
_RATE_OF_EXCHANGE: Final = before("exchange_rate")
_EXCHANGE: Final = said("exchange_told")
_JOINED: Final = said("lists")
_CODE: Final = 3
_CLAUSE_BEFORE: Final = re.compile(r"^.*(?:[;?!:]|\.(?= )|, | and | und | et | y | e | en | then )")
_CLAUSE_AFTER: Final = re.compile(r"(?:[;?!:]|\.(?: |$)|, | (?:and|but|if|und|wenn|et|si|y|e|se|en|als) ).*$")
QUOTE: Final = re.compile(r" ?\((?P<quoted>[^\s():]+):(?P<base>[^\s():]+)\)")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))
_DOLLARS: Final = re.compile(r"(?<![^\W\d_])(?:(c)a?|(a)u?|(n)z|(s)g?|(u)s)(?:d|\$)(?![^\W\d_])")
"""Dollars with their country, each of another letter: usd, ca$, aud."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A rate of exchange that is told as so much of one currency for one of another; the names are those of
    the text. ``left`` are the other numbers."""

    rate: Quantity
    quoted: str
    base: str
    left: Sequence[Quantity]

    def target(self, symbol: str) -> str:
        """The name of the currency that an amount in one of the two is turned into; empty for another."""
        symbols = {CURRENCIES.get(self.base, ""): self.quoted, CURRENCIES.get(self.quoted, ""): self.base}
        return symbols.get(symbol, "") if symbol and len(symbols) == PAIR else ""

    def turned(self, value: Value, symbol: str) -> Value:
        """An amount in one of the two currencies, in the other."""
        rate = with_unit(self.rate.value)
        return value * rate if CURRENCIES.get(self.base) == symbol else value / rate


def read_exchange(quantities: Sequence[Quantity]) -> Exchange | None:
    """The only rate of exchange that numbers tell with both its currencies."""
    found = [(each, match) for each in quantities if (match := QUOTE.match(each.after))]
    if len(found) != 1:
        return None
    [(rate, match)] = found
    return Exchange(rate, match["quoted"], match["base"], apart(quantities, [rate]))


def without_rate(exchange: Exchange) -> list[Quantity]:
    """The other numbers, as if the rate did not stand between them."""
    return [replace(each, before=QUOTE.sub("", each.before, count=1)) for each in exchange.left]


def is_fee(quantity: Quantity) -> bool:
    """Whether an amount or a percentage is what somebody takes for an exchange."""
    earlier, later = _CLAUSE_BEFORE.sub("", quantity.before), _CLAUSE_AFTER.sub("", quantity.after)
    return quantity.kind is Kind.RATE or _FEE.search(f"{earlier} | {later}") is not None


def _fees_of(quantities: Sequence[Quantity]) -> tuple[list[Quantity], list[Quantity]]:
    """The percentages and the amounts that are taken; what is joined to one of them is one, too."""
    fees: list[Quantity] = []
    for each in quantities:
        is_joined = (
            bool(fees) and fees[-1].after == each.before and _JOINED.fullmatch(each.before.strip(" ,"))
        )
        if is_fee(each) or is_joined:
            fees.append(each)
    percents = [each for each in fees if each.kind is Kind.RATE]
    return percents, apart(fees, percents)


def tells_currencies(text: str) -> bool:
    """Whether a text names a currency or a rate of exchange."""
    names = {word for word in WORD.findall(text) if word in CURRENCIES}
    return bool(names) or _EXCHANGE.search(text) is not None


def has_several_currencies(quantities: Sequence[Quantity]) -> bool:
    """Whether amounts are told in more than one currency, which are not added; dollars of two countries are
    two."""
    dollars = {match.lastindex for each in quantities if (match := _DOLLARS.search(each.written))}
    return len(dollars) > 1 or len({each.symbol for each in quantities} - {"", "₱"}) > 1


def exchange_roles(quantities: Sequence[Quantity]) -> dict[str, tuple[Quantity, ...]] | None:
    """The amount, the rate and the fees of an exchange by how they are told; empty when no rate is told with
    its currencies, None when they make no plain exchange."""
    told = read_exchange(quantities)
    if told is None:
        return {}
    percents, fees = _fees_of(told.left)
    amounts = apart(told.left, [*percents, *fees])
    if has_several_currencies(told.left):
        return None
    if len(amounts) != 1 or len(percents) + len(fees) > 1:
        return {}
    if amounts[0].kind not in _AMOUNTS or amounts[0].per:
        return {}
    if any(each.symbol not in ("", amounts[0].symbol) for each in fees):
        return None  # the fee comes off what is got
    names = {"fee_percent": tuple(percents), "fee_amount": tuple(fees)}
    return {
        "amount": (amounts[0],),
        "rate": (told.rate,),
        **{name: each for name, each in names.items() if each},
    }


def shown_currency(name: str) -> str:
    """A currency as it is written behind an amount."""
    return name.upper() if len(name) == _CODE and name != "yen" else name


_NAMES: Final = "|".join(
    sorted((name for name in CURRENCIES if name.replace(" ", "").isalpha()), key=len, reverse=True)
)
_IN_CURRENCY: Final = re.compile(
    rf"(?:(?:{said('how_many').pattern}|{said('how_much').pattern}) |(?<!\w)(?:{words('into_currency')}) )"
    rf"(?:[^\W\d_]+ )?(?P<name>{_NAMES})(?!\w)"
)


def is_exchange_wanted(text: str) -> bool:
    """Whether somebody wants an amount turned into another currency: "can you turn it into euros"."""
    return _TURNED.search(text) is not None


def is_rate_lacking(quantities: Sequence[Quantity], text: str) -> bool:
    """Whether the only amount is asked for in another currency, and no rate is told."""
    amounts = [each for each in quantities if each.kind in _AMOUNTS and not is_fee(each)]
    if len(amounts) != 1 or not amounts[0].symbol or amounts[0].per:
        return False
    others = apart(quantities, amounts)
    if len(others) > 1 or any(_RATE_OF_EXCHANGE.search(each.before) for each in others):
        return False
    if not all(is_fee(each) for each in others):
        return False
    wanted = {CURRENCIES[found["name"]] for found in _IN_CURRENCY.finditer(text)} - {amounts[0].symbol}
    return len(wanted) == 1
