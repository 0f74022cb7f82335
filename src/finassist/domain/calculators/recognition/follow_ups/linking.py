"""Whether a message goes on with a calculation: it says little more than its numbers, or these are plainly
meant in the place of others."""

from typing import Any, Final, cast

from finassist.data import shipped
from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import adjusted_input
from finassist.domain.calculators.recognition.follow_ups.gathering import asks
from finassist.domain.calculators.recognition.follow_ups.meaning import CHANGE, MAYBE
from finassist.domain.calculators.recognition.follow_ups.placing import CUED, is_near, ways_of
from finassist.domain.calculators.recognition.follow_ups.relative import is_counted_alike, sign_of
from finassist.domain.calculators.recognition.follow_ups.switching import as_other
from finassist.domain.calculators.recognition.quantities import Kind, Quantity
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.slots import form_of
from finassist.domain.calculators.recognition.spellings import QUANTITY
from finassist.domain.calculators.recognition.sums.words import PLAIN_CALCULATORS
from finassist.domain.calculators.recognition.threads.swaps import counted_noun
from finassist.domain.calculators.recognition.threads.words import NO_SUMS, OPERATION, SHARED
from finassist.domain.calculators.recognition.views import DIFFERENCE, FIGURES, PERIODS, TABLE
from finassist.domain.retrieval.words import topic_words
from finassist.patterns import late_pattern

_DATA: Final = cast("dict[str, Any]", shipped("calculators/follow_ups"))
_LINKING: Final = frozenset(_DATA["linking"].split())
_HINTED: Final = frozenset(_DATA["hinted"].split())
_HINT: Final = late_pattern(rf"^\W*(?:{_DATA['hint']})\b|\b(?:{_DATA['instead']})\b")
_SUPPOSED: Final = late_pattern(r"^\W*(?:(?:so|ok|okay|hmm|and|but) )*(?:what if|if)\b")
_STRANGE_MAX: Final = 1
"""How many words that it does not know a message may have that supposes another number."""
_WITHOUT_INTEREST: Final = late_pattern(rf"\b(?:{_DATA['without_interest']})\b")
_WORD: Final = late_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_WORDS_MAX: Final = 12
_BESIDE: Final = 2
_NOISE: Final = 2
"""Words of so many letters say nothing of their own."""


def links(draft: Draft, reading: Reading, is_view: bool) -> bool:
    """Whether a message says little more than its numbers: words that link, and those of the calculation."""
    text = QUANTITY.sub(" ", reading.text)
    if is_view:
        text = TABLE.sub(" ", text)
        for pattern in (*FIGURES, *PERIODS.values()):
            text = pattern.sub(" ", text)
    text = DIFFERENCE.sub(" ", text)
    words = _WORD.findall(_WITHOUT_INTEREST.sub(" ", text))
    is_supposed = not is_view and reading.says(_SUPPOSED) and _is_one_number(reading)
    is_hinted = reading.says(_HINT) or reading.says(_WITHOUT_INTEREST)
    known = (
        _LINKING | (_HINTED if is_hinted else frozenset()) | set(_WORD.findall(draft.said)) | _words_of(draft)
    )
    strange = {word for word in words if len(word) > _NOISE} - known
    return len(words) <= _WORDS_MAX and len(strange) <= (_STRANGE_MAX if is_supposed else 0)


def is_marked(draft: Draft, quantity: Quantity) -> bool:
    """Whether something tells what a small number is: words beside it, or that it was told before."""
    if not quantity.is_bare or quantity.kind is not Kind.SMALL:
        return True
    told = {each.value for filled in draft.filled.values() for each in filled}
    if told & {quantity.value, 12 * quantity.value}:
        return True
    return any(way[0] >= CUED for way in ways_of(draft, quantity, is_first=True, is_last=True))


def names_place(draft: Draft, reading: Reading) -> bool:
    """Whether words beside each number of a message tell what it is in a calculation, or were said of it."""
    placed, said = as_other(draft, reading), set(topic_words(draft.said))
    return bool(reading.quantities) and all(
        said & {*topic_words(each.before)[-_BESIDE:], *topic_words(each.after)[:1]}
        or any(way[0] >= CUED for way in ways_of(placed, each, is_first=True, is_last=True))
        for each in reading.quantities or ()
    )


def is_taken_off(draft: Draft, reading: Reading) -> bool:
    """Whether a message has an amount added to a result or taken off it, which is none of its numbers."""
    numbers = reading.quantities or ()
    if len(numbers) != 1 or draft.missing or not reading.says(OPERATION) or sign_of(numbers[0]):
        return False
    is_amount = numbers[0].kind is Kind.AMOUNT and adjusted_input(draft, reading) is None
    return is_amount and as_other(draft, reading) is draft and not names_place(draft, reading)


def corrects(draft: Draft, reading: Reading, meaning: str) -> bool:
    """Whether each number of a message was told before, is near to one that was, or tells by how much one
    changes: "its 8.35 for the 15 years", after 8.6% for 15 years."""
    numbers = reading.quantities or ()
    told = [each for filled in draft.filled.values() for each in filled]
    is_placed = draft.calculator not in PLAIN_CALCULATORS or reading.says(SHARED)
    is_change = meaning == CHANGE or (meaning == MAYBE and is_placed)
    is_sure = len(numbers) > 1 or (is_change and not asks(reading))
    if not is_sure or any(map(reading.says, NO_SUMS)) or len(reading.text.split()) > _WORDS_MAX:
        return False
    return all(
        any(_is_same(each, old) for old in told)
        or (not _is_counted(each) and sum(is_near(old, each) for old in told) == 1)
        or (sign_of(each) and sum(is_counted_alike(old, each) for old in told) == 1)
        for each in numbers
    )


def _is_counted(number: Quantity) -> bool:
    """Whether a small number counts things that the calculation does not have."""
    noun = counted_noun(number) if number.kind is Kind.SMALL else ""
    return bool(topic_words(noun))


def _is_same(one: Quantity, other: Quantity) -> bool:
    return (one.kind, one.value) == (other.kind, other.value)


def _is_one_number(reading: Reading) -> bool:
    """Whether a message has one number, and not that of years: "what if I died in 5 years"."""
    return len(reading.quantities or ()) == 1 and not reading.all(Kind.TERM, Kind.DAYS, Kind.WEEKS)


def _words_of(draft: Draft) -> set[str]:
    """What the slots of a calculator are called."""
    words = {"inflation", "down", "deposit", "extra", "overpay"}
    for slot in draft.form.slots.values():
        words |= slot.says_of
    for switch in _DATA["switches"].get(draft.calculator, ()):
        words |= form_of(switch["to"]).slots[switch["slot"]].says_of
    return words
