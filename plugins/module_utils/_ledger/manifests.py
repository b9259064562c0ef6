# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger knows of manifests."""

from __future__ import annotations

from .._values.place import normal


def digest_of(known: dict, place: str) -> str:
    """The digest of the manifest at a place when it was made last, empty where the ledger does not know it.

    :param known: what ``ledger_info`` returns. :param place: a directory or URI.
    """
    wanted = normal(place)
    found = [
        entry["found"].get("digest") or ""
        for entry in known.get("manifests") or []
        if normal(str(entry["found"].get("manifest") or "")) == wanted
    ]
    return found[-1] if found and wanted else ""
