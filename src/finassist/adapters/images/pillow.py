"""Pictures with Pillow, in a few threads of their own."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Final

from PIL import Image, ImageOps

from finassist.domain.errors import ValidationFailed

_FORMATS: Final = ("JPEG", "PNG", "GIF", "WEBP")
_PIXELS_MAX: Final = 40_000_000
_AVATAR_SIZE: Final = (512, 512)
_QUALITY: Final = 85
_THREADS: Final = 2
_SECONDS: Final = 20.0


class PillowImages:
    """``ImageEditor``. At most two pictures are worked on at a time, the others wait."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="images")
        self._free = asyncio.Semaphore(_THREADS)

    async def avatar(self, content: bytes) -> bytes:
        """A WebP of at most 512 x 512 pixels, upright, without metadata. Raises ValidationFailed."""
        await self._free.acquire()
        work = asyncio.get_running_loop().run_in_executor(self._threads, _avatar, content)
        work.add_done_callback(self._on_done)
        try:
            async with asyncio.timeout(_SECONDS):
                return await asyncio.shield(work)
        except TimeoutError as error:
            raise _refusal("Takes too long to read.") from error

    def _on_done(self, work: "asyncio.Future[bytes]") -> None:
        # Not when the wait for it ends: a thread cannot be stopped, and is free when its work is over.
        self._free.release()
        if not work.cancelled():
            work.exception()  # nobody else may be left to look at it

    async def close(self) -> None:
        """Take no more work."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _avatar(content: bytes) -> bytes:
    try:
        with Image.open(BytesIO(content), formats=_FORMATS) as image:
            if image.width * image.height > _PIXELS_MAX:
                raise _refusal("Must have at most 40 megapixels.")
            image.thumbnail(_AVATAR_SIZE, Image.Resampling.LANCZOS)
            upright = ImageOps.exif_transpose(image)
            plain = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
    except ValidationFailed:
        raise
    except Exception as error:  # decoders raise whatever a broken file makes them stumble over
        raise _refusal("Must be a whole JPEG, PNG, GIF or WebP image.") from error
    plain.info.clear()
    encoded = BytesIO()
    plain.save(encoded, "WEBP", quality=_QUALITY)
    return encoded.getvalue()


def _refusal(message: str) -> ValidationFailed:
    return ValidationFailed.of("avatar", message)
