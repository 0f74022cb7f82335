"""Help instead of an answer, for a message that asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from finassist.application.ports.classifiers import DistressClassifier
from finassist.application.retrieval.inquiry import Inquiry
from finassist.application.retrieval.search import Retrieve
from finassist.domain.retrieval.jurisdictions import countries_meant
from finassist.domain.retrieval.languages import ENGLISH
from finassist.domain.retrieval.queries import BEYOND_DOUBT
from finassist.domain.retrieval.questions import leans_on_earlier, objects
from finassist.domain.retrieval.romanised import ROMANISED_HINDI
from finassist.domain.safety import EMERGENCIES, Concern, Help, HelpTexts, Sign

_DOUBT: Final = 2.2
"""Log odds up to which a concern that is no emergency is in doubt when an entry answers the message."""
_DOUBT_OF_DESPAIR: Final = 2.0
"""Log odds up to which the help for thoughts of death comes with an answer: of 128 messages that tell of such
thoughts and get that help 5 have less, and most of the innocent ones that get it (docs/safety.md)."""
_NEAR: Final = 0.6
_PER_COSINE: Final = 20.0
"""From this cosine on the entry asks the same as the message, and the doubt grows with it: "can they garnish
my wages" and "bailiffs, what are they allowed to do" are questions (docs/safety.md)."""
_SAME_SUBJECT: Final = 0.4
"""From this cosine on, or from ``BEYOND_DOUBT`` on, an entry answers a question that comes after thoughts
of death."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferHelp:
    """Find the text for a message that tells of an emergency, of debts, gambling, a lost job or bailiffs, or
    that asks about a scam; None for every other. It is in the language of the message and names the help of
    the countries that this or an earlier message names. "What do I do now?" after it is answered by the
    model, which sees the text as its own, but after self-harm with help again; so is what speaks against the
    answer to a question about a scam.

    What is no emergency and in doubt is left to an entry of the knowledge base that clearly answers it: "how
    does maternity pay work, I have been in my job for two years". Who hardly sounds of thoughts of death gets
    a short text with the same numbers, what an entry answers below it, and an answer to what follows.
    """

    distress_classifier: DistressClassifier
    help_texts: HelpTexts
    retrieve: Retrieve

    async def __call__(self, inquiry: Inquiry) -> Help | None:
        concern = await self.distress_classifier.concern(
            inquiry.text, inquiry.earlier, language=_language(inquiry)
        )
        is_objection = objects(inquiry.text)
        if concern is None and not (is_objection or leans_on_earlier(inquiry.text)):
            return None
        before = await self._before(inquiry)
        if is_objection and before is Concern.SCAM:
            concern = await self._objected(inquiry)
        elif before is Concern.SELF_HARM and concern in (None, before):
            concern = None if await self._asks_about_money(inquiry) else before
        elif concern is not None and concern not in EMERGENCIES and await self._is_answered(inquiry):
            return None
        if concern is None:
            return None
        again = concern is before
        in_doubt = (
            concern is Concern.SELF_HARM
            and not again
            and await self._is_doubtful(inquiry.text, inquiry.earlier, _language(inquiry))
        )
        return await self._help(inquiry, concern, again=again, in_doubt=in_doubt)

    async def _is_doubtful(self, text: str, earlier: Sequence[str], language: str) -> bool:
        """Whether a message that sounds of thoughts of death hardly does so."""
        clear = await self.distress_classifier.concern(
            text, earlier, language=language, least=_DOUBT_OF_DESPAIR
        )
        return clear is not Concern.SELF_HARM

    async def _objected(self, inquiry: Inquiry) -> Concern:
        """What a message asks help for that speaks against the answer to a question about a scam: it is about
        the same, unless it tells by itself of money that went, or of despair."""
        alone = await self.distress_classifier.concern(inquiry.text, (), language=_language(inquiry))
        return alone if alone in (Concern.FRAUD, Concern.SELF_HARM) else Concern.SCAM

    async def _asks_about_money(self, inquiry: Inquiry) -> bool:
        """Whether a message, read without those before it, asks what an entry answers, and for no help."""
        if await self.distress_classifier.concern(inquiry.text, (), language=_language(inquiry)) is not None:
            return False
        found = await self.retrieve(replace(inquiry, earlier=(), calculated="", quoted=(), subject=""))
        return any(hit.score >= BEYOND_DOUBT or hit.cosine >= _SAME_SUBJECT for hit in found.answering)

    async def _is_answered(self, inquiry: Inquiry) -> bool:
        """Whether a message that may not ask for help has a clear answer: the nearer the entry is to what it
        asks, the surer has it to be that it asks for help."""
        found = await self.retrieve(inquiry)
        best = max(found.answering, key=lambda hit: hit.score, default=None)
        if best is None or best.score < BEYOND_DOUBT:
            return False
        nearness = max((hit.cosine for hit in found.answering if hit.score >= BEYOND_DOUBT), default=0.0)
        clear = await self.distress_classifier.concern(
            inquiry.text,
            inquiry.earlier,
            language=_language(inquiry),
            least=_DOUBT + _PER_COSINE * max(0.0, nearness - _NEAR),
        )
        return clear is None

    async def _before(self, inquiry: Inquiry) -> Concern | None:
        """What the message before this one surely got help for."""
        if not inquiry.earlier:
            return None
        *earlier, latest = inquiry.earlier
        language = _language(inquiry)
        before = await self.distress_classifier.concern(latest, earlier, language=language)
        if before is Concern.SELF_HARM and await self._is_doubtful(latest, earlier, language):
            return None
        return before

    async def _help(self, inquiry: Inquiry, concern: Concern, *, again: bool, in_doubt: bool) -> Help:
        text = inquiry.text
        signs: Sequence[Sign] = ()
        if concern is Concern.SCAM:
            signs = await self.distress_classifier.signs(text, language=_language(inquiry))
        return self.help_texts.help_with(
            concern,
            language=_language(inquiry),
            countries=countries_meant(text) or countries_meant("\n".join(inquiry.earlier)),
            signs=signs,
            again=again,
            in_doubt=in_doubt,
        )


def _language(inquiry: Inquiry) -> str:
    """The language to look for distress in: Hindi in Latin letters is learnt beside English."""
    return ENGLISH if inquiry.language == ROMANISED_HINDI else inquiry.language
