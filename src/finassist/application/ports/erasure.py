"""Ports of erasure: a job that survives a crash, access to every record of its subject, provider accounts.

The rules of ``ports/database.py`` hold. No method is atomic over several documents, so the order in which
``application/erasure/requests.py`` calls them makes a crash harmless: the job is stored first, then the user
is removed, then the records, children before the records that they are found by.
"""

from datetime import datetime
from typing import Protocol

from finassist.domain.erasure import Erasure, ErasureCounts, ErasureSubject, ProviderIdentity


class ErasureRepository(Protocol):
    """Erasures, the hashes of erased identities, and all records of a subject but those of files."""

    async def find_subject(self, user_id: str, device_id: str | None) -> ErasureSubject | None:
        """What is known of a user, or of the guest of that device; None when there is no such user."""
        ...

    async def begin(self, erasure: Erasure, *, holder: str, lease_until: datetime) -> Erasure:
        """Store the erasure, held by ``holder``, or return the pending one of the same user with one request
        more: parallel calls get the same one."""
        ...

    async def withdraw(self, receipt_id: str) -> None:
        """Forget an erasure that turned out to have no subject."""
        ...

    async def widen(self, receipt_id: str, subject: ErasureSubject) -> None:
        """Add what else is known of the subject of a pending erasure; nothing noted before is lost."""
        ...

    async def bury(self, identity_hash: str, erased_at: datetime) -> None:
        """Store that the identity behind a hash was erased; the latest time is kept."""
        ...

    async def erased_at(self, identity_hash: str) -> datetime | None:
        """When the identity behind a hash was last erased."""
        ...

    async def remove_user(self, subject: ErasureSubject) -> bool:
        """Remove the user, and a guest's device, unless they have ids or identities that ``subject`` lacks:
        then False, and nothing changes. True also when there is no such user."""
        ...

    async def end_access(self, subject: ErasureSubject, now: datetime) -> None:
        """Revoke all shares, and remove the sessions, codes and accounts of the built-in provider."""
        ...

    async def count(self, subject: ErasureSubject) -> ErasureCounts:
        """How much there is of the subject now."""
        ...

    async def keep_counts(self, receipt_id: str, counts: ErasureCounts) -> None:
        """Store the counts, unless some are stored already."""
        ...

    async def get(self, receipt_id: str) -> Erasure | None:
        """The erasure with this receipt."""
        ...

    async def take(self, *, holder: str, now: datetime, lease_until: datetime) -> Erasure | None:
        """Take the lease of one pending erasure that nobody holds; None when there is none.

        An erasure goes to exactly one of many parallel callers.
        """
        ...

    async def hold(self, receipt_id: str, holder: str, lease_until: datetime) -> Erasure | None:
        """Renew the lease and return the erasure as it is now; None when another process holds it."""
        ...

    async def running_turns(self, subject: ErasureSubject) -> list[str]:
        """The ids of the replies that are being written in the subject's conversations."""
        ...

    async def erase_some(self, subject: ErasureSubject, *, limit: int) -> int:
        """Erase about ``limit`` records of the subject; returns how many, 0 when nothing is left."""
        ...

    async def complete(self, erasure: Erasure, *, holder: str, now: datetime) -> bool:
        """End the erasure and forget its subject, if ``holder`` still has it and nobody has asked again."""
        ...

    async def delete_expired(self, before: datetime) -> int:
        """Remove receipts of what was done, and hashes of what was erased, before then; returns how many."""
        ...


class AccountEraser(Protocol):
    """Accounts at an external identity provider."""

    def can_erase_account(self, identity: ProviderIdentity) -> bool:
        """Whether the account is the provider's, and ``erase_account`` has what it needs."""
        ...

    async def erase_account(self, identity: ProviderIdentity) -> None:
        """Erase an account that can be erased; one that is gone already changes nothing.

        Raises IdentityProviderError when the provider fails or refuses.
        """
        ...
