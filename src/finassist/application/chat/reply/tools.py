"""The tools that a model calls while it writes a reply (contract section 4, "Tools")."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from finassist.application.chat.turns.live import LiveTurn
from finassist.application.ports.language_model import ToolAnswer, Toolbox, ToolCallRequest, ToolOutcome
from finassist.application.statements.tool import STATEMENT_TOOLS, StatementTools
from finassist.domain.conversations.message import ToolCall
from finassist.domain.statements.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTools:
    """Call the tools that the model asked for, one after the other, and publish each call to the listeners.

    A refusal of a tool goes back to the model as the tool's result; it never fails the turn.
    """

    toolbox: Toolbox
    statement_tools: StatementTools

    async def __call__(
        self, turn: LiveTurn, asked: Sequence[ToolCallRequest], ledger: Ledger | None
    ) -> list[ToolAnswer]:
        """``ledger`` are the bank statements of the conversation, if there are any."""
        return [await self._answer(turn, request, ledger) for request in asked]

    async def _answer(self, turn: LiveTurn, request: ToolCallRequest, ledger: Ledger | None) -> ToolAnswer:
        request = replace(request, id=_unused_id(turn, request.id))
        call = ToolCall(id=request.id, name=request.name, arguments=request.arguments, called_at=0)
        turn.call_tool(call)
        if request.problem is not None:
            outcome = ToolOutcome({"error": request.problem}, is_error=True)
        elif request.name in STATEMENT_TOOLS and ledger is not None:
            outcome = await self.statement_tools.call(request.name, ledger, request.arguments)
        else:
            outcome = await self.toolbox.call(request.name, request.arguments)
        turn.return_tool(replace(call, result=outcome.result, is_error=outcome.is_error))
        return ToolAnswer(request, outcome)


def _unused_id(turn: LiveTurn, wanted: str) -> str:
    """A unique id for each call of a turn: some servers restart their numbering with every answer."""
    unused, number = wanted, 1
    while unused in turn.tool_call_ids:
        number += 1
        unused = f"{wanted}-{number}"
    return unused
