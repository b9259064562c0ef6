# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules by which the copy of a topic gets its name, as a comparison is given them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .._errors import UsageError
from .._mm2.names import HEARTBEATS, written_by_itself


def rename(rule: str | None) -> Callable[[str], str]:
    """The function from source to target names that a rule stands for.

    ``identity`` keeps every name, ``prefix:ALIAS.`` is the default replication policy, ``identity:ALIAS.`` is the
    identity policy, which puts the alias before names that end in ``heartbeats``.

    :raises UsageError: the rule is none of these.
    """
    kind, dummy, prefix = (rule or "identity").partition(":")
    if kind == "identity":
        return lambda name: prefix + name if prefix and name.endswith(HEARTBEATS) else name
    if kind == "prefix" and prefix:
        return lambda name: prefix + name
    raise UsageError(
        "The rule to rename topics is not known", expected="identity, identity:ALIAS. or prefix:ALIAS.", found=rule
    )


def originals(rule: str | None, copies: Iterable[str]) -> dict[str, str]:
    """``{name of the source: copy}`` of names of the target: where a rule maps two names to one, of both. What the
    mirror itself writes there is no copy.

    :raises UsageError: as of :func:`rename`.
    """
    renamed, prefix = rename(rule), (rule or "identity").partition(":")[2]
    no_copy = written_by_itself(prefix)
    return {
        name: copy
        for copy in copies
        for name in (copy, copy.removeprefix(prefix))
        if name and renamed(name) == copy and not no_copy(copy)
    }
