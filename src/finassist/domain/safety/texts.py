"""What is said to somebody who needs help: kind, short, what to do first, and where to turn."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from finassist.domain.safety.concerns import EMERGENCIES, Concern, Sign

_ENGLISH: Final = "en"
_SIGNS_MAX: Final = 3
_PARAGRAPH: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Help:
    """What is said instead of an answer."""

    concern: Concern
    text: str
    quoted: str | None = None
    """The heading under which an entry of the knowledge base may follow; None when nothing may."""
    countries: Sequence[str] = ()
    """The countries that the message names: entries for others do not follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpText:
    """The text for one concern in one language, in the order in which it is said.

    ``places`` are lines by country; ``first`` and ``elsewhere`` stand around them. ``unsure`` is the opening
    where nothing is known to be wrong. ``again`` and ``closing_again`` are said to somebody who got the text
    a moment ago; without them the text is said once more. ``in_doubt`` and ``closing_in_doubt`` are said to
    somebody who may not ask for help at all.
    """

    opening: str
    steps: Sequence[str] = ()
    first: str = ""
    places: Mapping[str, str]
    elsewhere: str = ""
    closing: str
    unsure: str = ""
    again: str = ""
    closing_again: str = ""
    in_doubt: str = ""
    closing_in_doubt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings:
    """What stands over the parts of a text. Without ``quoted`` no entry of the knowledge base follows."""

    signs: str
    check: str
    places: str
    quoted: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenHelp:
    """All texts of one language. ``countries`` are those whose lines are said when the message names none."""

    countries: Sequence[str]
    headings: Headings
    texts: Mapping[Concern, HelpText]
    signs: Mapping[Sign, str]


@dataclass(frozen=True)
class HelpTexts:
    """The texts by language. English must be there."""

    languages: Mapping[str, SpokenHelp]

    def help_with(
        self,
        concern: Concern,
        *,
        language: str = _ENGLISH,
        countries: Sequence[str] = (),
        signs: Sequence[Sign] = (),
        again: bool = False,
        in_doubt: bool = False,
    ) -> Help:
        """The help for a concern, in English where the language is not known.

        ``countries`` are those named, ``signs`` what is wrong with an offer. ``again`` to somebody who got
        the same help a moment ago and writes on; ``in_doubt`` to somebody who may only have a question, which
        an entry may answer below.
        """
        spoken = self.languages.get(language, self.languages[_ENGLISH])
        text = spoken.texts[concern]
        named = [code for code in countries if self._place(spoken, concern, code)]
        if again and text.again:
            said = [text.again, self._places(spoken, concern, named), text.closing_again]
        elif in_doubt and text.in_doubt:
            said = [text.in_doubt, self._places(spoken, concern, named), text.closing_in_doubt]
        else:
            said = [*_advice(spoken, concern, signs), self._places(spoken, concern, named), text.closing]
        quoted = None if concern in EMERGENCIES and not in_doubt else spoken.headings.quoted or None
        return Help(concern, _PARAGRAPH.join(part.strip() for part in said if part), quoted, named)

    def _places(self, spoken: SpokenHelp, concern: Concern, named: Sequence[str]) -> str:
        text = spoken.texts[concern]
        lines = [self._place(spoken, concern, code) for code in named or spoken.countries]
        lines = [text.first, *lines, "" if named else text.elsewhere]
        listed = "\n".join(f"- {line}" for line in lines if line)
        return listed if text.first else f"{spoken.headings.places}\n\n{listed}"

    def _place(self, spoken: SpokenHelp, concern: Concern, code: str) -> str:
        """The line of a country, in English when the language has none."""
        english = self.languages[_ENGLISH].texts[concern].places
        return spoken.texts[concern].places.get(code) or english.get(code, "")


def _advice(spoken: SpokenHelp, concern: Concern, signs: Sequence[Sign]) -> Iterator[str]:
    """Opening, signs and steps."""
    text = spoken.texts[concern]
    yield text.opening if signs or not text.unsure else text.unsure
    if signs:
        listed = "\n".join(f"- {spoken.signs[sign]}" for sign in signs[:_SIGNS_MAX])
        yield f"{spoken.headings.signs}\n\n{listed}"
    if text.steps:
        steps = "\n".join(f"{number}. {step}" for number, step in enumerate(text.steps, start=1))
        yield f"{spoken.headings.check}\n\n{steps}" if concern is Concern.SCAM else steps
