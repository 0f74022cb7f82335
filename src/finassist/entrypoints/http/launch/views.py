"""The view of the free messages, for the launch and the chat."""

from finassist.entrypoints.http.responses.envelope import View


class FreeThresholdView(View):
    """The free-message allowance; ``percentUsed`` is 0..100."""

    total: int
    used: int
    remaining: int
    percent_used: int
