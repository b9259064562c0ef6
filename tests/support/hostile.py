# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile names, hosts and texts, and whether a call refuses them."""

from __future__ import annotations

import re

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


def commands(mark: str) -> list[str]:
    """Texts that a careless template, shell, file or page would act on; each would leave the file behind."""
    return [
        f"{{{{ lookup('pipe', 'touch {mark}') }}}}",
        f"{{% set x = lookup('pipe', 'touch {mark}') %}}",
        f"$(touch {mark})",
        f"`touch {mark}`",
        f"'; touch {mark}; '",
        f'"; touch {mark}; "',
        f"\n[program:evil]\ncommand=touch {mark}",
        f"\nExecStartPre=/usr/bin/touch {mark}\n",
        f"../../../../..{mark}",
        "<script>document.title='evil'</script>\"><img src=x onerror=evil>",
        "%(here)s %s {0.__class__} {}",
        "${file:/etc/passwd:root}",
        "]]><evil/>",
        "\x1b[2J\x1b]0;evil\x07",
        "\u202e\u0000x",
        '{"run": 1}',
        "a,b",
        "`] | [0] || '",
        "!unsafe",
        "x" * 3000,
    ]


def without_null(texts: list[str]) -> list[str]:
    """The texts as Kafka takes them in names, which hold no NUL."""
    return [one.replace("\0", "") for one in texts]


def steers_terminal(text: str) -> list[str]:
    """What a terminal would act on in an output: control characters, and those that turn the direction of writing."""
    return sorted(set(re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)))


def refused(call, *words):
    """Whether the call raised one of the collection's errors, with one line to read."""
    try:
        call(*words)
    except KafkaDrError as error:
        assert not _safe.CONTROL.search(str(error)), "the message itself would write on the screen"
        return True
    return False
