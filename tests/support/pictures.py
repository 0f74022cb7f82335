"""Pictures for the tests, sound ones and hostile ones."""

import struct
import zlib
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from PIL import Image

KINDS = ["JPEG", "PNG", "GIF", "WEBP"]
TYPE_OF = {kind: f"image/{kind.lower()}" for kind in KINDS}


def picture(size: tuple[int, int] = (900, 300), mode: str = "RGB") -> Image.Image:
    """A picture that does not compress well."""
    return Image.effect_noise(size, 90).convert(mode)


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The picture's file."""
    content = BytesIO()
    image.save(content, kind, **options)
    return content.getvalue()


def opened(content: bytes) -> Image.Image:
    """The picture of a file, decoded."""
    image = Image.open(BytesIO(content))
    image.load()
    return image


def animation(kind: str, size: tuple[int, int] = (40, 30), frames: int = 5) -> bytes:
    """Several pictures one after the other, each another one."""
    pictures = [Image.new("RGB", size, (40 * at, 255 - 40 * at, 90)) for at in range(frames)]
    options = {"lossless": True} if kind == "WEBP" else {}
    return encoded(
        pictures[0], kind, save_all=True, append_images=pictures[1:], duration=80, loop=3, **options
    )


def png_of(chunks: Sequence[tuple[bytes, bytes]]) -> bytes:
    """A PNG put together from chunks."""
    parts = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def png_head(width: int, height: int, *, whole: bool = False) -> bytes:
    """A PNG that promises more than it holds; a ``whole`` one ends like any other."""
    header = (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return png_of([header, (b"IDAT", zlib.compress(b"\0")), (b"IEND", b"")] if whole else [header])


def png_bomb(width: int, height: int) -> bytes:
    """A whole PNG of one colour, a thousandth of its pixels in size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    packer = zlib.compressobj(9)
    row = b"\0" * (width + 1)
    data = b"".join([*(packer.compress(row) for _ in range(height)), packer.flush()])
    return png_of([(b"IHDR", header), (b"IDAT", data), (b"IEND", b"")])


def gif_bomb(width: int, height: int, frames: int) -> bytes:
    """A GIF that shows the same large picture again and again, in a few bytes each time."""
    one = encoded(Image.new("P", (width, height)), "GIF")
    start = one.index(b"\x2c", 13)
    return one[:start] + one[start:-1] * frames + b";"


def gif_beyond_its_screen(width: int, height: int) -> bytes:
    """A GIF with a screen of one pixel, and a picture that promises a lot more."""
    screen = b"GIF89a" + struct.pack("<HHBBB", 1, 1, 0x80, 0, 0) + b"\0" * 6
    return screen + struct.pack("<BHHHHB", 0x2C, 0, 0, width, height, 0) + b"\x02\x02\x44\x01\x00;"


def jpeg_with(segment: bytes, marker: int = 0xE1) -> bytes:
    """A JPEG with one more segment at its start."""
    plain = encoded(picture((64, 48)), "JPEG")
    return plain[:2] + struct.pack(">BBH", 0xFF, marker, len(segment) + 2) + segment + plain[2:]


def with_size(jpeg: bytes, width: int, height: int) -> bytes:
    """The JPEG, which now says that it is that large."""
    start = jpeg.index(b"\xff\xc0") + 5
    return jpeg[:start] + struct.pack(">HH", height, width) + jpeg[start + 4 :]
