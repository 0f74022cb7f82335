"""Which tests run in the same process, when several do: those of one file, and of the files named here.

What a file or its fixtures prepare is prepared once then. The marker ``xdist_group`` would say it at the
tests, but pytest 9.2 ignores what pytest-xdist 3.8 makes of it, and each test went to any process.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from xdist.scheduler.loadscope import LoadScopeScheduling

GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "one Keycloak": (
        "contract/auth/test_identity_provider.py",
        "contract/auth/test_keycloak.py",
        "contract/auth/test_signing_in.py",
        "http/auth/test_outer_provider.py",
    ),
    "one Weaviate, and one soak at a time": (
        "soak/test_soak.py",
        "contract/retrieval/test_knowledge_base.py",
        "contract/retrieval/test_weaviate.py",
        "processes/test_cli.py::test_commands_work_on_weaviate",
        "processes/test_move_knowledge.py",
        "unit/cli/test_cli_embeddings.py",
    ),
    "hosts, one test at a time": ("soak/test_hosts.py", "soak/test_rolling_upgrade.py"),
    "moves between databases": ("contract/moving/test_killed_moves.py", "contract/moving/test_moves.py"),
    "a text is taken for a calculation once": (
        "unit/calculators/conversations/test_calculation_follow_ups.py",
        "unit/calculators/conversations/test_figures_asked.py",
        "unit/calculators/conversations/test_gathered_calculations.py",
        "unit/calculators/conversations/test_recalled_numbers.py",
        "unit/calculators/test_calculators_recognition.py",
        "unit/calculators/test_offline_calculation.py",
        "unit/chat/distress/test_distress_beside_calculations.py",
    ),
    "the entries of a language are indexed once": (
        "unit/retrieval/languages/test_entries.py",
        "usecases/test_conversations_offline.py",
        "usecases/test_first_words.py",
        "usecases/test_help_and_notice.py",
        "usecases/test_languages.py",
        "usecases/test_retrieval.py",
    ),
}
"""Files, or single tests, by what they share."""


def group_of(nodeid: str) -> str:
    """What the tests that run in one process with this one have in common."""
    named = nodeid.removeprefix("tests/")
    for group, places in GROUPS.items():
        if named.startswith(tuple(places)):
            return group
    return named.partition("::")[0]


class GroupScheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Gives each process one group after the other, in the order of the tests."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)
