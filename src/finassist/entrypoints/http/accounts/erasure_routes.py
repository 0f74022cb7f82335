"""Receipts of erasures (contract section 3, "Export and erasure"); they are asked for at the profile."""

import inspect
from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from finassist.application.erasure.requests import GetErasure
from finassist.domain.erasure import Erasure, ErasureCounts, ErasureStatus
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.requests.validation import Body
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok, view

ReceiptId = Annotated[str, PathParameter(name="receiptId", pattern=ID_PATTERN, max_length=24)]


class EraseRequest(Body):
    """The password of the account; it may be left out with a token that was issued in the last five
    minutes, and guests have none."""

    password: str | None = None


class ErasureCountsView(View):
    """How much there was to erase when it was asked for. ``accounts`` are those at the identity provider; one
    that the provider does not let the service erase is not counted, and has to be closed there."""

    conversations: int
    messages: int
    files: int
    shares: int
    profile_answers: int
    devices: int
    accounts: int


class ErasureReceipt(View):
    """An erasure that has begun. Whoever has ``receiptId`` may ask how far it is."""

    receipt_id: str
    requested_at: Timestamp
    counts: ErasureCountsView


class ErasureView(View):
    """How far an erasure is; ``completedAt`` is null until it is done."""

    status: ErasureStatus
    requested_at: Timestamp
    completed_at: Timestamp | None
    counts: ErasureCountsView


class ErasureController(Controller):
    """``/api/v1/erasure``."""

    path = "/api/v1/erasure"
    tags = ("Account",)

    @get(
        "/{receiptId:str}",
        description=inspect.getdoc(GetErasure),
        responses=raises("VALIDATION_ERROR", "NOT_FOUND"),
    )
    async def get_erasure(
        self, get_erasure: NamedDependency[GetErasure], receipt_id: ReceiptId
    ) -> Envelope[ErasureView]:
        erasure = await get_erasure(receipt_id)
        completed_at = erasure.completed_at
        return ok(
            ErasureView(
                status=erasure.status,
                requested_at=Timestamp.of(erasure.requested_at),
                completed_at=None if completed_at is None else Timestamp.of(completed_at),
                counts=_counts_view(erasure),
            )
        )


def _counts_view(erasure: Erasure) -> ErasureCountsView:
    return view(erasure.counts or ErasureCounts(), ErasureCountsView)


def receipt_of(erasure: Erasure) -> ErasureReceipt:
    """What whoever asked for an erasure gets."""
    return ErasureReceipt(
        receipt_id=erasure.receipt_id,
        requested_at=Timestamp.of(erasure.requested_at),
        counts=_counts_view(erasure),
    )
