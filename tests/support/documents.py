"""PDFs for the tests, written by hand: what is in them, and what is wrong with them, is known."""

import hashlib
from collections.abc import Sequence
from typing import Final

_PADDING: Final = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
_ID: Final = b"0123456789abcdef"


def pdf(
    *pages: str,
    catalog: str = "",
    page: str = "",
    objects: Sequence[str] = (),
    password: str | None = None,
    xref: bool = True,
    repeat: int = 1,
) -> bytes:
    """A document with a page for each text, a line of it for each line.

    ``catalog`` and ``page`` are more entries for those dictionaries, ``objects`` more objects (numbered
    from 4); ``password`` encrypts (an empty one too); without ``xref`` its table is in the wrong places;
    ``repeat`` shows the last page so often.
    """
    streams = [_content(text) for text in pages]
    first_page = 4 + len(objects)
    numbers = [first_page + 2 * at for at in range(len(pages))]
    kids = numbers + numbers[-1:] * (repeat - 1)
    bodies = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>".encode(),
        f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *(each.encode() for each in objects),
    ]
    key, trailer = _encryption(password)
    for number, stream in zip(numbers, streams, strict=True):
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 3 0 R >> >> {page} >>".encode()
        )
        shown = stream if key is None else _rc4(_object_key(key, number + 1), stream)
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(shown), shown))
    return _put_together(bodies, trailer, xref=xref)


def _content(text: str) -> bytes:
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in text.split("\n")]
    shown = " ".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 11 Tf 14 TL 50 790 Td {shown} ET".encode("cp1252")


def _put_together(bodies: Sequence[bytes], trailer: bytes, *, xref: bool) -> bytes:
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(file) if xref else 7)
        file += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in places)
    file += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(bodies) + 1,
        trailer,
        start,
    )
    return bytes(file)


# The standard security handler, revision 2: 40 bits of RC4.


def _encryption(password: str | None) -> tuple[bytes | None, bytes]:
    if password is None:
        return None, b""
    padded = (password.encode() + _PADDING)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    permissions = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + permissions + _ID).digest()[:5]
    user = _rc4(key, _PADDING)
    handler = f"/Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4"
    return key, f"/Encrypt << {handler} >> /ID [<{_ID.hex()}> <{_ID.hex()}>]".encode()


def _object_key(key: bytes, number: int) -> bytes:
    return hashlib.md5(key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for at in range(256):
        other = (other + state[at] + key[at % len(key)]) % 256
        state[at], state[other] = state[other], state[at]
    one = other = 0
    done = bytearray()
    for byte in content:
        one = (one + 1) % 256
        other = (other + state[one]) % 256
        state[one], state[other] = state[other], state[one]
        done.append(byte ^ state[(state[one] + state[other]) % 256])
    return bytes(done)
