"""Files in a bucket of S3, or of any server with its API.

Content is uploaded with a checksum (MD5, which every server supports), completely or not at all: a file above
8 MB is uploaded in parts, which the server assembles at the end, or discards.
"""

import asyncio
import base64
import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from aiobotocore.config import AioConfig  # type: ignore[import-untyped]
from aiobotocore.session import get_session  # type: ignore[import-untyped]
from aiohttp import ClientError as TransferError
from botocore.exceptions import BotoCoreError, ClientError  # type: ignore[import-untyped]

from finassist.adapters.objects.keys import is_valid_key, require_valid_key
from finassist.adapters.objects.parts import parts_of
from finassist.application.files.objects import disposition
from finassist.application.ports.files import StoredObject
from finassist.domain.errors import NotFound, StorageError

CALL_SECONDS: Final = 30.0
"""The longest that one request may take, its retries included; a large object takes several."""

_PIECE_BYTES: Final = 256 * 1024
_UPLOADS_AT_ONCE: Final = 6
"""Each holds two parts, 16 MB."""

_CONNECT_SECONDS: Final = 5
_READ_SECONDS: Final = 10
_ATTEMPTS: Final = 3
_CONNECTIONS: Final = 50
_REGION: Final = "us-east-1"
_FAILED: Final = "The file store does not respond as expected."
_MISSING: Final = frozenset({"NoSuchKey", "NoSuchUpload", "404"})


class S3ObjectStore:
    """``ObjectStore`` in ``bucket``, all keys below ``prefix``.

    Credentials are found as the vendor's tools find them (``AWS_*``, a profile, the machine's role).
    ``endpoint_url`` is the server's address when it is not AWS. ``public_endpoint_url`` is where clients
    reach it, when they know it by another name: links begin with it.
    """

    def __init__(
        self,
        bucket: str,
        prefix: str = "",
        *,
        endpoint_url: str = "",
        public_endpoint_url: str = "",
        region: str = "",
        call_seconds: float = CALL_SECONDS,
    ) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._endpoint_url = endpoint_url
        self._public_endpoint_url = public_endpoint_url or endpoint_url
        self._region = region
        self._call_seconds = call_seconds
        self._resources = AsyncExitStack()
        self._connecting = asyncio.Lock()
        self._free = asyncio.Semaphore(_UPLOADS_AT_ONCE)
        self._client: Any = None
        self._signer: Any = None

    async def connect(self) -> None:
        """Make the client; no request is sent."""
        async with self._connecting:
            if self._client is None:
                with _translated():
                    client = await self._make_client(self._endpoint_url)
                    self._signer = client
                    if self._public_endpoint_url != self._endpoint_url:
                        self._signer = await self._make_client(self._public_endpoint_url)
                    self._client = client

    async def close(self) -> None:
        """Close all connections."""
        self._client = self._signer = None
        await self._resources.aclose()

    async def put(self, key: str, content: bytes | Path | AsyncIterator[bytes], content_type: str) -> None:
        """Store the content under the key, in place of what is there.

        Six at a time; pieces that come slowly hold one of those places.
        """
        require_valid_key(key)
        await self.connect()
        target = {"Bucket": self._bucket, "Key": self._prefix + key}
        async with self._call():
            await self._free.acquire()
        try:
            with _translated():
                parts = parts_of(content)
                first = await anext(parts)
                second = await anext(parts, b"")
            if second:
                await self._put_in_parts(target, content_type, (first, second), parts)
                return
            async with self._call():
                await self._client.put_object(**target, **await _checked(first), ContentType=content_type)
        finally:
            self._free.release()

    async def _put_in_parts(
        self, target: dict[str, str], content_type: str, begun: tuple[bytes, ...], rest: AsyncIterator[bytes]
    ) -> None:
        async with self._call():
            answer = await self._client.create_multipart_upload(**target, ContentType=content_type)
        target["UploadId"] = answer["UploadId"]
        try:
            done = [await self._put_part(target, number, part) for number, part in enumerate(begun, 1)]
            async for part in rest:
                done.append(await self._put_part(target, len(done) + 1, part))
            async with self._call():
                await self._client.complete_multipart_upload(**target, MultipartUpload={"Parts": done})
        except BaseException:
            # What cannot be reached now, discard_unfinished finds.
            with suppress(StorageError):
                await asyncio.shield(asyncio.ensure_future(self._forget(target)))
            raise

    async def open(self, key: str) -> AsyncIterator[bytes]:
        """The content in pieces. Raises NotFound."""
        if not is_valid_key(key):
            raise NotFound("file")
        await self.connect()
        async with self._call(may_miss=True):
            answer = await self._client.get_object(Bucket=self._bucket, Key=self._prefix + key)
        async with answer["Body"] as body:
            while True:
                async with self._call():
                    piece = await body.read(_PIECE_BYTES)
                if not piece:
                    return
                yield piece

    async def delete(self, key: str) -> None:
        """Remove the file; a missing one changes nothing."""
        if is_valid_key(key):
            await self.connect()
            async with self._call():
                await self._client.delete_object(Bucket=self._bucket, Key=self._prefix + key)

    async def url(self, key: str, *, filename: str, content_type: str, expires_in: int) -> str:
        """A link that the store serves itself, good for ``expires_in`` seconds."""
        await self.connect()
        wanted = {
            "Bucket": self._bucket,
            "Key": self._prefix + key,
            "ResponseContentDisposition": disposition(filename, content_type),
            "ResponseContentType": content_type,
        }
        async with self._call():
            url: str = await self._signer.generate_presigned_url(
                "get_object", Params=wanted, ExpiresIn=expires_in
            )
        return url

    async def list(self, prefix: str, *, modified_before: datetime) -> AsyncIterator[StoredObject]:
        """Every file whose key begins so and that was stored before."""
        async for page in self._pages("list_objects_v2", prefix):
            for entry in page.get("Contents", ()):
                if entry["LastModified"] < modified_before:
                    yield StoredObject(
                        key=entry["Key"].removeprefix(self._prefix),
                        size=entry["Size"],
                        modified_at=entry["LastModified"],
                    )

    async def discard_unfinished(self, *, begun_before: datetime) -> int:
        """Make the server forget the uploads of a process that crashed."""
        discarded = 0
        async for page in self._pages("list_multipart_uploads", ""):
            for upload in page.get("Uploads", ()):
                if upload["Initiated"] < begun_before:
                    target = {"Bucket": self._bucket, "Key": upload["Key"], "UploadId": upload["UploadId"]}
                    await self._forget(target)
                    discarded += 1
        return discarded

    async def _pages(self, operation: str, prefix: str) -> AsyncIterator[Mapping[str, Any]]:
        await self.connect()
        wanted = {"Bucket": self._bucket, "Prefix": self._prefix + prefix}
        pages = aiter(self._client.get_paginator(operation).paginate(**wanted))
        while True:
            try:
                async with self._call(may_miss=True):
                    page = await anext(pages, None)
            except NotFound:  # how some servers say that there are no uploads
                return
            if page is None:
                return
            yield page

    async def _put_part(self, target: Mapping[str, Any], number: int, part: bytes) -> Mapping[str, Any]:
        async with self._call():
            answer = await self._client.upload_part(**target, PartNumber=number, **await _checked(part))
        return {"PartNumber": number, "ETag": answer["ETag"]}

    async def _forget(self, upload: Mapping[str, Any]) -> None:
        with suppress(NotFound):
            async with self._call(may_miss=True):
                await self._client.abort_multipart_upload(**upload)

    @asynccontextmanager
    async def _call(self, *, may_miss: bool = False) -> AsyncIterator[None]:
        with _translated(may_miss=may_miss):
            async with asyncio.timeout(self._call_seconds):
                yield

    async def _make_client(self, endpoint_url: str) -> Any:
        session = get_session()
        config = AioConfig(
            connect_timeout=_CONNECT_SECONDS,
            read_timeout=_READ_SECONDS,
            max_pool_connections=_CONNECTIONS,
            retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
            signature_version="s3v4",
            # Newer kinds of checksums are not understood everywhere; content has its MD5.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            s3={
                # The certificate of AWS fits no bucket with a dot; "auto" signs for the wrong host.
                "addressing_style": "path" if endpoint_url or "." in self._bucket else "virtual",
                "payload_signing_enabled": False,  # the MD5 is signed, and hashing twice holds up the loop
            },
        )
        client = session.create_client(
            "s3",
            endpoint_url=endpoint_url or None,
            region_name=self._region or session.get_config_variable("region") or _REGION,
            config=config,
        )
        return await self._resources.enter_async_context(client)


async def _checked(content: bytes) -> Mapping[str, Any]:
    """The content, and the checksum that the server compares."""
    digest = await asyncio.to_thread(_md5, content)
    return {"Body": content, "ContentMD5": digest}


def _md5(content: bytes) -> str:
    return base64.b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


@contextmanager
def _translated(*, may_miss: bool = False) -> Iterator[None]:
    """Turn what the vendor's client raises into StorageError; what is not there, where that may be, into
    NotFound."""
    try:
        yield
    except ClientError as error:
        if may_miss and error.response.get("Error", {}).get("Code") in _MISSING:
            raise NotFound("file") from error
        raise StorageError(_FAILED) from error
    except (BotoCoreError, TransferError, OSError, TimeoutError) as error:
        raise StorageError(_FAILED) from error
