"""What is said to somebody who needs help: kind, short, what to do first, and where to turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    """The countries that are named: entries for others do not follow."""
    entry: Hit | None = None
    """The entry of the knowledge base that answers the message, and stands before the text."""
    at: Callable[[str, bool], "Help"] | None = field(default=None, compare=False)
    """The same for a country; said once more if the second is true."""

    def for_user_in(self, country: str | None) -> "Help":
        """The help for a user who lives there, if the conversation names no country."""
        if self.countries or country is None or self.at is None:
            return self
        return replace(self.at(country, False), entry=self.entry)

    def repeated_for(self, country: str) -> "Help":
        """The help once more, for a user who then tells the country."""
        return self if self.at is None else replace(self.at(country, True), entry=self.entry)


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
        an entry may answer; ``below`` an entry that answers, where one paragraph is enough, in an emergency
        with the lines of help.
        """
        return self._help_with(_Asked(concern, language, countries, signs, again, in_doubt, below))

    def _help_with(self, asked: "_Asked") -> Help:
        concern = asked.concern
        spoken = self.languages.get(asked.language, self.languages[_ENGLISH])
        text, places = spoken.texts[concern], self._places(spoken, asked)
        if asked.below and text.below and concern in EMERGENCIES:
            said = [text.below, places]
        elif asked.below and text.below:
            said = [f"{text.below.strip()} {self._line(spoken, asked)}"]
        elif asked.again and text.again:
            said = [text.again, places, text.closing_again]
        elif asked.in_doubt and text.in_doubt:
            said = [text.in_doubt, places, text.closing_in_doubt]
        else:
            said = [*_advice(spoken, concern, asked.signs), places, text.closing]
        quoted = None if concern in EMERGENCIES and not asked.in_doubt else spoken.headings.quoted or None
        return Help(
            concern,
            _PARAGRAPH.join(part.strip() for part in said if part),
            quoted,
            asked.countries,
            at=lambda country, repeated: self._help_with(asked.at(country, repeated=repeated)),
        )

    def _places(self, spoken: SpokenHelp, asked: "_Asked") -> str:
        """The lines of help: of the countries that are named, or else of those of the language. Where it is
        no emergency and no country is named, it may be asked for instead; where that has no line, what holds
        elsewhere is enough."""
        text, is_emergency = spoken.texts[asked.concern], asked.concern in EMERGENCIES
        own = self._lines(spoken, asked.concern, asked.countries)
        question = "" if asked.countries or is_emergency else spoken.headings.country
        is_enough = question or (asked.countries and text.elsewhere and not is_emergency)
        lines = own or ([] if is_enough else self._lines(spoken, asked.concern, spoken.countries))
        is_sure = own and not (asked.is_presumed and is_emergency)
        elsewhere = "" if is_sure else text.elsewhere
        listed = "\n".join(f"- {line}" for line in (text.first, *lines, elsewhere, question) if line)
        return listed if text.first else f"{spoken.headings.places}\n\n{listed}"

    def _line(self, spoken: SpokenHelp, asked: "_Asked") -> str:
        """The help of the countries that are named in one line, or what holds elsewhere; or the question
        which country it is, or the help of those of the language."""
        own = self._lines(spoken, asked.concern, asked.countries)
        if own or (asked.countries and spoken.texts[asked.concern].elsewhere):
            return " ".join(own) or spoken.texts[asked.concern].elsewhere
        return spoken.headings.country or " ".join(self._lines(spoken, asked.concern, spoken.countries))

    def _lines(self, spoken: SpokenHelp, concern: Concern, countries: Sequence[str]) -> Sequence[str]:
        """The lines of those of the countries that have one."""
        return [line for code in countries if (line := self._place(spoken, concern, code))]

    def _place(self, spoken: SpokenHelp, concern: Concern, code: str) -> str:
        """The line of a country, in English when the language has none."""
        english = self.languages[_ENGLISH].texts[concern].places
        return spoken.texts[concern].places.get(code) or english.get(code, "")


@dataclass(frozen=True, slots=True)
class _Asked:
    """What help is asked for (``HelpTexts.help_with``). ``is_presumed``: the conversation does not name the
    country, so in an emergency what holds elsewhere is said as well."""

    concern: Concern
    language: str
    countries: Sequence[str]
    signs: Sequence[Sign]
    again: bool
    in_doubt: bool
    below: bool
    is_presumed: bool = False

    def at(self, country: str, *, repeated: bool) -> "_Asked":
        """The same for a country that the user lives in, or then tells; what is in doubt stays so."""
        again = self.again or (repeated and not self.in_doubt)
        return replace(self, countries=[country], again=again, is_presumed=not repeated)


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
