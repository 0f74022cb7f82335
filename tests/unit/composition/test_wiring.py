"""How the application is put together: by the types of fields as well as by their names."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from dependency_injector import providers

import finassist
import finassist.ports
from finassist.application.ports.auth import Tickets
from finassist.application.ports.knowledge import KnowledgeBase, Search
from finassist.application.ports.system import Clock, IdFactory
from finassist.composition.adapters import AdapterOverrides, Adapters
from finassist.composition.application import Finassist, Workers
from finassist.composition.container import build_application
from finassist.composition.wiring import Available, Wiring, type_fits
from finassist.config import Settings
from finassist.testing import FakeClock


@dataclass(frozen=True)
class TellTime:
    clock: Clock


@dataclass(frozen=True)
class TellTimeTwice:
    tell_time: TellTime
    retries: int = 2


@dataclass(frozen=True)
class Left:
    right: "Right"


@dataclass(frozen=True)
class Right:
    left: Left


for made_here in (TellTime, TellTimeTwice, Left, Right):
    made_here.__module__ = "finassist.application.made_up"
Left.__init__.__annotations__["right"] = Right


def wiring(**named: tuple[object, object]) -> Wiring:
    return Wiring({name: Available(providers.Object(value), kind) for name, (value, kind) in named.items()})


def test_a_use_case_gets_the_others_by_type_and_each_is_made_once() -> None:
    clock = FakeClock()
    wired = wiring(clock=(clock, Clock))
    assert wired.provider(TellTimeTwice)().tell_time is wired.provider(TellTime)()
    assert wired.provider(TellTime)().clock is clock


def test_a_setting_of_the_name_of_a_parameter_fills_it_even_with_a_default() -> None:
    assert wiring(clock=(FakeClock(), Clock)).provider(TellTimeTwice)().retries == 2
    assert wiring(clock=(FakeClock(), Clock), retries=(5, int)).provider(TellTimeTwice)().retries == 5


def test_a_name_whose_type_is_another_fails_before_anything_runs() -> None:
    with pytest.raises(
        TypeError, match=r"TellTime\.clock is annotated Clock, .* called clock is a IdFactory"
    ):
        wiring(clock=(object(), IdFactory)).provider(TellTime)


def test_a_name_that_nothing_has_fails_before_anything_runs() -> None:
    with pytest.raises(TypeError, match=r"TellTime\.clock: there is no adapter and no setting of this name"):
        wiring().provider(TellTime)


def test_classes_that_need_each_other_are_named() -> None:
    with pytest.raises(TypeError, match="Left -> Right -> Left"):
        wiring().provider(Left)


@pytest.mark.parametrize(
    ("given", "wanted", "fits"),
    [
        (Clock, Clock, True),
        (FakeClock, Clock, True),
        (KnowledgeBase, Search, True),
        (Search, KnowledgeBase, False),
        (Clock, Clock | None, True),
        (Clock | None, Clock, False),
        (bytes | None, bytes | None, True),
        (int, str, False),
        (Tickets[int], Tickets[str], False),
    ],
)
def test_a_type_fits_where_every_value_of_it_can_be_used(given: object, wanted: object, fits: bool) -> None:
    assert type_fits(given, wanted) is fits


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"no_such": 1}, "there is no adapter called 'no_such'"),
        ({"clock": 1}, "clock: int cannot be used as Clock: it lacks now"),
        ({"users": object()}, "users: object cannot be used as UserRepository: it lacks .*find_by_identity"),
        ({"secret_key": "text"}, "secret_key: str cannot be used as bytes"),
        ({"embedder": 1}, "embedder: int cannot be used as .*Embedder.* it lacks close, embed"),
        ({"starter_articles": ()}, "starter_articles: tuple cannot be used as"),
    ],
)
def test_an_override_that_is_none_of_the_adapters_is_refused_with_the_reason(
    tmp_path: Path, overrides: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        build_application(Settings(data_dir=tmp_path), **overrides)


def test_overrides_stand_behind_every_use_case_repositories_included(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    other = build_application(settings).adapters.users
    application = build_application(settings, clock=FakeClock(), users=other, embedder=None)
    assert isinstance(application.launch_app.clock, FakeClock)
    assert application.adapters.users is application.find_token_user.users is other


def test_the_second_catalog_has_use_cases_of_its_own_and_shares_the_rest(tmp_path: Path) -> None:
    application = build_application(Settings(data_dir=tmp_path))
    first, second = application.delete_preprompt, application.delete_second_opinion_preprompt
    assert (first.preprompts, first.by_key) == (application.adapters.preprompts, False)
    assert (second.preprompts, second.by_key) == (application.adapters.second_opinion_preprompts, True)
    assert application.seed_second_opinion.create_preprompt is application.create_second_opinion_preprompt
    assert application.seed_preprompts.create_preprompt is application.create_preprompt


def test_what_can_be_replaced_is_what_there_is() -> None:
    assert get_type_hints(AdapterOverrides) == get_type_hints(Adapters)


@pytest.mark.parametrize("structure", [Finassist, Workers])
def test_a_use_case_is_called_as_its_class_is(structure: type) -> None:
    hints = get_type_hints(structure)
    both = {each.name: hints[each.name].__name__ for each in fields(structure)}
    names = {name: kind for name, kind in both.items() if "second_opinion" not in name}
    assert {name: name.replace("_", "") for name in names} == {n: kind.lower() for n, kind in names.items()}


def test_every_public_name_can_be_imported() -> None:
    for module in (finassist, finassist.ports):
        assert [name for name in module.__all__ if not hasattr(module, name)] == []
        assert list(module.__all__) == sorted(module.__all__, key=str)
    with pytest.raises(AttributeError):
        finassist.no_such_name  # type: ignore[attr-defined] # noqa: B018
