"""The check of a soak's history finds every kind of broken promise, and nothing in a history without one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from soak.checks import check
from soak.history import (
    Chat,
    Claim,
    Fault,
    FinalState,
    History,
    Outcome,
    Read,
    Refresh,
    Rename,
    Request,
    ShareMade,
    Stop,
    StoredTurn,
    Upload,
    View,
)
from tables import each_row

GUEST, USER = "guest:phone", "user:ann"
CALM = 100.0


def known(at: float, outcome: Outcome = Outcome.OK, **fields: Any) -> dict[str, Any]:
    code = {Outcome.OK: 200, Outcome.REFUSED: 429, Outcome.UNKNOWN: 0}[outcome]
    return {"begun": at, "ended": at + 1, "outcome": outcome, "code": code, **fields}


CHAT = Chat(
    caller=GUEST, question="Q1", key="k1", conversation="c1", reply="r1", status="completed",
    heard="An answer", **known(0),
)  # fmt: skip
STOPPED = replace(CHAT, caller=USER, question="Q2", key="k2", conversation="c2", reply="r2", status="stopped")
REQUESTS: tuple[Request, ...] = (
    CHAT,
    replace(CHAT, begun=2, ended=3),  # the key again: the same reply
    Claim(caller=USER, guest=GUEST, **known(4)),
    replace(STOPPED, begun=6, ended=7),
    Stop(caller=USER, reply="r2", status="stopped", **known(6)),
    Rename(caller=USER, conversation="c1", title="Old", **known(8)),
    Rename(caller=USER, conversation="c1", title="New", **known(10)),
    ShareMade(caller=USER, conversation="c1", share="s1", **known(12)),
    View(caller="viewer:1", share="s1", viewer="1", **known(14)),
    View(caller="viewer:1", share="s1", viewer="1", **known(15)),
    Refresh(caller=USER, token="t1", successor="t2", **known(16)),
    Refresh(caller=USER, token="t1", successor="t2", **known(17)),
    Upload(caller=USER, file="f1", digest="d1", **known(18)),
    Read(caller=USER, conversation="c1", questions=frozenset({"Q1"}), **known(20)),
    Read(caller=USER, conversation=None, questions=frozenset({"Q1", "Q2"}), **known(22)),
)
TURN = StoredTurn(conversation="c1", question="Q1", reply="r1", text="An answer", status="completed")
STOPPED_TURN = replace(TURN, conversation="c2", question="Q2", reply="r2", status="stopped")
FINAL = FinalState(
    turns=(TURN, STOPPED_TURN),
    owners={"c1": [USER], "c2": [USER]},
    titles={"c1": "New", "c2": "Q2"},
    allowance=1,
    used={GUEST: 1, USER: 1},
    views={"s1": (1, 1)},
    files={"f1": "d1"},
)


def history(*more: Request) -> History:
    return History(requests=[*REQUESTS, *more], calm_since=CALM)


def rules(history: History, final: FinalState) -> set[str]:
    return {violation.rule for violation in check(history, final)}


def test_a_history_that_keeps_all_promises_is_clean() -> None:
    assert check(history(), FINAL) == []


Change = Callable[[], tuple[History, FinalState]]

BROKEN: dict[str, tuple[str, Change]] = {
    "a reply that was acknowledged is gone": (
        "lost replies",
        lambda: (history(), replace(FINAL, turns=[STOPPED_TURN], used={GUEST: 0, USER: 1})),
    ),
    "a reply that was acknowledged has another text": (
        "lost replies",
        lambda: (history(), replace(FINAL, turns=[replace(TURN, text="An"), STOPPED_TURN])),
    ),
    "a completed reply begins otherwise than it was heard": (
        "lost replies",
        lambda: (history(replace(CHAT, heard="Another", **known(30, Outcome.UNKNOWN))), FINAL),
    ),
    "a conversation is in no list": (
        "lost conversations",
        lambda: (history(), replace(FINAL, owners={"c2": [USER]})),
    ),
    "a stopped reply goes on": (
        "lost stops",
        lambda: (history(), replace(FINAL, turns=[TURN, replace(STOPPED_TURN, status="completed")])),
    ),
    "an older title is back": (
        "lost titles",
        lambda: (history(), replace(FINAL, titles={"c1": "Old"})),
    ),
    "a file is gone": ("lost files", lambda: (history(), replace(FINAL, files={}))),
    "a file has another content": ("lost files", lambda: (history(), replace(FINAL, files={"f1": "d2"}))),
    "a share is gone": ("lost shares", lambda: (history(), replace(FINAL, views={}))),
    "a session ends by itself": (
        "lost sessions",
        lambda: (history(Refresh(caller=USER, token="t2", **known(30, Outcome.REFUSED, code=401))), FINAL),
    ),
    "a user is refused their own conversation": (
        "lost sight",
        lambda: (
            history(Read(caller=USER, conversation="c1", **known(30, Outcome.REFUSED, code=404))),
            FINAL,
        ),
    ),
    "a list lacks what was acknowledged before": (
        "stale reads",
        lambda: (history(Read(caller=USER, conversation="c1", **known(30))), FINAL),
    ),
    "an export lacks what was claimed before": (
        "stale reads",
        lambda: (
            history(Read(caller=USER, conversation=None, questions=frozenset({"Q2"}), **known(30))),
            FINAL,
        ),
    ),
    "a question is stored more often than it was sent": (
        "doubled turns",
        lambda: (
            history(),
            replace(
                FINAL, turns=[TURN, STOPPED_TURN, *[replace(TURN, reply=r, text="") for r in ("r3", "r4")]]
            ),
        ),
    ),
    "one key runs twice": (
        "doubled turns",
        lambda: (history(), replace(FINAL, turns=[TURN, replace(TURN, reply="r3"), STOPPED_TURN])),
    ),
    "one key gets two replies": (
        "doubled replies",
        lambda: (
            history(replace(CHAT, reply="r3", **known(30))),
            replace(FINAL, turns=[TURN, replace(TURN, reply="r3"), STOPPED_TURN]),
        ),
    ),
    "a conversation has two owners": (
        "doubled conversations",
        lambda: (history(), replace(FINAL, owners={"c1": [USER, GUEST], "c2": [USER]})),
    ),
    "a reply has no end": (
        "stuck turns",
        lambda: (
            history(),
            replace(FINAL, turns=[*FINAL.turns, replace(TURN, reply="r3", status="streaming")]),
        ),
    ),
    "a question has no reply": (
        "stuck turns",
        lambda: (
            history(),
            replace(FINAL, turns=[*FINAL.turns, StoredTurn(conversation="c1", question="Q1")]),
        ),
    ),
    "a reply that nobody sees has no end": ("stuck turns", lambda: (history(), replace(FINAL, running=1))),
    "a message is in no conversation": ("stuck turns", lambda: (history(), replace(FINAL, strays=1))),
    "a key stays in flight": (
        "stuck requests",
        lambda: (history(replace(CHAT, **known(CALM, Outcome.REFUSED, code=409))), FINAL),
    ),
    "a request still fails when all is whole again": (
        "stuck requests",
        lambda: (history(replace(CHAT, **known(CALM, Outcome.UNKNOWN, code=503))), FINAL),
    ),
    "a message is charged twice": (
        "wrong quotas",
        lambda: (history(), replace(FINAL, allowance=9, used={GUEST: 2, USER: 1})),
    ),
    "a reply is not charged": ("wrong quotas", lambda: (history(), replace(FINAL, used={GUEST: 0, USER: 1}))),
    "more is charged than is reserved": (
        "wrong quotas",
        lambda: (history(), replace(FINAL, allowance=9, used={GUEST: 3, USER: 1}, reserved=1)),
    ),
    "an allowance is exceeded": (
        "wrong quotas",
        lambda: (
            history(replace(CHAT, question="Q3", reply="r3", key=None, **known(30))),
            replace(
                FINAL,
                turns=[*FINAL.turns, replace(TURN, question="Q3", reply="r3")],
                used={GUEST: 2, USER: 1},
            ),
        ),
    ),
    "a viewer counts twice": ("wrong views", lambda: (history(), replace(FINAL, views={"s1": (2, 2)}))),
    "views and viewers differ": ("wrong views", lambda: (history(), replace(FINAL, views={"s1": (2, 1)}))),
    "a view is not counted": ("wrong views", lambda: (history(), replace(FINAL, views={"s1": (0, 0)}))),
    "a refresh token forks": (
        "forked tokens",
        lambda: (history(Refresh(caller=USER, token="t1", successor="t3", **known(30))), FINAL),
    ),
    "two refresh tokens meet": (
        "forked tokens",
        lambda: (history(Refresh(caller=USER, token="t0", successor="t2", **known(30))), FINAL),
    ),
    "a claimed conversation is still the guest's": (
        "wrong claims",
        lambda: (history(), replace(FINAL, owners={"c1": [GUEST], "c2": [USER]})),
    ),
    "somebody has what nobody claimed": (
        "wrong claims",
        lambda: (history(), replace(FINAL, owners={"c1": ["user:bob"], "c2": [USER]})),
    ),
}


@each_row("name", BROKEN)
def test_a_broken_promise_is_found(name: str) -> None:
    rule, change = BROKEN[name]
    assert rule in rules(*change())


def test_what_may_have_been_done_is_not_held_against_the_service() -> None:
    unknown = Outcome.UNKNOWN
    maybe = history(
        Chat(caller=GUEST, question="Q3", **known(30, unknown)),
        Rename(caller=USER, conversation="c1", title="Later", **known(31, unknown)),
        View(caller="viewer:2", share="s1", viewer="2", **known(32, unknown)),
        Refresh(caller=USER, token="t2", **known(33, unknown)),
        Upload(caller=USER, **known(34, unknown)),
    )  # fmt: skip
    done = replace(
        FINAL,
        turns=[
            *FINAL.turns,
            replace(TURN, conversation="c3", question="Q3", reply="r3", status="interrupted"),
        ],
        owners={**FINAL.owners, "c3": [USER]},
        titles={"c1": "Later"},
        views={"s1": (2, 2)},
        allowance=2,
        used={GUEST: 2, USER: 1},
    )
    assert check(maybe, FINAL) == []
    assert check(maybe, done) == []


def test_a_view_while_something_is_broken_need_not_be_counted() -> None:
    broken = history()
    broken.faults.append(Fault(what="a worker is killed", begun=16, ended=17))
    assert check(broken, replace(FINAL, views={"s1": (0, 0)})) == []


def test_a_message_that_is_reserved_is_not_charged_twice() -> None:
    assert check(history(), replace(FINAL, allowance=2, used={GUEST: 2, USER: 1}, reserved=1)) == []


def test_a_reply_that_failed_frees_its_key() -> None:
    again = replace(TURN, reply="r0", status="interrupted", text="")
    assert check(history(), replace(FINAL, turns=[again, *FINAL.turns])) == []


def test_stopped_turns_without_a_word_are_charged_from_the_fourth_on() -> None:
    silent = [
        replace(STOPPED_TURN, question=f"S{n}", reply=f"s{n}", conversation="c3", text="") for n in range(4)
    ]
    asked = [
        replace(STOPPED, question=f"S{n}", key=f"s{n}", reply=f"s{n}", conversation="c3", heard="")
        for n in range(4)
    ]
    state = replace(FINAL, turns=[*FINAL.turns, *silent], owners={**FINAL.owners, "c3": [USER]}, allowance=2)
    read = tuple(replace(request, begun=40.0, ended=41.0) for request in asked)
    assert check(history(*read), replace(state, used={GUEST: 1, USER: 2})) == []
    assert rules(history(*read), replace(state, used={GUEST: 1, USER: 1})) == {"wrong quotas"}
