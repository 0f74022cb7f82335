"""The format of seed files (contract section 12, ``seed``).

A file is an object whose keys are kinds of records: what the routes take, in lists, and the two groups of
links. A new kind is one more line in ``SEED_KINDS``.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import fields

from finassist.composition.application import Finassist
from finassist.composition.seeding import read_seeds
from finassist.domain.errors import FieldError, ValidationFailed
from finassist.entrypoints.http.links.bodies import SocialMediaUrlsBody, SystemUrlsBody, named_links
from finassist.entrypoints.http.preprompts.bodies import PrepromptBody
from finassist.entrypoints.http.requests.bodies import Body
from finassist.entrypoints.http.requests.field_errors import check_body
from finassist.entrypoints.seeding.quote_images import QuoteImageSeed

Store = Callable[[Finassist, Sequence[Any], bool], Awaitable[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedKind:
    """One kind of records: the key in a file, the shape, and what stores them.

    ``store`` gets the use cases, the records and whether only missing ones are wanted; it returns how many
    it stored. Records of a list are told apart by ``unique``; a kind without it is one object.
    """

    name: str
    shape: type[Body]
    store: Store
    unique: str | None = None


SEED_KINDS: Final = (
    # in the order in which they are stored: a kind may refer to the ones above it
    SeedKind(
        name="preprompts",
        shape=PrepromptBody,
        unique="key",
        store=lambda finassist, records, only_missing: finassist.seed_preprompts(
            [record.values() for record in records], only_missing=only_missing
        ),
    ),
    SeedKind(
        name="secondOpinion",
        shape=PrepromptBody,
        unique="key",
        store=lambda finassist, records, only_missing: finassist.seed_second_opinion(
            [record.values() for record in records], only_missing=only_missing
        ),
    ),
    SeedKind(
        name="systemUrls",
        shape=SystemUrlsBody,
        store=lambda finassist, records, only_missing: finassist.seed_links(
            named_links(records[0]), only_missing=only_missing
        ),
    ),
    SeedKind(
        name="socialMediaUrls",
        shape=SocialMediaUrlsBody,
        store=lambda finassist, records, only_missing: finassist.seed_links(
            named_links(records[0]), only_missing=only_missing
        ),
    ),
    SeedKind(
        name="visualEmbeds",
        shape=QuoteImageSeed,
        unique="quote_text",
        store=lambda finassist, records, only_missing: finassist.seed_quote_images(
            [record.new_quote_image() for record in records], only_missing=only_missing
        ),
    ),
)

Seeds = dict[str, list[Any]]
"""The records of one file, by their kind."""


def check_seeds(files: Iterable[tuple[str, Any]]) -> dict[str, Seeds]:
    """The records of all files (name and what has ``read_bytes``), by the names of the files.

    Raises ValidationFailed naming every problem of every file, so that nothing is stored of any.
    """
    seeds: dict[str, Seeds] = {}
    errors: list[FieldError] = []
    for name, file in files:
        try:
            value = read_seeds(name, file.read_bytes())
        except OSError as error:
            errors.append(FieldError(name, f"Cannot be read: {error.strerror}."))
        except ValidationFailed as error:
            errors += error.errors
        else:
            seeds[name], wrong = _check_file(value)
            errors += (FieldError(f"{name}: {each.field}", each.message) for each in wrong)
    if errors:
        raise ValidationFailed(errors)
    return seeds


def _check_file(value: Any) -> tuple[Seeds, list[FieldError]]:
    names = [kind.name for kind in SEED_KINDS]
    if not isinstance(value, dict):
        return {}, [FieldError("file", f"Must be an object with the keys {', '.join(names)}.")]
    errors = [
        FieldError(str(name), f"Must be one of {', '.join(names)}.") for name in value if name not in names
    ]
    seeds: Seeds = {}
    for kind in SEED_KINDS:
        if kind.name in value:
            seeds[kind.name], wrong = _check_kind(kind, value[kind.name])
            errors += wrong
    return seeds, errors


def _check_kind(kind: SeedKind, value: Any) -> tuple[list[Any], list[FieldError]]:
    if kind.unique is None:
        record, wrong = check_body(value, kind.shape)
        return [record], [FieldError(f"{kind.name}.{each.field}", each.message) for each in wrong]
    if not isinstance(value, list):
        return [], [FieldError(kind.name, "Must be a list.")]
    records: list[Any] = []
    errors: list[FieldError] = []
    for index, item in enumerate(value):
        record, wrong = check_body(item, kind.shape)
        errors += (FieldError(f"{kind.name}[{index}].{each.field}", each.message) for each in wrong)
        records.append(record)
    return records, [*errors, *_repeated(kind, kind.unique, records)]


def _repeated(kind: SeedKind, unique: str, records: Sequence[Any]) -> Iterator[FieldError]:
    [wire_name] = [each.encode_name for each in fields(kind.shape) if each.name == unique]
    seen = set()
    for index, record in enumerate(records):
        if record is not None:
            value = getattr(record, unique)
            if value in seen:
                yield FieldError(f"{kind.name}[{index}].{wire_name}", "Is there already.")
            seen.add(value)
