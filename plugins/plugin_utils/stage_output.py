# SPDX-License-Identifier: GPL-3.0-or-later
"""What the callback ``stage`` prints of a task's result."""

from __future__ import annotations

import re
from typing import Any

from ansible import context
from ansible.executor.task_result import TaskResult
from ansible.playbook.task import Task

MISSING = "missing required arguments: "


# What is missing from a thousand partitions would fill the screen.
WAITING_WIDTH = 160


# All but tabs and ends of lines; and what turns the direction of writing, or ends a line for some readers.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


# A sentence that one of the collection's filters says on purpose, after all that Ansible puts before it. A fault of the
# filter itself expects nothing.
OF_A_FILTER = re.compile(
    r"^Task failed: .*?The filter plugin 'streamsafe\.kafka_dr\.\w+' failed: (?=.*\bexpected )", re.DOTALL
)


HIDDEN = """What it said is hidden, since it may hold secrets.
Run the same with -e kafka_dr_no_log=false to see it, where nobody else reads the screen or keeps what was printed."""


def ways_out(data: dict[str, Any]) -> list[str]:
    """What to do about variables that a role's argument spec misses: one line for each.

    :param data: result of ``validate_argument_spec``; of any other task nothing is said.
    """
    options = data.get("argument_spec_data") or {}
    errors = [str(error) for error in data.get("argument_errors") or []]
    missing = [
        name
        for error in errors
        if error.startswith(MISSING)
        for name in error[len(MISSING) :].split(" found in ")[0].split(", ")
        if name in options
    ]
    return [
        (
            f"{name}: {str(options[name].get('description') or 'needed').rstrip('.')}. Name it with -e {name}=… or in "
            "the inventory."
        )
        for name in missing
    ]


def plain(text: str) -> str:
    """The text without what a terminal would act on: names of groups and error texts are chosen by others, and could
    write over what was said before.
    """
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def data_of(result: TaskResult) -> dict[str, Any]:
    """What a task returned; ansible-core 2.18 has no public name for it."""
    return result.result if hasattr(result, "result") else result._result


def task_of(result: TaskResult) -> Task:
    """The task that returned it; ansible-core 2.18 has no public name for it."""
    return result.task if hasattr(result, "task") else result._task


def missing_line(data: dict[str, Any]) -> str:
    """What a wait still lacks, in a line: modules say it as a text or as a list of them, of names with line breaks."""
    missing = data.get("waiting_for") or data.get("msg") or ""
    text = "; ".join(str(reason) for reason in missing) if isinstance(missing, list) else str(missing)
    line = " ".join(plain(text).split("\n"))
    return line if len(line) <= WAITING_WIDTH else line[: WAITING_WIDTH - 1].rstrip() + "…"


def failure_text(data: dict[str, Any]) -> str:
    """What a task failed with, or how to see it where Ansible hides the whole result."""
    if data.get("msg"):
        return OF_A_FILTER.sub("", str(data["msg"]))
    return HIDDEN if "censored" in data else "failed without a message"


def left_out() -> list[str]:
    """The words of the command that leave out parts of a play, as ``["--limit", "europe"]``."""
    tags = [tag for tag in context.CLIARGS.get("tags") or () if tag != "all"]
    values = {
        "--limit": context.CLIARGS.get("subset"),
        "--tags": ",".join(tags),
        "--skip-tags": ",".join(context.CLIARGS.get("skip_tags") or ()),
    }
    return [word for name, value in values.items() if value for word in (name, value)]


def indented(text: object, by: int = 4) -> str:
    """A message whose further lines stand deeper than steps: a line break in a name would otherwise write a step that
    never was.
    """
    return " " * by + str(text).rstrip("\n").replace("\n", "\n" + " " * (by + 2))


def plain_diff(diff: Any) -> Any:
    """A module's diff, one or several, with its texts made plain."""
    if isinstance(diff, list):
        return [plain_diff(part) for part in diff]
    if isinstance(diff, dict):
        return {key: plain_diff(value) for key, value in diff.items()}
    return plain(diff) if isinstance(diff, str) else diff
