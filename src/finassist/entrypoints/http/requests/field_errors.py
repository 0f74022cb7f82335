"""The errors of a decoded value: every invalid field by its wire path, with a message that does not repeat
the value (contract section 1)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from finassist.domain.auth.local_accounts import EMAIL_PATTERN
from finassist.domain.auth.otp import CODE_PATTERN, PHONE_PATTERN
from finassist.domain.catalogs.preprompts import KEY_PATTERN
from finassist.domain.catalogs.quote_images import IMAGE_URL_PATTERN
from finassist.domain.errors import DETAILS_MAX, FieldError
from finassist.domain.files.content import MEDIA_TYPE_PATTERN
from finassist.domain.ids import ID_PATTERN
from finassist.domain.users import LANGUAGE_PATTERN
from finassist.entrypoints.http.requests.spellings import alternatives, apply_aliases, as_spelled

REQUIRED: Final = "This field is required."
VISIBLE_PATTERN: Final = r"^[!-~]{1,64}$"
SWITCH_PATTERN: Final = r"^(?:1|0|[tT][rR][uU][eE]|[yY][eE][sS]|[fF][aA][lL][sS][eE]|[nN][oO])$"

_KINDS: Final = {
    "str": "a string",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "an array",
    "object": "an object",
}
_KIND = re.compile(r"`([\w |]+)`")

_PATTERN_MESSAGES: Final = {
    r"\S": "Must not be empty or only white space.",
    EMAIL_PATTERN: "Must be an email address.",
    VISIBLE_PATTERN: "Must be 1 to 64 visible ASCII characters.",
    CODE_PATTERN: "Must be six digits.",
    SWITCH_PATTERN: "Must be true, 1 or yes, or false, 0 or no.",
    IMAGE_URL_PATTERN: "Must be an http:// or https:// address.",
    ID_PATTERN: "Must be 24 lower-case hexadecimal characters.",
    KEY_PATTERN: "Must be 2 to 64 letters, digits, _ or -, and begin with a letter or digit.",
    MEDIA_TYPE_PATTERN: "Must be a media type like application/pdf.",
    LANGUAGE_PATTERN: "Must be a language tag like en or pt-BR.",
    PHONE_PATTERN: "Must be a phone number with its country code, like +491701234567.",
}


def check_body(value: Any, shape: Any) -> tuple[Any, list[FieldError]]:
    """The struct that a decoded value makes, None when it makes none, and all that is wrong with it."""
    spellings, errors = apply_aliases(value, shape)
    body, wrong = read_as(value, shape)
    return body, errors + as_spelled(wrong, spellings)


def read_as(value: Any, shape: Any) -> tuple[Any, list[FieldError]]:
    """As ``check_body``, of a value whose fields are spelled as the struct spells them."""
    body = None
    errors = []
    try:
        body = msgspec.convert(value, shape)
    except msgspec.ValidationError:
        errors += errors_in(value, shape, "")
    return body, errors + _broken_rules(value, getattr(shape, "rules", {}))


def _broken_rules(value: Any, rules: Mapping[str, Callable[[str], Sequence[str]]]) -> list[FieldError]:
    if not isinstance(value, dict):
        return []
    return [
        FieldError(name, message)
        for name, problems_of in rules.items()
        if isinstance(text := value.get(name), str)
        for message in problems_of(text)
    ]


def errors_in(value: Any, annotation: Any, path: str) -> list[FieldError]:
    """Everything that is wrong with a value, by the paths of its parts; of a value with many errors the
    first hundred, because a client is told no more."""
    try:
        msgspec.convert(value, annotation)
    except msgspec.ValidationError as error:
        # A list that is too long or too short is one entry, however many of its items are wrong as well.
        deeper = [*_length_errors(value, annotation, path)]
        deeper = deeper or [*islice(_errors_below(value, annotation, path), DETAILS_MAX)]
        return deeper or [FieldError(path or "body", _explain(error, annotation))]
    return []


def _length_errors(value: Any, annotation: Any, path: str) -> Iterator[FieldError]:
    """What is wrong with a list, apart from its items."""
    for member in get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,):
        if isinstance(value, list) and get_origin(member) is Annotated:
            kind, *constraints = get_args(member)
            if get_origin(kind) is list:
                yield from errors_in(value, Annotated[list, *constraints], path)


def _errors_below(value: Any, annotation: Any, path: str) -> Iterator[FieldError]:
    for kind in alternatives(annotation):
        if isinstance(value, dict) and isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            for field in msgspec.structs.fields(kind):
                name = f"{path}.{field.encode_name}" if path else field.encode_name
                if field.encode_name in value:
                    yield from errors_in(value[field.encode_name], field.type, name)
                elif field.required:
                    yield FieldError(name, REQUIRED)
        elif isinstance(value, list) and get_origin(kind) in (list, tuple):
            for index, item in enumerate(value):
                yield from errors_in(item, get_args(kind)[0], f"{path}[{index}]")


def _explain(error: msgspec.ValidationError, annotation: Any) -> str:
    """What a value should have been, in words. Never repeats the value."""
    for kind in alternatives(annotation):
        if get_origin(kind) is Literal:
            return f"Must be one of {', '.join(map(str, get_args(kind)))}."
        if isinstance(kind, type) and issubclass(kind, Enum):
            return f"Must be one of {', '.join(str(member.value) for member in kind)}."
    text = str(error).rsplit(" - at `", 1)[0]
    for pattern, message in _PATTERN_MESSAGES.items():
        if text.endswith(f"matching regex {pattern!r}"):
            return message
    return _KIND.sub(lambda kinds: _name_kinds(kinds[1]), text) + "."


def _name_kinds(kinds: str) -> str:
    return " or ".join(_KINDS.get(kind, kind) for kind in kinds.split(" | "))
