# SPDX-License-Identifier: GPL-3.0-or-later
"""What lies before all that both sides have: what a log start excuses, and what it does not."""

from __future__ import annotations

from .cases import BASE, HOUR, KEYED, OLD
from .support import NOW, Case, some

HEADS = [
    Case(
        "more_than_the_head_had",
        BASE,
        [*some(30, prefix="stranger", start=NOW + 5000), *BASE[1:]],
        "DIFFERENT",
        {"beyond": 1, "foreign": 29},
        delete_source_to=1,
    ),
    Case(
        "twice_what_the_head_had",
        BASE,
        [*BASE[:5], *BASE[:5], *BASE[5:]],
        "DUPLICATES",
        {"beyond": 5, "duplicated": 5},
        delete_source_to=5,
    ),
    Case(
        "keys_that_the_head_had_not",
        KEYED,
        [*(row.but(key=b"s%d" % at) for at, row in enumerate(some(30, prefix="stranger"))), *KEYED[1:]],
        "DIFFERENT",
        {"beyond": 1, "foreign": 29},
        config={"cleanup.policy": "compact,delete", "retention.ms": "-1"},
        delete_source_to=1,
    ),
    Case(
        "nothing_of_the_source_is_left",
        BASE[:5],
        some(30, prefix="stranger"),
        "DIFFERENT",
        {"beyond": 5, "foreign": 25},
        delete_source_to=5,
    ),
    Case(
        "an_empty_policy_deletes_nothing",
        OLD,
        OLD,
        "LOSS",
        {"missing_head": 5},
        "would not have deleted",
        source_config={"cleanup.policy": "", "retention.ms": HOUR},
        delete_target_to=5,
    ),
    Case(
        "more_gone_than_was_deleted",
        OLD,
        OLD[20:],
        "LOSS",
        {"missing_head": 21},
        source_config={"retention.ms": HOUR},
        delete_target_to=1,
    ),
    Case(
        "a_log_that_is_smaller_than_its_limit",
        BASE,
        BASE,
        "LOSS",
        {"missing_head": 5},
        "would not have deleted",
        # As if nothing were compressed, and each record a batch, the records left would fill it.
        source_config={"retention.bytes": 3600, "retention.ms": -1},
        delete_target_to=5,
    ),
]
