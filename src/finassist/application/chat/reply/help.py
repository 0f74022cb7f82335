"""Help instead of an answer, for a message that asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.application.ports.classifiers import DistressClassifier
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.search import Retrieve
from finassist.domain.conversations.whereabouts import only_tells_country
from finassist.domain.knowledge import Hit
from finassist.domain.retrieval.glossary import HOME
from finassist.domain.retrieval.jurisdictions import (
    ELSEWHERE,
    answering_for,
    countries_meant,
    holding_beside_help,
)
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.queries import BEYOND_DOUBT
from finassist.domain.retrieval.questions import leans_on_earlier, objects
from finassist.domain.retrieval.romanised import ROMANISED_HINDI
from finassist.domain.safety import EMERGENCIES, Concern, Distress, Help, HelpTexts, Sign

_DOUBT: Final = 2.2
"""Log odds up to which a concern is in doubt when an entry answers the message."""
_NEAR: Final = 0.6
_PER_COSINE: Final = 20.0
"""From this cosine on the entry asks the same as the message, and the doubt grows with it: "can they garnish
my wages" and "bailiffs, what are they allowed to do" are questions (docs/safety.md)."""
_DOUBT_MAX: Final = 4.0
"""Log odds above which an emergency is never in doubt, however near an entry is."""
_SAME_SUBJECT: Final = 0.44
"""From this cosine on, or from ``BEYOND_DOUBT`` on, an entry answers a question that comes after thoughts
of death."""

_ANSWERS: Final = 0.43
"""From this cosine on, and from ``BEYOND_DOUBT`` on, an entry answers so well that it goes before such help:
"payday loan rolled over, what now"."""
_SURE: Final = 3.0
"""Log odds of the help above which the entry has to be the nearer, by ``_PER_COSINE``."""
_BELOW: Final = (Concern.DEBT, Concern.JOB_LOSS, Concern.SCAM, Concern.FRAUD)
"""Help that takes one paragraph below such an entry. A clear fraud is told so surely that no entry is near
enough."""
_WITHOUT_TEXTS: Final = ("it", "nl", "pl")
_BELOW_IN_DOUBT: Final = (Concern.FRAUD, Concern.HOME)
"""Emergencies whose short text may stand below the entry, when they are in doubt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferHelp:
    """Find the text for a message that tells of an emergency, of debts, gambling, a lost job or bailiffs, or
    that asks about a scam; None for every other. It is in the language of the message and names the help of
    the countries that this or an earlier message names. "What do I do now?" after it is answered by the
    model, which sees the text as its own, but after self-harm with help again; so is what speaks against the
    answer to a question about a scam.

    What is in doubt and clearly answered by an entry of the knowledge base is left to it where it is no
    emergency: "how does maternity pay work, I have been in my job for two years". An emergency in doubt gets
    a shorter text with the same numbers, and the entry below it; so does, with or without an entry, a message
    that hardly sounds of thoughts of death, and what follows then is answered.

    An entry that clearly answers goes before the help with debts, a lost job, a possible scam or a fraud, of
    which one paragraph is left, and before that with a home that is in doubt; in a conversation that is in
    doubt any entry that surely answers does. A message that only tells the country then gets its help.
    """

    distress_classifier: DistressClassifier
    help_texts: HelpTexts
    retrieve: Retrieve

    async def __call__(self, inquiry: Inquiry) -> Help | None:
        told = await self.distress_classifier.distress(
            inquiry.text, inquiry.earlier, language=_language(inquiry)
        )
        repeated = await self._repeated_for_country(inquiry) if told is None else None
        if repeated is not None:
            return repeated
        is_objection = objects(inquiry.text)
        if told is None and not (is_objection or leans_on_earlier(inquiry.text)):
            return None
        before = await self._before(inquiry)
        if is_objection and before is Concern.SCAM:
            concern = await self._objected(inquiry)
            return await self._help(inquiry, concern, again=concern is before)
        if before is Concern.SELF_HARM and (told is None or told.concern is before):
            is_about_money = await self._asks_about_money(inquiry)
            return None if is_about_money else await self._help(inquiry, before, again=True)
        if told is None:
            return None
        in_doubt = await self._is_doubtful(inquiry, told)
        if in_doubt and told.concern not in EMERGENCIES:
            return None
        again = told.concern is before
        entry = await self._entry_above(inquiry, told, in_doubt=in_doubt)
        return await self._help(inquiry, told.concern, again=again, in_doubt=in_doubt, entry=entry)

    async def _repeated_for_country(self, inquiry: Inquiry) -> Help | None:
        """The help that the message before got once more, for the country that this one only tells."""
        if not inquiry.earlier or not only_tells_country(inquiry.text):
            return None
        given, countries = await self(_latest(inquiry)), countries_meant(inquiry.text)
        if given is None or given.countries or not countries:
            return None
        return given.repeated_for(next(iter(countries)))

    async def _entry_above(self, inquiry: Inquiry, told: Distress, *, in_doubt: bool) -> Hit | None:
        """The entry that goes before the help: one that clearly answers a message which asks for help that
        leaves room for it, or which may be about no emergency."""
        if told.concern not in (_BELOW_IN_DOUBT if in_doubt else _BELOW):
            return None
        if told.concern is Concern.SCAM and await self._signs(inquiry):
            return None
        goes_on = in_doubt and bool(inquiry.earlier)
        return await self._clear_entry(inquiry, told.odds, least=0.0 if goes_on else _ANSWERS)

    async def _clear_entry(self, inquiry: Inquiry, odds: float, *, least: float = _ANSWERS) -> Hit | None:
        """The entry that clearly answers a message, and tells no rules of a country that nobody named, unless
        the message has a name that only that country knows: "GTL". The surer it is that help is asked for,
        the nearer the entry has to be."""
        countries = _countries(inquiry)
        found = await self.retrieve(inquiry, next(iter(countries), None))
        least += max(0.0, odds - _SURE) / _PER_COSINE
        holding = list(holding_beside_help(found.answering, countries, inquiry.language))
        if not countries:
            named = answering_for(found.answering, inquiry.text, ELSEWHERE)
            holding = [hit for hit in found.answering if hit in holding or (hit in named and hit.quotable)]
        clear = (hit for hit in holding if hit.score >= BEYOND_DOUBT and hit.cosine >= least)
        return next(clear, None)

    async def _objected(self, inquiry: Inquiry) -> Concern:
        """What a message asks help for that speaks against the answer to a question about a scam: it is about
        the same, unless it tells by itself of money that went, or of despair."""
        alone = await self.distress_classifier.distress(inquiry.text, language=_language(inquiry))
        tells_more = alone is not None and alone.concern in (Concern.FRAUD, Concern.SELF_HARM)
        return alone.concern if alone is not None and tells_more else Concern.SCAM

    async def _asks_about_money(self, inquiry: Inquiry) -> bool:
        """Whether a message, read without those before it, asks what an entry answers, and for no help."""
        if await self.distress_classifier.distress(inquiry.text, language=_language(inquiry)) is not None:
            return False
        found = await self.retrieve(_alone(inquiry))
        return any(hit.score >= BEYOND_DOUBT or hit.cosine >= _SAME_SUBJECT for hit in found.answering)

    async def _is_doubtful(self, inquiry: Inquiry, told: Distress) -> bool:
        """Whether a message may not ask for help: it hardly sounds of thoughts of death, or has a clear
        answer; the nearer the entry is to what it asks, the surer has it to be that it asks for help."""
        if told.concern is Concern.SELF_HARM and told.is_hardly_told:
            return True
        if told.concern in EMERGENCIES and told.odds > _DOUBT_MAX:
            return False
        found = await self.retrieve(inquiry)
        clear = [hit.cosine for hit in found.answering if hit.score >= BEYOND_DOUBT]
        return bool(clear) and told.odds <= _DOUBT + _PER_COSINE * max(0.0, max(clear) - _NEAR)

    async def _before(self, inquiry: Inquiry) -> Concern | None:
        """What the message before this one surely got help for; an emergency in doubt does not count."""
        if not inquiry.earlier:
            return None
        asked = _latest(inquiry)
        before = await self.distress_classifier.distress(
            asked.text, asked.earlier, language=_language(inquiry)
        )
        if before is None:
            return None
        is_emergency = before.concern in EMERGENCIES
        return None if is_emergency and await self._is_doubtful(asked, before) else before.concern

    async def _help(
        self,
        inquiry: Inquiry,
        concern: Concern,
        *,
        again: bool,
        in_doubt: bool = False,
        entry: Hit | None = None,
    ) -> Help:
        help_ = self.help_texts.help_with(
            concern,
            language=_language(inquiry),
            countries=_countries(inquiry),
            signs=await self._signs(inquiry) if concern is Concern.SCAM else (),
            again=again,
            in_doubt=in_doubt,
            below=entry is not None,
        )
        return replace(help_, entry=entry)

    async def _signs(self, inquiry: Inquiry) -> Sequence[Sign]:
        return await self.distress_classifier.signs(inquiry.text, language=_language(inquiry))


def _countries(inquiry: Inquiry) -> Sequence[str]:
    """The countries that a message means, or else those that the ones before it do, or else that of a
    language without help texts, whose lines the English ones have."""
    named = countries_meant(inquiry.text) or countries_meant("\n".join(inquiry.earlier))
    at_home = [HOME[inquiry.language]] if inquiry.language in _WITHOUT_TEXTS else []
    return named or at_home


def _alone(inquiry: Inquiry) -> Inquiry:
    """The message without what came before it."""
    return replace(inquiry, earlier=(), calculated="", quoted=(), subject="")


def _latest(inquiry: Inquiry) -> Inquiry:
    """The message before this one."""
    *earlier, latest = inquiry.earlier
    return replace(_alone(inquiry), text=latest, earlier=earlier)


def _language(inquiry: Inquiry) -> str:
    """The language to look for distress in: Hindi in Latin letters is learnt beside English."""
    return ENGLISH if inquiry.language == ROMANISED_HINDI else inquiry.language
