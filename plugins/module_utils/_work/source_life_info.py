# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a region is lost, to the controller and to those in another region that read from it; the work of
``source_life_info``.

A controller that gets no answer may itself be cut off. The position witness and the mirror run in the target region:
what they wrote there *while the controller waited in vain* comes from the source. Two readings of the same topic are
compared, so that clocks need not agree.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.mm2_topics import read_last_heartbeat, read_source_offsets, read_witness_rounds, stable_ends
from .._kafka.offsets import Partition, list_offsets
from .._kafka.topics import hidden_topics
from .._mm2.names import MirrorNames, check_names
from .._mm2.witness import owner
from .._values.pattern import matching
from .cluster_info import cluster_info

# Seconds between two rounds of a witness, where only one round is known; and the longest wait for the next one.
USUAL, PATIENCE = 2.0, 20.0
# A mirror writes on what it had fetched when its source was lost. Seconds without a sign after which it has, and the
# longest wait for them.
REST, LONGEST = 12.0, 25.0
# The rest where the witness was silent before: it may be dead, and a source that is seldom written to live.
SILENT_REST, ROUNDS_MISSED = 30.0, 4
# A witness that lives is heard in every rest. Milliseconds by our clock after which one that was not is none.
HEARD = 120_000


def source_life_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``source_life_info``; reads only. See the module's RETURN for the shape."""
    names = check_names(
        MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"])
    )
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    before, began = _signs(target, names, params), time.monotonic()
    answer = _answer(before, params, check_mode)
    moved = [] if answer["reachable"] else _moved(before, target, names, params, began)
    seen = _went_on(before, target, names, params) if moved else []
    ended = [] if seen else moved
    return {**answer, "changed": False, "seen": seen, "ended": ended, "alive": bool(answer["reachable"] or seen)}


def _answer(before: dict[str, Any], params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """What the source itself says."""
    answer = cluster_info(
        {
            "client": params["source_client"],
            "client_secrets": params["source_client_secrets"],
            "timeout": params["source_timeout"],
            "read": params["read"],
            "topics": params["topics"],
            "groups": ".*",
            "allow_unreachable": True,
            "until_groups": [],
            "until_empty_groups": [],
            "until_topics": [],
            "until_settled": False,
            "until_moving": False,
        },
        check_mode,
    )
    answer = {
        key: answer[key] for key in ("reachable", "reason", "error", "topics", "cluster_id", "brokers") if key in answer
    }
    answer["hidden"] = []
    if answer["reachable"] and not answer["error"] and "offsets" in params["read"]:
        try:
            answer["hidden"] = _hidden(before, answer["topics"], params)
        except KafkaDrError as error:
            answer.update(error=error.kind, reason=str(error))
    return answer


def _hidden(before: dict[str, Any], topics: dict[str, Any], params: dict[str, Any]) -> list[str]:
    """Topics that were copied and that the source hides: whether it holds any of them is not known."""
    unlisted = matching({topic for topic, dummy in before["copied"]} - {*topics}, params["topics"], "topics")
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["source_timeout"])
    return hidden_topics(source, unlisted) if unlisted else []


def _signs(target: KafkaClient, names: MirrorNames, params: dict[str, Any]) -> dict[str, Any]:
    rounds = read_witness_rounds(target, params["positions_topic"], owner(names.source, names.target))
    copied = read_source_offsets(
        target, params["offsets_topic"] or names.source_offsets, names.source, params["connector"]
    )
    return {
        "rounds": rounds,
        "copied": copied["offsets"] if copied else {},
        # Without exactly-once Connect notes its offsets once in a flush interval only; pairs are written as it copies.
        "pairs": stable_ends(target, names.offset_syncs),
        # With many partitions it writes on pairs of what it had copied before, for minutes.
        "ends": _ends(target, names),
        # Those that were written to the source and copied by a mirror. What a mirror emits here says nothing about the
        # source.
        "heartbeat": read_last_heartbeat(target, names.heartbeats_copied, names.target, names.source),
    }


def _ends(target: KafkaClient, names: MirrorNames) -> dict[Partition, int]:
    """The ends of all topics of the target that may be copies."""
    topics = target.metadata().topics
    places = [(name, number) for name, topic in topics.items() if names.is_data(name) for number in topic.partitions]
    return list_offsets(target, places)


def _pause(before: dict[str, Any]) -> float:
    """Seconds in which a witness that sees the source writes another round. The age of its last round is unknown: its
    clock and ours may differ by any amount.
    """
    rounds = before["rounds"]
    return min(max(1.5 * _spacing(rounds), USUAL) + 1, PATIENCE) if rounds else 0.0


def _spacing(rounds: list[int]) -> float:
    """Seconds between the last two rounds of a witness."""
    return (rounds[-1] - rounds[-2]) / 1000 if len(rounds) > 1 else USUAL


def _moved(
    before: dict[str, Any], target: KafkaClient, names: MirrorNames, params: dict[str, Any], began: float
) -> list[str]:
    """What arrived in the target from the source since ``before`` was read, a sentence each."""
    until = began + _pause(before)
    while True:
        now = _signs(target, names, params)
        seen = list(_differences(before, now))
        if seen or time.monotonic() >= until:
            return seen
        time.sleep(0.5)


def _went_on(first: dict[str, Any], target: KafkaClient, names: MirrorNames, params: dict[str, Any]) -> list[str]:
    """What still arrives after a sign was seen, a sentence each; nothing where it came to its end.

    What was under way when a source was lost ends by itself. A witness writes one round at most that it had begun.
    Without a witness a source that is seldom written to rests too, so that the first sign stands.
    """
    before = _signs(target, names, params)
    known = set(first["rounds"] or [])
    age = time.time() * 1000 - (before["rounds"] or [0])[-1]
    if abs(age) > HEARD:
        return list(_differences(first, before))
    longest = time.monotonic() + LONGEST
    silent = age > 1000 * max(ROUNDS_MISSED * _spacing(before["rounds"]), REST)
    rest = max(SILENT_REST if silent else REST, 1.5 * _spacing(before["rounds"]) + 1)
    until, seen = time.monotonic() + rest, []
    while time.monotonic() < until:
        time.sleep(0.5)
        now = _signs(target, names, params)
        further = list(_differences(before, now))
        if further:
            before, seen, until = now, further, time.monotonic() + rest
        rounds = [time_of for time_of in now["rounds"] or [] if time_of not in known]
        if seen and (len(rounds) > 1 or time.monotonic() >= longest):
            return seen
    return []


def _differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    last = now["rounds"][-1] if now["rounds"] else None
    if last is not None and last != (before["rounds"] or [None])[-1]:
        yield f"the position witness saw it {_ago(last)}"
    further = sorted(key for key, offset in now["copied"].items() if offset > before["copied"].get(key, -1))
    if further:
        topic, number = further[0]
        copied = now["copied"][further[0]] - before["copied"].get(further[0], -1)
        yield f"the mirror copied {copied} records of {topic}-{number} meanwhile"
    elif now["pairs"] > before["pairs"] and _further(before["ends"], now["ends"]):
        yield f"the mirror noted {now['pairs'] - before['pairs']} further pairs of offsets meanwhile"
    if now["heartbeat"] is not None and now["heartbeat"] != before["heartbeat"]:
        yield f"a heartbeat of it came {_ago(now['heartbeat'])}"


def _further(before: dict[Partition, int], now: dict[Partition, int]) -> bool:
    return any(end > before.get(place, 0) for place, end in now.items())


def _ago(milliseconds: int) -> str:
    return f"{max(0.0, time.time() - milliseconds / 1000):.1f} s ago"
