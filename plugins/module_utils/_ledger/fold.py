# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger's entries say together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .copies import COMPARED, PROVEN, TURNED, follow_copies, goes_on_unplanned, with_earlier
from .epochs import move_of
from .rights import remember_beyond, remember_taken

# Stages of which another move while they are open makes what they have done worthless.
OVERTAKEN = ("failover", "failback", "abort_move", "recreate_from_backup", "resume")
# What a run has lent, which a later one takes back.
LENT = "granting"
# How a failback found the region, with what limited retention before it held deletion off.
RETURNED = "returned"
# The stage that holds off deletion in a backup, and its step of the ends of an earlier run, with what decided over
# deletion, as long as no new backup has ended since.
RESTORE, HELD_BEFORE = "recreate_from_backup", "held_before"
# What a planned move tells the region that it leaves, before it names the other one.
NAMING = "naming"
NOBODY = {"hash": "", "offset": -1, "run": "", "stage": "", "step": "", "state": "", "at": "", "by": ""}


def fold(entries: list[dict]) -> dict:
    """What the entries say together.

    :returns: ``active_region`` (or empty), ``active_at`` (since when) and ``epoch`` (0 where no entry has one), of the
        highest epoch, ``moves`` (all with an epoch as :func:`.epochs.move_of` has them; where there is none the last
        one), ``run``, ``stage`` and ``about`` that own the ledger, ``open`` (whether that stage has neither ended nor
        been overtaken by another run's move, where it moves applications itself), ``overtaken`` (the run that owned the
        ledger when another one told it of its own move, or empty), ``moved_to`` (the active region where a failover
        named it that owned another ledger, that region's, or empty), ``taken{region: [ACL]}`` that a fence took away
        there and nobody gave back, ``beyond{mirror: {region: [ACL]}}`` that a mirror lost there beyond what it was
        given, and that nobody gave back, ``done{stage: {step: entry}}`` of each stage's latest run and its predecessors
        that did not end (the step ``proof`` where the latest one was proven; none of a stage that another run's move
        overtook), ``proofs[]``, ``last{stage: the entry that ended it}``, ``begun{stage: the entry that began it
        last}``, ``ends{about: the entry with the ends}`` of each failover's last run that stopped its mirror,
        ``clearing{about: entry}`` of each failback that began to delete, ``copied_back`` (the same, also once a
        decision between two stories has made it count no more: a mirror may have written to the region since),
        ``brought_back{about: the entry that ended it}`` of each failback, ``head`` (the last fenced entry, as
        :data:`NOBODY` has it), ``manifests[]`` (entries of manifests that were made), ``naming`` (``{region: epoch}``
        of regions that moves of other ledgers were about to name, until that move or a later one is told, or a stage
        that owns that region's ledger begins anew), ``filling`` (``{to, from, stage}`` of a copy that another ledger's
        stage began in this region, which lacks records until it is whole, or empty). The step ``paused`` stays done as
        long as no region is active: what ran before is known by the run that stopped it alone.
    """
    state = _empty()
    for entry in entries:
        step = entry["step"]
        _follow_stage(state, entry)
        if entry["state"] == "done":
            _follow_rights(state, entry)
        if entry["state"] == "active":
            _follow_move(state, entry)
            if (entry.get("found") or {}).get("told") and not move_of(entry)["settles"]:
                # The run that made this move gave back what it had copied to its own ledger. Who decides between two
                # stories gives nothing back.
                state["taken"].pop(entry["region"], None)
        if entry["state"] in ("proven", "different", "not_provable"):
            state["proofs"].append(entry)
        if step == "manifest" and entry["state"] == "done":
            state["manifests"].append(entry)
    return state


def _empty() -> dict:
    """What an empty ledger says."""
    return {
        "active_region": "",
        "active_at": "",
        "epoch": 0,
        "moves": [],
        "moved_to": "",
        "run": "",
        "stage": "",
        "open": False,
        "overtaken": "",
        "about": "",
        "done": {},
        "proofs": [],
        "last": {},
        "begun": {},
        "ends": {},
        "clearing": {},
        "copied_back": {},
        "brought_back": {},
        "head": dict(NOBODY),
        "manifests": [],
        "taken": {},
        "beyond": {},
        "naming": {},
        "filling": {},
    }


def _follow_move(state: dict, entry: dict) -> None:
    """Which region is active: by the highest epoch, and by the last entry as long as none has an epoch."""
    move = move_of(entry)
    if move["epoch"] < state["epoch"] or (move["epoch"] and move["epoch"] == state["epoch"]):
        state["moves"] += [move] if move["epoch"] else []
        return
    state["moves"] = [known_move for known_move in state["moves"] if known_move["epoch"]] + [move]
    if move["epoch"] and state["open"] and move["run"] != state["run"]:
        _overtake(state, entry)
    state.update(active_region=move["region"], active_at=move["at"], epoch=move["epoch"])
    state["naming"] = {region: epoch for region, epoch in state["naming"].items() if epoch > move["epoch"]}
    if move["settles"]:
        state.update(as_decided(state))
    if state["filling"].get("to") == move["region"]:
        # Whoever moved there knew that it is not whole.
        state["filling"] = {}
    ledger_region = move["ledger"] or ("" if entry.get("fenced", True) else move["region"])
    state["moved_to"] = move["region"] if move["stage"] == "failover" and ledger_region == move["region"] else ""


def _follow_rights(state: dict, entry: dict) -> None:
    """What was taken away and given back, and whether the move that fenced this region may have named its target."""
    step = entry["step"]
    if step in ("fencing", "fenced", "given_back"):
        remember_taken(state["taken"], step, entry)
    if step in ("revoking", "mirror_given_back"):
        remember_beyond(state["beyond"], step, entry)
    if step == NAMING:
        state["naming"][entry["about"]] = entry.get("epoch", 0)
    elif step in ("fencing", "given_back") and not (entry.get("found") or {}).get("named"):
        # Its own ledger says that it was not named: what begins anew there has not come so far.
        state["naming"].pop(_owner(entry), None)


def _owner(entry: Mapping[str, Any]) -> str:
    """The region whose ledger the stage owns that tells this to another one; empty in its own."""
    return str((entry.get("found") or {}).get("owner") or "")


def _overtake(state: dict, entry: dict) -> None:
    """Another run has moved the applications while a stage is open."""
    # A run that tells it to its own ledger knows of it, and goes on from there.
    ignorant = entry["run"] != state["run"]
    if ignorant:
        state["overtaken"] = state["run"]
    if state["stage"] in OVERTAKEN:
        # Where the applications went since, offsets, positions and proofs of before say nothing.
        state["done"][state["stage"]] = lent(state["done"], state["stage"])
        state["open"] = not ignorant


def regions_of(stage: Mapping[str, Any]) -> list[str]:
    """Words of what an entry, or a ledger's open stage, is about: the first and the last are the regions of a move."""
    return str(stage.get("about") or "").split(" ")


def lent(done: Mapping[str, dict[str, Any]], stage: str) -> dict[str, Any]:
    return {step: entry for step, entry in done.get(stage, {}).items() if step == LENT}


def as_decided(state: dict[str, Any]) -> dict[str, Any]:
    """What is left once a person decided between two stories: a region that was brought back, or left, was used since,
    whoever says so, so that what was decided of its records counts no more. That a mirror ran to it stays true, and so
    does what was lent, and how deletion was held off.
    """
    state = {
        **state,
        "brought_back": {},
        "clearing": {},
        "done": dict(state.get("done") or {}),
        "ends": dict(state.get("ends") or {}),
    }
    if "failover" in state["done"]:
        _forget_source(state, (*COMPARED, TURNED[0]))
    if "failback" in state["done"]:
        known = state["done"]["failback"]
        state["done"]["failback"] = {step: known[step] for step in (LENT, RETURNED) if step in known}
    return state


def _follow_stage(state: dict, entry: dict) -> None:
    """Which stage owns the ledger, and which of its steps are done."""
    stage, step = entry["stage"], entry["step"]
    fenced = entry.get("fenced", True)
    if fenced:
        state["head"] = {key: entry.get(key, empty) for key, empty in NOBODY.items()}
    if fenced and step == "stage" and entry["state"] == "started":
        if not (state["open"] and state["stage"] == stage and state["about"] == entry.get("about")):
            before = state["done"].get(stage, {}) if state["active_region"] == "none" else {}
            paused = {step: step_entry for step, step_entry in before.items() if step == "paused"}
            held = _held_before(state) if stage == RESTORE else {}
            state["done"][stage] = {**lent(state["done"], stage), **paused, **held, **_still_true(state, entry)}
        elif stage == "failover":
            _begin_unplanned(state, entry)
        state["begun"][stage] = entry
        state.update(run=entry["run"], stage=stage, open=True, about=entry.get("about"), overtaken="")
    elif fenced and step == "stage" and entry["state"] in ("done", "refused"):
        state["open"] = False
        state["last"][stage] = _ended(state, entry)
        state["done"].get(stage, {}).pop(LENT, None)
        if (stage, entry["state"]) == ("failback", "done"):
            # Another region may have been brought back since.
            state["brought_back"][state["about"]] = entry
        elif stage == "failback":
            state["brought_back"].pop(state["about"], None)
    elif entry["state"] == "done" or (step, entry["state"]) == PROVEN:
        known = state["done"].setdefault(stage, {})
        known[step] = with_earlier(known.get(step), entry)
        if (stage, step) == ("failover", "ends"):
            # A later run that catches up with machines has none.
            state["ends"][state["about"]] = entry
        if (stage, step) == ("failback", "clearing"):
            state["clearing"][state["about"]] = state["copied_back"][state["about"]] = entry
        if (stage, step) in (("failback", "clearing"), ("failback", "cleared")):
            # What an earlier one had made is given up. One that copies everything again clears without saying so first.
            state["brought_back"].pop(state["about"], None)
        follow_copies(state, entry, regions_of(state))
    elif step == "proof":
        follow_copies(state, entry, regions_of(state))


def _ended(state: dict, entry: dict) -> dict[str, Any]:
    """The end of a stage, with ``moved``, the offset at which the move itself ended, where it only caught up with
    machines: what came of the region since the move is no older for that.
    """
    last, begun = (state[what].get(entry["stage"]) or {} for what in ("last", "begun"))
    if not (begun.get("found") or {}).get("catches_up") or last.get("about") != entry.get("about"):
        return entry
    return {**entry, "moved": last.get("moved", last.get("offset"))}


def _held_before(state: dict) -> dict[str, Any]:
    """What an earlier restore knew of the backup's topics before it held off deletion there, until a new backup has let
    that go: a further restore finds them held.
    """
    earlier, released = state["done"].get(RESTORE, {}), state["last"].get("new_backup") or {}
    ends = earlier.get("ends") or earlier.get(HELD_BEFORE)
    if ends is None:
        return {}
    about_it = set(regions_of(released)) >= {regions_of(ends)[0], regions_of(ends)[-1]}
    let_go = released.get("state") == "done" and about_it and released.get("offset", 0) > ends.get("offset", 0)
    return {} if let_go else {HELD_BEFORE: ends}


def _still_true(state: dict, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Steps of an ended failover that stay true for a further one between the same regions: all where it catches up
    with machines, and where it is made once more, that its mirror may have written to the source.
    """
    found = entry.get("found") or {}
    if entry["stage"] != "failover" or (state["begun"].get("failover") or {}).get("about") != entry.get("about"):
        return {}
    steps: tuple[str, ...] = TURNED[1:] if found.get("moved_back") else ()
    if found.get("catches_up"):
        steps = (*COMPARED, "ends", "positions", *TURNED)
    return {step: known for step, known in state["done"].get("failover", {}).items() if step in steps}


def _begin_unplanned(state: dict, entry: Mapping[str, Any]) -> None:
    """An unplanned failover goes on with one that was cut off: whether the source was used since that compared it,
    nobody here knows who has not read the source's own ledger.
    """
    found = entry.get("found") or {}
    if not goes_on_unplanned(found):
        return
    # What was shown to be wrong with the copy stays so.
    seen = tuple(step for step in COMPARED if step != "disproven")
    if state["active_region"] in ("", "none", regions_of(entry)[0]):
        _forget_source(state, (*seen, *TURNED))
    elif not found.get("source_asked"):
        # The mirror that was turned round may have been started.
        _forget_source(state, seen)


def _forget_source(state: dict, steps: tuple[str, ...]) -> None:
    """Let an open failover believe no more what a planned run saw of the source: the loss is not known, and a planned
    run sees for itself.
    """
    done = {step: entry for step, entry in state["done"]["failover"].items() if step not in steps}
    for step in ("ends", "positions"):
        found = (done.get(step) or {}).get("found") or {}
        if found.get("planned"):
            stopped_at = found.get("stopped_at") or done[step].get("at", "")
            unknown = {"lost": {"total": None}, "stopped_at": stopped_at} if step == "ends" else {}
            done[step] = {**done[step], "found": {**found, "planned": False, **unknown}}
    for about, entry in state["ends"].items():
        if entry == state["done"]["failover"].get("ends"):
            state["ends"][about] = done["ends"]
    state["done"]["failover"] = done
