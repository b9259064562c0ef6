# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep the number of a manifest's data files bounded: merge small ones, and delete those that were merged long ago.

Nothing that the manifest of before names is deleted: a run that is cut off leaves it valid, and who is reading it reads
on. What was merged is named as superseded, and deleted by a run that comes days later.
"""

from __future__ import annotations

import time
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import generations
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.place import locate
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.shapes import Engine, Task
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.place import shown

# Longer than a proof or a copy of the manifest takes that began before the merge.
SUPERSEDED_MS = 3 * 24 * 3600 * 1000
FILES_OF_A_TASK = 50


def look_up_spans(engine: Engine, out: str, topics: dict[str, Any], digests: dict[str, str]) -> None:
    """Read from the files what a manifest of before there were spans does not say; once.

    :param topics: as in manifest.json; ``spans`` are added. :raises NotProvableError: as of :func:`compact`.
    """
    bare = {
        (topic, saved["topic_id"], int(number)): part
        for topic, saved in topics.items()
        for number, part in saved["partitions"].items()
        if len(part.get("spans") or []) != len(part["files"])
    }
    names = sorted({name for part in bare.values() for name in part["files"]})
    tasks: list[Task] = [
        {
            "id": number,
            "work": "manifest_spans",
            "out": out,
            "digests": {name: digests.get(name) for name in names[at : at + FILES_OF_A_TASK]},
        }
        for number, at in enumerate(range(0, len(names), FILES_OF_A_TASK))
    ]
    found: dict[tuple[str, str, int], dict[str, generations.Span]] = {}
    for result in worker.answers(engine, tasks, "look up", 0):
        for name, topic, topic_id, number, span in _value(result):
            found.setdefault((topic, topic_id, number), {})[name] = span
    for key, part in bare.items():
        generations.keep(part, {name: span for name, span in found.get(key, {}).items() if name in part["files"]})


def compact(engine: Engine, out: str, run: str, topics: dict[str, Any], digests: dict[str, str]) -> int:
    """Merge files in ``topics`` where there are too many; how many were merged.

    :param topics: as in manifest.json, with spans; ``files`` and ``spans`` are replaced.
    :param digests: of all files; those of merged files are added.
    :raises NotProvableError: a file is not the one that was written, or cannot be read.
    """
    for saved in topics.values():
        for part in saved["partitions"].values():
            generations.keep(part, generations.known_spans(part))
    generation, merges = generations.choose(topics)
    groups = generations.tasks(merges)
    tasks: list[Task] = [
        {
            "id": number,
            "work": "manifest_merge",
            "out": out,
            "run": run,
            "generation": generation,
            "merges": group,
            "digests": {name: digests.get(name) for merge in group for name in merge.files},
        }
        for number, group in enumerate(groups)
    ]
    for result in worker.answers(engine, tasks, "merge", sum(merge.offsets for merge in merges)):
        name, digests[name], held = _value(result)
        _replace(topics, groups[result["id"]], name, {(topic, number): span for topic, number, span in held})
    return len({name for merge in merges for name in merge.files})


def delete_superseded(out: str, superseded: dict[str, int], before: list[str], counting: list[str]) -> dict[str, int]:
    """Delete what was superseded long ago, and name what still waits: ``{file: ms since the epoch}``.

    :param superseded: what the manifest of before says. :param before: the files that counted there, or were written
        since.
    :param counting: files that count now.
    :raises NotProvableError: the storage does not delete.
    """
    now = int(time.time() * 1000)
    waiting = {**dict.fromkeys(before, now), **superseded}
    for name in counting:
        waiting.pop(name, None)
    system, inside = locate(out)
    for name in [name for name, at in waiting.items() if now - at > SUPERSEDED_MS]:
        try:
            system.delete_file(f"{inside}/{name}")
        except FileNotFoundError:
            pass
        except OSError as error:
            raise NotProvableError(
                f"{name} of the manifest {shown(out)} cannot be deleted; it was merged and is of no use",
                found=str(error),
                remedy="Let the user of the job delete in that place",
            ) from error
        del waiting[name]
    return waiting


def _value(result: dict[str, Any]) -> Any:
    if "error" in result:
        raise NotProvableError(result["error"]["message"])
    return result["value"]


def _replace(
    topics: dict[str, Any], merges: list[generations.Merge], name: str, held: dict[tuple[str, int], generations.Span]
) -> None:
    """Name the merged file in place of those that it was made of."""
    for merge in merges:
        part = topics[merge.topic]["partitions"][str(merge.partition)]
        spans = {file: span for file, span in generations.known_spans(part).items() if file not in merge.files}
        if (merge.topic, merge.partition) in held:
            spans[name] = held[(merge.topic, merge.partition)]
        generations.keep(part, spans)
