"""Help instead of an answer, for users in distress."""

from dataclasses import dataclass

from finassist.application.ports.classifiers import DistressClassifier
from finassist.application.retrieval.search import Inquiry
from finassist.domain.retrieval.questions import leans_on_earlier
from finassist.domain.safety import Concern, Help, help_with


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferHelp:
    """Find the fixed text for a user who writes of self-harm, of being defrauded or of losing their home;
    None for everybody else. A follow-up such as "What do I do now?" goes to the model, which sees the
    fixed text as its own reply; after self-harm it gets help again.
    """

    distress_classifier: DistressClassifier

    async def __call__(self, inquiry: Inquiry) -> Help | None:
        concern = self.distress_classifier.concern(inquiry.text, inquiry.earlier)
        if concern is None and not leans_on_earlier(inquiry.text):
            return None
        before = self._before(inquiry)
        if concern is None and before is Concern.SELF_HARM:
            concern = before
        return None if concern is None else help_with(concern, again=concern is before)

    def _before(self, inquiry: Inquiry) -> Concern | None:
        """What the previous message got help for."""
        if not inquiry.earlier:
            return None
        *earlier, latest = inquiry.earlier
        return self.distress_classifier.concern(latest, earlier)
