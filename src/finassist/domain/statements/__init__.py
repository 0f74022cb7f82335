"""Bank statements: what is read of an export, and what is calculated from it, exactly and per currency.

The modules in the order of a question:

- ``record``: transactions, and the rows of an export that are not counted.
- ``amounts``, ``dates``: how numbers and dates of a column are written.
- ``columns``: what the columns of a table are. ``tables`` makes transactions of the rows.
- ``ledger``: the statements of a conversation together, without the ``duplicates``.
- ``categories``, ``recurring``: what payments are for, and which come again. ``corrections`` are what a user
  counts payments as.
- ``query``, ``reports``: what is asked, and the result with the rows that it rests on.
- ``questions``: the days and the payments that a question names.
- ``phrases``: the sentences of a result by language.
"""
