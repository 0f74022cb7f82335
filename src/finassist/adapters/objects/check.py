"""Checks whether a bucket can be used."""

import secrets
from collections.abc import Sequence

from botocore.exceptions import ClientError  # type: ignore[import-untyped]

from finassist.adapters.objects.s3 import S3ObjectStore
from finassist.domain.errors import FinassistError

_CONTENT = b"finassist check-config"


async def check_bucket(store: S3ObjectStore) -> Sequence[str]:
    """What the store refuses, a line each, empty when nothing is; a small file comes and goes.

    None of the lines tells a secret.
    """
    key = f"check-config/{secrets.token_hex(8)}"
    try:
        await store.put(key, _CONTENT, "text/plain")
        read = b"".join([piece async for piece in store.open(key)])
        await store.delete(key)
    except FinassistError as error:
        return [f"OBJECT_STORE_URL: the bucket cannot be used: {_reason(error)}."]
    finally:
        await store.close()
    return [] if read == _CONTENT else ["OBJECT_STORE_URL: the bucket gives back something else."]


def _reason(error: FinassistError) -> str:
    cause = error.__cause__
    if isinstance(cause, ClientError):
        return f"{cause.operation_name} was answered with {cause.response['Error']['Code']}"
    return type(cause or error).__name__
