"""Removing metadata from pictures: the parts that make the picture are copied without decoding them, so no
quality is lost.

EXIF (with the place where a photograph was taken), XMP, IPTC, comments, thumbnails, and any data after the
picture are left out. Colour profiles and animations stay.
"""

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from finassist.adapters.decoding.wire import Refused

TRUNCATED: Final = "Must be a whole image: this one is truncated or damaged."


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A picture's file, how many pictures are in it, and what it lost: its EXIF.

    ``width`` and ``height`` are what the pictures of a GIF cover, which may be more than its screen.
    """

    content: bytes
    exif: bytes = b""
    frames: int = 1
    width: int = 0
    height: int = 0


def clean(content: bytes, mime_type: str) -> Cleaned:
    """The picture alone. Raises Refused for a file that ends too early or is put together wrongly."""
    try:
        return _CLEANERS[mime_type](content)
    except (IndexError, struct.error) as error:
        raise Refused(TRUNCATED) from error


# JPEG: segments, each a marker and a length; after the start of a scan its data, which holds no marker
# but restarts.

_SCAN_END: Final = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])")
_END_OF_IMAGE: Final = 0xD9
_START_OF_SCAN: Final = 0xDA
_APP1: Final = 0xE1
_COMMENT: Final = 0xFE
_JFIF_BYTES: Final = 12
"""Of an APP0 segment, without its thumbnail."""


def _clean_jpeg(content: bytes) -> Cleaned:
    kept = [content[:2]]
    at, exif = 2, b""
    while True:
        at, marker = _next_marker(content, at)
        if marker == _END_OF_IMAGE:
            kept.append(b"\xff\xd9")
            return Cleaned(b"".join(kept), exif)
        (length,) = struct.unpack_from(">H", content, at)
        segment = _part(content, at + 2, length - 2)
        at += length
        if marker == _APP1 and segment.startswith(b"Exif\0"):
            exif = exif or segment
        kept.append(_kept_segment(marker, segment))
        if marker == _START_OF_SCAN:
            end = _SCAN_END.search(content, at)
            if end is None:
                raise Refused(TRUNCATED)
            kept.append(content[at : end.start()])
            at = end.start()


def _next_marker(content: bytes, at: int) -> tuple[int, int]:
    """What comes next, and where it goes on after it; bytes between the parts are skipped."""
    at = content.find(b"\xff", at)
    if at < 0:
        raise Refused(TRUNCATED)
    while content[at] == 0xFF:
        at += 1
    return at + 1, content[at]


def _kept_segment(marker: int, segment: bytes) -> bytes:
    if marker == 0xE0 and segment.startswith(b"JFIF\0"):
        segment = segment[:_JFIF_BYTES] + b"\0\0"
    elif marker == 0xE2 and segment.startswith(b"ICC_PROFILE\0"):
        pass
    elif marker == 0xEE and segment.startswith(b"Adobe"):
        pass  # says which colours the numbers are
    elif 0xE0 <= marker <= 0xEF or marker == _COMMENT:
        return b""
    return struct.pack(">BBH", 0xFF, marker, len(segment) + 2) + segment


# PNG: chunks, each a length, a name, data and a checksum.

_PNG_HEAD: Final = 8
_PNG_CHUNKS: Final = frozenset(
    b"IHDR PLTE IDAT IEND tRNS acTL fcTL fdAT cHRM cICP gAMA iCCP sBIT sRGB bKGD pHYs".split()
)


def _clean_png(content: bytes) -> Cleaned:
    kept = [content[:_PNG_HEAD]]
    at, exif, frames = _PNG_HEAD, b"", 0
    while True:
        length, name = struct.unpack_from(">I4s", content, at)
        chunk = _part(content, at, length + 12)
        at += length + 12
        if name in _PNG_CHUNKS:
            kept.append(chunk)
        elif name == b"eXIf":
            exif = chunk[8:-4]
        if name == b"acTL":
            frames = max(frames, *struct.unpack_from(">I", chunk, 8))
        if name == b"IEND":
            animated = sum(part[4:8] == b"fcTL" for part in kept)
            return Cleaned(b"".join(kept), exif, max(frames, animated, 1))


# GIF: a screen, and blocks: pictures and extensions, whose data is in pieces of up to 255 bytes.

_PICTURE: Final = 0x2C
_EXTENSION: Final = 0x21
_TRAILER: Final = 0x3B
_TIMING: Final = 0xF9
_APPLICATION: Final = 0xFF
_LOOPS: Final = (b"NETSCAPE2.0", b"ANIMEXTS1.0")


def _clean_gif(content: bytes) -> Cleaned:
    width, height, flags = struct.unpack_from("<HHB", content, 6)
    at = 13 + _palette_bytes(flags)
    kept = [_part(content, 0, at)]
    frames = 0
    while content[at] != _TRAILER:
        start = at
        if content[at] == _PICTURE:
            left, top, across, down, flags = struct.unpack_from("<4HB", content, at + 1)
            width, height = max(width, left + across), max(height, top + down)
            at = _skip_pieces(content, at + 11 + _palette_bytes(flags))
            frames += 1
            kept.append(content[start:at])
        elif content[at] == _EXTENSION:
            at = _skip_pieces(content, at + 2)
            if _is_kept_extension(content, start):
                kept.append(content[start:at])
        elif content[at] == 0:
            at += 1  # some programs leave more than one at the end of a block
        else:
            raise Refused(TRUNCATED)
    file = b"".join([*kept, bytes([_TRAILER])])
    return Cleaned(file, frames=frames, width=width, height=height)


def _palette_bytes(flags: int) -> int:
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def _skip_pieces(content: bytes, at: int) -> int:
    while length := content[at]:
        at += length + 1
    return at + 1


def _is_kept_extension(content: bytes, at: int) -> bool:
    label = content[at + 1]
    return label == _TIMING or (label == _APPLICATION and content[at + 3 : at + 14] in _LOOPS)


# WebP: a RIFF file; chunks, each a name, a length and data of an even number of bytes.

_WEBP_CHUNKS: Final = frozenset((b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"))
_EXIF_AND_XMP: Final = 0b1100


def _clean_webp(content: bytes) -> Cleaned:
    (size,) = struct.unpack_from("<I", content, 4)
    kept = []
    exif, frames = b"", 0
    for name, data in _webp_chunks(_part(content, 12, size - 4)):
        if name == b"VP8X":
            data = bytes([data[0] & ~_EXIF_AND_XMP]) + data[1:]
        if name in _WEBP_CHUNKS:
            kept.append(struct.pack("<4sI", name, len(data)) + data + b"\0" * (len(data) % 2))
        elif name == b"EXIF":
            exif = data
        frames += name == b"ANMF"
    body = b"WEBP" + b"".join(kept)
    return Cleaned(struct.pack("<4sI", b"RIFF", len(body)) + body, exif, max(frames, 1))


def _webp_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(body):
        name, length = struct.unpack_from("<4sI", body, at)
        yield name, _part(body, at + 8, length)
        at += 8 + length + length % 2


def _part(content: bytes, at: int, length: int) -> bytes:
    if length < 0 or at + length > len(content):
        raise Refused(TRUNCATED)
    return content[at : at + length]


_CLEANERS: Final[Mapping[str, Callable[[bytes], Cleaned]]] = {
    "image/jpeg": _clean_jpeg,
    "image/png": _clean_png,
    "image/gif": _clean_gif,
    "image/webp": _clean_webp,
}
