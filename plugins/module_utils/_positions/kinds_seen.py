# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of a source's groups, as it lists them or as the position witness saw them."""

from __future__ import annotations

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.kinds import kinds_or_others
from .other_groups import Kinds
from .shapes import Known


def living_kinds(source: KafkaClient) -> Kinds:
    """The source's groups by kind. That they cannot be listed stops nothing; it is named instead."""
    try:
        return Kinds(kinds_or_others(source), True)
    except KafkaDrError as error:
        return Kinds({}, True, str(error))


def witnessed_kinds(known: Known | None) -> Kinds:
    """What the witness listed beside consumer groups before the source was lost."""
    if known is None or known["others"] is None:
        return Kinds({}, False, "the source is lost, and no position witness has listed them before")
    return Kinds({name: {"type": "other", "protocol": ""} for name in known["others"]}, False)
