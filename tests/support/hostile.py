# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile names, hosts and texts, and whether a call refuses them."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values import safe as _safe

# A template, a second section, a second line, a way out of a directory, a second command, markup, options, an
# environment variable, what XML cannot hold.
HOSTILE = [
    '{{ lookup("pipe", "touch evil") }}',
    "x]\n[program:evil]\ncommand=/bin/evil",
    "a\nb=c",
    "a\r[evil]",
    "../../x",
    "..",
    "/etc/x",
    "x; touch evil",
    "$(touch evil)",
    "`touch evil`",
    "x' \"y",
    "<script>alert(1)</script>",
    "--option",
    "$HOME",
    "%(ENV_HOME)s",
    "a\x00b",
    "a\x1bb",
    "a\u2028b",
    "a b",
    "",
    "x" * 300,
]
NAMES = pytest.mark.parametrize("name", HOSTILE, ids=ascii)


def refused(call, *words):
    """Whether the call raised one of the collection's errors, with one line to read."""
    try:
        call(*words)
    except KafkaDrError as error:
        assert not _safe.CONTROL.search(str(error)), "the message itself would write on the screen"
        return True
    return False
