"""A number of a later message that fits several places: which of them is asked for, and the answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.calculators.recognition.drafts import Draft
from finassist.domain.calculators.recognition.follow_ups.adjusted import telling
from finassist.domain.calculators.recognition.follow_ups.gathering import asks
from finassist.domain.calculators.recognition.follow_ups.ledger import shown
from finassist.domain.calculators.recognition.follow_ups.requests import Place, places_open, with_place
from finassist.domain.calculators.recognition.reading import Reading
from finassist.domain.calculators.recognition.threads.inputs import is_said_again
from finassist.domain.calculators.recognition.threads.words import CORRECTING, HINT
from finassist.domain.retrieval.words import topic_words

_CHOICES_MAX: Final = 3
_WORDS_MAX: Final = 10
_ASKING_WORDS_MAX: Final = 4
_BESIDE: Final = 2


@dataclass(frozen=True, slots=True)
class Choice:
    """A number of ``reading`` that fits several ``places`` of a calculation about equally well."""

    draft: Draft
    reading: Reading
    places: Sequence[Place]

    @property
    def question(self) -> str:
        """Which of the places it asks for."""
        told = [f"{place.slot.says} ({shown(place.old)})" for place in self.places if place.old is not None]
        number = shown(self.places[0].new)
        return f"Which one do you mean with {number}: {', '.join(told[:-1])} or {told[-1]}?"

    def answered(self, reading: Reading) -> Draft | None:
        """The calculation with the number in the place that an answer names; None when it names none."""
        is_question = asks(reading)
        if len(reading.text.split()) > (_ASKING_WORDS_MAX if is_question else _WORDS_MAX):
            return None
        numbers = [each for each in reading.quantities or () if each.value != self.places[0].new.value]
        words = telling(reading.text)
        names = [_names(place, is_named=not is_question) for place in self.places]
        heard = []
        for at, place in enumerate(self.places):
            others = {word for other, them in enumerate(names) if other != at for word in them}
            is_old = any(place.old is not None and is_said_again(place.old, each) for each in numbers)
            if is_old or words & (names[at] - others):
                heard.append(place)
        return with_place(self.draft, heard[0], self.reading) if len(heard) == 1 else None


def choice_of(draft: Draft, reading: Reading) -> Choice | None:
    """What has to be asked before a number is put in its place; None when nothing has to."""
    if not (reading.says(CORRECTING) or reading.says(HINT)):
        return None
    places = places_open(draft, reading)
    return Choice(draft, reading, places) if 1 < len(places) <= _CHOICES_MAX else None


def _names(place: Place, *, is_named: bool) -> set[str]:
    """The words that a place is called, and those that its number was told with; of a message that
    ``is_named`` all that may name it."""
    before, after = ("", "") if place.old is None else (place.old.before, place.old.after)
    beside = (*topic_words(before)[-_BESIDE:], *topic_words(after)[:_BESIDE])
    return {*topic_words(place.slot.says), *beside, *(place.slot.says_of if is_named else ())}
