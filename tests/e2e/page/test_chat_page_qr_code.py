"""The QR code of a second factor's key on the chat page, in a real Chromium."""

import hashlib
import json

from e2e.chat_page import open_page
from e2e.chromium import Browser
from e2e.conftest import Start

QR_CODES = {
    "a": "bf35b1e154e92eb4",
    "otpauth://totp/finassist:ann%40example.org?secret=JBSWY3DPEHPK3PXP": "e7ab65f89e4905d3",
    "é" * 66: "cb9db1c9dd2447c6",
    "x" * 190: "6c97ffdff76cefe9",
    "y" * 271: "3c89d1008c9275e7",
}
"""The beginnings of SHA-256 of the rows, as the library qrcode 8.2 draws them: level L, the first mask."""
ROWS = """
    return import("./web/account/qr.js").then(({matrixOf}) =>
        matrixOf(%s)?.map((row) => row.map(Number).join("")).join("\\n") ?? null)
"""


async def test_codes_for_cameras_are_those_of_the_standard(start_server: Start, page: Browser) -> None:
    open_page(page, await start_server())
    for text, digest in QR_CODES.items():
        rows = page.run(ROWS % json.dumps(text))
        assert hashlib.sha256(rows.encode()).hexdigest().startswith(digest), text
    assert page.run(ROWS % json.dumps("z" * 272)) is None
