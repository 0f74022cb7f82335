"""The states of idempotency keys that were stored before keys had any."""

from finassist.adapters.mongo.chat.limit_documents import IdempotencyKeyDocument
from finassist.domain.chat.idempotency import KeyState


async def name_states() -> None:
    """Write out what is taken for the missing fields; again, it changes nothing."""
    defaults = IdempotencyKeyDocument.model_fields
    change = {
        "holder": defaults["holder"].default,
        "state": KeyState.BEGUN,
        "held_until": defaults["held_until"].default,
    }
    keys = IdempotencyKeyDocument.get_pymongo_collection()
    await keys.update_many({"holder": {"$exists": False}}, {"$set": change})
