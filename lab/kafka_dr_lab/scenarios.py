# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenarios of ``make drill``, step by step."""

from __future__ import annotations

import contextlib
import re
import signal
import time

from . import ageing
from .checks import (
    check_ledgers,
    check_loss_and_repetition,
    check_new_backup,
    check_proof_after_loss,
    check_proofs,
    check_protected,
    keep_claims,
    read_claims,
    read_ledger,
)
from .dead_host import catch_up, check_named
from .drill import MIRROR, SOURCE, TARGET, Drill
from .failing_back import check_home, check_nothing_lost_for_ever, check_salvaged, come_back
from .repeating import check_order, check_processed_twice, last_commits
from .returning import STRAY, source_returns
from .sabotage import remove_first_record, sabotage_mirror_or_topic
from .sleeping import check_strays, check_woken, waking
from .without_watch import prove_without_watch

ALL_TOPICS = r"flights\..*"


def failover(drill: Drill) -> None:
    """A region is lost during live traffic; applications continue in the other."""
    drill.prepare()
    watch = drill.options.get("watch")
    # What the watch does not stand for is proven against a manifest.
    manifest = _save_manifest(drill, "manifest", re.escape(ageing.COMPACTED) if watch else ALL_TOPICS)
    whole = _save_manifest(drill, "whole_manifest") if watch else manifest
    sabotage_mirror_or_topic(drill)
    drill.live(drill.arguments.live)
    drill.await_expiry()
    _lose_source(drill)
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_manifest=manifest)
    drill.rto()
    read_claims(drill, "failover")
    check_proof_after_loss(drill)
    if watch:
        prove_without_watch(drill, whole, ALL_TOPICS)
    if drill.arguments.dead_host:
        check_named(drill)
        catch_up(drill)
    source_returns(drill)
    drill.settle(TARGET)
    records = drill.measure(TARGET, lost_allowed=True)
    drill.check_exactly_once(records=records)
    strays = sum(counter[STRAY] for counter in records.values())
    drill.report.check(
        "returning_source_writes_nothing", strays == 0, "0 records of the returned region in the target", strays
    )
    check_loss_and_repetition(drill)


def _lose_source(drill: Drill, keep: bool = False) -> None:
    """Lose the source; with ``--freeze`` after a time in which the mirror copied nothing.

    :param keep: whether its disks stay.
    """
    freeze = drill.arguments.freeze
    if freeze:
        drill.say(f"Freezing the mirror for {freeze:.0f} s, so that records are lost")
        drill.lab.signal(signal.SIGSTOP, MIRROR)
        time.sleep(freeze)
        # The witness continues; while the producer is stopped, what it read last is exactly what is lost.
        drill.lab.signal(signal.SIGSTOP, "departures-producer")
        time.sleep(5)
    how = drill.lab.sleep if drill.asleep else drill.lab.outage if keep else drill.lab.loss
    drill.say(f"LOSS: {how.format(region=SOURCE)}")
    drill.lost_at = drill.lab.fall_asleep(SOURCE) if drill.asleep else drill.lab.lose(SOURCE, keep)
    drill.lab.signal(signal.SIGCONT, "departures-producer")
    if freeze:
        drill.lab.signal(signal.SIGCONT, MIRROR)


def failback(drill: Drill) -> None:
    """A region is lost with its disks intact, or asleep, is back after a failover, and gets its applications back."""
    drill.prepare()
    drill.live(drill.arguments.live)
    _lose_source(drill, keep=drill.arguments.returns != "empty")
    with waking(drill) if drill.asleep else contextlib.nullcontext():
        drill.stage("failover", failover_source=SOURCE, failover_target=TARGET)
    drill.rto()
    keep_claims(drill, "failover", read_ledger(drill))
    if drill.asleep:
        check_woken(drill)
    drill.live(drill.arguments.live)
    only_there = come_back(drill)
    commits = last_commits(drill) if only_there else {}
    drill.resumed_at = time.time()
    drill.stage(
        "failback",
        failback_region=SOURCE,
        failback_from=TARGET,
        failback_salvage=[{"topics": ".*", "action": "replay"}],
        failback_salvage_directory=str(drill.lab.directory / "work" / "salvage"),
        failback_home=True,
        # A namespace that is made again has another cluster, which somebody has written to.
        failback_accept_foreign_records=drill.arguments.returns == "empty" and drill.arguments.platform == "kubernetes",
    )
    drill.live(drill.arguments.live)
    drill.settle(SOURCE)
    if drill.asleep:
        # Its applications wrote until it was fenced.
        only_there = check_strays(drill)
    if only_there:
        check_salvaged(drill, only_there)
        check_processed_twice(drill, commits)
    check_order(drill)
    check_home(drill)
    records = drill.measure(SOURCE, lost_allowed=True)
    check_nothing_lost_for_ever(drill, records)
    check_new_backup(drill, sum(len(counter) for counter in records.values()))


def switchover(drill: Drill) -> None:
    """The planned move: nothing is lost, nothing is processed twice, and the mirror leads back."""
    drill.prepare()
    sabotage_mirror_or_topic(drill)
    drill.live(drill.arguments.live)
    drill.say(f"Planned move from {SOURCE} to {TARGET}")
    drill.lost_at = time.time()
    drill.stage("failover", failover_source=SOURCE, failover_target=TARGET, failover_planned=True)
    drill.rto()
    check_proofs(drill)
    check_protected(drill, SOURCE, TARGET, drill.lost_at)
    check_ledgers(drill, TARGET)
    drill.settle(TARGET)
    records = drill.measure(TARGET, lost_allowed=False)
    drill.check_exactly_once(records=records)
    check_new_backup(drill, sum(len(counter) for counter in records.values()), SOURCE)


def roundtrip(drill: Drill) -> None:
    """Planned there and back, twice, under live traffic: each move leaves a mirror the other way behind."""
    drill.prepare()
    for move in range(4):
        source, target = (SOURCE, TARGET) if move % 2 == 0 else (TARGET, SOURCE)
        drill.live(drill.arguments.live)
        drill.say(f"Planned move {move + 1} of 4, from {source} to {target}")
        began = time.time()
        drill.lost_at = drill.lost_at or began
        drill.stage("failover", failover_source=source, failover_target=target, failover_planned=True)
        if not move:
            drill.rto()
        check_protected(drill, source, target, began)
        check_ledgers(drill, target)
    for region in (TARGET, SOURCE):
        check_proofs(drill, region)
    drill.live(drill.arguments.live)
    drill.settle(SOURCE)
    records = drill.measure(SOURCE, lost_allowed=False)
    drill.check_exactly_once(SOURCE, records=records)
    check_new_backup(drill, sum(len(counter) for counter in records.values()))


def restore(drill: Drill) -> None:
    """A region is lost for good, is recreated from its backup, and gets a new backup; applications wait meanwhile."""
    before = drill.arguments.new_backup == "before"
    drill.report.data["new_backup"] = f"{drill.arguments.new_backup} resume"
    drill.prepare(initial_setup_backup=True)
    drill.check_exactly_once()
    manifest = _save_manifest(drill)
    drill.live(drill.arguments.live)
    drill.await_expiry()
    drill.say(f"LOSS: {drill.lab.loss.format(region=SOURCE)}")
    drill.lost_at = drill.lab.lose(SOURCE)
    drill.lab.clear(SOURCE)
    if drill.arguments.sabotage == "backup":
        remove_first_record(drill, TARGET)
    drill.stage(
        "recreate_from_backup",
        recreate_from_backup_region=SOURCE,
        recreate_from_backup_from=TARGET,
        recreate_from_backup_manifest=manifest,
    )
    if drill.arguments.sabotage == "restored":
        remove_first_record(drill, SOURCE)
    if before:
        drill.stage("new_backup", new_backup_region=SOURCE, new_backup_to=TARGET)
    drill.resumed_at = time.time()
    drill.stage("resume", resume_region=SOURCE, resume_from=TARGET)
    drill.rto(SOURCE, drill.resumed_at)
    if not before:
        drill.stage("new_backup", new_backup_region=SOURCE, new_backup_to=TARGET)
    drill.live(5)
    read_claims(drill, "recreate_from_backup")
    drill.settle(SOURCE)
    records = drill.measure(SOURCE, lost_allowed=True)
    drill.check_exactly_once(SOURCE, "exactly_once_in_force_in_restore", records)
    check_loss_and_repetition(drill)
    check_new_backup(drill, sum(len(counter) for counter in records.values()))


def _save_manifest(drill: Drill, name: str = "manifest", topics: str = ALL_TOPICS) -> str:
    """Save a manifest of the source's records.

    :param name: of its directory. :param topics: regular expression for whole names. :returns: its directory.
    """
    directory = drill.lab.directory / "work" / name
    drill.stage(
        "manifest",
        manifest_region=SOURCE,
        manifest_directory=str(directory),
        manifest_topics=topics,
        manifest_ledger_region=TARGET,
    )
    return str(directory)
