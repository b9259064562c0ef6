# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger knows of manifests."""

from __future__ import annotations

import os
import re

URI = re.compile(r"[a-z0-9+]+:")


def digest_of(known: dict, place: str) -> str:
    """The digest of the manifest at a place when it was made last, empty where the ledger does not know it.

    :param known: what ``ledger_info`` returns. :param place: a directory or URI.
    """
    wanted = _place(place)
    found = [
        entry["found"].get("digest") or ""
        for entry in known.get("manifests") or []
        if _place(str(entry["found"].get("manifest") or "")) == wanted
    ]
    return found[-1] if found and wanted else ""


def _place(text: str) -> str:
    if not text or URI.match(text):
        return text.rstrip("/")
    return os.path.realpath(os.path.expanduser(text))
