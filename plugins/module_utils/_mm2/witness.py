# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Records of the position witness: where every group of the source stood, and when.

The topic lies in the target region and has one partition, compacted by key. JSON, keys and values:

- ``["group","<name>"]`` -> ``{"v":1,"at":ms,"positions":{"<topic>":{"<partition>":offset}}}``: all of a group's positions as read in one
  answer of the source, written when any moved, and all groups again at each whole snapshot. null: the group is gone.
- ``["topic","<name>"]`` -> ``{"v":1,"at":ms,"id":"<topic id>","recreated":ms}``: so that a topic re-created under its old name is seen;
  ``recreated`` is when this id was first seen in another's place, 0 if never.
- ``["ends",""]`` -> ``{"v":1,"at":ms,"ends":{"<topic>":{"<partition>":offset}}}``: the source's last stable offsets, written when any moved; what a
  lost source held, as far as it was seen.
- ``["round",""]`` -> ``{"v":1,"at":ms,"since":offset,"groups":n,"changed":n}``: every round, last. What is said at or after ``since`` and not
  said otherwise later still held when this round began reading, at ``at`` (milliseconds since the epoch, the witness's clock).

This file stands alone: the witness program is deployed with a copy of it beside.
"""

from __future__ import annotations

import json

try:
    from .._errors import FormatError
except ImportError:  # deployed beside the witness program, outside the collection

    class FormatError(ValueError):  # type: ignore[no-redef]
        """Bytes that are not what they claim to be."""

        def __init__(self, message, **facts):
            super().__init__(message)
            self.facts = facts


VERSION = 1


def _bytes(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def encode_group(group, at, positions):
    """``(key, value)``; ``positions`` is ``{topic: {partition: offset}}``, or None for a group that is gone."""
    if positions is None:
        return _bytes(["group", group]), None
    return _bytes(["group", group]), _bytes({"v": VERSION, "at": at, "positions": positions})


def encode_topic(topic, at, topic_id, recreated=0):
    """``(key, value)`` of a topic's identity."""
    return _bytes(["topic", topic]), _bytes({"v": VERSION, "at": at, "id": topic_id, "recreated": recreated})


def encode_ends(at, ends):
    """``(key, value)`` of the source's ends, ``{topic: {partition: last stable offset}}``."""
    return _bytes(["ends", ""]), _bytes({"v": VERSION, "at": at, "ends": ends})


def encode_round(at, since, groups, changed):
    """``(key, value)`` of a round's stamp."""
    return _bytes(["round", ""]), _bytes({"v": VERSION, "at": at, "since": since, "groups": groups, "changed": changed})


def decode(key, value):
    """``{kind, name, ...}`` with the fields above; ``gone`` true for a null value.

    :raises FormatError: not a record of the witness, with the position where that showed.
    """
    kind, name = _key(key)
    if value is None:
        return {"kind": kind, "name": name, "gone": True}
    fields = _parse(value, "value")
    if not isinstance(fields, dict) or fields.get("v") != VERSION:
        raise FormatError("Not a witness record of version %d" % VERSION, found=str(fields)[:80], position=0)
    if not _whole(fields.get("at")):
        raise FormatError("A witness record has no time", expected="at in milliseconds", found=str(fields.get("at")), position=0)
    needed = {"group": _good_positions, "topic": lambda one: isinstance(one.get("id"), str) and _whole(one.get("recreated")),
              "ends": lambda one: _good_offsets(one.get("ends")),
              "round": lambda one: all(_whole(one.get(name)) for name in ("since", "groups", "changed"))}
    if not needed[kind](fields):
        raise FormatError("A witness record of kind '%s' lacks its fields" % kind, found=str(fields)[:80], position=0)
    if kind == "group":
        fields["positions"] = {topic: {int(number): offset for number, offset in one.items()} for topic, one in fields["positions"].items()}
    return {**fields, "kind": kind, "name": name, "gone": False}


def _key(key):
    pair = _parse(key, "key")
    if not (isinstance(pair, list) and len(pair) == 2 and pair[0] in ("group", "topic", "ends", "round") and isinstance(pair[1], str)):
        raise FormatError("Not a witness key", expected='["group"|"topic"|"ends"|"round", name]', found=str(pair)[:80], position=0)
    return pair


def _whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _good_positions(fields):
    return _good_offsets(fields.get("positions"))


def _good_offsets(positions):
    """Whether this is ``{topic: {partition: offset}}`` as JSON holds it."""
    return isinstance(positions, dict) and all(
        isinstance(one, dict) and all(number.isdecimal() and _whole(offset) for number, offset in one.items()) for one in positions.values()
    )


def _parse(data, what):
    if data is None:
        raise FormatError("A witness %s is missing" % what, position=0)
    try:
        return json.loads(bytes(data).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise FormatError("A witness %s is not UTF-8 at byte %d" % (what, error.start), position=error.start) from error
    except ValueError as error:
        raise FormatError("A witness %s is not JSON" % what, found=str(error), position=getattr(error, "pos", 0)) from error


def fold(records):
    """The last word on everything.

    :param records: decoded records in log order.
    :returns: ``{groups: {name: {at, positions}}, topics: {name: {id, recreated}}, ends, ends_at, at: ms of the last round or None,
        since}``. A group's ``at`` is when its positions were read; that they still held is what the last round's ``at`` says.
    """
    known = {"groups": {}, "topics": {}, "ends": None, "ends_at": None, "at": None, "since": 0}
    for one in records:
        if one["kind"] == "round":
            if not one["gone"]:
                known["at"], known["since"] = one["at"], one["since"]
            continue
        if one["kind"] == "ends":
            if not one["gone"]:
                known["ends"], known["ends_at"] = one["ends"], one["at"]
            continue
        store = known["groups" if one["kind"] == "group" else "topics"]
        if one["gone"]:
            store.pop(one["name"], None)
        elif one["kind"] == "group":
            store[one["name"]] = {"at": one["at"], "positions": one["positions"]}
        else:
            store[one["name"]] = {"id": one["id"], "recreated": one["recreated"]}
    return known
