# SPDX-License-Identifier: GPL-3.0-or-later
"""The doctor called as its module calls it."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_doctor_info import mirror_doctor_info

DEFAULTS = {
    "source_client": None,
    "source_client_secrets": {},
    "target_client": None,
    "target_client_secrets": {},
    "source_alias": "source",
    "target_alias": "target",
    "policy": "identity",
    "separator": ".",
    "offsets_topic": None,
    "status_topic": None,
    "connector": None,
    "positions_topic": "__kafka_dr_positions",
    "topics": ".*",
    "topics_exclude": "",
    "groups": ".*",
    "groups_exclude": [],
    "known_topics": {},
    "max_lag": 100000,
    "max_heartbeat_age": 20,
    "watch_seconds": 5,
    "expect_exactly_once": True,
    "logs": [],
    "log_text": "",
    "configuration": None,
    "timeout": 10,
}


def doctor(**options) -> dict:
    return mirror_doctor_info({**DEFAULTS, **options}, False)


def checks(result: dict, *severities: str) -> set[str]:
    return {one["check"] for one in result["findings"] if not severities or one["severity"] in severities}
