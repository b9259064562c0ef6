# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Event source for ansible-rulebook: how MirrorMaker 2's mirrors are, by their heartbeats and their lag."""

from __future__ import annotations

DOCUMENTATION = r"""
---
short_description: Look at mirrors again and again
description:
  - Every O(interval) seconds, looks at each mirror from its target's side, and from its source's where a client for it
    is given. Reads only.
  - Each look is an event, also when all is well, so that rules can tell a mirror that is silent from a watcher that is.
  - A wrong password or a missing right makes a mirror V(unknown), never lost.
  - An event holds names from O(mirrors), states and reasons of a fixed set, and numbers. What a cluster answered is
    written to the log, escaped; rules can
    pass on any part of an event.
options:
  mirrors:
    description: The mirrors.
    type: list
    elements: dict
    required: true
    suboptions:
      name: {description: What events call it., type: str, required: true}
      source: {description: The source's alias., type: str, required: true}
      target: {description: The target's alias., type: str, required: true}
      target_client: {description: "librdkafka's keys, without secrets.", type: dict}
      target_client_file: {description: "JSON file with librdkafka's keys, secrets among them, that only its owner can
        read.", type: str}
      source_client: {description: As O(mirrors[].target_client). Without one the source is not asked and no lag is
        seen., type: dict}
      source_client_file: {description: As O(mirrors[].target_client_file)., type: str}
      policy: {description: V(identity) or V(default)., type: str, default: identity}
      separator: {description: The separator of the default policy., type: str, default: .}
      topics: {description: Regular expression for the source's topics., type: str, default: .*}
      positions_topic: {description: Topic of its position witness in the target., type: str,
        default: __kafka_dr_positions}
      watch: {description: Whether events tell what the mirror's watch says. It does not change the state., type: bool,
        default: false}
  interval: {description: Seconds between two looks., type: float, default: 15}
  timeout: {description: Seconds that a cluster may take to answer., type: int, default: 10}
  heartbeat_limit: {description: Seconds after which a mirror without a heartbeat is silent., type: float, default: 60}
  lag_limit: {description: Records that a mirror may be behind; none if left out., type: int}
"""

EXAMPLES = r"""
- streamsafe.kafka_dr.mirror_health:
    interval: 15
    heartbeat_limit: 60
    mirrors:
      - name: backup
        source: north_america
        target: europe
        source_client_file: /etc/kafka-dr/north_america.json
        target_client_file: /etc/kafka-dr/europe.json
"""

# An event: {"mirror": {"name", "source", "target", "state", "reasons", "for_seconds", "looks", "heartbeat_age", "lag",
# "watch"}, "at"}.
# watch: null, or {"age", "unproven_records", "unproven_seconds", "differences", "stopped"}, numbers alone; null too
# where it never ended a round, or cannot be read.
# reasons: sentences of REASONS. Error texts hold what brokers advertise, and a rulebook would hand them to Ansible,
# which takes variables for templates.
# state: well, late (lag), silent (no heartbeat), source_unreachable, unknown. for_seconds and looks: since when, and in
# how many looks, it has been so.

import asyncio
import importlib
import json
import logging
import os
import stat
import sys
import time
import types
from pathlib import Path
from typing import Any

REASONS = {
    "late": "more records behind than lag_limit",
    "silent": "no heartbeat for longer than heartbeat_limit",
    "source_unreachable": "the source does not answer",
    "unknown": "the mirror could not be looked at, see the log of ansible-rulebook",
}
NAMES = ("name", "source", "target")
LOGGER = logging.getLogger(__name__)

# ansible-rulebook runs this file by its path; the collection's own code is found from there, under a name of its own,
# for ansible_collections may be somebody else's package in this process.
UTILS = "streamsafe_kafka_dr_module_utils"


def utils(name: str) -> types.ModuleType:
    """A part of the collection's module_utils, which import nothing of Ansible here."""
    if UTILS not in sys.modules:
        package = types.ModuleType(UTILS)
        package.__path__ = [str(Path(__file__).absolute().parents[4] / "plugins" / "module_utils")]
        sys.modules[UTILS] = package
    return importlib.import_module(f"{UTILS}.{name}")


def client_of(mirror: dict, side: str) -> dict:
    """librdkafka's keys of one side; empty where none were given.

    :raises ValueError: the file cannot be used; its content is never in the message.
    """
    path = mirror.get(f"{side}_client_file")
    if not path:
        return dict(mirror.get(f"{side}_client") or {})
    what = f"{side}_client_file {path} of mirror {mirror['name']}"
    try:
        if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ValueError(f"{what} can be read by others: expected mode 0600. Run: chmod 600 {path}")
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise ValueError(f"{what} cannot be read: {error.strerror}") from None
    except json.JSONDecodeError:
        raise ValueError(f"{what} is no JSON") from None
    if not isinstance(found, dict) or not found.get("bootstrap.servers"):
        raise ValueError(f"{what} has no bootstrap.servers")
    return found


def checked(args: dict[str, Any]) -> list[dict]:
    """The mirrors with their clients, in the words of ``mirror_offsets``.

    :raises ValueError: something is missing or cannot be used.
    """
    if not args.get("mirrors"):
        raise ValueError(
            "mirror_health needs mirrors: a list with name, source, target and target_client or target_client_file each"
        )
    found = []
    for mirror in args["mirrors"]:
        refuse_wrong_names(mirror)
        asked = question(mirror, int(args.get("timeout") or 10))
        found.append({"name": mirror["name"], "asked": asked, "watch": mirror.get("watch") is True})
    clients = (mirror["asked"][side + "_client"] or {} for mirror in found for side in ("source", "target"))
    for text in utils("_values.security").warnings(clients):
        LOGGER.warning("%s", ascii(text))
    return found


def refuse_wrong_names(mirror: dict[str, Any]) -> None:
    missing = [key for key in NAMES if not mirror.get(key)]
    if missing:
        raise ValueError(f"A mirror of mirror_health lacks {', '.join(missing)}: found {', '.join(sorted(mirror))}")
    for key in NAMES:
        try:
            utils("_values.safe").file_name(f"{key} of a mirror of mirror_health", mirror[key])
        except utils("_errors").KafkaDrError as error:
            raise ValueError(str(error)) from None


def question(mirror: dict[str, Any], timeout: int) -> dict[str, Any]:
    """The parameters of ``mirror_progress``."""
    target = client_of(mirror, "target")
    if not target:
        raise ValueError(f"Mirror {mirror['name']} lacks target_client or target_client_file")
    described = {
        key: mirror[key] for key in (*NAMES, "topics", "topics_exclude", "policy", "separator") if mirror.get(key)
    }
    return {
        "source_alias": mirror["source"],
        "target_alias": mirror["target"],
        "policy": mirror.get("policy") or "identity",
        "separator": mirror.get("separator") or ".",
        "topics": utils("_inventory.mirrors").topics_pattern(described),
        "topics_exclude": "",
        "timeout": timeout,
        "target_client": target,
        "target_client_secrets": {},
        "source_client": client_of(mirror, "source") or None,
        "source_client_secrets": {},
        "offsets_topic": mirror.get("offsets_topic"),
        "connector": mirror.get("connector"),
        "positions_topic": mirror.get("positions_topic") or "__kafka_dr_positions",
        "details": False,
    }


def look(mirror: dict, heartbeat_limit: float, lag_limit: int | None) -> dict:
    """One look: ``state``, ``reasons``, ``heartbeat_age``, ``lag``. Never raises for what a cluster answers."""
    errors, progress = utils("_errors"), utils("_positions.mirror_progress")
    asked, source_lost = mirror["asked"], ""
    try:
        found = progress.mirror_progress(asked)
    except errors.KafkaDrError as first:
        if asked["source_client"] is None:
            return _unknown(str(first))
        try:
            found = progress.mirror_progress({**asked, "source_client": None})
        except errors.KafkaDrError as error:
            return _unknown(str(error))
        if not isinstance(first, (errors.UnreachableError, errors.TimedOutError)):
            return _unknown(str(first))
        source_lost = str(first)
    age = found["heartbeat"]["age"]
    if age is not None and age < 0 and not source_lost and -age > utils("_values.moment").AHEAD_SECONDS:
        return _unknown(f"the last heartbeat is {-age:.0f} s ahead of this machine's clock: set the clocks")
    lag = found["lag"] if asked["source_client"] is not None and not source_lost else None
    reasons = []
    if age is not None and age > heartbeat_limit:
        reasons.append(f"the last heartbeat is {age:.0f} s old, more than {heartbeat_limit:g} s")
    silent = bool(reasons)
    late = lag_limit is not None and lag is not None and lag > lag_limit
    if late:
        reasons.append(f"{lag} records behind, more than {lag_limit}")
    if source_lost:
        reasons.insert(0, source_lost)
    state = "source_unreachable" if source_lost else "silent" if silent else "late" if late else "well"
    if state == "well" and age is None and lag is None:
        return _unknown("there is no heartbeat, and no client for the source")
    return {"state": state, "reasons": reasons, "heartbeat_age": age, "lag": lag}


def proof(mirror: dict) -> dict[str, float] | None:
    """What the mirror's watch says, in numbers; None where there is nothing to say. It never decides about a state."""
    if not mirror["watch"]:
        return None
    asked, errors = mirror["asked"], utils("_errors")
    try:
        client = utils("_kafka.client").KafkaClient(asked["target_client"], {}, asked["timeout"], asked["target_alias"])
        state = utils("_watch.state").read_state(client, mirror["name"])
    except errors.KafkaDrError as error:
        LOGGER.warning("the watch of mirror %s cannot be read: %s", mirror["name"], ascii(str(error)))
        return None
    if state is None:
        return None
    summary = utils("_watch.summary").summarise(state)
    return {
        "age": summary["age_seconds"],
        "unproven_records": summary["unproven_records"],
        "unproven_seconds": summary["unproven_seconds"],
        "differences": len(summary["differences"]) + summary["differences_left_out"],
        "stopped": len(summary["stopped"]) + summary["stopped_left_out"],
    }


def look_at(mirror: dict, heartbeat_limit: float, lag_limit: int | None) -> dict:
    """All that an event tells of one mirror."""
    return {**look(mirror, heartbeat_limit, lag_limit), "watch": proof(mirror)}


def _unknown(reason: str) -> dict:
    return {"state": "unknown", "reasons": [reason], "heartbeat_age": None, "lag": None}


async def main(queue: asyncio.Queue, args: dict[str, Any]) -> None:
    """ansible-rulebook's entry: put events into the queue until it is cancelled."""
    mirrors = checked(args)
    interval, limit, lag_limit = (
        float(args.get("interval") or 15),
        float(args.get("heartbeat_limit") or 60),
        args.get("lag_limit"),
    )
    since: dict[str, tuple[str, float, int]] = {}
    while True:
        began = time.monotonic()
        for mirror, seen in zip(
            mirrors,
            await asyncio.gather(*(asyncio.to_thread(look_at, mirror, limit, lag_limit) for mirror in mirrors)),
            strict=True,
        ):
            now, name = time.monotonic(), mirror["name"]
            state, first, looks = since.get(name, ("", now, 0))
            since[name] = (seen["state"], first, looks + 1) if state == seen["state"] else (seen["state"], now, 1)
            about = {"name": name, "source": mirror["asked"]["source_alias"], "target": mirror["asked"]["target_alias"]}
            if looks == 0 or state != seen["state"]:
                LOGGER.warning("mirror %s is %s: %s", name, seen["state"], ascii("; ".join(seen["reasons"])))
            described = {**about, **seen, "reasons": [REASONS[seen["state"]]] if seen["state"] in REASONS else []}
            await queue.put(
                {
                    "mirror": {**described, "for_seconds": round(now - since[name][1], 1), "looks": since[name][2]},
                    "at": round(time.time(), 3),
                }
            )
        await asyncio.sleep(max(0.0, interval - (time.monotonic() - began)))


if __name__ == "__main__":

    class Printing(asyncio.Queue):
        """A queue that prints, to try the source by hand: mirror_health.py '{"mirrors": […]}'."""

        async def put(self, item: dict) -> None:
            """Print one event."""
            print(json.dumps(item), flush=True)

    asyncio.run(main(Printing(), json.loads(sys.argv[1])))
