# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What the stages of backup and restore decide by: deletion held off, definitions that drifted, proofs that still stand."""

from __future__ import annotations

FOREVER = "-1"
# KIP-354: with it the cleaner leaves every record of a compacted topic alone.
LONGEST = "9223372036854775807"
STAGE = "recreate_from_backup"
NAMED = 5


def described(topics):
    """Topics as the module ``topics`` takes them, from ``{name: {partitions, replication_factor, configs}}`` as ``cluster_info`` gives them."""
    return [{"name": name, "partitions": one["partitions"], "replication_factor": one.get("replication_factor"), "configs": dict(one.get("configs") or {})}
            for name, one in sorted(topics.items())]


def _holding(topic):
    """The configs under which nothing in a topic is deleted or compacted away."""
    policy = topic["configs"].get("cleanup.policy", "delete")
    configs = {"retention.ms": FOREVER, "retention.bytes": FOREVER} if "delete" in policy else {}
    if "compact" in policy:
        configs["min.compaction.lag.ms"] = LONGEST
    return configs


def hold(topics):
    """Topics, as :func:`described` gives them, with the configs alone under which nothing in them is deleted or compacted away."""
    return [{"name": one["name"], "configs": _holding(one)} for one in topics]


def original(topics):
    """What :func:`hold` changes, as it was: ``[{name, configs}]``, None for a config that was not set on the topic."""
    return [{"name": one["name"], "configs": {key: one["configs"].get(key) for key in _holding(one)}} for one in topics]


def to_restore(kept, backup):
    """Topics as they were kept, with deletion held off; with more partitions where the backup has more.

    :param kept: topics of a kept definition. :param backup: ``{name: {partitions}}`` of the backup.
    """
    return [dict(one, partitions=max(one["partitions"], backup.get(one["name"], {}).get("partitions", 0)), configs={**one["configs"], **_holding(one)})
            for one in kept]


def drift(kept, now):
    """What changed since a definition was kept, as sentences; never a password.

    :param kept: a kept definition. :param now: the same, made of what is so now.
    """
    said = []
    for part, name in (("topics", "name"), ("users", "name")):
        old, new = ({one[name]: one for one in side.get(part) or []} for side in (kept, now))
        word = part[:-1]
        said += ["%s '%s' is not kept" % (word, one) for one in sorted(set(new) - set(old))]
        said += ["%s '%s' is kept and no longer there" % (word, one) for one in sorted(set(old) - set(new))]
        for one in sorted(set(old) & set(new)):
            keys = sorted(key for key in set(old[one]) | set(new[one]) if old[one].get(key) != new[one].get(key))
            if keys:
                said.append("%s '%s' differs in %s" % (word, one, ", ".join(keys)))
    old, new = ({_acl(one) for one in side.get("acls") or []} for side in (kept, now))
    if old != new:
        said.append("ACLs differ: %d are not kept, %d are kept and no longer there" % (len(new - old), len(old - new)))
    # A definition of before quotas were kept has none; where they are left out, nothing is known of now.
    if isinstance(now.get("quotas"), list):
        old, new = ({_quota(one) for one in side.get("quotas") or []} for side in (kept, now))
        if old != new:
            said.append("quotas differ: %d are not kept, %d are kept and no longer there" % (len(new - old), len(old - new)))
    for part in ("cluster", "secrets", "client"):
        if (kept.get(part) or {}) != (now.get(part) or {}):
            said.append("%s differs" % {"cluster": "the description of the cluster", "secrets": "the cluster's keys", "client": "the client"}.get(part, part))
    return said


def _acl(one):
    return tuple(sorted((key, tuple(value) if isinstance(value, list) else value) for key, value in one.items()))


def _quota(one):
    return tuple(sorted(one["entity"].items())), tuple(sorted(one["limits"].items()))


def positions_claimed(last, first):
    """What a restore claims of its groups' positions, which pass two translations: lost region to backup, then backup to restored region.

    :param last, first: summaries of ``offset_translate``; the first may be empty, where none was made.
    :returns: the last summary with the sums of ``reprocess_at_most`` and ``unseen_at_most`` over both, the times at which positions were seen as the first has
        them, and ``translations[]``, both summaries as they are.
    """
    both = [one for one in (first, last) if one]
    # ansible-core 2.18 makes texts of numbers that are templated.
    claimed = {name: sum(int(one.get(name) or 0) for one in both) for name in ("reprocess_at_most", "unseen_at_most")}
    seen = {name: first[name] for name in ("positions_at", "oldest_position_at") if (first or {}).get(name) is not None}
    return {**(last or {}), **claimed, **seen, "translations": both}


def standing_proof(ledger, region, backup, topics=None):
    """The proof of the restore of this region, and why it does not stand.

    :param ledger: what ``ledger_info`` returns.
    :param topics: ``{name: {id, offsets{partition: {stable}}}}`` of the restored region now; None where its ends need not be the proof's any more.
    :returns: ``holds``, ``found`` (a sentence), ``proof`` (what it found, or ``{}``).
    """
    begun = (ledger.get("begun") or {}).get(STAGE)
    if not begun or begun.get("about") != about(region, backup):
        return {"holds": False, "found": "no restore of %s from %s in the ledger" % (region, backup), "proof": {}}
    proofs = [one for one in ledger.get("proofs") or [] if one["run"] == begun["run"] and one["stage"] == STAGE and one["found"].get("target") == region]
    proofs = [one for one in proofs if one["found"].get("source") == backup]
    if not proofs:
        return {"holds": False, "found": "no proof since the restore was begun at %s" % begun.get("at"), "proof": {}}
    last = proofs[-1]["found"]
    if not last.get("complete"):
        return {"holds": False, "found": "the last proof says %s" % last.get("verdict"), "proof": last}
    later = [] if topics is None else list(_later(last, topics))
    if later:
        return {"holds": False, "found": "changes after the proof: %s" % ", ".join(later[:NAMED]), "proof": last}
    return {"holds": True, "found": "%s at %s" % (last["verdict"], proofs[-1].get("at")), "proof": last}


def _later(proof, topics):
    for topic in proof["topics"]:
        now = topics.get(topic["target_topic"])
        if now is None or now.get("id") != topic.get("target_topic_id"):
            yield "%s was made anew" % topic["target_topic"]
            continue
        for number, one in sorted(topic["partitions"].items()):
            if now["offsets"][number]["start"] > one["target"][0]:
                yield "records of %s-%s before offset %d were deleted" % (topic["target_topic"], number, now["offsets"][number]["start"])
            elif now["offsets"][number]["stable"] != one["target"][1]:
                yield "%s-%s ends at %d, not %d" % (topic["target_topic"], number, now["offsets"][number]["stable"], one["target"][1])


def backed_up_again(ledger, region, backup):
    """How a region that was restored got its new backup: ``{method, at, place, old_deleted}``, empty where it has none since the restore was begun last.

    :param ledger: what ``ledger_info`` returns.
    """
    begun = (ledger.get("begun") or {}).get(STAGE)
    ended = (ledger.get("last") or {}).get("new_backup")
    if not begun or not ended or ended["offset"] < begun["offset"] or ended.get("about") != "%s to %s" % (region, backup):
        return {}
    found = ended.get("found") or {}
    return {"method": found.get("method", "continue"), "at": ended.get("at"), "place": found.get("at", backup), "old_deleted": bool(found.get("old_deleted"))}


def copy_begun(ledger, place, mirror):
    """Whether a copy by this mirror was begun at this place: ``open`` (its run was cut off and goes on), ``left`` (begun, and never to be proven), or ``none``.

    :param ledger: what ``ledger_info`` returns.
    """
    cleared = ((ledger.get("done") or {}).get("new_backup") or {}).get("cleared")
    if not cleared or cleared["found"] != {"copy_to": place, "mirror": mirror}:
        return "none"
    failed = [one for one in ledger.get("proofs") or [] if one["stage"] == "new_backup" and one["offset"] > cleared["offset"] and one["state"] == "different"]
    return "open" if ledger.get("open") and ledger.get("stage") == "new_backup" and not failed else "left"


def about(region, backup):
    """What the ledger calls the restore of a region."""
    return "%s from %s" % (region, backup)
