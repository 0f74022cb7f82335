"""What is said to somebody who needs help: kind, short, what to do first, and where to turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from finassist.domain.knowledge import Hit
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
    """The countries whose help it names: entries for others do not follow."""
    entry: Hit | None = None
    """The entry of the knowledge base that answers the message, and stands before the text."""
    at: Callable[[str], "Help"] | None = field(default=None, compare=False)
    """The same for a country that the conversation does not name."""

    def for_user_in(self, country: str | None) -> "Help":
        """The help for a user who lives there, if the conversation names no country."""
        if self.countries or country is None or self.at is None:
            return self
        return replace(self.at(country), entry=self.entry)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpText:
    """The text for one concern in one language, in the order in which it is said.

    ``places`` are lines by country; ``first`` and ``elsewhere`` stand around them. ``unsure`` is the opening
    where nothing is known to be wrong. ``again`` and ``closing_again`` are said to somebody who got the text
    a moment ago; without them the text is said once more. ``in_doubt`` and ``closing_in_doubt`` are said to
    somebody who may not ask for help at all, and ``below`` an entry that answers.
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
    below: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headings:
    """What stands over the parts of a text. Without ``quoted`` no entry of the knowledge base follows.
    ``country`` asks for the user's where none is known and there are many."""

    signs: str
    check: str
    places: str
    quoted: str = ""
    country: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenHelp:
    """All texts of one language. ``countries`` are those whose lines are said when no country is known; where
    ``headings.country`` asks for it, only in an emergency."""

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
        below: bool = False,
    ) -> Help:
        """The help for a concern, in English where the language is not known.

        ``countries`` are those named, ``signs`` what is wrong with an offer. ``again`` to somebody who got
        the same help a moment ago and writes on; ``in_doubt`` to somebody who may only have a question, which
        an entry may answer; ``below`` an entry that answers, where two lines are enough.
        """
        spoken = self.languages.get(language, self.languages[_ENGLISH])
        text = spoken.texts[concern]
        named = [code for code in countries if self._place(spoken, concern, code)]
        places = self._places(spoken, concern, named)
        if below and text.below:
            said = [f"{text.below.strip()} {self._line(spoken, concern, named)}"]
        elif again and text.again:
            said = [text.again, places, text.closing_again]
        elif in_doubt and text.in_doubt:
            said = [text.in_doubt, places, text.closing_in_doubt]
        else:
            said = [*_advice(spoken, concern, signs), places, text.closing]
        quoted = None if concern in EMERGENCIES and not in_doubt else spoken.headings.quoted or None
        same = partial(self.help_with, concern, language=language, signs=signs, again=again)
        same = partial(same, in_doubt=in_doubt, below=below)
        whole = _PARAGRAPH.join(part.strip() for part in said if part)
        return Help(concern, whole, quoted, named, at=lambda country: same(countries=[country]))

    def _places(self, spoken: SpokenHelp, concern: Concern, named: Sequence[str]) -> str:
        """The lines of help: of the countries that are named, or else of those of the language, except that
        the user may be asked for the country where it is no emergency."""
        text = spoken.texts[concern]
        asked = "" if named or concern in EMERGENCIES else spoken.headings.country
        codes = named or (() if asked else spoken.countries)
        lines = [self._place(spoken, concern, code) for code in codes]
        lines = [text.first, *lines, "" if named else text.elsewhere, asked]
        listed = "\n".join(f"- {line}" for line in lines if line)
        return listed if text.first else f"{spoken.headings.places}\n\n{listed}"

    def _line(self, spoken: SpokenHelp, concern: Concern, named: Sequence[str]) -> str:
        """The help of the countries that are named in one line, or of the first of the language, or the
        question which country it is."""
        codes = named or (() if spoken.headings.country else spoken.countries[:1])
        return " ".join(self._place(spoken, concern, code) for code in codes) or spoken.headings.country

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
