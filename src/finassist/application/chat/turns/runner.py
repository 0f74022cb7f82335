"""Runs turns: each reply is written by its own task, which a client's disconnect does not stop."""

import asyncio
import logging
from datetime import datetime, timedelta

from finassist.application.chat.reply.write import WriteReply
from finassist.application.chat.turns.brief import TurnBrief
from finassist.application.chat.turns.live import LiveTurn
from finassist.application.chat.turns.replay import INTERRUPTED, ending_of
from finassist.application.chat.turns.settle import SettleTurn
from finassist.application.chat.turns.titles import ImproveTitles
from finassist.application.concurrency.background import BackgroundTasks, end_task
from finassist.application.ports.conversations import MessageRepository
from finassist.application.ports.system import Clock, IdFactory
from finassist.application.ports.telemetry import Telemetry
from finassist.domain.chat.events import Failed
from finassist.domain.conversations.message import (
    LEASE_RENEWAL_SECONDS,
    LEASE_SECONDS,
    FinishReason,
    Message,
    MessageStatus,
)
from finassist.domain.errors import FinassistError, LanguageModelError, ServiceUnavailable

_log = logging.getLogger(__name__)

_TICK_SECONDS = 0.5
_TICKS_PER_SAVE = 2
_RENEW_BEFORE = timedelta(seconds=LEASE_SECONDS - LEASE_RENEWAL_SECONDS)
_FINISH_RETRY_SECONDS = (0.1, 0.3, 1.0, 2.0, 4.0)


class TurnRunner:
    """The turns that run in this process.

    A ticker saves their text every second, renews their leases, looks for stop requests that another process
    received, and sends a heartbeat to the listeners of a silent turn. ``open`` starts it and ``close`` ends
    it.
    """

    def __init__(
        self,
        *,
        messages: MessageRepository,
        write_reply: WriteReply,
        settle_turn: SettleTurn,
        improve_titles: ImproveTitles,
        background_tasks: BackgroundTasks,
        clock: Clock,
        ids: IdFactory,
        telemetry: Telemetry,
    ) -> None:
        self._messages = messages
        self._write_reply = write_reply
        self._settle = settle_turn
        self._improve_titles = improve_titles
        self._background_tasks = background_tasks
        self._clock = clock
        self._telemetry = telemetry
        self._turns: dict[str, LiveTurn] = {}
        self._ticker: asyncio.Task[None] | None = None
        self.holder = ids.new_id()

    async def open(self) -> None:
        """Start the ticker."""
        self._ticker = self._background_tasks.start("turn ticker", self._tick_forever)

    async def close(self) -> None:
        """Interrupt what still runs, keeping what was said, and stop the ticker."""
        await self.drain(0)
        await self._improve_titles.close()
        if self._ticker is not None:
            await end_task(self._ticker)

    @property
    def running(self) -> int:
        """How many turns run in this process."""
        return len(self._turns)

    def get(self, message_id: str) -> LiveTurn | None:
        """The turn that writes this message, if it runs here."""
        return self._turns.get(message_id)

    def start(self, brief: TurnBrief) -> LiveTurn:
        """Write the reply of a turn that has begun, in a task of its own; no hidden text is published. A turn
        that was stopped before ends at once."""
        turn = LiveTurn(brief.reply, brief.hidden)
        self._turns[brief.reply.id] = turn
        turn.task = asyncio.create_task(self._run(turn, brief), name=f"turn-{brief.reply.id}")
        if brief.is_stopped:
            turn.stop(MessageStatus.STOPPED)
        return turn

    async def drain(self, seconds: float) -> None:
        """Wait up to ``seconds`` for the turns to finish, then interrupt those that have not."""
        tasks = [turn.task for turn in self._turns.values() if turn.task is not None]
        if tasks and seconds > 0:
            await asyncio.wait(tasks, timeout=seconds)
        for turn in tuple(self._turns.values()):
            turn.stop(MessageStatus.INTERRUPTED)
        await asyncio.gather(*(task for task in tasks if not task.done()), return_exceptions=True)

    async def _run(self, turn: LiveTurn, brief: TurnBrief) -> None:
        self._telemetry.turn_started()
        try:
            status, reason, error = await self._write(turn, brief)
            turn.ending = turn.ending or status
            await self._finish(turn, brief.conversation.title, status, reason, error)
            if reason in (FinishReason.STOP, FinishReason.LENGTH):
                self._improve_titles.start(brief, turn.reply)
        except Exception:  # the edge of a task: listeners must be told that the turn has ended
            _log.exception("a turn could not be ended")
            turn.end(Failed(turn.reply, FinassistError.code, "An unexpected error occurred.", retryable=True))
        finally:
            self._turns.pop(turn.reply.id, None)
            self._telemetry.turn_ended(turn.ending or MessageStatus.ERROR, turn.reply.usage)

    async def _write(
        self, turn: LiveTurn, brief: TurnBrief
    ) -> tuple[MessageStatus, FinishReason | None, FinassistError | None]:
        """Write the reply; returns how it ended."""
        try:
            turn.start()
            reason = await self._write_reply(turn, brief)
        except asyncio.CancelledError:
            if turn.ending is None:
                raise
            if turn.ending is MessageStatus.STOPPED:
                return MessageStatus.STOPPED, FinishReason.STOPPED, None
            return turn.ending, None, None
        except LanguageModelError as error:
            _log.warning("the model failed: %s", error.kind)
            self._telemetry.model_failed(error.kind)
            return MessageStatus.ERROR, None, error
        except FinassistError as error:
            return MessageStatus.ERROR, None, error
        except Exception:
            _log.exception("a turn failed unexpectedly")
            return MessageStatus.ERROR, None, FinassistError("An unexpected error occurred.")
        return MessageStatus.COMPLETED, reason, None

    async def _finish(
        self,
        turn: LiveTurn,
        title: str,
        status: MessageStatus,
        reason: FinishReason | None,
        error: FinassistError | None,
    ) -> None:
        turn.say_rest()
        reply = turn.snapshot()
        final = reply.finished(
            status, self._clock.now(), finish_reason=reason, error_code=error.code if error else None
        )
        try:
            stored = await self._store(final, reply)
        except FinassistError as failure:
            turn.end(Failed(final, failure.code, failure.message, retryable=True))
            return
        if stored is None:
            turn.end(Failed(final, INTERRUPTED, "Another process took the turn over.", retryable=True))
        elif error is not None:
            retryable = error.retryable if isinstance(error, LanguageModelError) else True
            turn.end(Failed(stored, error.code, error.message, retryable=retryable))
        else:
            turn.end(ending_of(stored, title))

    async def _store(self, final: Message, reply: Message) -> Message | None:
        """Settle and store the end of a turn, outlasting a database that is away for some seconds."""
        assert reply.lease is not None
        for delay in _FINISH_RETRY_SECONDS:
            try:
                return await self._settle(final, reply.lease)
            except ServiceUnavailable:
                await asyncio.sleep(delay)
        return await self._settle(final, reply.lease)

    async def _tick_forever(self) -> None:
        tick = 0
        while True:
            await asyncio.sleep(_TICK_SECONDS)
            tick += 1
            if not self._turns:
                continue
            now = asyncio.get_running_loop().time()
            for turn in self._turns.values():
                turn.beat(now)
            try:
                for message_id in await self._messages.stop_requests(self.holder):
                    if to_stop := self._turns.get(message_id):
                        to_stop.stop(MessageStatus.STOPPED)
                if tick % _TICKS_PER_SAVE == 0:
                    await self._save_all()
            except FinassistError as error:
                _log.warning("the running turns could not be saved, next try soon: %s", error.code)
            except Exception:  # the other turns must be saved and their leases renewed all the same
                self._background_tasks.failed("turn ticker")

    async def _save_all(self) -> None:
        """Save every turn that said something, and every one whose lease wants renewal.

        Raises the first FinassistError, once all have been tried.
        """
        now = self._clock.now()
        outcomes = await asyncio.gather(
            *(
                self._save(turn, now)
                for turn in tuple(self._turns.values())
                if turn.ending is None and (turn.is_dirty or _wants_renewal(turn, now))
            ),
            return_exceptions=True,
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def _save(self, turn: LiveTurn, now: datetime) -> None:
        try:
            if not await self._messages.save_progress(turn.renew_lease(now)):
                turn.stop(MessageStatus.INTERRUPTED)
        except FinassistError:
            raise
        except Exception:  # one turn that cannot be stored must not cost the others their leases
            self._background_tasks.failed("save a turn")


def _wants_renewal(turn: LiveTurn, now: datetime) -> bool:
    lease = turn.reply.lease
    return lease is not None and lease.expires_at - now <= _RENEW_BEFORE
