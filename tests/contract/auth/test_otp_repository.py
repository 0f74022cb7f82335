import asyncio
from collections import Counter
from dataclasses import replace

from finassist.domain.auth.otp import OtpCode
from finassist.domain.errors import FinassistError, OtpAttemptsExceeded, OtpExpired, OtpInvalid
from stores import NOW, Store, after

PHONE = "+4915112345678"
CODE = OtpCode(phone=PHONE, device_id="device-1", code_hash="right", sent_at=NOW, expires_at=after(300))


async def attempt(store: Store, code_hash: str, device_id: str = "device-1", seconds: float = 0) -> str:
    try:
        await store.otp_codes.consume_otp(PHONE, device_id, code_hash, after(seconds))
    except FinassistError as error:
        return error.code
    return "OK"


async def test_the_newest_code_of_a_phone_replaces_the_earlier_one_on_whatever_device(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)
    assert await store.otp_codes.get(PHONE, "device-1") == CODE
    assert await store.otp_codes.get(PHONE, "device-2") is None

    newer = replace(CODE, device_id="device-2", code_hash="newer", sent_at=after(60), expires_at=after(360))
    await store.otp_codes.replace_code(newer)

    assert await store.otp_codes.get(PHONE, "device-1") is None
    assert await store.otp_codes.get(PHONE, "device-2") == newer
    assert await attempt(store, "right") == OtpExpired.code


async def test_the_right_code_is_good_once(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    assert await attempt(store, "right") == "OK"
    assert await attempt(store, "right") == OtpExpired.code


async def test_a_code_is_bound_to_its_device_and_dies_with_time(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    assert await attempt(store, "right", "device-2") == OtpExpired.code
    assert await attempt(store, "right", seconds=300) == OtpExpired.code
    assert await attempt(store, "right", seconds=299.999) == "OK"


async def test_five_wrong_tries_end_a_code_also_for_the_right_one(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    assert [await attempt(store, "wrong") for _ in range(5)] == [OtpInvalid.code] * 5
    assert await attempt(store, "wrong") == OtpAttemptsExceeded.code
    assert await attempt(store, "right") == OtpAttemptsExceeded.code


async def test_of_50_parallel_right_tries_one_wins(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    outcomes = Counter(await asyncio.gather(*(attempt(store, "right") for _ in range(50))))

    assert outcomes == {"OK": 1, OtpExpired.code: 49}


async def test_of_50_parallel_wrong_tries_five_count(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    outcomes = Counter(await asyncio.gather(*(attempt(store, "wrong") for _ in range(50))))

    assert outcomes == {OtpInvalid.code: 5, OtpAttemptsExceeded.code: 45}


async def test_old_codes_are_removed_a_day_later(store: Store) -> None:
    await store.otp_codes.replace_code(CODE)

    assert await store.otp_codes.delete_expired(after(300)) == 0
    assert await store.otp_codes.delete_expired(after(300 + 86_400)) == 1
    assert await store.otp_codes.get(PHONE, "device-1") is None
