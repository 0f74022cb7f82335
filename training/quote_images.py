"""Draw the quote images that ship, from the texts of the seeds.

    python training/quote_images.py

Reads ``src/finassist/data/seeds/visual_embeds.json`` and writes one PNG for each into
``src/finassist/data/quote_images/``. Same texts, same files. Needs nothing but Pillow and its own font.
"""

import json
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

DATA = Path(__file__).parents[1] / "src" / "finassist" / "data"
SIZE = (1080, 1080)
MARGIN = 110
INK = "#fdfbf5"
COLOURS = {
    "AssetAllocation": ("#243b53", "#f0b429"),
    "Debt_Fix_Income": ("#512d38", "#ffb88c"),
    "EmergencyFund": ("#0b4f4a", "#ffd166"),
    "Goal_Based_Investing": ("#3b2f63", "#ff9f8a"),
    "Insurance": ("#1f4068", "#9ad1d4"),
    "Mutual_Funds": ("#2f4b26", "#e9d758"),
    "Portfolio_Review": ("#37323e", "#8fd3a8"),
    "Real_Estate": ("#5b3a1e", "#f2c98a"),
    "Retirement_Planning": ("#274046", "#f4a261"),
    "Tax_Planning": ("#4a2545", "#c5e1a5"),
}
"""Of each category the ground and the accent."""


def wrapped(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont, width: int) -> list[str]:
    """The text in lines that are at most so wide."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def draw(quote: str, category: str) -> Image.Image:
    """One quote on the ground of its category, with a few shapes in the accent."""
    ground, accent = COLOURS[category]
    image = Image.new("RGB", SIZE, ground)
    pen = ImageDraw.Draw(image)
    pen.ellipse((700, -260, 1340, 380), outline=accent, width=6)
    pen.ellipse((790, -170, 1250, 290), outline=accent, width=3)
    pen.rectangle((MARGIN, 860, MARGIN + 140, 868), fill=accent)
    size = 92
    while True:
        font = ImageFont.load_default(size)
        lines = wrapped(quote, font, SIZE[0] - 2 * MARGIN)
        if len(lines) * size * 1.32 <= 520:
            break
        size -= 4
    top = 800 - len(lines) * size * 1.32
    for index, line in enumerate(lines):
        pen.text((MARGIN, top + index * size * 1.32), line, font=font, fill=INK)
    return image.quantize(64, dither=Image.Dither.NONE)


def main() -> None:
    """Draw all of them."""
    folder = DATA / "quote_images"
    folder.mkdir(exist_ok=True)
    seeds = json.loads((DATA / "seeds" / "visual_embeds.json").read_text("utf-8"))["visualEmbeds"]
    for seed in seeds:
        name = seed["imageUrl"].removeprefix("shipped:")
        draw(seed["quoteText"], seed["categoryId"]).save(folder / name, optimize=True)


if __name__ == "__main__":
    main()
