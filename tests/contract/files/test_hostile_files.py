"""Files made to do harm: each is answered as the contract says, and costs the service next to nothing."""

import asyncio
import re
import struct
import time
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image

from documents import pdf
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from finassist.application.ports.files import Content, DocumentText
from finassist.domain.errors import ValidationFailed
from finassist.domain.files.content import INLINE_RULES, UPLOAD_RULES, WORD, WORKBOOK, FileRules
from office import BODY, BUDGET, SHEET, changed, with_entities, with_rows, word_document
from pictures import (
    animation,
    encoded,
    gif_beyond_its_screen,
    gif_bomb,
    jpeg_with,
    picture,
    png_bomb,
    png_head,
    png_of,
    with_size,
)
from waiting import until

MEGABYTE = 2**20
BROKEN = "truncated or damaged"
LARGE = "100 megapixels"
OTHER = "Must be a JPEG, PNG, GIF, WebP or PDF file."
JPEG, PNG, GIF, WEBP, PDF = "image/jpeg", "image/png", "image/gif", "image/webp", "application/pdf"
SOUND = encoded(picture((64, 48)), "PNG")

HTML = b"<html><script>alert(document.domain)</script></html>"


def cut(content: bytes, part: float) -> bytes:
    return content[: int(len(content) * part)]


def webp_of(width: int, height: int) -> bytes:
    """A WebP whose head says that it is that large."""
    small = encoded(picture((9, 9)), "WEBP", lossless=True)
    at = small.index(b"VP8L") + 9
    return small[:at] + struct.pack("<I", (width - 1) | (height - 1) << 14) + small[at + 4 :]


def png_with_a_wrong_checksum() -> bytes:
    at = SOUND.index(b"IDAT") + 40
    return SOUND[:at] + bytes([SOUND[at] ^ 1]) + SOUND[at + 1 :]


def png_whose_text_explodes() -> bytes:
    text = b"Comment\0\0" + zlib.compress(b"a" * (200 * MEGABYTE), 9)
    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    pixels = (b"IDAT", zlib.compress(b"\0\0"))
    return png_of([(b"IHDR", header), (b"zTXt", text), pixels, (b"IEND", b"")])


def png_of_many_pictures() -> bytes:
    header = struct.pack(">IIBBBBB", 6000, 6000, 8, 0, 0, 0, 0)
    promise = (b"acTL", struct.pack(">II", 2**31 - 1, 0))
    return png_of([(b"IHDR", header), promise, (b"IDAT", zlib.compress(b"\0")), (b"IEND", b"")])


def pdf_that_refers_to_itself() -> bytes:
    return pdf("x").replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]")


def pdf_whose_page_explodes() -> bytes:
    stream = zlib.compress(b"BT (a) Tj ET " * (8 * MEGABYTE), 9)
    body = b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream)
    plain = pdf("x")
    start = plain.index(b"<< /Length")
    return plain[:start] + body + plain[plain.index(b"\nendobj", start) :]


REFUSED: dict[str, tuple[str, Callable[[], bytes], str]] = {
    # nothing, and too much
    "no bytes at all": (PNG, lambda: b"", OTHER),
    "an image of 10 MB and a byte": (JPEG, lambda: jpeg_with(b"").ljust(10 * MEGABYTE + 1, b"\0"), "10 MB"),
    "a PDF of 20 MB and a byte": (PDF, lambda: pdf("x").ljust(20 * MEGABYTE + 1, b"\n"), "20 MB"),
    # bombs
    "a PNG of 10 gigapixels": (PNG, lambda: png_head(100_000, 100_000, whole=True), LARGE),
    "a PNG of 2^62 pixels": (PNG, lambda: png_head(2**31 - 1, 2**31 - 1, whole=True), LARGE),
    "a whole PNG of 101 megapixels": (PNG, lambda: png_bomb(10_000, 10_100), LARGE),
    "a WebP of 51 megapixels": (WEBP, lambda: webp_of(10_000, 5100), "50 megapixels"),
    "an animation of 60 megapixels": (GIF, lambda: gif_bomb(10_000, 6000, 2), "40 megapixels"),
    "a JPEG of 4 gigapixels": (JPEG, lambda: with_size(jpeg_with(b""), 65_500, 65_500), LARGE),
    "a GIF of 4 gigapixels behind a tiny screen": (GIF, lambda: gif_beyond_its_screen(65_535, 65_535), LARGE),
    "a GIF of 100 large pictures": (GIF, lambda: gif_bomb(4000, 4000, 100), "all its pictures"),
    "a PNG of two thousand million pictures": (PNG, png_of_many_pictures, "all its pictures"),
    "a PDF of 10,001 pages": (PDF, lambda: pdf("x", repeat=10_001), "10000 pages"),
    # broken
    "half a JPEG": (JPEG, lambda: cut(encoded(picture(), "JPEG"), 0.5), BROKEN),
    "a JPEG without its last two bytes": (JPEG, lambda: encoded(picture(), "JPEG")[:-2], BROKEN),
    "half a PNG": (PNG, lambda: cut(SOUND, 0.5), BROKEN),
    "a PNG with a wrong checksum": (PNG, png_with_a_wrong_checksum, BROKEN),
    "half a GIF": (GIF, lambda: cut(encoded(picture(), "GIF"), 0.5), BROKEN),
    "an animation cut in its third picture": (GIF, lambda: cut(animation("GIF"), 0.6), BROKEN),
    "half a WebP": (WEBP, lambda: cut(encoded(picture(), "WEBP"), 0.5), BROKEN),
    "a WebP of nothing": (WEBP, lambda: b"RIFF\x04\0\0\0WEBP", BROKEN),
    "a GIF of nothing": (GIF, lambda: b"GIF89a\x01\0\x01\0\0\0\0;", BROKEN),
    "the signature of a JPEG": (JPEG, lambda: b"\xff\xd8\xff", BROKEN),
    "a JPEG of endless fill bytes": (JPEG, lambda: b"\xff\xd8" + b"\xff" * (9 * MEGABYTE), BROKEN),
    "half a PDF of one page": (PDF, lambda: cut(pdf("x"), 0.3), BROKEN),
    "a PDF of noise": (PDF, lambda: b"%PDF-1.7\n" + picture().tobytes(), BROKEN),
    "a PDF without pages": (
        PDF,
        lambda: pdf("x").replace(b"/Kids [4 0 R] /Count 1", b"/Kids [] /Count 0"),
        BROKEN,
    ),
    "a PDF whose pages go in circles": (PDF, pdf_that_refers_to_itself, BROKEN),
    "an encrypted PDF": (PDF, lambda: pdf("x", password="secret"), "encrypted"),
    "an encrypted PDF that opens without a password": (PDF, lambda: pdf("x", password=""), "encrypted"),
    # disguised
    "a PNG sent as a JPEG": (JPEG, lambda: SOUND, "Was sent as image/jpeg, but is PNG."),
    "a picture sent as a PDF": (PDF, lambda: SOUND, "Was sent as application/pdf, but is PNG."),
    "a PDF sent as a picture": (PNG, lambda: pdf("x"), "Was sent as image/png, but is PDF."),
    "a picture of no declared type": ("application/octet-stream", lambda: SOUND, "but is PNG"),
    "a web page sent as a picture": (PNG, lambda: HTML, OTHER),
    "a web page that has a PDF further down": (PDF, lambda: HTML + pdf("x"), OTHER),
    "a drawing with a script": ("image/svg+xml", lambda: b"<svg><script/></svg>", OTHER),
    "a TIFF sent as a JPEG": (JPEG, lambda: encoded(picture((9, 9)), "TIFF"), OTHER),
    "a program": ("application/x-executable", lambda: b"\x7fELF" + b"\0" * 99, OTHER),
    "a type with a line break": ("image/png\r\nX-Evil: 1", lambda: SOUND, "with a type like"),
    "a type that climbs": ("../../etc/passwd", lambda: SOUND, "with a type like"),
}

ACCEPTED: dict[str, tuple[str, Callable[[], bytes]]] = {
    "a picture that ends in a web page": (JPEG, lambda: jpeg_with(b"") + HTML),
    "a picture with a web page for a comment": (JPEG, lambda: jpeg_with(HTML, 0xFE)),
    "a picture with a web page for its place": (JPEG, lambda: jpeg_with(b"Exif\0\0" + HTML)),
    "a GIF with a web page for a comment": (
        GIF,
        lambda: encoded(Image.new("P", (9, 9)), "GIF", comment=HTML),
    ),
    "a PNG whose text explodes": (PNG, png_whose_text_explodes),
    "a PNG that ends in an archive": (PNG, lambda: SOUND + b"PK\x03\x04" + HTML),
}


async def answer(
    decoder: FileDecoder, content: Content, declared: str, rules: FileRules = UPLOAD_RULES
) -> str:
    try:
        await decoder.inspect(content, declared, rules=rules, field="file", caller=None)
    except ValidationFailed as refused:
        return " ".join(error.message for error in refused.errors if error.field == "file")
    return "accepted"


async def served_at_once(decoder: FileDecoder) -> bool:
    return await answer(decoder, SOUND, PNG) == "accepted"


@pytest.mark.parametrize("name", REFUSED)
async def test_a_hostile_file_is_refused_with_its_reason(decoder: FileDecoder, name: str) -> None:
    declared, make, reason = REFUSED[name]
    assert reason in await answer(decoder, make(), declared)
    assert await served_at_once(decoder)


@pytest.mark.parametrize("name", ACCEPTED)
async def test_of_a_hostile_picture_the_picture_is_kept(decoder: FileDecoder, name: str) -> None:
    declared, make = ACCEPTED[name]
    found = await decoder.inspect(make(), declared, rules=UPLOAD_RULES, field="file", caller=None)
    assert b"script" not in found.content
    assert found.size < 20_000
    assert await answer(decoder, found.content, declared) == "accepted"


@pytest.mark.parametrize(
    ("declared", "content", "reason"),
    [
        ("text/plain", b"", "Must not be empty."),
        ("text/plain", b"a\0b", "Must be text."),
        ("text/plain", bytes(range(1, 256)) * 9, "Must be text."),
        ("text/csv", b"\x81\x8d\x8f\x90" * 9, "Must be text."),
        ("text/html", b"<p>a\0b", "Must be text."),
        ("text/html", SOUND, "Was sent as text/html, but is PNG."),
        ("audio/mpeg", b"%PDF-1.4", "Was sent as audio/mpeg, but is PDF."),
        ("image/heic", b"\0\0\0\x18ftypheic", "Must be a JPEG, PNG, GIF or WebP file."),
        ("image/svg+xml", b"<svg/>", "Must be a JPEG, PNG, GIF or WebP file."),
        ("application/pdf", b"%PDF", "Was sent as application/pdf, but is something else."),
        ("", b"x", "Must be sent with a type like image/png."),
        ("text", b"x", "Must be sent with a type like image/png."),
        ("audio/" + "x" * 100, b"x", "Must be sent with a type like image/png."),
    ],
)
async def test_a_hostile_attachment_is_refused_with_its_reason(
    decoder: FileDecoder, declared: str, content: bytes, reason: str
) -> None:
    assert await answer(decoder, content, declared, INLINE_RULES) == reason


MANY_COLUMNS = b"<row>" + b"<c><v>1</v></c>" * 100_000 + b"</row>"
OFFICE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a Word document of 101 MB unpacked": (
        WORD,
        lambda: changed(word_document("x"), BODY, lambda xml: xml + b" " * (101 * MEGABYTE)),
        "at most 100 MB unpacked",
    ),
    "a Word document that lies about what it unpacks to": (
        WORD,
        lambda: lying_about(
            BODY, changed(word_document("x"), BODY, lambda xml: xml + b" " * (101 * MEGABYTE))
        ),
        BROKEN,
    ),
    "a workbook of 10,001 parts": (WORKBOOK, lambda: many_parts(10_001), "at most 10000 parts"),
    "a Word document with entities": (WORD, lambda: with_entities(word_document("x"), BODY), "document type"),
    "a workbook with entities": (WORKBOOK, lambda: with_entities(BUDGET, SHEET), "document type"),
    "a workbook with entities in its styles": (
        WORKBOOK,
        lambda: with_entities(BUDGET, "xl/styles.xml"),
        "document type",
    ),
    "a workbook of 100,000 columns": (WORKBOOK, lambda: with_rows(MANY_COLUMNS), "16384 columns"),
    "a workbook with a cell beyond all columns": (
        WORKBOOK,
        lambda: with_rows(b'<row r="9"><c r="AAAAAA9"><v>1</v></c></row>'),
        "16384 columns",
    ),
    "a workbook with a row beyond all rows": (
        WORKBOOK,
        lambda: with_rows(b'<row r="99999999999"><c><v>1</v></c></row>'),
        "1048576 rows",
    ),
    "half a Word document": (WORD, lambda: cut(word_document("x"), 0.5), BROKEN),
    "half a workbook": (WORKBOOK, lambda: cut(BUDGET, 0.5), BROKEN),
    "a Word document without a text": (
        WORD,
        lambda: changed(word_document("x"), BODY, lambda _: b"<a/>"),
        BROKEN,
    ),
    "a workbook sent as a Word document": (WORD, lambda: BUDGET, BROKEN),
    "a text sent as a workbook": (WORKBOOK, lambda: b"a;b", BROKEN),
    "the signature of an archive": (WORD, lambda: b"PK\x03\x04", BROKEN),
    "an encrypted workbook": (
        WORKBOOK,
        lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
        "encrypted",
    ),
    "a picture sent as a workbook": (WORKBOOK, lambda: SOUND, "but is PNG"),
}


def lying_about(part: str, package: bytes) -> bytes:
    """The package whose directory says that the part has 1,000 bytes unpacked."""
    at = package.rindex(part.encode()) - 46
    assert package[at : at + 4] == b"PK\x01\x02"
    return package[: at + 24] + struct.pack("<I", 1000) + package[at + 28 :]


def many_parts(count: int) -> bytes:
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        for number in range(count):
            archive.writestr(f"{number}.xml", b"<a/>")
    return file.getvalue()


@pytest.mark.parametrize("name", OFFICE)
async def test_a_hostile_office_file_is_refused_with_its_reason(decoder: FileDecoder, name: str) -> None:
    declared, make, reason = OFFICE[name]
    assert reason in await answer(decoder, make(), declared, INLINE_RULES)
    assert await served_at_once(decoder)


async def test_a_workbook_may_lie_about_its_size_and_be_nearly_empty(decoder: FileDecoder) -> None:
    lying = changed(
        BUDGET, SHEET, lambda xml: re.sub(rb'<dimension ref="[^"]*"', b'<dimension ref="A1:XFD1048576"', xml)
    )
    sparse = with_rows(b"".join(b'<row r="%d"><c r="XFD%d"/></row>' % (n, n) for n in range(3, 5000)))
    for content in (lying, sparse):
        assert await answer(decoder, content, WORKBOOK, INLINE_RULES) == "accepted"
        text = await decoder.text(content, mime_type=WORKBOOK, characters_max=1000, caller=None)
        assert "January | 3000.3 | 2.5% | 2024-05-01" in text.pages[0]
    assert text.cut


@pytest.mark.parametrize(
    "content",
    [
        b"<p>" * 500_000 + b"text",
        b"<table>" * 50_000 + b"text",
        b"<" * 2_000_000,
        b"&#1114112;&nosuch;" * 100_000,
        b"<!DOCTYPE x [<!ENTITY a 'b'>]><p>&a;</p>",
        b"<?xml version='1.0' encoding='utf-16'?><p>text</p>",
    ],
)
async def test_a_hostile_web_page_holds_nobody_up(decoder: FileDecoder, content: bytes) -> None:
    assert await answer(decoder, content, "text/html", INLINE_RULES) == "accepted"
    assert await served_at_once(decoder)


async def test_a_page_that_explodes_holds_up_one_decoder_only(
    decoder: FileDecoder, pool: DecodingPool
) -> None:
    content = pdf_whose_page_explodes()
    reading = asyncio.ensure_future(decoder.text(content, mime_type=PDF, characters_max=100_000, caller=None))
    await until(lambda: any(worker.jobs for worker in pool._all))
    assert await served_at_once(decoder)
    (read,) = await asyncio.gather(reading, return_exceptions=True)
    if not isinstance(read, DocumentText):
        assert isinstance(read, ValidationFailed)  # it took too long, or too much memory
    assert await served_at_once(decoder)


async def test_hostile_files_on_the_disk_cost_the_service_no_memory(
    decoder: FileDecoder, tmp_path: Path
) -> None:
    sent = {}
    for at, (declared, make, _) in enumerate(REFUSED.values()):
        file = tmp_path / str(at)
        file.write_bytes(make())
        sent[file] = declared
    for at, name in enumerate(("image", "other")):
        file = tmp_path / f"{name}{at}"
        file.write_bytes(png_bomb(8000, 5000))
        sent[file] = PNG
    assert await served_at_once(decoder)
    before = resident(reset=True)
    started = time.process_time()
    answers = await asyncio.gather(*(answer(decoder, file, declared) for file, declared in sent.items()))
    assert answers.count("accepted") == 2
    assert resident() - before < 32 * MEGABYTE
    assert time.process_time() - started < 5
    assert {file.name for file in tmp_path.iterdir()} == {file.name for file in sent}


def resident(*, reset: bool = False) -> int:
    """The most memory that this process had since the last reset, in bytes."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"VmHWM:\s+([0-9]+) kB", status)
    assert peak is not None
    return int(peak[1]) * 1024
