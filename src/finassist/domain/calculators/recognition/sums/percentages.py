"""Percentages of a sum: which of them are of the same sum, and which follow one another."""

import re
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Final

from finassist.domain.calculators.recognition.sums.asked import Asked, Goal
from finassist.domain.calculators.recognition.sums.roles import (
    Role,
    around,
    is_discount,
    is_further,
    is_joined,
    is_vaguely_added,
    role_of,
    without_next,
)
from finassist.domain.calculators.recognition.sums.terms import Term
from finassist.domain.calculators.recognition.sums.values import Value, plain
from finassist.domain.calculators.recognition.sums.words import after, said

_PAYS: Final = said("pays_share")
_BY_ME: Final = said("paid_by_me")
_MINE_ASKED: Final = re.compile(
    r"\b(?:do|would|will|must) (?:i|we)\b|\b(?:zahle|bezahle) ich\b|\b(?:paie|paye)[- ]je\b|\bpago\b"
)
_PAY_TAX: Final = said("pay_tax")
_IT_ASKED: Final = said("it_asked")
_GOES_TO: Final = after("of_that_part")
Roles = Sequence[tuple[Term, Role]]


def roles_of(rates: Sequence[Term], asked: Asked) -> Roles | None:
    """What each percentage does; a further one does what the one before does when nothing else is said. None
    when that of one is not told."""
    roles: list[tuple[Term, Role]] = []
    for rate, role in zip(rates, told_roles(rates, asked), strict=True):
        if role is None and roles and (is_further(rate) or not around(rate)[0].strip()):
            role = roles[-1][1]
        if role is None:
            return None
        if role is Role.ADDED and roles and is_vaguely_added(rate) and roles[-1][1] is Role.REMOVED:
            if not is_further(rate):
                return None  # more of the discount, or on the price
            role = Role.REMOVED
        if role is Role.ADDED and asked.left and _PAY_TAX.search(" | ".join(around(rate))):
            role = Role.REMOVED
        roles.append((rate, role))
    return roles


def told_roles(rates: Sequence[Term], asked: Asked) -> Sequence[Role | None]:
    """What the words say that each percentage does: what is told in one list with one that is withheld, or
    with a tax that is taken off of what is left, is withheld as well."""
    lists: list[list[Term]] = []
    for rate in rates:
        if lists and is_joined(rate):
            lists[-1].append(rate)
        else:
            lists.append([rate])
    return [role for listed in lists for role in _of_list(listed, asked)]


def _of_list(listed: Sequence[Term], asked: Asked) -> Sequence[Role | None]:
    rates = [*map(without_next, listed[:-1]), listed[-1]]
    roles = [role_of(rate, asked.text) for rate in rates]
    is_taxed = asked.left and any(_PAY_TAX.search(" | ".join(around(rate))) for rate in rates)
    is_off = Role.WITHHELD in roles or (is_taxed and len(roles) > 1)
    return [Role.WITHHELD] * len(roles) if is_off else roles


def changed(base: Value, roles: Roles, asked: Asked) -> Value | None:
    """A sum after its percentages; None when their order makes a difference that the words do not settle."""
    kinds = {role for _, role in roles}
    if asked.goal is Goal.DIFFERENCE:
        return base * _share(roles[0][0]) if len(roles) == 1 else None
    if kinds == {Role.REMOVED} and not asked.left and all(_is_part_meant(rate, asked) for rate, _ in roles):
        kinds = {Role.PART}
    is_chain = any(is_further(rate) for rate, _ in roles[1:])
    discounts = [is_discount(rate) for rate, _ in roles]
    is_kept = asked.left and kinds <= {Role.PART, Role.REMOVED} and not any(discounts)
    if (kinds == {Role.PART} or is_kept) and not is_chain:
        part = reduce(add, (rate.value for rate, _ in roles)) / plain(100)
        is_left = asked.left or all(_is_paid_by_others(rate, asked) for rate, _ in roles)
        return base * (plain(1) - part if is_left else part)
    if Role.WITHHELD in kinds and len(roles) > 1:
        return base * reduce(_with_share, roles, plain(1))
    is_told = is_chain or all(discounts) or len(kinds) == len(roles)
    return _in_turn(base, roles, asked) if is_told else None


def _is_part_meant(rate: Term, asked: Asked) -> bool:
    """Whether "that" is the part which goes somewhere: "9% goes to the fund, how much is that"."""
    return _IT_ASKED.search(asked.text) is not None and _GOES_TO.match(around(rate)[1]) is not None


def _is_paid_by_others(rate: Term, asked: Asked) -> bool:
    """Whether somebody else pays a part, and it is asked what the one who asks pays."""
    holder, _ = around(rate)
    is_paid = _PAYS.search(holder) is not None and _BY_ME.search(holder) is None
    return is_paid and _MINE_ASKED.search(asked.text) is not None


def _in_turn(base: Value, roles: Roles, asked: Asked) -> Value | None:
    """Each percentage of what the one before left."""
    value: Value | None = base
    for place, (rate, role) in enumerate(roles):
        if value is None:
            return None
        value = _after(value, rate, role, is_left=asked.left, is_last=place == len(roles) - 1)
    return value


def _after(value: Value, rate: Term, role: Role, *, is_left: bool, is_last: bool) -> Value | None:
    if role is Role.ADDED:
        return value * (plain(1) + _share(rate))
    if role in (Role.REMOVED, Role.WITHHELD) or (role is Role.PART and is_left):
        return value * (plain(1) - _share(rate))
    return value * _share(rate) if role is Role.PART and is_last else None


def _with_share(value: Value, told: tuple[Term, Role]) -> Value:
    rate, role = told
    return value + _share(rate) if role is Role.ADDED else value - _share(rate)


def _share(rate: Term) -> Value:
    return rate.value / plain(100)
