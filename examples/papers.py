"""Papers to ask about, made on the spot: PDFs with text, and a receipt as a phone photographs it."""

from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw, ImageFilter, ImageFont

STATEMENT = (
    (
        "Harbour Bank - Account statement",
        "Account holder: A. Example, current account 0042",
        "Period: 1 February 2026 to 28 February 2026",
        "Opening balance on 1 February: 2,310.40",
        "02 Feb  Salary, Example Ltd  +3,150.00",
        "03 Feb  Rent for February  -1,180.00",
        "05 Feb  Grocery store  -84.35",
    ),
    (
        "Harbour Bank - Account statement, continued",
        "09 Feb  Electricity company  -71.90",
        "12 Feb  Train pass  -96.00",
        "14 Feb  Restaurant  -48.20",
        "17 Feb  Transfer to savings account  -500.00",
        "20 Feb  Health insurance premium  -210.75",
        "26 Feb  Grocery store  -102.10",
    ),
    (
        "Harbour Bank - Summary",
        "Closing balance on 28 February: 3,167.10",
        "Interest rate on the overdraft: 11.4 percent a year",
        "Fees charged in this period: 0.00",
        "The terms of the account change on 1 May 2026, see the enclosed",
        "notice; you may close the account free of charge until then.",
    ),
)

RECEIPT = (
    "CORNER MARKET",
    "2 x Bread        5.80",
    "1 x Coffee       7.45",
    "3 x Apples       2.10",
    "TOTAL           15.35",
    "Card           *0042",
)


def pdf(pages: Sequence[Sequence[str]]) -> bytes:
    """A PDF with these lines (Latin-1) on its pages."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for number, lines in enumerate(pages):
        shown = b"\n".join(b"(%b) Tj T*" % _escaped(line) for line in lines)
        content = b"BT /F1 11 Tf 16 TL 50 780 Td\n%b\nET" % shown
        objects.append(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R"
            b"/Resources<</Font<</F1 3 0 R>>>>>>" % (5 + 2 * number)
        )
        objects.append(b"<</Length %d>>stream\n%b\nendstream" % (len(content), content))
    return _file(objects)


def _escaped(line: str) -> bytes:
    text = line.encode("latin-1")
    return text.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")


def _file(objects: Sequence[bytes]) -> bytes:
    written = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    written += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(written)


def photographed(lines: Sequence[str]) -> bytes:
    """A JPEG of a paper with these lines, lying askew on a table, not quite sharp, with the camera's EXIF."""
    paper = Image.new("RGB", (760, 140 + 70 * len(lines)), (244, 241, 232))
    draw = ImageDraw.Draw(paper)
    font = ImageFont.load_default(size=44)
    for number, line in enumerate(lines):
        draw.text((60, 70 + 70 * number), line, fill=(40, 40, 44), font=font)
    table = Image.new("RGB", (1200, 1600), (92, 66, 48))
    askew = paper.convert("RGBA").rotate(4, expand=True, resample=Image.Resampling.BICUBIC)
    table.paste(askew, (190, 420), askew)
    exif = Image.Exif()
    exif[0x010F] = "Phone"  # Make
    photo = BytesIO()
    table.filter(ImageFilter.GaussianBlur(0.8)).save(photo, "JPEG", quality=82, exif=exif)
    return photo.getvalue()
