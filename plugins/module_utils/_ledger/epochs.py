# SPDX-License-Identifier: GPL-3.0-or-later
"""One truth over the ledgers of all regions. Pure.

Each move of the applications raises the epoch by one and names the move that it follows. A move is written to one
ledger, and told to the others in entries of their own, which name the first. The highest epoch counts. Two moves of one
epoch have the same number of moves before them: they are split brain where they name different regions, whichever
epochs came later, until an entry settles them by name. So are two that name the same region where one did not lead to
the move that counts, and the last that followed on it names another region than that: its ledger was lost, or an older
one was put back, when somebody moved to that region.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .schema import is_digest

Move = dict[str, Any]
# What an entry is told by that is the first of its ledgers, or the only one.
NOWHERE = {"epoch": 0, "region": "", "hash": ""}
NOBODY: Move = {"epoch": 0, "region": "", "ledger": "", "hash": "", "from": NOWHERE, "at": ""}
# What of a ledger is needed to find the truth.
WORD = ("present", "verified", "epoch", "active_region", "active_at", "moves")


def move_of(entry: dict[str, Any]) -> Move:
    """What an entry that names the active region says, by the move that it tells.

    :returns: ``epoch`` (0 without one), ``region``, ``ledger`` (the region whose ledger the move was written to first;
        empty for the one that the entry stands in), ``hash``, ``from`` (``epoch_from``), ``settles`` (hashes of moves
        that the entry decides between), ``at``, ``by``, ``run``, ``stage``.
    """
    found = entry.get("found") or {}
    repeated = found.get("told")
    repeated = repeated if isinstance(repeated, dict) and is_digest(repeated.get("hash")) else {}
    original = repeated or entry
    settles = found.get("settles")
    return {
        "epoch": entry.get("epoch", 0),
        "region": entry["region"],
        "ledger": str(repeated.get("region", "")),
        "hash": str(original.get("hash", "")),
        "from": dict(entry.get("epoch_from") or NOWHERE),
        "settles": [move_hash for move_hash in settles if is_digest(move_hash)] if isinstance(settles, list) else [],
        **{name: str(original.get(name) or "") for name in ("at", "by", "run", "stage")},
    }


def told(move: Move) -> dict[str, Any]:
    """``found`` of the entry that tells a move to another ledger."""
    found: dict[str, Any] = {
        "told": {"region": move["ledger"], **{name: move[name] for name in ("hash", "at", "by", "run", "stage")}}
    }
    return {**found, "settles": move["settles"]} if move["settles"] else found


def truth(
    found: dict[str, dict[str, Any]], own_region: str, known: dict[str, Any], accepted: str = "", doubts: bool = True
) -> dict[str, Any]:
    """What the ledgers say together.

    :param found: by region, what ``ledger_info`` returned or failed with, or ``words`` of an earlier truth.
    :param own_region: the region of the stage's own ledger. :param known: what that says.
    :param accepted: the region that a person named where ledgers disagree.
    :param doubts: whether a ledger without a signature counts less than one with it; not for a stage whose own begin is
        the first entry that is signed.
    :returns: ``here``, ``active{active_region, active_at, epoch}``, ``epoch``, ``origin`` (``epoch_from`` of the next
        move), ``conflicts[{epoch, stories[]}]``, ``settle`` (the entry that decides, where ``accepted`` names one of
        the regions), ``aside`` (the other regions of these stories, where it decides), ``lacks{region: [move]}``,
        ``doubted{region: why}`` (ledgers that do not count), ``words`` (what was used of each ledger), ``signed``
        (whether any of them is).
    """
    words = {name: _word(ledger) for name, ledger in {**found, own_region: known}.items() if "active_region" in ledger}
    doubted = _doubted(words) if doubts else {}
    moves = _moves({name: word for name, word in words.items() if name not in doubted}, own_region)
    wrong = conflicts(moves)
    head = _head(moves, accepted if wrong else "")
    decides = bool(wrong) and accepted in {move["region"] for move in moves}
    settle = _settling(moves, wrong, head, accepted) if decides else {}
    return {
        "here": own_region,
        "epoch": head["epoch"],
        "active": {
            "active_region": settle.get("region", head["region"]),
            "active_at": head["at"],
            "epoch": head["epoch"],
        },
        "origin": _origin(head),
        "conflicts": wrong,
        "settle": settle,
        "aside": _aside(wrong, settle["region"]) if settle else [],
        "lacks": _lacking(words, _chain(moves, head)),
        "doubted": {name: why for name, why in doubted.items() if _says_otherwise(words[name], head)},
        "words": words,
        "signed": any(word.get("verified") for word in words.values()),
    }


def heard(truth_before: dict[str, Any], regions: Iterable[str]) -> dict[str, Any]:
    """A truth of which these regions were told what they lacked."""
    words, lacks = dict(truth_before["words"]), dict(truth_before["lacks"])
    for region in set(regions) & set(lacks):
        moves = lacks.pop(region)
        word, last = words[region], moves[-1]
        words[region] = dict(
            word,
            present=True,
            active_region=last["region"],
            active_at=last["at"],
            epoch=last["epoch"],
            moves=[*(word.get("moves") or []), *moves],
        )
    return dict(truth_before, words=words, lacks=lacks)


def conflicts(moves: Iterable[Move]) -> list[dict[str, Any]]:
    """Epochs that name more than one region, or that began two histories which end in two. What was settled counts as
    one. Entries without an epoch count as long as there is none with one.

    :returns: ``[{epoch, stories[{region, at, by, run, stage, ledgers[]}]}]``, lowest first.
    """
    every = list(moves)
    settled = {move_hash: move["epoch"] for move in sorted(every, key=_epoch) for move_hash in move["settles"]}
    numbers = {move["epoch"] for move in every}
    disputes = []
    for epoch in sorted(numbers - {0} or numbers):
        same_epoch = [move for move in every if move["epoch"] == epoch]
        if len({"" if settled.get(move["hash"], 0) > epoch else move["region"] for move in same_epoch}) > 1:
            disputes.append({"epoch": epoch, "stories": [_story(move) for move in same_epoch]})
    known = {conflict["epoch"] for conflict in disputes}
    return sorted([*disputes, *_other_histories(every, settled, known)], key=_epoch)


def _other_histories(every: list[Move], settled: dict[str, int], known: set[int]) -> list[dict[str, Any]]:
    """Of each history that left the one of the move that counts, and ends in another region: where it left, and both
    ends.

    :param settled: by hash, in which epoch a move was settled. :param known: epochs of disputes that are known.
    """
    head = _head(every, "")
    counting = {move["epoch"]: move for move in _chain(every, head)}
    found: dict[int, dict[str, Any]] = {}
    for move in every:
        beside = counting.get(move["epoch"])
        # Mirrors to several regions are set up at the same time, and each begins a history.
        if beside is None or move["hash"] in ("", beside["hash"]) or move["stage"] == "initial_setup":
            continue
        last = _followed(every, move)
        over = any(at["epoch"] in known or settled.get(at["hash"], 0) > at["epoch"] for at in (move, last))
        # Nothing works anywhere during a restore, which is open until it names a region.
        if last["region"] not in ("none", head["region"]) and not over:
            found.setdefault(move["epoch"], {"epoch": move["epoch"], "stories": [_story(last), _story(head)]})
    return list(found.values())


def _followed(every: list[Move], move: Move) -> Move:
    """The last move that followed on one, or the same where none did."""
    last = move
    for later in sorted(every, key=_epoch):
        if later["from"]["hash"] == last["hash"] and later["epoch"] > last["epoch"]:
            last = later
    return last


def dispute(wrong: list[dict[str, Any]], region: str) -> bool:
    """Whether a story of these conflicts names the region, so that it was used beside another one."""
    return any(story["region"] == region for conflict in wrong for story in conflict["stories"])


def set_aside(seen: dict[str, Any], region: str) -> dict[str, str]:
    """The last decision by which a region that was used beside another one gave way, unless a move to it followed.

    :param seen: as of :func:`truth`.
    :returns: ``at`` and ``run`` of the decision, both empty where there is none.
    """
    moves = _moves(seen["words"], seen["here"])
    used = {move["hash"] for move in moves if move["region"] == region and move["hash"]}
    for move in reversed(_chain(moves, _head(moves, ""))):
        if move["region"] == region:
            break
        if used & set(move["settles"]):
            return {name: move[name] for name in ("at", "run")}
    return {"at": "", "run": ""}


def stories(wrong: list[dict[str, Any]]) -> str:
    """Conflicts as a person reads them, both stories side by side."""
    return "; ".join(
        f"{'epoch %d' % conflict['epoch'] if conflict['epoch'] else 'without an epoch'}: "
        + ", but ".join(_sentence(story) for story in conflict["stories"])
        for conflict in wrong
    )


def _word(ledger: dict[str, Any]) -> dict[str, Any]:
    word = {name: ledger[name] for name in WORD if name in ledger}
    # What a stage knows may say already what its ledger is told next.
    return dict(word, epoch=max(map(_epoch, ledger["moves"]), default=0)) if ledger.get("moves") else word


def _says_otherwise(word: dict[str, Any], head: Move) -> bool:
    return word.get("epoch", 0) >= head["epoch"] and word["active_region"] != head["region"]


def _doubted(words: dict[str, dict[str, Any]]) -> dict[str, str]:
    """Ledgers without a signature, where another one has one."""
    if not any(word.get("verified") for word in words.values()):
        return {}
    return {
        name: "its ledger is not signed, and others are: what it says does not count"
        for name, word in words.items()
        if word.get("present", True) and not word.get("verified") and word["active_region"]
    }


def _moves(words: dict[str, dict[str, Any]], own_region: str) -> list[Move]:
    """Each move once, with the ``ledgers`` that it was found in; those of the own ledger come first."""
    by_hash: dict[tuple[str, str], Move] = {}
    for name in sorted(words, key=lambda region: (region != own_region, region)):
        word = words[name]
        for move in word.get("moves") or _old(word):
            stands = dict(move, ledger=move["ledger"] or name)
            known_move = by_hash.setdefault((stands["hash"] or name, stands["region"]), dict(stands, ledgers=[]))
            known_move["ledgers"].append(name)
    return list(by_hash.values())


def _old(word: dict[str, Any]) -> list[Move]:
    """The move of a ledger that only says which region is active."""
    if not word["active_region"]:
        return []
    entry = {"region": word["active_region"], "at": word.get("active_at"), "epoch": word.get("epoch", 0)}
    return [move_of(entry)]


def _epoch(move: dict[str, Any]) -> int:
    epoch: int = move["epoch"]
    return epoch


def _head(moves: Sequence[Move], accepted: str) -> Move:
    """The move that counts: of several in the highest epoch the one that was accepted, or the first."""
    highest = max(map(_epoch, moves), default=0)
    last = [move for move in moves if move["epoch"] == highest]
    return next((move for move in last if move["region"] == accepted), last[0] if last else NOBODY)


def _origin(head: Move) -> dict[str, Any]:
    return {"epoch": head["epoch"], "region": head["ledger"], "hash": head["hash"]} if head["hash"] else dict(NOWHERE)


def _chain(moves: Iterable[Move], head: Move | None) -> list[Move]:
    """The moves that led to the last one, as far as they are known, oldest first; those without an epoch are told to
    nobody.
    """
    by_hash = {move["hash"]: move for move in moves if move["epoch"]}
    chain: list[Move] = []
    while head and head["epoch"] and (not chain or head["epoch"] < chain[0]["epoch"]):
        chain.insert(0, head)
        head = by_hash.get(head["from"]["hash"])
    return chain


def _lacking(words: dict[str, dict[str, Any]], chain: list[Move]) -> dict[str, list[Move]]:
    lacking = {name: [move for move in chain if move["epoch"] > word.get("epoch", 0)] for name, word in words.items()}
    return {name: lacks for name, lacks in lacking.items() if lacks}


def _settling(moves: list[Move], wrong: list[dict[str, Any]], head: Move, region: str) -> dict[str, Any]:
    lowest = wrong[0]["epoch"]
    return {
        "region": region,
        "epoch": head["epoch"] + 1,
        "epoch_from": _origin(head),
        "found": {
            "settles": sorted({move["hash"] for move in moves if move["epoch"] >= lowest and move["hash"]}),
            "stories": wrong,
        },
    }


def _aside(wrong: list[dict[str, Any]], region: str) -> list[str]:
    return sorted({story["region"] for conflict in wrong for story in conflict["stories"]} - {region})


def _story(move: Move) -> dict[str, Any]:
    return {name: move[name] for name in ("region", "at", "by", "run", "stage", "ledgers")}


def _sentence(story: dict[str, Any]) -> str:
    return (
        f"{story['region']} since {story['at'] or '-'} by {story['by'] or '-'} (stage {story['stage'] or '-'}, run "
        f"{story['run'] or '-'}) in the ledger of {' and '.join(story['ledgers'])}"
    )
