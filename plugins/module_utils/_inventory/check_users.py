# SPDX-License-Identifier: GPL-3.0-or-later
"""What the schema cannot say of a region's users. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from .check_value import Mistake


def named_rights(name: str, region: dict) -> Iterator[Mistake]:
    """Rights that name nothing. A cluster would refuse them when its region is about to be used."""
    for at, user in enumerate(region.get("kafka_dr_users") or []):
        for number, acl in enumerate(user.get("acls") or []):
            if acl["resource"] != "cluster" and not acl.get("name"):
                yield Mistake(
                    f"kafka_dr_users[{at}].acls[{number}].name",
                    f"the name of a {acl['resource']}",
                    "nothing",
                    "Give it, or '*' for every one",
                )
