# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in a mirror's configuration: what it is, why it hurts, what to write instead."""

from __future__ import annotations

from typing import Any

from . import rules_cluster, rules_fidelity, rules_names, rules_positions, rules_shape
from .finding import Finding
from .flows import read

SEVERITIES = ("error", "warning", "info")
FLOW_RULES = rules_fidelity.RULES + rules_positions.RULES + rules_names.RULES + rules_cluster.RULES
WHOLE_RULES = rules_shape.RULES


def lint(subject: Any) -> list[Finding]:
    """Findings, the worst first.

    :param subject: text or dictionary of a properties file, a ``KafkaMirrorMaker2`` resource of either shape, one or
        several connectors of Kafka Connect, or this collection's mirror description(s).
    :returns: ``[{"rule", "severity": "error" | "warning" | "info", "flow", "where", "found", "reason", "fix"}]``. An
        error loses records or positions, or makes a setting have no effect; a warning does so in some circumstances; an
        info is worth knowing.
    :raises UsageError: the subject is no configuration of a mirror.
    """
    kind, flows, raw = read(subject)
    found = [finding for rule in WHOLE_RULES for finding in rule(kind, flows, raw)]
    for flow in flows:
        for rule in FLOW_RULES:
            found += [{**finding, "flow": flow.name} for finding in rule(flow)]
    unique: dict[tuple[str, str, str], Finding] = {}
    for trap in found:
        unique.setdefault((trap["rule"], trap["flow"], trap["where"]), trap)
    return sorted(
        unique.values(),
        key=lambda trap: (SEVERITIES.index(trap["severity"]), trap["flow"], trap["rule"], trap["where"]),
    )
