# SPDX-License-Identifier: GPL-3.0-or-later
"""What a user is called where rights are told. Pure."""

from __future__ import annotations

from collections.abc import Iterable


def forms(names: Iterable[str]) -> set[str]:
    """Users as ACLs name them: by their name, and by the subject of a certificate, as an operator makes it of the name.

    :param names: those with a type, such as ``User:x``, are principals already.
    """
    return {form for name in names for form in ([name] if ":" in name else ["User:" + name, "User:CN=" + name])}
