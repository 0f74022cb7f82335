"""Receipts of erasures (contract section 3, "Export and erasure"); an erasure is requested at the profile."""

from typing import Annotated

from litestar import Controller, get
from litestar.di import NamedDependency
from litestar.params import PathParameter

from finassist.application.erasure.requests import GetErasure
from finassist.domain.erasure import ErasureStatus
from finassist.domain.ids import ID_PATTERN
from finassist.entrypoints.http.accounts.views import (
    ErasureCountsView,
    counts_view,
)
from finassist.entrypoints.http.openapi.description import raises
from finassist.entrypoints.http.responses.envelope import Envelope, Timestamp, View, ok

ReceiptId = Annotated[
    str,
    PathParameter(
        name="receiptId",
        pattern=ID_PATTERN,
        max_length=24,
        description="The id from the response to the erasure.",
    ),
]


class ErasureView(View):
    """The state of an erasure; ``completedAt`` is null until it is done."""

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
        summary="Read the receipt of an erasure",
        description=(
            "The state of an erasure. Anyone who has the receipt's id may read it, without an account; "
            "receipts are kept for a year. The counts are those of the time of the request."
        ),
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
                counts=counts_view(erasure),
            )
        )
