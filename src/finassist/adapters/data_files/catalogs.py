"""The catalogs that ship: the records that a service begins with."""

import msgspec

from finassist.adapters.data_files.quote_images import shipped_image
from finassist.adapters.data_files.seeds import read_seeds, shipped_seeds
from finassist.application.catalogs.preprompts import PrepromptValues
from finassist.application.catalogs.quote_images import NewQuoteImage
from finassist.application.seeding import ShippedCatalogs


class _Preprompt(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    key: str
    public_value: str
    masked_value: str
    description: str | None = None
    tags: tuple[str, ...] = ()


class _QuoteImage(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    category_id: str
    image_url: str
    quote_text: str


class _Seeds(msgspec.Struct, rename="camel", forbid_unknown_fields=True):
    preprompts: tuple[_Preprompt, ...] = ()
    second_opinion: tuple[_Preprompt, ...] = ()
    visual_embeds: tuple[_QuoteImage, ...] = ()


def shipped_catalogs() -> ShippedCatalogs:
    """The records of the files that ``finassist seed`` loads when none is named."""
    values = [read_seeds(file.name, file.read_bytes()) for file in shipped_seeds()]
    found = [msgspec.convert(value, _Seeds) for value in values]
    return ShippedCatalogs(
        preprompts=tuple(_values(each) for seeds in found for each in seeds.preprompts),
        second_opinion=tuple(_values(each) for seeds in found for each in seeds.second_opinion),
        quote_images=tuple(_new_quote_image(each) for seeds in found for each in seeds.visual_embeds),
    )


def _values(record: _Preprompt) -> PrepromptValues:
    return PrepromptValues(**msgspec.structs.asdict(record))


def _new_quote_image(record: _QuoteImage) -> NewQuoteImage:
    image = shipped_image(record.image_url.removeprefix("shipped:"))
    return NewQuoteImage(category=record.category_id, image=image, quote_text=record.quote_text)
