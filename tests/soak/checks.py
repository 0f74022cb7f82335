"""Decides from a history and the final state whether the service kept its promises, in the manner of Jepsen.

Each rule is a function that yields what contradicts it. A request whose outcome is unknown may have been
carried out or not, also long after its client gave up; everything else is exact.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from soak.history import (
    Chat,
    Claim,
    FinalState,
    History,
    Outcome,
    Read,
    Refresh,
    Rename,
    ShareMade,
    Stop,
    StoredTurn,
    Upload,
    View,
)

Findings = Iterator[str]
Rule = Callable[[History, FinalState], Findings]

FREE_STOPS: Final = 3
"""So many turns of a caller that were stopped before their first word are given back a day."""

COUNTED_WITHIN: Final = 5.0
"""Seconds after which a view is counted, if nothing was broken meanwhile."""

_POSSIBLE: Final = (Outcome.OK, Outcome.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Violation:
    """What contradicts a rule."""

    rule: str
    what: str


def check(history: History, final: FinalState) -> list[Violation]:
    """All that contradicts a rule."""
    return [Violation(name, what) for name, rule in RULES.items() for what in rule(history, final)]


# Acknowledged writes are there.


def lost_replies(history: History, final: FinalState) -> Findings:
    """A reply that was acknowledged is stored as it was heard, and what was heard of a completed one is its
    beginning."""
    stored = {turn.reply: turn for turn in final.turns if turn.reply}
    for chat in history.of(Chat):
        turn = stored.get(chat.reply or "")
        if chat.outcome is Outcome.OK:
            told = (chat.conversation, chat.question, chat.heard, chat.status)
            if turn is None:
                yield f"no reply {chat.reply} to {chat.question!r}"
            elif (kept := (turn.conversation, turn.question, turn.text, turn.status)) != told:
                yield f"reply {chat.reply} was told as {told}, and is {kept}"
        elif turn is not None and turn.status == "completed" and not turn.text.startswith(chat.heard):
            yield f"{chat.heard!r} was heard of reply {chat.reply}, which is {turn.text!r}"


def lost_stops(history: History, final: FinalState) -> Findings:
    """A reply that was told as stopped is stopped."""
    stored = {turn.reply: turn.status for turn in final.turns}
    for stop in history.of(Stop, Outcome.OK):
        if stop.status == "stopped" and stored.get(stop.reply) != "stopped":
            yield f"reply {stop.reply} was stopped, and is {stored.get(stop.reply)}"


def lost_titles(history: History, final: FinalState) -> Findings:
    """A conversation has the last title that was acknowledged, or one of those that may have come later."""
    allowed: dict[str, set[str]] = {}
    possible: dict[str, set[str]] = defaultdict(set)
    for rename in history.of(Rename, *_POSSIBLE):
        if rename.outcome is Outcome.OK:
            allowed[rename.conversation] = {rename.title}
        else:
            possible[rename.conversation].add(rename.title)
    for conversation, titles in allowed.items():
        if final.titles.get(conversation) not in titles | possible[conversation]:
            yield f"conversation {conversation} was named {titles}, and is {final.titles.get(conversation)!r}"


def lost_files(history: History, final: FinalState) -> Findings:
    """A file that was acknowledged is there, with its content."""
    for upload in history.of(Upload, Outcome.OK):
        kept = final.files.get(upload.file or "")
        if kept != upload.digest:
            yield f"file {upload.file} has the digest {kept}"


def lost_sessions(history: History, _: FinalState) -> Findings:
    """A refresh token that was given is taken: none of this load is ended or presented late."""
    for refresh in history.of(Refresh, Outcome.REFUSED):
        yield f"{refresh.caller} was signed out ({refresh.code})"


def lost_sight(history: History, _: FinalState) -> Findings:
    """Nobody is refused what is their own: the load asks for nothing else."""
    for request in history.requests:
        if request.outcome is Outcome.REFUSED and request.code in (401, 403, 404):
            yield f"{request} (its own)"


def stale_reads(history: History, _: FinalState) -> Findings:
    """What was acknowledged before a read began is in it, whichever process answers."""
    told = list(history.of(Chat, Outcome.OK))
    claims = _sole_claims(history)
    for read in history.of(Read, Outcome.OK):
        for chat in told:
            if chat.ended > read.begun or chat.question in read.questions:
                continue
            if read.conversation is not None:
                is_due = chat.conversation == read.conversation
            else:
                claim = claims.get((read.caller, chat.caller))
                was_claimed = claim is not None and chat.ended < claim.begun and claim.ended < read.begun
                is_due = chat.caller == read.caller or was_claimed
            if is_due:
                what = read.conversation or "everything"
                yield f"a read of {what} by {read.caller} lacks {chat.question!r}"


def _sole_claims(history: History) -> dict[tuple[str, str], Claim]:
    """The last successful claim of each guest that one user alone claimed, by user and guest."""
    claimants: dict[str, set[str]] = defaultdict(set)
    for claim in history.of(Claim):
        claimants[claim.guest].add(claim.caller)
    return {
        (claim.caller, claim.guest): claim
        for claim in history.of(Claim, Outcome.OK)
        if len(claimants[claim.guest]) == 1
    }


# Nothing happens twice.


def doubled_turns(history: History, final: FinalState) -> Findings:
    """A question is stored once for each time that it was sent, and under one key at most one turn
    succeeds."""
    attempts = Counter(chat.question for chat in history.of(Chat, *_POSSIBLE))
    keyed = {chat.question for chat in history.of(Chat) if chat.key is not None}
    turns = _turns_by_question(final)
    for question, stored in turns.items():
        if len(stored) > attempts[question]:
            yield f"{question!r} was sent {attempts[question]} times, and is stored {len(stored)} times"
        succeeded = [turn for turn in stored if turn.status in ("completed", "stopped")]
        if question in keyed and len(succeeded) > 1:
            yield f"{question!r} has one key, and {len(succeeded)} replies"


def doubled_replies(history: History, _: FinalState) -> Findings:
    """All that repeat a request under its key hear the same reply."""
    heard: dict[str, set[str | None]] = defaultdict(set)
    for chat in history.of(Chat, Outcome.OK):
        heard[chat.question].add(chat.reply)
    for question, replies in heard.items():
        if len(replies) > 1:
            yield f"{question!r} was replied to by {sorted(map(str, replies))}"


def doubled_conversations(_: History, final: FinalState) -> Findings:
    """A conversation is in one caller's list, once."""
    for conversation, owners in final.owners.items():
        if len(owners) > 1:
            yield f"conversation {conversation} is in the lists of {sorted(owners)}"


# Nothing is stuck.


def stuck_turns(_: History, final: FinalState) -> Findings:
    """Every reply is over, every question has one, and every message is in a conversation."""
    for turn in final.turns:
        if not turn.reply:
            yield f"{turn.question!r} has no reply"
        elif turn.status == "streaming":
            yield f"reply {turn.reply} to {turn.question!r} has no end"
    if final.running:
        yield f"{final.running} replies in the store have no end"
    if final.strays:
        yield f"{final.strays} messages are in no conversation"


def stuck_requests(history: History, _: FinalState) -> Findings:
    """Once nothing is broken any more, no request fails, and none is in the way of another."""
    for request in history.requests:
        in_the_way = request.outcome is Outcome.REFUSED and request.code == 409
        if request.begun >= history.calm_since and (request.outcome is Outcome.UNKNOWN or in_the_way):
            yield f"{request} (after all was whole again)"


# Limits and counts are exact.


def wrong_quotas(history: History, final: FinalState) -> Findings:
    """Each reply that has text is charged once to the caller who asked, and nothing else is; nobody gets
    more than the allowance."""
    callers = {chat.question: chat.caller for chat in history.of(Chat)}
    charged: Counter[str] = Counter()
    stopped: Counter[str] = Counter()
    for turn in final.turns:
        caller = callers.get(turn.question, "?")
        if turn.text and turn.status != "streaming":
            charged[caller] += 1
        elif turn.status == "stopped" and not turn.text:
            stopped[caller] += 1
    unsettled = 0
    for caller, used in final.used.items():
        due = charged[caller] + max(0, stopped[caller] - FREE_STOPS)
        unsettled += max(0, used - due)
        if used > final.allowance or charged[caller] > final.allowance:
            yield f"{caller} used {used}, has {charged[caller]} replies, and was allowed {final.allowance}"
        if used < due:
            yield f"{caller} used {used}, and has {due} replies that count"
        elif used > due and not final.reserved:
            yield f"{caller} was charged {used} messages for {due} replies"
    if final.reserved and unsettled > final.reserved:
        yield f"{unsettled} messages are charged without a reply, and {final.reserved} are reserved"


def wrong_views(history: History, final: FinalState) -> Findings:
    """A viewer counts once, and counts when nothing was broken at the time."""
    possible: dict[str, set[str]] = defaultdict(set)
    certain: dict[str, set[str]] = defaultdict(set)
    for view in history.of(View, *_POSSIBLE):
        possible[view.share].add(view.viewer)
        broken = any(
            fault.begun < view.ended + COUNTED_WITHIN and view.begun < fault.ended for fault in history.faults
        )
        if view.outcome is Outcome.OK and not broken:
            certain[view.share].add(view.viewer)
    for share, (views, viewers) in final.views.items():
        if views != viewers:
            yield f"share {share} has {viewers} viewers, and {views} views"
        if not len(certain[share]) <= viewers <= len(possible[share]):
            expected = f"{len(certain[share])} to {len(possible[share])}"
            yield f"share {share} had {expected} viewers, and counted {viewers}"


def lost_shares(history: History, final: FinalState) -> Findings:
    """A share that was acknowledged is there."""
    for made in history.of(ShareMade, Outcome.OK):
        if made.share not in final.views:
            yield f"no share {made.share}"


def forked_tokens(history: History, _: FinalState) -> Findings:
    """A refresh token has one successor, and no successor has two predecessors."""
    after: dict[str, set[str]] = defaultdict(set)
    before: dict[str, set[str]] = defaultdict(set)
    for refresh in history.of(Refresh, Outcome.OK):
        if refresh.successor is not None:
            after[refresh.token].add(refresh.successor)
            before[refresh.successor].add(refresh.token)
    for links, name in ((after, "successors"), (before, "predecessors")):
        for token, others in links.items():
            if len(others) > 1:
                yield f"the refresh token {token[:8]}… has {len(others)} {name}"


def wrong_claims(history: History, final: FinalState) -> Findings:
    """What a guest had before a claim began is the claimant's; nobody else has it."""
    claims: dict[str, list[Claim]] = defaultdict(list)
    for claim in history.of(Claim, *_POSSIBLE):
        claims[claim.guest].append(claim)
    for chat in history.of(Chat, Outcome.OK):
        if not chat.caller.startswith("guest:"):
            continue
        owners = set(final.owners.get(chat.conversation or "", ()))
        claimed = claims[chat.caller]
        if not owners <= {chat.caller, *(claim.caller for claim in claimed)}:
            yield f"conversation {chat.conversation} of {chat.caller} is in the list of {sorted(owners)}"
        done = any(claim.outcome is Outcome.OK and claim.begun > chat.ended for claim in claimed)
        if done and chat.caller in owners:
            yield f"conversation {chat.conversation} was claimed, and is still {chat.caller}'s"


def lost_conversations(history: History, final: FinalState) -> Findings:
    """A conversation in which a reply was acknowledged is in its owner's list."""
    known = {chat.conversation for chat in history.of(Chat, Outcome.OK) if chat.conversation}
    for conversation in sorted(known - final.owners.keys()):
        yield f"conversation {conversation} is in nobody's list"


def _turns_by_question(final: FinalState) -> dict[str, Sequence[StoredTurn]]:
    turns: dict[str, list[StoredTurn]] = defaultdict(list)
    for turn in final.turns:
        turns[turn.question].append(turn)
    return dict(turns)


RULES: Final[dict[str, Rule]] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        lost_replies,
        lost_conversations,
        lost_stops,
        lost_titles,
        lost_files,
        lost_shares,
        lost_sessions,
        lost_sight,
        stale_reads,
        doubled_turns,
        doubled_replies,
        doubled_conversations,
        stuck_turns,
        stuck_requests,
        wrong_quotas,
        wrong_views,
        forked_tokens,
        wrong_claims,
    )
}
"""By their names, whose first word is what the report counts."""
