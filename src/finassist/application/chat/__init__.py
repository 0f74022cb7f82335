"""The chat: one path from a question to its reply, for streams, buffered replies and storage alike.

In the order of a turn: ``message`` is what is sent. ``send`` checks it, with ``models``, ``attachments``,
``guidance`` and ``assess``, and begins and runs the turn (``turns``): ``brief`` is what is known of it,
``draft`` makes the brief, ``idempotency`` recognises a retry, ``begin`` stores the beginning, ``runner`` runs
it, ``live`` keeps what it says while it runs, ``settle`` ends it. ``reply/write`` writes the reply: ``help``,
or what ``ask`` gets from the model for the request that ``prepare`` and ``prompt`` make; ``tools`` calls the
model's tools, ``notice`` and ``quote_image`` add to the reply. ``turns/follow`` and ``replay`` send a turn
again, ``stop`` stops it, ``collect`` ends what a crash left. ``describe`` says what the assistant can do.
"""

from finassist.application.chat.assess import Assessment, AssessMessage
from finassist.application.chat.attachments.lifecycle import ChatAttachments
from finassist.application.chat.attachments.reading import ReadFiles, RecallFiles
from finassist.application.chat.attachments.received import InlineFile
from finassist.application.chat.describe import AssistantDescription, DescribeAssistant
from finassist.application.chat.guidance import ChatGuidance
from finassist.application.chat.message import ChatMessage
from finassist.application.chat.models import OfferedModels
from finassist.application.chat.reply.ask import AskModel
from finassist.application.chat.reply.help import OfferHelp
from finassist.application.chat.reply.notice import AddNotice
from finassist.application.chat.reply.prepare import PrepareReply
from finassist.application.chat.reply.prompt import ComposePrompt
from finassist.application.chat.reply.quote_image import AddQuoteImage
from finassist.application.chat.reply.tools import CallTools
from finassist.application.chat.reply.write import WriteReply
from finassist.application.chat.send import SendMessage
from finassist.application.chat.turns.begin import BeginTurn
from finassist.application.chat.turns.collect import CollectOrphans, DeleteExpired
from finassist.application.chat.turns.draft import DraftTurn
from finassist.application.chat.turns.follow import FollowTurn, LoadReply
from finassist.application.chat.turns.idempotency import ClaimIdempotencyKey
from finassist.application.chat.turns.runner import TurnRunner
from finassist.application.chat.turns.settle import SettleTurn
from finassist.application.chat.turns.stop import StopTurn, StopTurnByKey
from finassist.application.chat.turns.turn import TurnStream

__all__ = [
    "AddNotice",
    "AddQuoteImage",
    "AskModel",
    "AssessMessage",
    "Assessment",
    "AssistantDescription",
    "BeginTurn",
    "CallTools",
    "ChatAttachments",
    "ChatGuidance",
    "ChatMessage",
    "ClaimIdempotencyKey",
    "CollectOrphans",
    "ComposePrompt",
    "DeleteExpired",
    "DescribeAssistant",
    "DraftTurn",
    "FollowTurn",
    "InlineFile",
    "LoadReply",
    "OfferHelp",
    "OfferedModels",
    "PrepareReply",
    "ReadFiles",
    "RecallFiles",
    "SendMessage",
    "SettleTurn",
    "StopTurn",
    "StopTurnByKey",
    "TurnRunner",
    "TurnStream",
    "WriteReply",
]
