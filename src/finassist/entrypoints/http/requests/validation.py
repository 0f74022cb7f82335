"""Validates the whole request before its handler runs: body, path, query and headers in one pass, so that the
response lists every invalid field by its wire name (contract section 1).

Bodies are strict: no ``"1"`` for 1, no ``true`` for 1, no ``1.0`` for an integer. What a route expects is
read from its handler's signature: a ``JSONBody[...]`` of a ``Body`` struct, and annotated parameters.
"""

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import or_
from types import UnionType
from typing import Annotated, Any, Final, Union, get_args, get_origin

import msgspec
from litestar.enums import ParamType, RequestEncodingType
from litestar.exceptions import ClientException, HTTPException, InternalServerException
from litestar.handlers import HTTPRouteHandler
from litestar.params import BodyKwarg, ParameterKwarg
from litestar.typing import FieldDefinition

from finassist.domain.errors import FieldError, ValidationFailed
from finassist.entrypoints.http.requests.any_request import AnyRequest
from finassist.entrypoints.http.requests.field_errors import REQUIRED, errors_in, read_as
from finassist.entrypoints.http.requests.forms import DATA_BYTES_MAX, DATA_PART, read_form
from finassist.entrypoints.http.requests.injection import dependencies_of
from finassist.entrypoints.http.requests.large_json import decode_json
from finassist.entrypoints.http.requests.query_strings import read_query
from finassist.entrypoints.http.requests.spellings import apply_aliases, as_spelled

_SMALL_BYTES: Final = 16 * 1024
_DEPTH_MAX: Final = 32
_INTEGER_BITS: Final = 64
_INTEGER = re.compile(r"-?[0-9]{1,40}")
_INTEGER_MAX: Final = 10**18 - 1
_BOOLEANS: Final = {"true": True, "false": False}
_CONSTRAINTS: Final = ("gt", "ge", "lt", "le", "multiple_of", "min_length", "max_length", "pattern")
_CUT_OFF: Final = "The request ended before its body was complete."


class CheckedRequest(AnyRequest):
    """A request whose JSON body is the struct that ``RequestCheck`` built; the bytes are not kept."""

    async def json(self) -> Any:
        return self.scope["state"]["body"]

    async def body(self) -> bytes:
        state = self.scope["state"]
        if "body_is_read" not in state:
            try:
                return await super().body()
            except InternalServerException as error:
                raise ClientException(_CUT_OFF) from error
        return b"read" if "body" in state else b""


@dataclass(frozen=True, slots=True)
class _Parameter:
    name: str
    source: ParamType
    annotation: Any
    required: bool
    parse: Callable[[str], Any]
    repeats: bool


@dataclass(frozen=True, slots=True)
class _Expected:
    """What a route expects of its requests. ``without_query`` are the parameters to look at in a request that
    has no query string; ``body`` is the struct of the route's JSON body, if it has one; ``file_part`` and
    ``text_parts`` are of the form that it takes besides JSON."""

    parameters: tuple[_Parameter, ...]
    without_query: tuple[_Parameter, ...]
    body: Any
    body_required: bool
    file_part: str | None
    text_parts: tuple[str, ...]


class RequestCheck:
    """Raises ValidationFailed with all that is wrong with a request; Litestar's ``before_request``.

    Errors that the caller middleware found in the device headers are part of the list. Larger bodies are read
    in a thread, one at a time: the event loop goes on meanwhile, and has one thread to share the interpreter
    with.
    """

    def __init__(self) -> None:
        self._reader = ThreadPoolExecutor(1, "body-reader")
        self._expected: dict[HTTPRouteHandler, _Expected] = {}

    async def __call__(self, request: AnyRequest) -> None:
        handler = request.route_handler
        expected = self._expected.get(handler)
        if expected is None:
            expected = self._expected[handler] = _expected_by(handler)
        errors: list[FieldError] = list(request.scope["state"].get("header_errors", ()))
        parameters = expected.parameters if request.scope["query_string"] else expected.without_query
        if parameters or request.scope["query_string"]:
            errors += _parameter_errors(request, parameters)
        if expected.body is not None:
            body = await self._read_body(request)
            errors += await self._body_errors(request, body, expected, wrong_already=bool(errors))
        if errors:
            raise ValidationFailed(errors)

    async def _body_errors(
        self, request: AnyRequest, body: bytes, expected: _Expected, *, wrong_already: bool
    ) -> list[FieldError]:
        check = partial(_body_errors, request, body, expected, wrong_already=wrong_already)
        if len(body) <= _SMALL_BYTES:
            return check()
        return await asyncio.get_running_loop().run_in_executor(self._reader, copy_context().run, check)

    async def _read_body(self, request: AnyRequest) -> bytes:
        # Not body(), which would keep it as long as the request is being answered.
        request.scope["state"]["body_is_read"] = True
        try:
            if request.route_handler.opt.get("large_bodies"):
                return await dependencies_of(request.scope).large_bodies.read(request)
            return b"".join([piece async for piece in request.stream()])
        except InternalServerException as error:
            raise ClientException(_CUT_OFF) from error


def _expected_by(handler: HTTPRouteHandler) -> _Expected:
    fields = handler.parsed_fn_signature.parameters
    data = fields.get("data")
    is_json = (
        data is not None
        and isinstance(data.kwarg_definition, BodyKwarg)
        and data.kwarg_definition.media_type == RequestEncodingType.JSON
    )
    parameters = tuple(
        _parameter(field, field.kwarg_definition)
        for field in fields.values()
        if isinstance(field.kwarg_definition, ParameterKwarg) and not field.is_di_field
    )
    return _Expected(
        parameters=parameters,
        without_query=tuple(
            each for each in parameters if each.required or each.source is not ParamType.QUERY
        ),
        body=_without_none(data.annotation) if data is not None and is_json else None,
        body_required=data is not None and not data.is_optional,
        file_part=handler.opt.get("file_part"),
        text_parts=_with_aliases(handler.opt.get("text_parts", ()), data),
    )


def _with_aliases(text_parts: tuple[str, ...], data: FieldDefinition | None) -> tuple[str, ...]:
    """The names of a form's text parts, in both spellings."""
    aliases = getattr(data.annotation, "aliases", {}) if data is not None and text_parts else {}
    return (*text_parts, *(alias for alias, name in aliases.items() if name in text_parts))


def _parameter(field: FieldDefinition, kwarg: ParameterKwarg) -> _Parameter:
    constraints = {name: value for name in _CONSTRAINTS if (value := getattr(kwarg, name)) is not None}
    kind = _without_none(field.annotation)
    if kwarg.max_items is not None:
        constraints["max_length"] = kwarg.max_items
    if kind is int:
        constraints.setdefault("le", _INTEGER_MAX)
    name = kwarg.name or field.name
    return _Parameter(
        name=name,
        source=kwarg.param_type,
        annotation=Annotated[kind, msgspec.Meta(**constraints)] if constraints else kind,
        required=field.is_required and not field.is_optional,
        parse={int: _parse_integer, bool: _parse_boolean}.get(kind, str),
        repeats=get_origin(kind) is list,
    )


def limits_of(handler: HTTPRouteHandler) -> Mapping[str, Mapping[str, Any]]:
    """The constraints of each parameter, as a JSON schema, by the parameters' wire names."""
    return {
        parameter.name: msgspec.json.schema(parameter.annotation)
        for parameter in _expected_by(handler).parameters
    }


def _parse_integer(text: str) -> Any:
    return int(text) if _INTEGER.fullmatch(text) else text


def _parse_boolean(text: str) -> Any:
    return _BOOLEANS.get(text, text)


def _parameter_errors(request: AnyRequest, parameters: tuple[_Parameter, ...]) -> Iterator[FieldError]:
    query: Mapping[str, list[str]] = {}
    if request.scope["query_string"]:
        query, unreadable = read_query(request.scope["query_string"])
        yield from unreadable
    for parameter in parameters:
        value: str | None
        if parameter.source is ParamType.QUERY:
            values = query.get(parameter.name)
            if parameter.repeats and values is not None:
                yield from _list_errors(values, parameter)
                continue
            value = None if values is None else values[-1]
        elif parameter.source is ParamType.PATH:
            value = request.path_params.get(parameter.name)
        else:
            value = request.headers.get(parameter.name)
        if value is not None:
            yield from errors_in(parameter.parse(value), parameter.annotation, parameter.name)
        elif parameter.required:
            yield FieldError(parameter.name, REQUIRED)


def _list_errors(values: list[str], parameter: _Parameter) -> Iterator[FieldError]:
    """What is wrong with a parameter that may be repeated, under its own name."""
    found = errors_in(values, parameter.annotation, parameter.name)
    if found:
        yield FieldError(parameter.name, found[0].message)


def _body_errors(
    request: AnyRequest, body: bytes, expected: _Expected, *, wrong_already: bool
) -> list[FieldError]:
    """Check the body; without errors it is kept for the handler."""
    if not body:
        return [FieldError("body", REQUIRED)] if expected.body_required else []
    try:
        value = _decode_sent(request, body, expected)
    except ValidationFailed as error:
        return list(error.errors)
    shape = expected.body
    spellings, errors = apply_aliases(value, shape)
    request.scope["state"]["body"], wrong = read_as(value, shape)
    if isinstance(value, dict):
        wrong += (error for check in shape.checks for error in check(request, value))
        if wrong or errors or wrong_already:
            wrong += (error for check in shape.late_checks for error in check(request, value))
    return errors + as_spelled(wrong, spellings)


def _decode_sent(request: AnyRequest, body: bytes, expected: _Expected) -> Any:
    """The JSON of a body or of a form's part; the form's file is kept for the handler."""
    media_type, options = request.content_type
    file_part = expected.file_part
    if file_part is not None and media_type == RequestEncodingType.MULTI_PART:
        form = read_form(options.get("boundary", ""), body, file_part, expected.text_parts)
        request.scope["state"]["file"] = form.file
        return _decode(form.data, DATA_PART)
    if media_type != "application/json" and not media_type.endswith("+json"):
        raise HTTPException(status_code=415)
    if file_part is not None and len(body) > DATA_BYTES_MAX:  # the route's own cap is the form's
        raise HTTPException(status_code=413)
    return _decode(body)


def _decode(text: bytes, field: str = "body") -> Any:
    """Decode JSON, refusing what would trouble somebody further in."""
    try:
        value = decode_json(text, field)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValidationFailed.of(field, "Must be valid JSON.") from error
    except RecursionError as error:
        raise ValidationFailed.of(field, "The JSON is nested too deeply.") from error
    _check_parts(value, field)
    return value


def _check_parts(value: Any, field: str) -> None:
    """Level by level, each in a few passes without a step of Python for every part: a body of 64 KB may have
    32,000 of them, and this holds the interpreter."""
    parts, depth = [value], 1
    while parts:
        kinds = set(map(type, parts))
        if int in kinds:
            integers = [part for part in parts if type(part) is int]
            if max(max(integers), -min(integers)).bit_length() > _INTEGER_BITS - 1:
                raise ValidationFailed.of(field, "An integer is too large.")
        objects = [part for part in parts if type(part) is dict] if dict in kinds else []
        lists = [part for part in parts if type(part) is list] if list in kinds else []
        if (objects or lists) and depth > _DEPTH_MAX:
            raise ValidationFailed.of(field, "The JSON is nested too deeply.")
        if any("\0" in key for each in objects for key in each):
            raise ValidationFailed.of(field, "A key contains the character NUL.")
        parts = list(chain(chain.from_iterable(each.values() for each in objects), *lists))
        depth += 1


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    return reduce(or_, (member for member in get_args(annotation) if member is not type(None)))
