# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Gates: preconditions of a stage, the collection's and the user's own."""

from __future__ import annotations

import json

try:
    import jmespath
    from jmespath.exceptions import JMESPathError
except ImportError:
    jmespath = None

from ._errors import KafkaDrError, UsageError


def look(gates, require, facts):
    """Which gates hold and which do not.

    :param gates: ``[{name, holds, message, accepted, override}]``; without ``override`` a gate cannot be overridden. One with ``names``
        (``{name: why}``) holds where there are none, and is accepted name by name.
    :param require: the user's ``[{query, message}]``, JMESPath over ``facts``; only true opens such a gate.
    :returns: ``refusals`` (sentences with the way out), ``overridden`` (names) and ``held`` (names; of the user's own gates their messages).
    """
    refusals, overridden, held = [], [], []
    for gate in gates:
        if "names" in gate:
            _by_name(gate, refusals, overridden, held)
            continue
        if _true(gate.get("holds")):
            held.append(gate["name"])
            continue
        if gate.get("override") and _true(gate.get("accepted")):
            overridden.append(gate["name"])
            continue
        text = " ".join(str(gate["message"]).split())
        refusals.append(text + (" Or override it, recorded: -e %s=true" % gate["override"] if gate.get("override") else ""))
    for one in require or []:
        if _holds(one, facts):
            held.append(str(one["message"]))
        else:
            refusals.append("Your own gate is closed: %s (query: %s)" % (one["message"], one["query"]))
    return {"refusals": refusals, "overridden": overridden, "held": held}


def _by_name(gate, refusals, overridden, held):
    names, accepted = gate["names"] or {}, list(gate.get("accepted") or [])
    if not names:
        held.append(gate["name"])
        return
    if not set(names) - set(accepted):
        overridden.append("%s (%s)" % (gate["name"], ", ".join(sorted(names))))
        return
    told = "; ".join("%s %s" % (name, " ".join(str(why).split())) for name, why in sorted(names.items()) if name not in accepted)
    # All of them: whoever pastes this keeps what was accepted before.
    override = json.dumps({gate["override"]: sorted(names)})
    refusals.append("%s %s. Or override it by name, recorded: -e '%s'" % (" ".join(str(gate["message"]).split()), told, override))


def _true(value):
    return value if isinstance(value, bool) else str(value).strip().lower() in ("true", "yes", "1")


def _holds(one, facts):
    if jmespath is None:
        raise KafkaDrError("A gate of your own needs the Python library jmespath", remedy="pip install jmespath")
    try:
        return jmespath.search(one["query"], facts) is True
    except (KeyError, JMESPathError) as error:
        raise UsageError("A gate of your own cannot be read", expected="query (JMESPath) and message", found="%s (%s)" % (one, error)) from error
