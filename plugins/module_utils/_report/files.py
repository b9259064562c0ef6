# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a report in one directory: report.html, junit.xml and, where it was not there before, report.json."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from .._errors import FormatError, UsageError
from .._host.files import replace
from .._values.redact import redact
from .junit import junit
from .page import render
from .shapes import Proven, Report

# Reports are for people: as readable as the user's umask lets files be.
PAGE_MODE = 0o666
# A proof that a drill copied beside its own report.
KEPT = re.compile(r"proofs/[A-Za-z0-9_-]+\.json")


def load(path: str) -> Any:
    """A report from its file.

    :raises UsageError: it cannot be read.
    :raises FormatError: it is no JSON.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise UsageError(
            f"The report {path} cannot be read",
            expected="the report.json of a drill or of a proof",
            found=error.strerror or str(error),
            remedy="Correct the path; the user that runs this has to be able to read it",
        ) from error
    except ValueError as error:
        raise FormatError(
            f"The report {path} is no JSON", expected="the report.json of a drill or of a proof", found=str(error)
        ) from error


def beside(report: Report, path: str = "") -> list[tuple[str, Report]]:
    """The whole reports of the proofs that a report names, where they can still be read.

    :returns: ``[(stage, report)]``.
    """
    found = []
    for proof_entry in report.get("proofs") or []:
        named = str(proof_entry.get("report") or "")
        place = os.path.join(os.path.dirname(path), named)
        # The ledger names the file, and others may have written there: nothing but a proof's report is shown.
        if (os.path.basename(named) == "report.json" or KEPT.fullmatch(named)) and os.path.isfile(place):
            try:
                proof = load(place)
            except (UsageError, FormatError):
                continue
            if isinstance(proof, dict) and {"verdict", "totals", "topics"} <= set(proof):
                found.append((proof_entry.get("stage", ""), proof))
    return found if len(found) == len(report.get("proofs") or []) else []


def contents(report: Report, proven: Proven = (), made_from: str = "report.json", keep: bool = False) -> dict[str, str]:
    """What is to stand in the directory, by file name.

    :param keep: whether the report itself is written too.
    """
    texts = {"report.html": render(report, proven, made_from), "junit.xml": junit(report)}
    if keep:
        texts["report.json"] = json.dumps(redact(report), indent=1) + "\n"
    return texts


def write(directory: str, texts: dict[str, str], check_mode: bool = False) -> list[str]:
    """Write what differs; a file is replaced as a whole, never half.

    :returns: names of files that were, or in check mode would be, written.
    :raises UsageError: the directory cannot be written.
    """
    changed = []
    try:
        for name, text in sorted(texts.items()):
            path = os.path.join(directory, name)
            if _read(path) == text:
                continue
            changed.append(name)
            if not check_mode:
                os.makedirs(directory, exist_ok=True)
                replace(path, text.encode("utf-8"), PAGE_MODE)
    except OSError as error:
        raise UsageError(
            f"The report cannot be written to {directory}",
            expected="a directory that can be written",
            found=error.strerror or str(error),
            remedy="Name another directory",
        ) from error
    return changed


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
