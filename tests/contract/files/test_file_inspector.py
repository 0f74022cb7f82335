"""What is accepted of what users send, and what is kept of it (contract sections 4 and 10)."""

import asyncio
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageCms

from documents import pdf
from finassist.adapters.decoding.inspector import FileDecoder
from finassist.adapters.decoding.pool import DecodingPool
from finassist.application.ports.files import Content, DocumentText, InspectedFile
from finassist.domain.errors import StorageError, ValidationFailed
from finassist.domain.files.content import (
    EMBED_IMAGE_RULES,
    INLINE_RULES,
    UPLOAD_RULES,
    WORD,
    WORKBOOK,
    FileKind,
    FileRules,
)
from office import BODY, BUDGET, changed, word_document
from pictures import KINDS, TYPE_OF, animation, encoded, gif_bomb, jpeg_with, opened, picture, png_bomb

SOUND = encoded(picture((64, 48)), "PNG")
PDF = "application/pdf"
POLISH = """Data operacji;Opis;Kwota;Saldo po operacji
2026-01-02;Przelew przychodzący od pracodawcy, wynagrodzenie za grudzień;5 200,00;7 310,40
2026-01-03;Opłata miesięczna za kartę płatniczą;-7,00;7 303,40
2026-01-05;Płatność kartą w sklepie spożywczym Żabka, Łódź;-54,20;7 249,20
"""


async def inspect(
    decoder: FileDecoder, content: bytes, declared_type: str, rules: FileRules = UPLOAD_RULES
) -> InspectedFile[bytes]:
    return await decoder.inspect(content, declared_type, rules=rules, field="file", caller=None)


async def refusal(
    decoder: FileDecoder, content: Content, declared_type: str, rules: FileRules = UPLOAD_RULES
) -> str:
    with pytest.raises(ValidationFailed) as refused:
        await decoder.inspect(content, declared_type, rules=rules, field="attachments[1]", caller=None)
    (error,) = refused.value.errors
    assert error.field == "attachments[1]"
    return error.message


# What is accepted


@pytest.mark.parametrize("kind", KINDS)
async def test_a_picture_is_told_by_its_content_and_measured(decoder: FileDecoder, kind: str) -> None:
    content = encoded(picture((90, 31)), kind)
    found = await inspect(decoder, content, TYPE_OF[kind])
    assert (found.kind, found.mime_type) == (FileKind.IMAGE, TYPE_OF[kind])
    assert (found.width, found.height, found.pages) == (90, 31, None)
    assert found.size == len(found.content)
    assert opened(found.content).tobytes() == opened(content).tobytes()


async def test_a_pdf_is_kept_as_it_came(decoder: FileDecoder) -> None:
    content = pdf("one", "two")
    found = await inspect(decoder, content, "application/pdf")
    assert (found.kind, found.mime_type, found.pages) == (FileKind.PDF, "application/pdf", 2)
    assert (found.width, found.height, found.size) == (None, None, len(content))
    assert found.content == content


@pytest.mark.parametrize(
    ("declared", "kind"),
    [
        ("image/jpg", "JPEG"),
        ("IMAGE/PNG", "PNG"),
        ("image/png; charset=binary", "PNG"),
        ("image/pjpeg", "JPEG"),
    ],
)
async def test_other_spellings_of_a_type_are_understood(
    decoder: FileDecoder, declared: str, kind: str
) -> None:
    found = await inspect(decoder, encoded(picture((9, 9)), kind), declared)
    assert found.mime_type == TYPE_OF[kind]


async def test_a_file_on_the_disk_is_replaced_by_what_to_keep(decoder: FileDecoder, tmp_path: Path) -> None:
    file = tmp_path / "sent"
    file.write_bytes(jpeg_with(b"Exif\0\0 of Ann"))
    found = await decoder.inspect(file, "image/jpeg", rules=UPLOAD_RULES, field="file", caller=None)
    assert found.content == file
    assert found.size == file.stat().st_size
    assert b"Ann" not in file.read_bytes()
    assert opened(file.read_bytes()).size == (found.width, found.height) == (64, 48)
    assert list(tmp_path.iterdir()) == [file]


async def test_a_pdf_on_the_disk_stays_as_it_is(decoder: FileDecoder, tmp_path: Path) -> None:
    file = tmp_path / "sent"
    file.write_bytes(pdf("one"))
    found = await decoder.inspect(file, "application/pdf", rules=UPLOAD_RULES, field="file", caller=None)
    assert (found.pages, file.read_bytes()) == (1, pdf("one"))


@pytest.mark.parametrize(
    ("declared", "content", "kind"),
    [
        ("text/plain", "Zinsen – 2 %".encode(), FileKind.TEXT),
        ("text/csv; charset=utf-8", b"a,b\n1,2\n", FileKind.TEXT),
        ("application/json", b"{}", FileKind.TEXT),
        ("audio/mpeg", b"ID3\x04", FileKind.AUDIO),
        ("audio/wav", b"RIFF\0\0\0\0WAVE", FileKind.AUDIO),
        ("application/zip", b"PK\x03\x04", FileKind.OTHER),
        ("application/octet-stream", b"\0\1\2", FileKind.OTHER),
    ],
)
async def test_inline_other_kinds_are_accepted_and_uploaded_they_are_not(
    decoder: FileDecoder, declared: str, content: bytes, kind: FileKind
) -> None:
    found = await inspect(decoder, content, declared, INLINE_RULES)
    assert (found.kind, found.mime_type) == (kind, declared.partition(";")[0])
    assert found.content == content
    assert await refusal(decoder, content, declared) == "Must be a JPEG, PNG, GIF, WebP or PDF file."


async def test_inline_a_picture_may_have_20_mb_and_uploaded_10(decoder: FileDecoder) -> None:
    padding = b"\0" * (9 * 2**20)
    content = jpeg_with(b"") + padding
    assert (await inspect(decoder, content, "image/jpeg")).size < 20_000
    content += padding
    assert await refusal(decoder, content, "image/jpeg") == "Must have at most 10 MB."
    assert (await inspect(decoder, content, "image/jpeg", INLINE_RULES)).kind is FileKind.IMAGE
    assert await refusal(decoder, content + padding, "image/jpeg", INLINE_RULES) == "Must have at most 20 MB."


async def test_a_visual_embed_is_a_png(decoder: FileDecoder) -> None:
    assert (await inspect(decoder, SOUND, "image/png", EMBED_IMAGE_RULES)).mime_type == "image/png"
    jpeg = encoded(picture((9, 9)), "JPEG")
    assert await refusal(decoder, jpeg, "image/jpeg", EMBED_IMAGE_RULES) == "Must be a PNG file."


async def test_a_picture_of_40_megapixels_is_kept_as_it_is(decoder: FileDecoder) -> None:
    found = await inspect(decoder, png_bomb(8000, 5000), "image/png")
    assert (found.width, found.height) == (8000, 5000)


@pytest.mark.parametrize("mode", ["1", "P", "RGB", "RGBA"])
async def test_a_png_of_100_megapixels_is_scaled_to_half_its_sides(decoder: FileDecoder, mode: str) -> None:
    content = encoded(Image.new(mode, (12_500, 8000)), "PNG", compress_level=1)
    found = await inspect(decoder, content, "image/png")
    assert (found.width, found.height) == (6250, 4000)
    assert opened(found.content).size == (6250, 4000)
    assert "100 megapixels" in await refusal(decoder, png_bomb(12_500, 8001), "image/png")


async def test_a_large_jpeg_is_decoded_at_half_its_sides_and_stands_upright(decoder: FileDecoder) -> None:
    content = encoded(Image.new("RGB", (12_500, 8000), "teal"), "JPEG", exif=exif_of(6))
    found = await inspect(decoder, content, "image/jpeg")
    assert (found.width, found.height) == opened(found.content).size == (4000, 6250)
    assert not opened(found.content).getexif()


@pytest.mark.parametrize(("kind", "size"), [("GIF", (10_000, 10_000)), ("WEBP", (10_000, 5000))])
async def test_a_large_picture_of_another_kind_stays_of_its_kind(
    decoder: FileDecoder, kind: str, size: tuple[int, int]
) -> None:
    content = encoded(Image.new("RGB", size, "teal"), kind)
    found = await inspect(decoder, content, TYPE_OF[kind])
    assert found.mime_type == TYPE_OF[kind]
    assert opened(found.content).size == (size[0] // 2, size[1] // 2)


# What is removed


def exif_of(orientation: int = 1) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Camera of Ann Example"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    return exif


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
async def test_a_picture_loses_its_metadata_and_nothing_else(decoder: FileDecoder, kind: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    options: dict[str, Any] = {
        "exif": exif_of(),
        "xmp": b"<x:xmpmeta>Ann Example</x:xmpmeta>",
        "icc_profile": profile,
    }
    if kind == "JPEG":
        options["comment"] = b"by Ann Example"
    content = encoded(picture((64, 48)), kind, **options)
    assert b"Ann Example" in content
    kept = (await inspect(decoder, content, TYPE_OF[kind])).content
    assert b"Ann Example" not in kept  # three bytes of it are in packed ones now and then
    assert not opened(kept).getexif()
    assert "xmp" not in opened(kept).info
    assert opened(kept).info["icc_profile"] == profile
    assert opened(kept).tobytes() == opened(content).tobytes()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
async def test_a_picture_stands_upright_without_its_metadata(
    decoder: FileDecoder, kind: str, orientation: int
) -> None:
    lying = Image.new("RGB", (64, 32), "white")
    lying.paste((200, 0, 0), (0, 0, 16, 16))
    content = encoded(lying, kind, exif=exif_of(orientation))
    found = await inspect(decoder, content, TYPE_OF[kind])
    assert not opened(found.content).getexif()
    # Where the red corner is on a picture that stands as the camera meant it.
    left, top = {1: (1, 1), 2: (0, 1), 3: (0, 0), 4: (1, 0), 5: (1, 1), 6: (0, 1), 7: (0, 0), 8: (1, 0)}[
        orientation
    ]
    size = (64, 32) if orientation < 5 else (32, 64)
    assert (found.width, found.height) == opened(found.content).size == size
    at = (5 if left else size[0] - 6, 5 if top else size[1] - 6)
    red, green, _ = opened(found.content).convert("RGB").getpixel(at)  # type: ignore[misc]
    assert red > 150
    assert green < 90


@pytest.mark.parametrize("mode", ["L", "CMYK"])
async def test_a_turned_jpeg_of_other_colours_is_still_one(decoder: FileDecoder, mode: str) -> None:
    found = await inspect(decoder, encoded(picture((64, 32), mode), "JPEG", exif=exif_of(6)), "image/jpeg")
    assert opened(found.content).size == (32, 64)


async def test_a_turned_jpeg_keeps_its_quality(decoder: FileDecoder) -> None:
    content = encoded(picture((640, 480)), "JPEG", quality=92, exif=exif_of(6))
    found = await inspect(decoder, content, "image/jpeg")
    assert len(content) * 0.9 < found.size < len(content) * 1.1
    assert opened(found.content).quantization == opened(content).quantization  # type: ignore[attr-defined]


async def test_metadata_that_cannot_be_read_is_removed_all_the_same(decoder: FileDecoder) -> None:
    found = await inspect(decoder, jpeg_with(b"Exif\0\0II*\0\xff\xff\xff\xff of Ann"), "image/jpeg")
    assert b"Ann" not in found.content


@pytest.mark.parametrize("kind", KINDS)
async def test_what_follows_a_picture_is_cut_off(decoder: FileDecoder, kind: str) -> None:
    content = encoded(picture((64, 48)), kind)
    found = await inspect(decoder, content + b"<script>alert('Ann')</script>", TYPE_OF[kind])
    assert found.content == content or b"script" not in found.content
    assert found.size <= len(content)


async def test_thumbnails_texts_and_comments_are_removed(decoder: FileDecoder) -> None:
    thumbnail = b"JFIF\0\x01\x01\0\0\x01\0\x01\x01\x01Ann"
    assert b"Ann" not in (await inspect(decoder, jpeg_with(thumbnail, 0xE0), "image/jpeg")).content
    gif = encoded(Image.new("P", (9, 9)), "GIF", comment=b"by Ann")
    application = b"\x21\xff\x0bXMP DataXMP\x03Ann\x00"
    gif = gif[:-1] + application + b";"
    assert b"Ann" in gif
    assert b"Ann" not in (await inspect(decoder, gif, "image/gif")).content


@pytest.mark.parametrize("kind", ["PNG", "GIF", "WEBP"])
async def test_an_animation_stays_one(decoder: FileDecoder, kind: str) -> None:
    content = animation(kind)
    kept = (await inspect(decoder, content, TYPE_OF[kind])).content
    before, after = opened(content), opened(kept)
    assert getattr(after, "n_frames", 1) == getattr(before, "n_frames", 1) == 5
    for frame in range(5):
        before.seek(frame)
        after.seek(frame)
        assert after.convert("RGB").tobytes() == before.convert("RGB").tobytes()
        assert after.info.get("duration") == before.info.get("duration")


async def test_bytes_that_belong_to_nothing_spoil_no_picture(decoder: FileDecoder) -> None:
    jpeg = jpeg_with(b"")
    gif = encoded(picture((9, 9)), "GIF")
    for content, declared in (
        (jpeg[:6] + b"xx" + jpeg[6:], "image/jpeg"),
        (gif[:-1] + b"\0\0;", "image/gif"),
    ):
        assert opened((await inspect(decoder, content, declared)).content).size in {(64, 48), (9, 9)}


# The text of documents


async def test_the_text_of_a_pdf_comes_page_by_page(decoder: FileDecoder, tmp_path: Path) -> None:
    content = pdf("Balance 1.234,56 €\nInterest (2 %)", "", "Third – page")
    found = await decoder.text(content, mime_type=PDF, characters_max=1000, caller=None)
    assert list(found.pages) == ["Balance 1.234,56 €\nInterest (2 %)", "", "Third – page"]
    assert (found.page_count, found.cut) == (3, False)
    assert list(found.labels) == ["page 1", "page 2", "page 3"]
    file = tmp_path / "sent"
    file.write_bytes(content)
    assert await decoder.text(file, mime_type=PDF, characters_max=1000, caller=None) == found


@pytest.mark.parametrize(
    ("characters_max", "pages", "cut"),
    [(14, ["12345", "6789", "abcde"], False), (13, ["12345", "6789", "abcd"], True), (5, ["12345"], True)],
)
async def test_a_text_that_is_too_long_is_cut(
    decoder: FileDecoder, characters_max: int, pages: list[str], cut: bool
) -> None:
    found = await decoder.text(
        pdf("12345", "6789", "abcde"), mime_type=PDF, characters_max=characters_max, caller=None
    )
    assert (list(found.pages), found.cut, found.page_count) == (pages, cut, 3)


async def read(
    decoder: FileDecoder, content: bytes, mime_type: str, characters_max: int = 1000
) -> DocumentText:
    assert (await inspect(decoder, content, mime_type, INLINE_RULES)).kind is FileKind.TEXT
    return await decoder.text(content, mime_type=mime_type, characters_max=characters_max, caller=None)


async def test_a_word_document_is_its_paragraphs_and_tables(decoder: FileDecoder) -> None:
    content = word_document("Terms of the loan", "Rate:\t5 %", table=[["Item", "Fee"], ["Account", "12 €"]])
    found = await read(decoder, content, WORD)
    assert list(found.pages) == ["Terms of the loan\nRate:\t5 %\nItem | Fee\nAccount | 12 €"]
    assert (found.page_count, found.cut, list(found.labels)) == (1, False, [])
    found = await read(decoder, content, WORD, 5)
    assert (list(found.pages), found.cut) == (["Terms"], True)


async def test_in_a_word_document_insertions_and_fields_count_and_deletions_do_not(
    decoder: FileDecoder,
) -> None:
    tracked = (
        b"<w:p><w:r><w:t>The fee is </w:t></w:r><w:del w:id='1'><w:r><w:delText>9</w:delText></w:r></w:del>"
        b"<w:ins w:id='2'><w:r><w:t>12</w:t></w:r></w:ins></w:p>"
        b"<w:sdt><w:sdtContent><w:p><w:r><w:t>Name: Ann</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
    content = changed(word_document("x"), BODY, lambda xml: xml.replace(b"<w:sectPr", tracked + b"<w:sectPr"))
    assert list((await read(decoder, content, WORD)).pages) == ["x\nThe fee is 12\nName: Ann"]


async def test_a_workbook_is_its_sheets_with_values_as_they_are_shown(decoder: FileDecoder) -> None:
    found = await read(decoder, BUDGET, WORKBOOK)
    assert list(found.pages) == [
        "Month | Salary | Raise | Since\nJanuary | 3000.3 | 2.5% | 2024-05-01",
        "Item | Amount\nRent | 900\nElectricity | 71.9",
    ]
    assert (list(found.labels), found.page_count, found.cut) == (["sheet Income", "sheet Costs"], 2, False)
    found = await read(decoder, BUDGET, WORKBOOK, 10)
    assert (list(found.pages), found.page_count, found.cut) == (["Month | Sa"], 2, True)


async def test_an_office_file_on_the_disk_is_read_and_stays_as_it_is(
    decoder: FileDecoder, tmp_path: Path
) -> None:
    file = tmp_path / "sent"
    file.write_bytes(BUDGET)
    found = await decoder.inspect(file, WORKBOOK, rules=INLINE_RULES, field="file", caller=None)
    assert (found.kind, file.read_bytes()) == (FileKind.TEXT, BUDGET)
    text = await decoder.text(file, mime_type=WORKBOOK, characters_max=1000, caller=None)
    assert "Rent | 900" in text.pages[1]


async def test_a_web_page_is_its_text_without_scripts(decoder: FileDecoder) -> None:
    page = """<html><head><title>Fees</title><style>p {}</style></head><body><script>alert(1)</script>
    <p>The <b>fee</b> is&nbsp;12&euro;<br>a year.<table><tr><th>Item<td>Fee<tr><td>Card<td>5</table></body>"""
    found = await read(decoder, page.encode(), "text/html")
    assert list(found.pages) == ["Fees\nThe fee is 12€\na year.\nItem | Fee\nCard | 5"]


@pytest.mark.parametrize("mime_type", ["text/plain", "text/markdown", "text/csv", "application/json"])
async def test_other_texts_are_shown_as_they_are(decoder: FileDecoder, mime_type: str) -> None:
    text = '{"a": "1,5"},\n\n| b |\n'
    found = await read(decoder, text.encode(), mime_type)
    assert (list(found.pages), found.page_count, found.cut, list(found.labels)) == ([text], 1, False, [])
    assert (await read(decoder, text.encode(), mime_type, 3)) == DocumentText(
        pages=['{"a'], page_count=1, cut=True, labels=()
    )


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Zürich", "utf-8"),
        ("Zürich", "utf-8-sig"),
        ("Zürich", "utf-16"),
        ("Zürich", "cp1252"),
        ("£5 fee", "cp1252"),
        ("Datum;Betrag\nÜberweisung Bäckerei Müller;-12,50 €", "cp1252"),
        ("Crédit à la consommation : intérêts dûs", "cp1252"),
        (POLISH, "cp1250"),
        ("Выписка по счёту за февраль: проценты", "cp1251"),
    ],
)
async def test_a_text_in_another_encoding_is_understood(
    decoder: FileDecoder, text: str, encoding: str
) -> None:
    assert list((await read(decoder, text.encode(encoding), "text/csv")).pages) == [text]


async def test_forms_and_scripts_are_left_alone(decoder: FileDecoder) -> None:
    objects = (
        "<< /S /JavaScript /JS (app.alert('script');) >>",
        "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (form) /Rect [50 50 200 70] >>",
    )
    content = pdf(
        "text",
        catalog="/OpenAction 4 0 R /AcroForm << /Fields [5 0 R] >>",
        page="/Annots [5 0 R]",
        objects=objects,
    )
    assert (await inspect(decoder, content, "application/pdf")).pages == 1
    assert list((await decoder.text(content, mime_type=PDF, characters_max=100, caller=None)).pages) == [
        "text"
    ]


async def test_a_pdf_with_a_broken_table_of_its_objects_is_mended(decoder: FileDecoder) -> None:
    content = pdf("one", "two", xref=False)
    assert (await inspect(decoder, content, "application/pdf")).pages == 2
    assert list((await decoder.text(content, mime_type=PDF, characters_max=100, caller=None)).pages) == [
        "one",
        "two",
    ]


async def test_10000_pages_are_accepted_and_one_more_is_not(decoder: FileDecoder) -> None:
    assert (await inspect(decoder, pdf("x", repeat=10_000), "application/pdf")).pages == 10_000
    assert "10000 pages" in await refusal(decoder, pdf("x", repeat=10_001), "application/pdf")


async def test_what_is_no_pdf_has_no_text(decoder: FileDecoder) -> None:
    for content in (b"", SOUND, pdf("x", password="secret")):
        with pytest.raises(ValidationFailed):
            await decoder.text(content, mime_type=PDF, characters_max=100, caller=None)


# The processes


def pids(pool: DecodingPool) -> list[int]:
    return [worker._process.pid for worker in pool._all]


async def asked_again(pool: DecodingPool) -> None:
    """Return when the one decoder that served a file was sent the next one."""
    while all(worker.jobs < 2 for worker in pool._all):
        await asyncio.sleep(0)


async def test_a_decoder_that_hangs_is_ended_and_the_next_file_is_served() -> None:
    pool = DecodingPool(processes=1)
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    pool._seconds = 0.5
    (hanging,) = pids(pool)
    os.kill(hanging, signal.SIGSTOP)
    assert await refusal(decoder, SOUND, "image/png") == "Takes too long to read."
    with pytest.raises(ProcessLookupError):
        os.kill(hanging, 0)
    pool._seconds = 10
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE
    await pool.close()


async def test_the_event_loop_goes_on_while_a_decoder_hangs() -> None:
    pool = DecodingPool(processes=2)
    decoder = FileDecoder(pool)
    await asyncio.gather(*(inspect(decoder, SOUND, "image/png") for _ in range(2)))
    pool._seconds = 2
    os.kill(pids(pool)[0], signal.SIGSTOP)
    answers = asyncio.gather(
        *(inspect(decoder, SOUND, "image/png") for _ in range(8)), return_exceptions=True
    )
    ticks = 0
    while not answers.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert ticks > 20
    assert sum(isinstance(answer, ValidationFailed) for answer in await answers) == 1
    await pool.close()


async def test_a_file_that_brings_its_decoder_down_is_refused(pool: DecodingPool) -> None:
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    answer = asyncio.create_task(refusal(decoder, SOUND, "image/png"))
    await asked_again(pool)
    os.kill(pid, signal.SIGKILL)
    assert await answer == "Cannot be read."
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE


async def test_a_file_out_of_time_is_told_from_one_that_brings_its_decoder_down_on_a_busy_machine(
    pool: DecodingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    waitpid = os.waitpid

    def wait_late(pid: int, options: int) -> tuple[int, int]:
        if threading.current_thread() is not threading.main_thread():
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
            time.sleep(0.2)  # the process has ended, and its status is still to be had
        return waitpid(pid, options)

    monkeypatch.setattr(os, "waitpid", wait_late)
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    answer = asyncio.create_task(refusal(decoder, SOUND, "image/png"))
    await asked_again(pool)
    os.kill(pid, signal.SIGPROF)
    os.kill(pid, signal.SIGCONT)
    time.sleep(0.1)  # noqa: ASYNC251 - the event loop comes late, too
    assert await answer == "Takes too long to read."


async def test_a_decoder_that_ended_while_nobody_needed_it_is_replaced(pool: DecodingPool) -> None:
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (worker,) = pool._all
    os.kill(worker._process.pid, signal.SIGKILL)
    await worker._process.wait()
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE
    assert worker not in pool._all


async def test_who_goes_away_takes_the_decoder_along(pool: DecodingPool) -> None:
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (pid,) = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    waiting = [asyncio.create_task(inspect(decoder, SOUND, "image/png")) for _ in range(6)]
    await asked_again(pool)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE


async def test_a_decoder_that_nobody_needs_goes(pool: DecodingPool) -> None:
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (process,) = [worker._process for worker in pool._all]
    pool._idle_seconds = 0.05
    await inspect(decoder, SOUND, "image/png")
    assert await process.wait() == 0
    assert pids(pool) == []
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE


async def test_a_decoder_ends_itself_when_the_service_is_gone(
    pool: DecodingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder = FileDecoder(pool)
    await inspect(decoder, SOUND, "image/png")
    (worker,) = pool._all
    monkeypatch.setattr("finassist.adapters.decoding.pool._GRACE_SECONDS", 0)
    job = {"work": "image", "type": "image/gif", "job_seconds": 20, "seconds": 0.05}
    with pytest.raises(EOFError):
        await worker.ask(job, gif_bomb(4000, 4000, 24))
    assert await worker._process.wait() == -signal.SIGALRM


async def test_a_decoder_has_a_gigabyte_and_no_secrets(
    pool: DecodingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKEND_SECRET", "secret-1")
    await inspect(FileDecoder(pool), SOUND, "image/png")
    process = Path(f"/proc/{pids(pool)[0]}")
    assert "BACKEND_SECRET" not in (process / "environ").read_text()
    limits = (process / "limits").read_text()
    assert f"{2**30}" in limits.split("Max address space")[1].splitlines()[0]


async def test_no_more_files_than_processes_are_decoded_at_a_time(pool: DecodingPool) -> None:
    decoder = FileDecoder(pool)
    await asyncio.gather(*(inspect(decoder, SOUND, "image/png") for _ in range(30)))
    assert len(pids(pool)) == 2


async def test_a_process_that_cannot_be_started_is_a_storage_error(
    pool: DecodingPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoder = FileDecoder(pool)
    for program in ("/nonexistent", "/bin/true"):
        monkeypatch.setattr("finassist.adapters.decoding.pool.sys.executable", program)
        with pytest.raises(StorageError):
            await inspect(decoder, SOUND, "image/png")
    monkeypatch.undo()
    assert (await inspect(decoder, SOUND, "image/png")).kind is FileKind.IMAGE


async def test_a_file_that_is_gone_is_a_storage_error(decoder: FileDecoder, tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        await decoder.inspect(tmp_path / "none", "image/png", rules=UPLOAD_RULES, field="file", caller=None)


async def test_a_closed_pool_leaves_no_process() -> None:
    pool = DecodingPool()
    decoder = FileDecoder(pool)
    await asyncio.gather(*(inspect(decoder, SOUND, "image/png") for _ in range(4)))
    there = pids(pool)
    assert there
    await pool.close()
    for pid in there:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
