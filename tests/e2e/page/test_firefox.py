"""What Chromium is tested for in the other files holds in Firefox, too."""

from collections.abc import Awaitable, Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from e2e import test_shares
from e2e.chromium import Browser
from e2e.conftest import Start
from e2e.firefox import Firefox, open_firefox
from e2e.page import (
    test_chat_page,
    test_chat_page_account,
    test_chat_page_belongings,
    test_chat_page_care,
    test_chat_page_charts,
    test_chat_page_files,
    test_chat_page_languages,
    test_chat_page_markdown,
    test_chat_page_messages,
    test_chat_page_signing_in,
)
from servers.model_server import ModelServer

FLOWS = [
    test_chat_page.test_a_guest_reads_a_cited_answer_signs_up_and_keeps_it,
    test_chat_page.test_a_reply_goes_on_after_a_reload_and_can_be_stopped,
    test_chat_page.test_a_connection_that_breaks_is_taken_up_where_it_was,
    test_chat_page.test_files_are_dropped_pasted_and_taken_away_again,
    test_chat_page.test_conversations_are_found_renamed_pinned_archived_and_deleted,
    test_chat_page.test_nothing_keeps_people_out,
    test_chat_page_account.test_a_forgotten_password_is_replaced_with_the_code_or_the_link_of_a_mail,
    test_chat_page_account.test_signing_in_asks_for_the_second_factor_until_it_is_switched_off,
    test_chat_page_belongings.test_a_name_a_language_and_a_picture_are_changed,
    test_chat_page_belongings.test_a_link_is_described_changed_and_its_views_counted,
    test_chat_page_belongings.test_several_conversations_are_archived_and_deleted_together,
    test_chat_page_care.test_texts_of_any_kind_fit_a_phone_and_none_of_them_runs,
    test_chat_page_charts.test_growth_loans_and_plans_are_drawn_and_read_with_the_pointer,
    test_chat_page_files.test_files_are_shown_wherever_they_are_named,
    test_chat_page_languages.test_a_language_is_chosen_and_kept_on_all_pages,
    test_chat_page_markdown.test_the_chat_page_shows_what_a_share_shows,
    test_chat_page_messages.test_a_question_is_edited_and_asked_again_in_its_place,
    test_chat_page_messages.test_earlier_versions_of_a_question_are_read_in_its_place_and_asked_again,
    test_chat_page_messages.test_messages_and_tables_are_copied_and_calculations_drawn,
    test_chat_page_messages.test_what_was_spent_is_drawn,
    test_chat_page_messages.test_a_conversation_is_named_tagged_found_and_taken_along,
    test_chat_page_messages.test_keys_are_told_work_and_can_be_switched_off,
    test_chat_page_signing_in.test_a_phone_signs_in_with_the_code_that_it_gets,
    test_chat_page_signing_in.test_a_social_provider_signs_in_and_nobody_else_in_its_name,
    test_shares.test_a_guest_goes_on_with_a_share_in_a_copy,
    test_shares.test_the_charts_of_a_shared_page_fit_and_keep_nobody_out,
]


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with open_firefox(tmp_path_factory.mktemp("firefox")) as browser:
        yield browser


@pytest.mark.parametrize("flow", FLOWS, ids=lambda flow: flow.__name__.removeprefix("test_"))
async def test_it_holds_in_firefox(
    flow: Callable[..., Awaitable[None]],
    start_server: Start,
    firefox: Firefox,
    model_server: ModelServer,
    tmp_path: Path,
) -> None:
    firefox.resize(1280, 800)
    firefox.open("about:blank")
    page: Browser = firefox
    given: dict[str, Any] = {
        "start_server": start_server,
        "page": page,
        "model_server": model_server,
        "tmp_path": tmp_path,
    }
    await flow(**{name: given[name] for name in signature(flow).parameters})
    assert firefox.complaints() == []
