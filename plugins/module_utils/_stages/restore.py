# SPDX-License-Identifier: GPL-3.0-or-later
"""What the stages of backup and restore decide by: deletion held off, definitions that drifted, proofs that still
stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .._inventory.regions import with_records
from .._values.topic_hold import COMPACTING, DELETING, HOLD
from .about import about as stage_about

# Parts of a definition that are compared as a whole, and their names.
PARTS = {"cluster": "the description of the cluster", "secrets": "the cluster's keys", "client": "the client"}
STAGE = "recreate_from_backup"
NAMED = 5
# Who looks may connect as another user than who kept the definition.
IDENTITY = ("sasl.username", "ssl.certificate.pem", "ssl.certificate.location", "ssl.key.location")


def described(topics: dict[str, dict[str, Any]], ids: bool = False) -> list[dict[str, Any]]:
    """Topics as the module ``topics`` takes them, from ``{name: {id, partitions, replication_factor, configs}}`` as
    ``cluster_info`` gives them.

    :param ids: with the topics' ids, so that none is deleted that was made again since.
    """
    return [
        {
            "name": name,
            "partitions": topic["partitions"],
            "replication_factor": topic.get("replication_factor"),
            "configs": dict(topic.get("configs") or {}),
            **({"id": topic["id"]} if ids else {}),
        }
        for name, topic in sorted(topics.items())
    ]


def _holding(topic: dict[str, Any]) -> dict[str, str]:
    """The configs under which nothing in a topic is deleted or compacted away."""
    policy = topic["configs"].get("cleanup.policy", "delete") or ""
    return {**(DELETING if "delete" in policy else {}), **(COMPACTING if "compact" in policy else {})}


def hold(topics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Topics, as :func:`described` gives them, with the configs alone under which nothing in them is deleted or
    compacted away.
    """
    return [{"name": topic["name"], "configs": _holding(topic)} for topic in topics]


def original(topics: list[dict[str, Any]], earlier: list[dict[str, Any]] | None = None) -> list[dict[str, Any]]:
    """What :func:`hold` changes, as it was: ``[{name, configs}]``, None for a config that was not set on the topic.

    :param earlier: the same, of before an earlier hold that nobody has let go: it counts where a config is still held.
    """
    before = {str(topic.get("name")): topic.get("configs") or {} for topic in earlier or []}
    return [{"name": topic["name"], "configs": _original(topic, before.get(topic["name"], {}))} for topic in topics]


def _original(topic: dict[str, Any], earlier: dict[str, Any]) -> dict[str, Any]:
    now = topic["configs"]
    return {
        key: earlier[key] if key in earlier and now.get(key) == held else now.get(key)
        for key, held in _holding(topic).items()
    }


def let_go(before: list[dict[str, Any]] | None, pattern: str) -> list[dict[str, Any]]:
    """Of what a ledger says of topics before deletion was held off, what a stage sets again: the configs that
    :func:`hold` changes, of topics of the mirror.

    Whoever can write to a ledger that is not signed can put any topic and config there.

    :param before: as :func:`original` gives it. :param pattern: what the mirror's topics match.
    """
    matches = re.compile(pattern).fullmatch
    topics = []
    for topic in before or []:
        configs = {key: value for key, value in (topic.get("configs") or {}).items() if key in HOLD}
        if matches(str(topic.get("name"))) and configs:
            topics.append({"name": topic["name"], "configs": configs})
    return topics


def to_restore(kept: list[dict[str, Any]], backup: dict[str, dict[str, int]]) -> list[dict[str, Any]]:
    """Topics as they were kept, with deletion held off; with more partitions where the backup has more.

    :param kept: topics of a kept definition. :param backup: ``{name: {partitions}}`` of the backup.
    """
    return [
        dict(
            topic,
            partitions=max(topic["partitions"], backup.get(topic["name"], {}).get("partitions", 0)),
            configs={**topic["configs"], **_holding(topic)},
        )
        for topic in kept
    ]


def drift(kept: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """What changed since a definition was kept, as sentences; never a password.

    :param kept: a kept definition. :param now: the same, made of the current state.
    """
    differences = [*_named_drift("topic", kept, now), *_named_drift("user", kept, now)]
    before, after = ({_acl(acl) for acl in side.get("acls") or []} for side in (kept, now))
    if before != after:
        differences.append(
            f"ACLs differ: {len(after - before)} are not kept, {len(before - after)} are kept and no longer there"
        )
    # A definition of before quotas were kept has none; where they are left out, nothing is known of now.
    if isinstance(now.get("quotas"), list):
        before, after = ({_quota(quota) for quota in side.get("quotas") or []} for side in (kept, now))
        if before != after:
            differences.append(
                f"quotas differ: {len(after - before)} are not kept, {len(before - after)} are kept and no longer there"
            )
    for part, name in PARTS.items():
        old, new = (
            {key: value for key, value in (side.get(part) or {}).items() if part != "client" or key not in IDENTITY}
            for side in (kept, now)
        )
        if old != new:
            differences.append(f"{name} differs")
    return differences


def _named_drift(word: str, kept: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """What changed in the topics or users of a definition."""
    old, new = ({item["name"]: item for item in side.get(word + "s") or []} for side in (kept, now))
    for name in sorted(set(new) - set(old)):
        yield f"{word} '{name}' is not kept"
    for name in sorted(set(old) - set(new)):
        yield f"{word} '{name}' is kept and no longer there"
    for name in sorted(set(old) & set(new)):
        keys = sorted(key for key in set(old[name]) | set(new[name]) if old[name].get(key) != new[name].get(key))
        # A job that only reads is given no passwords: what it does not know, it does not compare.
        keys = [key for key in keys if key != "password" or new[name].get(key)]
        if keys:
            yield f"{word} '{name}' differs in {', '.join(keys)}"


def _acl(acl: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(sorted((key, tuple(value) if isinstance(value, list) else value) for key, value in acl.items()))


def _quota(quota: dict[str, dict[str, Any]]) -> tuple[Any, ...]:
    return tuple(sorted(quota["entity"].items())), tuple(sorted(quota["limits"].items()))


def positions_claimed(last: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    """What a restore claims of its groups' positions, which pass two translations: lost region to backup, then backup
    to restored region.

    :param last, first: summaries of ``offset_translate``; the first may be empty, where none was made.
    :returns: the last summary with the sums of ``reprocess_at_most`` and ``unseen_at_most`` over both, the times at
        which positions were seen as the first has them, and ``translations[]``, both summaries as they are.
    """
    both = [claim for claim in (first, last) if claim]
    # ansible-core 2.18 makes texts of numbers that are templated.
    claimed = {
        name: sum(int(claim.get(name) or 0) for claim in both) for name in ("reprocess_at_most", "unseen_at_most")
    }
    seen = {name: first[name] for name in ("positions_at", "oldest_position_at") if (first or {}).get(name) is not None}
    return {**(last or {}), **claimed, **seen, "translations": both}


def standing_proof(
    ledger: dict[str, Any], region: str, backup: str, topics: dict[str, dict[str, Any]] | None = None
) -> dict[str, Any]:
    """The proof of the restore of this region, and why it does not stand.

    :param ledger: what ``ledger_info`` returns.
    :param topics: ``{name: {id, offsets{partition: {stable}}}}`` of the restored region now; None where its ends need
        not be the proof's any more.
    :returns: ``holds``, ``found`` (a sentence), ``proof`` (what it found, or ``{}``).
    """
    begun = (ledger.get("begun") or {}).get(STAGE)
    if not begun or begun.get("about") != about(region, backup):
        return {"holds": False, "found": f"no restore of {region} from {backup} in the ledger", "proof": {}}
    proofs = [
        proof
        for proof in ledger.get("proofs") or []
        if proof["run"] == begun["run"] and proof["stage"] == STAGE and proof["found"].get("target") == region
    ]
    proofs = [proof for proof in proofs if proof["found"].get("source") == backup]
    if not proofs:
        return {"holds": False, "found": f"no proof since the restore was begun at {begun.get('at')}", "proof": {}}
    last = proofs[-1]["found"]
    if not last.get("complete"):
        return {"holds": False, "found": f"the last proof says {last.get('verdict')}", "proof": last}
    later = [] if topics is None else list(_later(last, topics))
    if later:
        return {"holds": False, "found": f"changes after the proof: {', '.join(later[:NAMED])}", "proof": last}
    return {"holds": True, "found": f"{last['verdict']} at {proofs[-1].get('at')}", "proof": last}


def _later(proof: dict[str, Any], topics: dict[str, dict[str, Any]]) -> Iterator[str]:
    for topic in proof["topics"]:
        now = topics.get(topic["target_topic"])
        if now is None or now.get("id") != topic.get("target_topic_id"):
            yield f"{topic['target_topic']} was made anew"
            continue
        for number, part in sorted(topic["partitions"].items()):
            if now["offsets"][number]["start"] > part["target"][0]:
                yield (
                    f"records of {topic['target_topic']}-{number} before offset {now['offsets'][number]['start']} "
                    "were deleted"
                )
            elif now["offsets"][number]["stable"] != part["target"][1]:
                yield (
                    f"{topic['target_topic']}-{number} ends at {now['offsets'][number]['stable']}, not "
                    f"{part['target'][1]}"
                )


def backed_up_again(ledger: dict[str, Any], region: str, backup: str) -> dict[str, Any]:
    """How a region that was restored got its new backup: ``{method, at, place, old_deleted}``, empty where it has none
    since the restore was begun last.

    :param ledger: what ``ledger_info`` returns.
    """
    begun = (ledger.get("begun") or {}).get(STAGE)
    ended = (ledger.get("last") or {}).get("new_backup")
    if (
        not begun
        or not ended
        or ended["offset"] < begun["offset"]
        or ended.get("about") != stage_about("new_backup", region, backup)
    ):
        return {}
    found = ended.get("found") or {}
    return {
        "method": found.get("method", "continue"),
        "at": ended.get("at"),
        "place": found.get("at", backup),
        "old_deleted": bool(found.get("old_deleted")),
    }


def copy_begun(ledger: dict[str, Any], place: str, mirror: dict[str, Any]) -> str:
    """Whether a copy by this mirror was begun at this place: ``open`` (its run was cut off and goes on), ``left``
    (begun, and never to be proven), or ``none``.

    :param ledger: what ``ledger_info`` returns.
    """
    cleared = ((ledger.get("done") or {}).get("new_backup") or {}).get("cleared")
    if not cleared or cleared["found"] != {"copy_to": place, "mirror": mirror}:
        return "none"
    failed = [
        proof
        for proof in ledger.get("proofs") or []
        if proof["stage"] == "new_backup" and proof["offset"] > cleared["offset"] and proof["state"] == "different"
    ]
    return "open" if ledger.get("open") and ledger.get("stage") == "new_backup" and not failed else "left"


def not_brought(region: dict[str, Any], brought: dict[str, Any] | None) -> list[str]:
    """Topics of a region that hold records which its restore has not brought there.

    :param region: ``{cluster_id, topics{name: {id, offsets}}}`` as it is now.
    :param brought: the same, without offsets, as it was when the restore mirror was started the first time; empty
        where it was not. What that one creates besides is not among them.
    """
    held, now = with_records(region.get("topics") or {}), region.get("topics") or {}
    if not brought or not region.get("cluster_id") or brought.get("cluster_id") != region["cluster_id"]:
        return held
    ids = brought.get("topics") or {}
    # Disks of before the loss have the same cluster id.
    if not any((now.get(name) or {}).get("id") == topic_id for name, topic_id in ids.items()):
        return held
    return [name for name in held if name in ids and ids[name] != now[name].get("id")]


def replaced(topics: dict[str, Any], brought: dict[str, Any] | None) -> list[str]:
    """Topics of a restored region that are others than when its restore mirror was started, which goes on behind what
    they held then.

    :param topics: ``{name: {id}}`` as they are now. :param brought: as for :func:`not_brought`.
    """
    ids = (brought or {}).get("topics") or {}
    return sorted(name for name, topic_id in ids.items() if (topics.get(name) or {}).get("id") != topic_id)


def about(region: str, backup: str) -> str:
    """What the ledger calls the restore of a region."""
    return stage_about(STAGE, region, backup)
