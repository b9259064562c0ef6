# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the doctor as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Finding = Mapping[str, Any]
SEVERITIES = {"error": ("error",), "warning": ("error", "warning")}


def doctor_lines(findings: Iterable[Finding]) -> list[str]:
    """A line a finding: severity, check, object, what was found, its cause and its remedy."""
    return [
        f"{finding['severity']} {finding['check']} ({finding['object']}): "
        f"{finding['found']}. {finding['cause']}. {finding['remedy']}."
        for finding in findings
    ]


def doctor_failures(results: Mapping[str, Mapping[str, Any]], fail_on: str) -> list[str]:
    """Findings that the play fails for, such as ``lag of backup (orders)``.

    :param results: ``{mirror: result of mirror_doctor_info}``.
    :param fail_on: ``error``, ``warning`` or ``never``.
    """
    return [
        f"{finding['check']} of {mirror} ({finding['object']})"
        for mirror, result in results.items()
        for finding in result["findings"]
        if finding["severity"] in SEVERITIES.get(fail_on, ())
    ]
