import asyncio

import pytest
from PIL import Image

from finassist.adapters.decoding.inspector import FileDecoder
from finassist.application.ports.files import ImageEditor
from finassist.domain.errors import ValidationFailed
from pictures import KINDS, encoded, opened, picture, png_head


@pytest.fixture
def editor(decoder: FileDecoder) -> ImageEditor:
    return decoder


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_becomes_a_webp_of_at_most_512_pixels(editor: ImageEditor, kind: str) -> None:
    avatar = opened(await editor.avatar(encoded(picture(), kind), caller=None))
    assert (avatar.format, avatar.size) == ("WEBP", (512, 171))


async def test_a_small_picture_is_not_enlarged(editor: ImageEditor) -> None:
    assert opened(await editor.avatar(encoded(picture((9, 5)), "PNG"), caller=None)).size == (9, 5)


async def test_a_picture_stands_upright_and_loses_its_metadata(editor: ImageEditor) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    exif[0x010F] = "Camera of Ann Photographer"
    exif.get_ifd(0x8825)[1] = "N"
    content = encoded(
        picture((400, 100)),
        "JPEG",
        exif=exif,
        comment=b"Ann Photographer",
        icc_profile=b"profile of Ann Photographer",
    )
    avatar = await editor.avatar(content, caller=None)
    assert opened(avatar).size == (100, 400)
    assert not opened(avatar).getexif()
    assert b"Ann Photographer" not in avatar
    assert b"EXIF" not in avatar


@pytest.mark.parametrize(("mode", "kind"), [("RGBA", "PNG"), ("LA", "PNG"), ("RGBA", "WEBP")])
async def test_transparency_stays(editor: ImageEditor, mode: str, kind: str) -> None:
    image = Image.new(mode, (20, 20))
    assert opened(await editor.avatar(encoded(image, kind), caller=None)).mode == "RGBA"


@pytest.mark.parametrize(
    ("mode", "kind"), [("CMYK", "JPEG"), ("L", "JPEG"), ("1", "PNG"), ("I;16", "PNG"), ("P", "GIF")]
)
async def test_every_kind_of_colour_is_accepted(editor: ImageEditor, mode: str, kind: str) -> None:
    assert opened(await editor.avatar(encoded(Image.new(mode, (20, 20)), kind), caller=None)).size == (20, 20)


async def test_of_an_animation_the_first_picture_stays(editor: ImageEditor) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "blue")]
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    avatar = opened(await editor.avatar(content, caller=None))
    assert getattr(avatar, "n_frames", 1) == 1
    pixel = avatar.convert("RGB").getpixel((10, 10))
    assert isinstance(pixel, tuple)
    assert pixel[0] > 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [0.05, 0.5, 0.98])
async def test_a_truncated_picture_is_refused(editor: ImageEditor, kind: str, part: float) -> None:
    content = encoded(picture(), kind)
    with pytest.raises(ValidationFailed) as refused:
        await editor.avatar(content[: int(len(content) * part)], caller=None)
    assert refused.value.errors[0].field == "avatar"


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "PPM", "ICO"])
async def test_other_kinds_of_pictures_are_refused(editor: ImageEditor, kind: str) -> None:
    with pytest.raises(ValidationFailed):
        await editor.avatar(encoded(picture((32, 32)), kind), caller=None)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"\xff\xd8\xff", b"GIF89a", b"RIFF\0\0\0\0WEBP", b"<svg/>", b"%PDF-1.7", b"x" * 9999],
)
async def test_what_is_no_picture_is_refused(editor: ImageEditor, content: bytes) -> None:
    with pytest.raises(ValidationFailed):
        await editor.avatar(content, caller=None)


async def test_40_megapixels_are_accepted_and_one_more_row_is_not(editor: ImageEditor) -> None:
    assert opened(await editor.avatar(encoded(Image.new("1", (5_000, 8000)), "PNG"), caller=None)).size == (
        320,
        512,
    )
    with pytest.raises(ValidationFailed, match="invalid") as refused:
        await editor.avatar(encoded(Image.new("1", (5_000, 8001)), "PNG"), caller=None)
    assert "40 megapixels" in refused.value.errors[0].message


@pytest.mark.parametrize("size", [(100_000, 100_000), (2**31 - 1, 2**31 - 1), (65_500, 1_000)])
async def test_a_bomb_is_refused_by_its_size_alone(editor: ImageEditor, size: tuple[int, int]) -> None:
    with pytest.raises(ValidationFailed):
        await editor.avatar(png_head(*size), caller=None)


async def test_many_at_once_are_all_answered(editor: ImageEditor) -> None:
    content = encoded(picture((600, 600)), "JPEG")
    avatars = await asyncio.gather(*(editor.avatar(content, caller=None) for _ in range(20)))
    assert len(set(avatars)) == 1


async def test_those_who_stop_waiting_leave_room_for_others(editor: ImageEditor) -> None:
    content = encoded(picture((600, 600)), "PNG")
    waiting = [asyncio.create_task(editor.avatar(content, caller=None)) for _ in range(10)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert opened(await editor.avatar(content, caller=None)).size == (512, 512)
