"""Pictures, with Pillow. Runs in a process of its own."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

from PIL import GifImagePlugin, Image, ImageFile, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

from finassist.adapters.decoding.cleaning import TRUNCATED, Cleaned, clean
from finassist.adapters.decoding.wire import Refused
from finassist.domain.files.content import KEPT_PIXELS_MAX, PIXELS_MAX, pixels_problem

_OPENERS: Final[Mapping[str, Callable[[BytesIO], ImageFile.ImageFile]]] = {
    "image/jpeg": JpegImagePlugin.JpegImageFile,
    "image/png": PngImagePlugin.PngImageFile,
    "image/gif": GifImagePlugin.GifImageFile,
    "image/webp": WebPImagePlugin.WebPImageFile,
}
_ORIENTATION: Final = 0x0112
_TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""What makes a picture upright, by its orientation in EXIF."""

_REDUCIBLE: Final = frozenset(("L", "LA", "RGB", "RGBA", "CMYK"))
_AVATAR_SIZE: Final = (512, 512)
_AVATAR_QUALITY: Final = 85
_REDUCED_QUALITY: Final = 85
_TURNED_QUALITY: Final = 90
"""Of a WebP that had to be turned or scaled: what it was made with is not in the file."""

Image.MAX_IMAGE_PIXELS = None  # pixels_problem decides, before anything is decoded


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture to keep: without metadata, and upright without the help of any."""

    content: bytes
    width: int
    height: int


def inspect_picture(content: bytes, mime_type: str) -> Picture:
    """Look at every pixel; a picture of more than ``KEPT_PIXELS_MAX`` is scaled down. Raises Refused for one
    that is broken or too large."""
    with _damage_refused():
        cleaned = clean(content, mime_type)
        orientation = _orientation(cleaned)
        with _opened(cleaned, mime_type) as image:
            is_large = image.width * image.height > KEPT_PIXELS_MAX
            if not is_large and (orientation == 1 or cleaned.frames > 1):
                width, height = image.size
                _decode(image)
                return Picture(cleaned.content, width, height)
            kept = _upright(_halved(image) if is_large else image, orientation)
            return Picture(_saved_like(image, kept), kept.width, kept.height)


def avatar(content: bytes, mime_type: str) -> bytes:
    """A small WebP of the first picture. Raises Refused as ``inspect_picture`` does."""
    with _damage_refused():
        cleaned = clean(content, mime_type)
        with _opened(cleaned, mime_type, pixels_max=KEPT_PIXELS_MAX) as image:
            image.thumbnail(_AVATAR_SIZE, Image.Resampling.LANCZOS)
            upright = _upright(image, _orientation(cleaned))
            plain = upright.convert("RGBA" if upright.has_transparency_data else "RGB")
        plain.info.clear()
        return _encoded(plain, "WEBP", quality=_AVATAR_QUALITY)


def reduced(content: bytes, mime_type: str, side_max: int) -> bytes:
    """A JPEG of the first picture, on white where nothing is. Raises Refused as ``inspect_picture`` does."""
    with _damage_refused():
        cleaned = clean(content, mime_type)
        with _opened(cleaned, mime_type) as image:
            image.thumbnail((side_max, side_max), Image.Resampling.LANCZOS)
            upright = _upright(image, _orientation(cleaned)).convert("RGBA")
            paper = Image.new("RGB", upright.size, "white")
            paper.paste(upright, mask=upright.getchannel("A"))
        return _encoded(paper, "JPEG", quality=_REDUCED_QUALITY)


@contextmanager
def _damage_refused() -> Iterator[None]:
    try:
        yield
    except (Refused, MemoryError):
        raise
    except Exception as error:  # decoders raise whatever a broken file makes them stumble over
        raise Refused(TRUNCATED) from error


def _orientation(cleaned: Cleaned) -> int:
    exif = Image.Exif()
    with suppress(Exception):  # metadata that cannot be read turns nothing
        exif.load(cleaned.exif)
        if exif.get(_ORIENTATION) in _TURNS:
            return int(exif[_ORIENTATION])
    return 1


@contextmanager
def _opened(
    cleaned: Cleaned, mime_type: str, *, pixels_max: int = PIXELS_MAX
) -> Iterator[ImageFile.ImageFile]:
    """The picture, not decoded yet. Raises Refused when it is too large for that."""
    with _OPENERS[mime_type](BytesIO(cleaned.content)) as image:
        width, height = max(image.width, cleaned.width), max(image.height, cleaned.height)
        if problem := pixels_problem(mime_type, width, height, cleaned.frames, pixels_max=pixels_max):
            raise Refused(problem)
        yield image


def _decode(image: ImageFile.ImageFile) -> None:
    # A JPEG decodes at an eighth of its size as completely, in a 64th of the memory.
    image.draft(image.mode, (1, 1))
    for frame in range(getattr(image, "n_frames", 1)):
        image.seek(frame)
        image.load()


def _halved(image: ImageFile.ImageFile) -> Image.Image:
    """The picture at half its width and height."""
    size = image.size
    image.draft(image.mode, (image.width // 2, image.height // 2))  # a JPEG decodes at that size
    if image.size != size:
        return image
    if image.mode in _REDUCIBLE:
        return image.reduce(2)
    grey = image.mode == "1" or image.mode.startswith("I")
    return image.convert("RGBA" if image.has_transparency_data else "L" if grey else "RGB").reduce(2)


def _upright(image: Image.Image, orientation: int) -> Image.Image:
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def _saved_like(image: ImageFile.ImageFile, turned: Image.Image) -> bytes:
    """The turned or scaled picture in the format of the first, as close to its quality as can be, and faster
    than by default: the time for a file is limited."""
    options: dict[str, Any] = {"icc_profile": image.info.get("icc_profile")}
    if isinstance(image, JpegImagePlugin.JpegImageFile):
        if turned.mode not in ("L", "RGB"):
            turned, options = turned.convert("RGB"), {}  # the profile is of the other colours
        else:
            options["subsampling"] = JpegImagePlugin.get_sampling(image)
        return _encoded(turned, "JPEG", qtables=image.quantization, **options)
    if isinstance(image, WebPImagePlugin.WebPImageFile):
        options |= {"quality": _TURNED_QUALITY, "method": 2}
    if isinstance(image, PngImagePlugin.PngImageFile):
        options["compress_level"] = 4
    return _encoded(turned, str(image.format), **options)


def _encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()
