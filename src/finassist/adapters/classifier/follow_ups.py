"""Telling by words which messages make sense only with what came before them."""

from finassist.domain.retrieval.questions import leans_on_earlier


class FollowUpsByWords:
    """``FollowUpClassifier`` that needs no model of meaning."""

    async def leans_on_earlier(self, message: str) -> bool:
        """Whether a message makes sense only with what came before it."""
        return leans_on_earlier(message)

    async def asks_nothing(self, message: str) -> bool:
        """Words alone cannot tell; small talk is told by ``QuestionClassifier``."""
        return False
