"""What is paid now of an invoice with its tax of which the client holds a percentage back, and what a sale
leaves when a debt is paid from it that nobody tells."""

from typing import Final

from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.sums.question import (
    PAIR,
    Figure,
    Figures,
    Question,
    amount,
    part,
)
from finassist.domain.calculators.recognition.sums.told.clauses import around
from finassist.domain.calculators.recognition.sums.values import plain
from finassist.domain.calculators.recognition.sums.words import after, before, said

_HELD: Final = said("held_back")
_PAID_NOW: Final = said("paid_now_asked")
_LATER: Final = said("held_asked")
_OF_ALL: Final = after("of_invoice_total")
_OF_NET: Final = after("of_invoice_net")
_TAX_AFTER: Final = after("invoice_taxes")
_TAX_BEFORE: Final = before("invoice_taxes")
_IN_DOUBT: Final = said("retention_in_doubt")
_WITHIN: Final = said("tax_within")
_DEBT: Final = said("debt_without_number")
_SALE: Final = said("of_sale")
_DEBTS: Final = said("debts_named")
_AMOUNTS: Final = frozenset((Kind.AMOUNT, Kind.SMALL))


def held_back(question: Question) -> Figures:
    """What arrives now of an invoice, and what is held back: of its total with tax, or of the net."""
    held = [each for each in question.rates if _is_held(each)]
    taxes = [each for each in question.rates if _is_tax(each)]
    if not len(held) == len(taxes) == len(question.amounts) == 1 or held[0] is taxes[0]:
        return ()
    [base] = question.amounts
    is_plain = (
        base.kind in _AMOUNTS and base.per is None and len(question.quantities) == len(question.rates) + 1
    )
    if not is_plain or len(question.rates) != PAIR:
        return ()
    is_of_all, is_of_net = _OF_ALL.match(held[0].after), _OF_NET.match(held[0].after)
    asks_now, asks_later = question.says(_PAID_NOW), question.says(_LATER)
    if bool(is_of_all) is bool(is_of_net) or asks_now is asks_later:
        return ()
    if question.says(_IN_DOUBT) or _WITHIN.search(around(taxes[0])):
        return ()
    total = amount(base) * (plain(1) + part(taxes[0]))
    kept = (total if is_of_all else amount(base)) * part(held[0])
    now, later = Figure("Paid now", total - kept), Figure("Held back", kept)
    return (later, now) if asks_later else (now, later)


def has_unread_retention(question: Question) -> bool:
    """Whether a part of an invoice with tax is held back in words that do not tell what it is a part of."""
    return (
        len(question.rates) >= PAIR
        and any(map(_is_held, question.rates))
        and any(map(_is_tax, question.rates))
    )


def lacks_debt(question: Question) -> bool:
    """Whether a debt is paid from what a sale brings, and no number is that of the debt."""
    return (
        question.says(_DEBT)
        and question.says(_SALE)
        and not any(_DEBTS.search(around(each)) for each in question.amounts)
    )


def _is_held(rate: Quantity) -> bool:
    return _HELD.search(around(rate)) is not None


def _is_tax(rate: Quantity) -> bool:
    return _TAX_AFTER.match(rate.after) is not None or _TAX_BEFORE.search(rate.before) is not None
