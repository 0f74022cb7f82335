"""The views of users and erasures, for several routes and the export."""

from finassist.domain.erasure import Erasure, ErasureCounts
from finassist.domain.users import Theme
from finassist.entrypoints.http.responses.envelope import Timestamp, View, view


class ErasureCountsView(View):
    """The number of records to erase at the time of the request. ``accounts`` are those at the identity
    provider; one that the provider does not let the service erase is not counted, and has to be closed
    there."""

    conversations: int
    messages: int
    files: int
    shares: int
    profile_answers: int
    devices: int
    accounts: int


class ErasureReceipt(View):
    """An erasure that has begun. Anyone who has ``receiptId`` may read its state."""

    receipt_id: str
    requested_at: Timestamp
    counts: ErasureCountsView


def counts_view(erasure: Erasure) -> ErasureCountsView:
    """How much an erasure had to erase, or nothing yet counted."""
    return view(erasure.counts or ErasureCounts(), ErasureCountsView)


def receipt_of(erasure: Erasure) -> ErasureReceipt:
    """The receipt of an erasure, for the user who requested it."""
    return ErasureReceipt(
        receipt_id=erasure.receipt_id,
        requested_at=Timestamp.of(erasure.requested_at),
        counts=counts_view(erasure),
    )


class PreferencesView(View):
    """The user's preferences. ``language`` is a BCP 47 tag."""

    language: str
    theme: Theme
    notifications: bool
