"""Help instead of an answer, for a message that asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.classifiers import DistressClassifier
from finassist.application.retrieval.search import Inquiry
from finassist.domain.retrieval.jurisdictions import countries_meant
from finassist.domain.retrieval.questions import leans_on_earlier, objects
from finassist.domain.safety import Concern, Help, HelpTexts, Sign


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferHelp:
    """Find the text for a message that tells of an emergency, of debts, gambling, a lost job or bailiffs, or
    that asks about a scam; None for every other. It is in the language of the message and names the help of
    the countries that this or an earlier message names. "What do I do now?" after it is answered by the
    model, which sees the text as its own, but after self-harm with help again; so is what speaks against the
    answer to a question about a scam.
    """

    distress_classifier: DistressClassifier
    help_texts: HelpTexts

    async def __call__(self, inquiry: Inquiry) -> Help | None:
        concern = await self.distress_classifier.concern(
            inquiry.text, inquiry.earlier, language=inquiry.language
        )
        is_objection = objects(inquiry.text)
        if concern is None and not (is_objection or leans_on_earlier(inquiry.text)):
            return None
        before = await self._before(inquiry)
        if concern is None and (before is Concern.SELF_HARM or (is_objection and before is Concern.SCAM)):
            concern = before
        return None if concern is None else await self._help(inquiry, concern, again=concern is before)

    async def _before(self, inquiry: Inquiry) -> Concern | None:
        """What the message before this one got help for."""
        if not inquiry.earlier:
            return None
        *earlier, latest = inquiry.earlier
        return await self.distress_classifier.concern(latest, earlier, language=inquiry.language)

    async def _help(self, inquiry: Inquiry, concern: Concern, *, again: bool) -> Help:
        text = inquiry.text
        signs: Sequence[Sign] = ()
        if concern is Concern.SCAM:
            signs = await self.distress_classifier.signs(text, language=inquiry.language)
        return self.help_texts.help_with(
            concern,
            language=inquiry.language,
            countries=countries_meant(text) or countries_meant("\n".join(inquiry.earlier)),
            signs=signs,
            again=again,
        )
