"""One-time codes in MongoDB, the newest of each phone."""

from dataclasses import asdict, dataclass
from datetime import datetime

from finassist.adapters.mongo.auth.documents import OtpCodeDocument
from finassist.adapters.mongo.engine.batches import delete_expired
from finassist.adapters.mongo.engine.database import MongoDatabase, database_call
from finassist.adapters.mongo.engine.updates import find_one_and_update, update_one
from finassist.domain.auth.otp import KEPT_AFTER_EXPIRY, OtpCode
from finassist.domain.errors import OtpExpired, OtpInvalid


@dataclass(frozen=True, slots=True)
class MongoOtpCodes:
    """``OtpRepository`` in MongoDB."""

    database: MongoDatabase

    @database_call
    async def get(self, phone: str, device_id: str) -> OtpCode | None:
        return await _get(phone, device_id)

    @database_call
    async def replace_code(self, code: OtpCode) -> None:
        values = asdict(code)
        phone = values.pop("phone")
        await find_one_and_update(OtpCodeDocument, {"_id": phone}, {"$set": values}, upsert=True)

    @database_call
    async def consume_otp(self, phone: str, device_id: str, code_hash: str, now: datetime) -> None:
        while True:
            code = await _get(phone, device_id)
            if code is None:
                raise OtpExpired()
            try:
                if await _replace(code, code.try_code(code_hash, now)):
                    return
            except OtpInvalid:
                if await _replace(code, code.tried_wrong()):
                    raise

    async def delete_expired(self, now: datetime) -> int:
        return await delete_expired(self.database, OtpCodeDocument, now - KEPT_AFTER_EXPIRY)


async def _replace(before: OtpCode, after: OtpCode) -> bool:
    """Store a code only over the one that was read: a try counts on top of another, and one right try uses
    the code up."""
    guard, values = asdict(before), asdict(after)
    guard["_id"] = guard.pop("phone")
    del values["phone"]
    return await update_one(OtpCodeDocument, guard, {"$set": values})


async def _get(phone: str, device_id: str) -> OtpCode | None:
    found = await OtpCodeDocument.find_one({"_id": phone, "device_id": device_id})
    if found is None:
        return None
    return OtpCode(
        phone=found.id,
        device_id=found.device_id,
        code_hash=found.code_hash,
        sent_at=found.sent_at,
        expires_at=found.expires_at,
        wrong_tries=found.wrong_tries,
        used=found.used,
    )
