"""Quote images in files of seeds (contract section 12, ``seed``)."""

import asyncio
import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from finassist import open_container
from finassist.adapters.data_files.quote_images import shipped_image
from finassist.adapters.data_files.seeds import shipped_seeds
from finassist.config import Settings
from finassist.domain.catalogs.quote_images import QuoteImage
from finassist.domain.retrieval.questions import CATEGORY_NAMES
from finassist.entrypoints.cli.main import main
from finassist.entrypoints.seeding.seeds import check_seeds

pytestmark = pytest.mark.usefixtures("data_dir")

[SHIPPED] = [
    kinds["visualEmbeds"]
    for kinds in check_seeds((file.name, file) for file in shipped_seeds()).values()
    if "visualEmbeds" in kinds
]


def stored() -> list[QuoteImage]:
    async def read() -> list[QuoteImage]:
        async with open_container(Settings.from_env()) as container:
            return list((await container.list_quote_images(None, limit=None, offset=0)).items)

    return asyncio.run(read())


def write(path: Path, *embeds: Any) -> str:
    path.write_text(json.dumps({"visualEmbeds": embeds}))
    return str(path)


def test_every_category_has_a_shipped_image_and_each_is_a_png_of_its_own() -> None:
    assert {seed.category_id for seed in SHIPPED} == set(CATEGORY_NAMES)
    contents = set()
    for seed in SHIPPED:
        content = shipped_image(seed.image_url.removeprefix("shipped:"))
        assert content is not None
        contents.add(content)
        with Image.open(BytesIO(content)) as image:
            assert (image.format, image.size) == ("PNG", (1080, 1080))
    assert len(contents) == len(SHIPPED)


def test_the_shipped_images_are_loaded_once(tmp_path: Path) -> None:
    assert main(["seed"]) == 0
    loaded = stored()
    assert len(loaded) == len(SHIPPED)
    assert all(embed.image_key for embed in loaded)
    assert len(list((tmp_path / "data" / "objects").rglob("*.png"))) == len(SHIPPED)
    assert main(["seed"]) == 0
    assert stored() == loaded


def test_a_file_of_an_operator_is_loaded_and_its_addresses_win(tmp_path: Path) -> None:
    mine = {"categoryId": "Insurance", "imageUrl": "https://x.test/1.png", "quoteText": "Mine."}
    for url in ("https://x.test/1.png", "https://x.test/1.png", "https://x.test/2.png"):
        assert main(["seed", write(tmp_path / "mine.json", mine | {"imageUrl": url})]) == 0
        assert [(embed.image_url, embed.quote_text) for embed in stored()] == [(url, "Mine.")]


def test_every_wrong_image_is_named_and_none_is_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = {"categoryId": "Insurance", "imageUrl": "https://x.test/1.png", "quoteText": "Good."}
    file = write(
        tmp_path / "mine.json",
        good,
        {"categoryId": "insurance", "imageUrl": "shipped:../links.json"},
        {**good, "imageUrl": "file:///etc/passwd", "quoteText": " "},
        good,
    )
    assert main(["seed", file]) == 1
    named = [line.split(": ")[1] for line in capsys.readouterr().err.splitlines()]
    assert sorted(named) == [
        "visualEmbeds[1].categoryId", "visualEmbeds[1].imageUrl", "visualEmbeds[1].quoteText",
        "visualEmbeds[2].imageUrl", "visualEmbeds[2].quoteText", "visualEmbeds[3].quoteText",
    ]  # fmt: skip
    assert stored() == []
