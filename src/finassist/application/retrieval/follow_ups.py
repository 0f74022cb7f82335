"""Follow-ups: a message that makes sense only after earlier ones is searched for together with them."""

from collections.abc import Sequence
from dataclasses import dataclass

from finassist.application.ports.classifiers import FollowUpClassifier
from finassist.domain.conversations.calculated import has_quantities, subject_words
from finassist.domain.conversations.whereabouts import only_tells_country
from finassist.domain.retrieval.questions import refers_back, telling_part, tells_situation
from finassist.domain.retrieval.words import topic_words


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteQuestion:
    """Put a follow-up together with the question that it follows.

    "and for ten years?" gets the last question before it that was a whole one. What the whole one is about
    comes first: of "how big should it be?" the word "big" is left out, which is another article's topic.
    """

    follow_up_classifier: FollowUpClassifier

    async def __call__(self, question: str, earlier: Sequence[str], calculated: str = "") -> str | None:
        """The question as a whole, or None for one that is whole already, or follows none.

        ``earlier`` is what the same user asked about money, oldest first; ``calculated`` is what the
        calculation was about that the last reply made.
        """
        leans = self.follow_up_classifier.leans_on_earlier
        return await self.joined(question, earlier, calculated) if earlier and await leans(question) else None

    async def joined(self, question: str, earlier: Sequence[str], calculated: str = "") -> str | None:
        """The question that a conversation is about, and the message; None when nothing was asked before. It
        is the last whole one, not what refers back or tells of the writer's situation; that is put between
        both when it was said last. The first that was asked follows nothing, though it may sound so. Of
        questions that were calculated the subject counts, which numbers and periods would hide."""
        whole = await self.asked_last(earlier)
        if whole is None:
            return None
        if calculated:
            words = subject_words(f"{whole} {earlier[-1]}")
            return f"{words} {calculated}. {telling_part(question)}".strip()
        whole = subject_words(whole) if has_quantities(whole) else whole
        told = on_a_subject(earlier)
        situation = f"{told[-1]} " if told[1:] and tells_situation(told[-1]) else ""
        return f"{whole} {situation}{telling_part(question)}".rstrip()

    async def asked_last(self, earlier: Sequence[str]) -> str | None:
        """The last whole question, or the first of all; None when nothing was asked."""
        told = on_a_subject(earlier)
        leans = self.follow_up_classifier.leans_on_earlier
        for text in reversed(told):
            if text is told[0] or not (refers_back(text) or tells_situation(text) or await leans(text)):
                return text
        return None


def on_a_subject(earlier: Sequence[str]) -> list[str]:
    """What was written on a subject; who only tells a country stays with the one before."""
    told = [text for text in earlier if topic_words(text)]
    return [text for text in told if text is told[0] or not only_tells_country(text)]
