"""A condition that no row of a table may meet, and the statement that mends one that does."""

from dataclasses import dataclass
from typing import Final

DELETE: Final = "DELETE"
DELETED: Final = "it is deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCheck:
    """``key`` are the columns that name a row of ``table``, ``condition`` is what is wrong with it.

    ``:before`` is the time from which on a row may still be under way. ``mend`` is ``DELETE``, a list of
    assignments, or a statement that holds ``{row}``, the condition of the one row.
    """

    check: str
    table: str
    key: str = "id"
    condition: str
    mend: str | None = None
    repair: str | None = None

    @property
    def find(self) -> str:
        """Selects the keys of the rows that meet the condition."""
        return f"SELECT {self.key} FROM {self.table} WHERE {self.condition}"

    @property
    def mend_row(self) -> str:
        """Mends one row, by its key as a JSON array, while it still meets the condition."""
        columns = self.key.split(", ")
        named = " AND ".join(f"{name} = :key ->> {place}" for place, name in enumerate(columns))
        row = f"{named} AND ({self.condition})"
        if self.mend == DELETE:
            return f"DELETE FROM {self.table} WHERE {row}"
        assert self.mend is not None
        if "{row}" in self.mend:
            return self.mend.format(row=row)
        return f"UPDATE {self.table} SET {self.mend} WHERE {row}"
