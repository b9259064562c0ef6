# SPDX-License-Identifier: GPL-3.0-or-later
"""Rights that stages took away, put together and told apart."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import rights


def right(name: str, **more: object) -> dict[str, object]:
    return {"principal": "User:shop", "resource": "topic", "name": name, "operations": ["READ"], "host": "*", **more}


def test_two_lists_of_rights_are_put_together_once_each():
    given = [right("a"), right("b"), right("a")]
    assert rights.rights_with(given, [right("b"), right("c"), right("a", host="10.0.0.1")]) == [
        right("a"),
        right("b"),
        right("c"),
        right("a", host="10.0.0.1"),
    ]
    assert rights.rights_without(given, [right("a"), right("b", operations=["WRITE"])]) == [right("b")]
    assert rights.rights_with([], []) == [] and rights.rights_without([], given) == []


def test_the_order_of_keys_makes_no_other_right():
    turned = dict(reversed(right("a").items()))
    assert rights.rights_without([right("a")], [turned]) == []
