# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Does the mirror run, and does it get ahead?"""

from __future__ import annotations

from .._mm2.log_findings import log_findings
from .._report.redact import text as without_secrets
from .finding import finding, named


def answers(seen, params):
    """Whatever could not be read, with the reason."""
    for what, error in seen.problems:
        yield finding("cannot-read-" + error.kind, "error", what, without_secrets(str(error)), "The doctor could not read this, so it says nothing about it",
                      error.remedy or "Give the doctor's principal the right to read it, and look at the cluster")


def ever_ran(seen, params):
    if seen.mirror and not seen.mirror[0]["exists"]["source_offsets"]:
        yield finding("never-ran", "error", seen.names.source_offsets, "no such topic on %s" % seen.names.target,
                      "No mirror of this name ever ran into this target, or it keeps its offsets under another name",
                      "Start the mirror; on Kubernetes name the resource's offsetStorageTopic in offsets_topic")


def nothing_copied(seen, params):
    """A lag of nothing says nothing where there is nothing to copy, or where nobody copies it."""
    if not seen.mirror or not seen.source:
        return
    flow = "%s->%s" % (seen.names.source, seen.names.target)
    rows = [one for one in seen.mirror[-1]["partitions"] if one["source_end"] is not None]
    if not rows:
        yield finding("no-topics", "error", flow, "no topic of %s that the patterns match and the doctor may see" % seen.names.source,
                      "Nothing is copied, and no lag can be told",
                      "Compare topics of the mirror with the source's; give the doctor's principal DESCRIBE on them")
        return
    filled = [one for one in rows if one["source_end"] > one["source_start"]]
    copied = [one for one in rows if one["mirrored_through"] is not None or _end_of_copy(seen, one)]
    if not filled and not copied:
        yield finding("nothing-to-copy", "info", flow, "no record in %d partitions" % len(rows), "Whether the mirror copies cannot be seen", "Run the probe")
    elif not copied:
        yield finding("nothing-copied", "error", flow, "%d partitions hold records, and none was ever copied" % len(filled),
                      "The mirror does not run, may not read the source, or cannot write to the target", "Look at the other findings, and at the mirror's log")
    empty = [one for one in filled if (one["mirrored_through"] or 0) > one["source_start"] and _end_of_copy(seen, one) == 0]
    if empty:
        yield finding("copy-empty", "error", named("%s-%d" % (one["topic"], one["partition"]) for one in empty),
                      "copied by the stored position, and no record there", "The copy was made again since: the mirror does not copy again what it copied once",
                      "Stop the mirror, remove the topic's stored positions, and mirror it anew")


def _end_of_copy(seen, one):
    """The end of a partition's copy; None where it could not be seen."""
    bounds = seen.target["offsets"][-1].get(one["target_topic"], {}).get(str(one["partition"])) if seen.target else None
    return bounds["end"] if bounds else None


def witness(seen, params):
    """Where the source's groups stood is known by the witness alone once the source is lost."""
    limit = params.get("max_witness_age")
    if not limit or not seen.mirror:
        return
    found = seen.mirror[-1]["witness"]
    mirror = "witness of %s->%s" % (seen.names.source, seen.names.target)
    remedy = "Look at its service or pod and its log; set max_witness_age to 0 where a mirror has none"
    if found["age"] is None:
        said = "no round in its topic" if found["exists"] else "its topic is not on %s" % seen.names.target
        yield finding("witness-missing", "error", mirror, said, "It never ran to the end of a round: with the source its groups' positions are lost", remedy)
    elif found["age"] > limit:
        yield finding("witness-stale", "error", mirror, "its last round is %.0f s old" % found["age"],
                      "It does not run, or cannot read the source or write to the target", remedy)


def operator_content(seen, params):
    """What an operator that runs the mirror says, where there is one: without heartbeats nobody else tells an idle mirror from a dead one."""
    said = params.get("operator") or {}
    if said.get("waiting_for"):
        yield finding("mirror-not-running", "error", "%s->%s" % (seen.names.source, seen.names.target), without_secrets("; ".join(said["waiting_for"]))[:500],
                      "Its operator does not report every connector as running, or could not be asked",
                      "Look at the KafkaMirrorMaker2, at its pods and at the operator's log, then start the mirror")


def heartbeats(seen, params):
    if not seen.mirror or not params["max_heartbeat_age"] or (params.get("operator") or {}).get("heartbeats") is False:
        return
    age = seen.mirror[-1]["heartbeat"]["age"]
    mirror = "%s->%s" % (seen.names.source, seen.names.target)
    if age is None:
        yield finding("heartbeat-missing", "warning", mirror, "no heartbeat on %s" % seen.names.target,
                      "The heartbeat connector is off or never worked: an idle mirror and a dead one look alike",
                      "Switch emit.heartbeats.enabled on, or set max_heartbeat_age to 0 where there is no such connector")
    elif age > params["max_heartbeat_age"]:
        yield finding("heartbeat-stale", "error", mirror, "the last heartbeat is %.0f s old" % age,
                      "MirrorMaker 2 does not run, or cannot write to the target",
                      "Look at its service and log, then start it")
    elif age < -5:
        yield finding("clocks-differ", "warning", mirror, "the last heartbeat is %.0f s in the future" % -age,
                      "The clocks of the mirror's host and of this one differ",
                      "Synchronise them; ages and recovery times are wrong until then")


def tasks(seen, params):
    if seen.tasks is None:
        return
    for one in seen.tasks:
        name = one["connector"] + ("" if one["task"] is None else " task %d" % one["task"])
        if one["state"] == "FAILED":
            causes = log_findings("ERROR " + (one["trace"] or "").replace("\nCaused by", "\nERROR Caused by"), {})
            deepest = causes[0] if causes else None
            first = without_secrets((one["trace"] or "no trace").splitlines()[0])
            yield finding("task-failed", "error", name, first[:300],
                          deepest["cause"] if deepest else "It stopped by an error and does not start again by itself",
                          (deepest["remedy"] + "; then restart the mirror") if deepest else "Remove the cause, then restart the mirror")
        elif one["state"] in ("PAUSED", "STOPPED"):
            yield finding("task-paused", "warning", name, one["state"], "Somebody paused it; nothing is copied meanwhile", "Resume it, unless that is wanted")


def progress(seen, params):
    """Stuck: what was waiting at the first look still is, and neither the stored position nor the copy moved."""
    if len(seen.mirror) < 2:
        return
    before = {(one["topic"], one["partition"]): one for one in seen.mirror[0]["partitions"]}
    stuck, late = [], []
    for one in seen.mirror[1]["partitions"]:
        first = before.get((one["topic"], one["partition"]))
        if not first or not first["lag"] or not one["lag"]:
            continue
        moved = one["mirrored_through"] != first["mirrored_through"] or _copy_moved(seen, one)
        if not moved:
            stuck.append(one)
        elif one["lag"] > params["max_lag"]:
            late.append(one)
    if stuck:
        # Without exactly-once positions are stored once a minute, so standing still for some seconds is nothing yet.
        sure = seen.mirror[1]["exactly_once_seen"] or sum(one["lag"] for one in stuck) > params["max_lag"]
        yield finding("stuck", "error" if sure else "info", named("%s-%d" % (one["topic"], one["partition"]) for one in stuck),
                      "%d records wait and none was copied in %d s" % (sum(one["lag"] for one in stuck), params["watch_seconds"]),
                      "The mirror is down, its task failed, or it waits for a broker", "Look at the other findings, and at the mirror's log")
    if late:
        yield finding("lag", "warning", named("%s-%d" % (one["topic"], one["partition"]) for one in late),
                      "%d records behind, and moving" % sum(one["lag"] for one in late), "The mirror is slower than its source, or was down for a while",
                      "If it does not shrink: more tasks (tuning.tasks_max), more nodes, or a closer look at the network")


def _copy_moved(seen, one):
    if not seen.target or len(seen.target["offsets"]) < 2:
        return False
    ends = [look.get(one["target_topic"], {}).get(str(one["partition"]), {}).get("end") for look in seen.target["offsets"]]
    return ends[0] != ends[1]


def open_transactions(seen, params):
    for side, view in (("source", seen.source), ("target", seen.target)):
        if not view or len(view["offsets"]) < 2:
            continue
        hanging = []
        for topic, partitions in view["offsets"][0].items():
            for number, one in partitions.items():
                then = view["offsets"][1].get(topic, {}).get(number, {})
                if one["stable"] < one["end"] and then.get("stable") == one["stable"]:
                    hanging.append("%s-%s" % (topic, number))
        if hanging:
            reader = "The mirror reads only what is committed, so it" if side == "source" else "Consumers that read only what is committed"
            yield finding("open-transaction", "warning", named(sorted(hanging)),
                          "open for more than %d s on %s" % (params["watch_seconds"], getattr(seen.names, side)),
                          "A transaction was begun and not ended. %s cannot pass it" % reader,
                          "End or restart its producer; for one that is gone: kafka-transactions.sh find-hanging and abort")


def conflicts(seen, params):
    if seen.mirror and seen.mirror[0]["conflicts"]:
        rows = seen.mirror[0]["conflicts"]
        yield finding("conflicting-positions", "error", named("%s-%d" % (one["topic"], one["partition"]) for one in rows),
                      "%d keys in more than one partition of %s" % (len(rows), seen.names.source_offsets),
                      "Somebody wrote positions with another partitioner than Connect's: after a restart an old one may win",
                      "Stop the mirror, delete the wrong rows with a tombstone in their own partition, and write the right ones with murmur2")


def exactly_once(seen, params):
    if params["expect_exactly_once"] and seen.mirror and seen.mirror[-1]["partitions"] and not seen.mirror[-1]["exactly_once_seen"]:
        if any(one["mirrored_through"] is not None for one in seen.mirror[-1]["partitions"]):
            yield finding("not-exactly-once", "error", "%s->%s" % (seen.names.source, seen.names.target), "no transaction in %s" % seen.names.source_offsets,
                          "The mirror runs without exactly-once, whatever its configuration says: a crash copies records twice",
                          "In dedicated mode: <target>.exactly.once.source.support=enabled and dedicated.mode.enable.internal.rest=true")


CHECKS = [answers, ever_ran, nothing_copied, witness, operator_content, heartbeats, tasks, progress, open_transactions, conflicts, exactly_once]
