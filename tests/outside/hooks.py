"""What Schemathesis is told about the service; it loads this module (``schemathesis.toml``).

``FUZZ_AS`` says who calls: ``registered`` (and the backend, and the webhooks' caller) for every operation,
``guest`` for those that guests may call too.
"""

import atexit
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import IgnoredAuth, RejectedPositiveData

from outside.world import BACKEND_SECRET, DEVICE, PASSWORD, PNG, WEBHOOK_SECRET, World

AS_GUEST = os.environ["FUZZ_AS"] == "guest"
FOLDER = Path(os.environ["FUZZ_FOLDER"])
world = World(os.environ["FUZZ_ADDRESS"], FOLDER / "server.log", os.environ["FUZZ_AS"])
caller = {"x-device-id": DEVICE} if AS_GUEST else world.bearer()

# --- who calls: each operation is described with the one way to authenticate that this run takes ----------

_WAYS: list[dict[str, list[str]]] = (
    [{"device": []}, {"backendSecret": []}]
    if AS_GUEST
    else [{"bearer": [], "webhookSecret": []}, {"bearer": []}, {"backendBearer": []}]
)
_CREDENTIALS = {
    "device": ("x-device-id", DEVICE),
    "backendSecret": ("x-backend-secret", BACKEND_SECRET),
    "bearer": ("Authorization", caller.get("Authorization", "")),
    "webhookSecret": ("x-webhook-secret", WEBHOOK_SECRET),
    "backendBearer": ("Authorization", f"Bearer {BACKEND_SECRET}"),
}


_described: dict[str, Any] = {}


@schemathesis.hook
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    _described.update(raw_schema)
    for item in raw_schema["paths"].values():
        for operation in item.values():
            ways = [way for way in _WAYS if way in operation.get("security", ())]
            if ways and {} not in operation["security"]:
                operation["security"] = ways[:1]


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The credentials of the way that is left in the description."""

    def get(self, case: Any, context: Any) -> Any:
        security = case.operation.definition.raw.get("security", [])
        ways = [way for way in security if way] if security else []
        if case.operation.label == "DELETE /api/v1/auth/me":  # who is erased calls no more
            return {"x-device-id": world.name("device")} if AS_GUEST else world.bearer()
        return [_CREDENTIALS[name] for name in ways[0]] if ways else None

    def set(self, case: Any, data: Any, context: Any) -> None:
        case.headers.update(data)


# --- inside of the routes: every other well-formed request is about records that exist ---------------------

Prepare = Callable[[Any], None]
_prepared: Counter[str] = Counter()
_prepared_cases: set[str] = set()


def _path(name: str, value: Callable[[], str]) -> Prepare:
    def prepare(case: Any) -> None:
        case.path_parameters[name] = value()

    return prepare


def _body(**values: Callable[[], Any]) -> Prepare:
    def prepare(case: Any) -> None:
        if isinstance(case.body, dict):
            case.body.update({name: value() for name, value in values.items()})

    return prepare


def _conversation(case: Any) -> None:
    case.path_parameters["conversationId"] = world.reply(caller)["conversationId"]


def _message(case: Any) -> None:
    case.path_parameters["messageId"] = world.reply(caller)["messageId"]


def _chat(case: Any) -> None:
    if isinstance(case.body, dict):
        for name in ("conversation_id", "conversationId", "preprompt_key", "prepromptKey", "model", "type"):
            case.body.pop(name, None)
        if case.body.pop("attachments", None) and not AS_GUEST:
            case.body["attachments"] = [{"fileId": world.file(caller)["id"]}]
        if case.body.pop("replaces", None):
            turn = world.reply(caller)
            case.body |= {"conversation_id": turn["conversationId"], "replaces": turn["userMessageId"]}
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = world.name("key")


def _object(case: Any) -> None:
    case.path_parameters["key"], query = world.link(caller)
    case.query.update(query)


def _phone(case: Any) -> None:
    if isinstance(case.body, dict):
        case.headers["x-device-id"] = world.name("device")
        case.body["phone"] = world.phone()


def _code(case: Any) -> None:
    if isinstance(case.body, dict):
        case.headers["x-device-id"] = world.name("device")
        case.body["phone"], case.body["otp"] = world.code(case.headers["x-device-id"])


def _session(case: Any) -> None:
    headers, case.path_parameters["sessionId"] = world.session()
    case.headers.update(headers)


def _confirmation(case: Any) -> None:
    if isinstance(case.body, dict):
        _, headers, case.body["code"] = world.authenticator()
        case.headers.update(headers)


def _removal(case: Any) -> None:
    if isinstance(case.body, dict):
        _, headers, case.body["code"] = world.protected()
        case.headers.update(headers)


def _challenge(case: Any) -> None:
    if isinstance(case.body, dict):
        case.body.update(world.challenge())


def _authorization(case: Any) -> None:
    case.query.update(world.authorization())


def _sign_in_form(case: Any) -> None:
    fields, case.headers["Cookie"] = world.form()
    if isinstance(case.body, dict):
        case.body.update(fields)


def _token_form(case: Any) -> None:
    if isinstance(case.body, dict):
        case.body.update(world.grant())


def _login(case: Any) -> None:
    case.query["state"], case.headers["Cookie"] = world.login()


def _app_code(case: Any) -> None:
    if isinstance(case.body, dict):
        case.body.update(world.app_code())


def _upload(case: Any) -> None:
    if isinstance(case.body, dict):
        case.body.pop("conversationId", None)
        case.body["file"] = PNG


def _embed_bodies(case: Any) -> None:
    if isinstance(case.body, dict):
        for embed in case.body.get("embeds", ()):
            embed["categoryId"] = "Insurance"


def _in_turn(*prepares: Prepare) -> Prepare:
    def prepare(case: Any) -> None:
        for each in prepares:
            each(case)

    return prepare


_quota = _path("id", lambda: str(world.account()["user"]["id"]))
_one_grant = _in_turn(
    _quota, lambda case: case.body.pop("plan", None) if isinstance(case.body, dict) else None
)
_share = _path("shareId", lambda: world.share(caller if not AS_GUEST else world.bearer()))
_embed = _path("embedId", world.embed)
_preprompt = _path("id", lambda: world.preprompt("preprompts")["id"])
_second = _path("key", lambda: world.preprompt("second-opinion/preprompts")["key"])
_category = _body(categoryId=lambda: "Insurance")
_new_key = _body(key=lambda: world.name("key"))
_of_conversation = _body(conversationId=lambda: world.reply(caller)["conversationId"])
_SIGNED_UP = {"password": lambda: PASSWORD, "email": lambda: world.account()["email"]}

RECORD_OF: dict[str, Prepare] = {
    "conversationId": _conversation,
    "embedId": _embed,
    "fileId": _path("fileId", lambda: world.file(caller)["id"]),
    "messageId": _message,
    "shareId": _share,
}
"""The record that an operation acts on, by the parameter of its path that names it."""

PREPARE: dict[str, Prepare] = {
    "DELETE /api/v1/admin/users/{id}/quota": _quota,
    "DELETE /api/v1/auth/second-factor": _removal,
    "DELETE /api/v1/auth/sessions/{sessionId}": _session,
    "DELETE /api/v1/preprompts/{id}": _preprompt,
    "DELETE /api/v1/second-opinion/preprompts/{key}": _second,
    "GET /api/v1/admin/users/{id}/quota": _quota,
    "GET /api/v1/auth/callback/social": _login,
    "GET /api/v1/erasure/{receiptId}": _path("receiptId", world.receipt),
    "GET /api/v1/second-opinion/preprompts/{key}": _second,
    "GET /oauth/authorize": _authorization,
    "GET /objects/{key}": _object,
    "GET /web/{file}": _path("file", lambda: "app.js"),
    "PATCH /api/v1/visual-embeds/{embedId}": _in_turn(_embed, _category),
    "POST /api/v1/admin/users/{id}/quota": _one_grant,
    "POST /api/v1/ai/chat": _chat,
    "POST /api/v1/auth/email/verify": _body(token=lambda: world.mail_token("verify")),
    "POST /api/v1/auth/login/social/token": _app_code,
    "POST /api/v1/auth/password/change": _body(currentPassword=lambda: PASSWORD, password=lambda: PASSWORD),
    "POST /api/v1/auth/password/reset": _body(
        token=lambda: world.mail_token("reset"), password=lambda: PASSWORD
    ),
    "POST /api/v1/auth/refresh": _body(refreshToken=lambda: world.account()["refreshToken"]),
    "POST /api/v1/auth/resend-otp": _phone,
    "POST /api/v1/auth/second-factor/confirm": _confirmation,
    "POST /api/v1/auth/send-otp": _phone,
    "POST /api/v1/auth/signin": _body(**_SIGNED_UP),
    "POST /api/v1/auth/signin/second-factor": _challenge,
    "POST /api/v1/auth/signup": _body(
        password=lambda: PASSWORD, email=lambda: f"{world.name('new')}@example.com"
    ),
    "POST /api/v1/auth/verify-otp": _code,
    "POST /api/v1/files/upload": _upload,
    "POST /api/v1/preprompts": _new_key,
    "POST /api/v1/second-opinion/preprompts": _new_key,
    "POST /api/v1/share": _of_conversation,
    "POST /api/v1/share/preview": _of_conversation,
    "POST /api/v1/user-profile/answers": _body(answers=lambda: world.answers(caller)),
    "POST /api/v1/visual-embeds": _category,
    "POST /api/v1/visual-embeds/bulk": _embed_bodies,
    "POST /oauth/authorize": _sign_in_form,
    "POST /oauth/token": _token_form,
    "PUT /api/v1/preprompts/{id}": _in_turn(_preprompt, _new_key),
    "PUT /api/v1/second-opinion/preprompts/{key}": _second,
}
"""What else operations need, and records of other kinds."""


def _prepare_of(label: str) -> Prepare | None:
    named = (prepare for name, prepare in RECORD_OF.items() if f"{{{name}}}" in label)
    return PREPARE.get(label) or next(named, None)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    label = case.operation.label
    case.headers["X-Forwarded-For"] = world.address()
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or meta.phase.name.value == "stateful":
        return
    prepare = _prepare_of(label)
    if case.method.upper() != label.partition(" ")[0] or prepare is None:
        return
    _prepared[label] += 1
    if _prepared[label] % 2:
        prepare(case)
        _prepared_cases.add(case.id)


# --- what of the checks is at odds with the contract, and why ----------------------------------------------

BEYOND_THE_SCHEMA = re.compile(
    "|".join(
        (
            # Both spellings of a field are accepted, but not with different values (contract section 1).
            r"Must not differ from .*",
            # The rules of a password, and the domain that is kept for phone-only users (section 3).
            r"Must have an? (uppercase letter|lowercase letter|digit)\.|This email domain is reserved\.",
            r"Must not be one of the 10,000 most common passwords\.",
            # The token of a mail (section 3).
            r"Was used already, is too old or unknown\. Please ask for a new mail\.",
            # A password that is to be left out by somebody who has none (section 3).
            r"The present password is required\.",
            # What no record and no query may hold (section 1), wherever it is.
            r"A key contains the character NUL\.|Must not contain the character NUL\.",
            r"An integer is too large\.",
            # Numbering plans: not all that is E.164 is a number.
            r"Must be a phone number with its country code\.",
            # A message that is edited is in a conversation (section 4).
            r"Must be sent together with the conversation that the message is in\.",
            # Addresses without a valid host or port, or that carry a name and password (section 11).
            r"Must be an http:// or https:// address of at most 2048 characters\.",
            # What exists: categories, models, begun sign-ins, allowed addresses.
            r"There is no such category\.|This model is not available\.",
            r"This sign-in is unknown, was used or has expired\.|This address is not allowed\.",
            # Which of two answers to one question would count.
            r"Must not be answered twice\.",
            # The code of an app's login, and its verifier (section 3).
            r"This code is unknown, was used, has expired, or is of another codeVerifier\.",
            # The sign-in at a provider of its own needs both (section 3).
            r"Is required with an issuer\.",
            # One of two fields, and a plan that the operator has named.
            r"Must have either grant or plan\.|There is no such plan\..*",
        )
    )
)
"""Refusals with 400 of what a schema cannot say, by their words."""

FIELDS_BEYOND_THE_SCHEMA = re.compile(
    # An attachment is either the id of a file or a file itself, whose content and type agree (section 4).
    r"attachments(\[\d+\].*)?"
    # The JSON text in a form: contentSchema describes it, and generators do not follow that.
    r"|data"
    # What the questions of a card take is data, and each is answered once (section 9).
    r"|answers\[\d+\]\.(cardId|questionId|value)"
    # What is in a file (section 10).
    r"|file|image|avatar"
    # The social providers that the operator has named.
    r"|issuer"
)


def _is_beyond_the_schema(case: Any, response: Any) -> bool:
    if case.operation.path.startswith("/oauth/"):  # clients, addresses, forms and codes that exist
        return bool(response.status_code == 400)
    error = response.json()["error"]
    if error["code"] != "VALIDATION_ERROR":  # another body under an Idempotency-Key (section 4)
        return bool(error["code"] == "IDEMPOTENCY_MISMATCH")
    return all(
        BEYOND_THE_SCHEMA.fullmatch(detail["message"]) or FIELDS_BEYOND_THE_SCHEMA.fullmatch(detail["field"])
        for detail in error["details"]
    )


@schemathesis.hook
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    if isinstance(failure, IgnoredAuth):
        # Whatever a guest sends as x-device-id is a device, whose guest is made on first sight (section 2).
        return not (AS_GUEST and failure.scenario.name == "INVALID_AUTH")
    if isinstance(failure, RejectedPositiveData):
        return not _is_beyond_the_schema(case, response)
    if isinstance(failure, AcceptedNegativeData):
        # Formats are annotations (JSON Schema 2020-12): the pattern takes international addresses as well.
        # And a form that was well-formed before we put a record's id into it still is: Schemathesis, which
        # judges it again, takes the bytes of its file for no text.
        return not (
            "Value not matching the 'email' format" in failure.message
            or ("Invalid component: in body" in failure.message and _is_json_that_fits(case))
            or (case.id in _prepared_cases and case.media_type == "multipart/form-data")
        )
    return True


def _is_json_that_fits(case: Any) -> bool:
    """Whether a body that was made to break its schema does not: another end of a text may match as well."""
    if case.media_type != "application/json":
        return False
    operation = _described["paths"][case.operation.path][case.operation.method.lower()]
    sent = operation["requestBody"]["content"][case.media_type]
    schema = {**sent["schema"], "components": _described["components"]}
    return bool(jsonschema_rs.validator_for(schema).is_valid(case.body))


# --- what was sent -----------------------------------------------------------------------------------------

_answers: Counter[tuple[str, int]] = Counter()


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    _answers[case.operation.label, response.status_code] += 1


@atexit.register
def _report() -> None:
    counted = [[label, status, count] for (label, status), count in sorted(_answers.items())]
    (FOLDER / f"{os.environ['FUZZ_AS']}.counted.json").write_text(json.dumps(counted))
