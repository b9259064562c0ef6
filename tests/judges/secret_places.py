# SPDX-License-Identifier: GPL-3.0-or-later
"""The secrets of the lab, and the places where docs/security.md lets them be."""

from __future__ import annotations

from searching import Allowed

# Headings of docs/security.md.
WHERE, LAB = "Where secrets go", "In the lab"
SERVICES = "password of kdr-(stages|mirror|proof|witness)"
APPLICATIONS = "password of departures-(producer|consumer)"
ALLOWED = [
    Allowed("file", r"^lab/\.vault_password$", "vault password", LAB),
    Allowed(
        "file", r"^lab/regions/\w+/kafka/(server\.properties|format\.arguments)$", r"password of admin in \w+", LAB
    ),
    Allowed("file", r"^lab/regions/\w+/kafka/tls/keystore\.pem$", r"key of the broker in \w+", LAB),
    Allowed("file", r"^lab/regions/\w+/mirrors/[\w-]+/.*$", "password of kdr-(mirror|witness)", WHERE),
    Allowed("file", r"^lab/regions/south_america/departures-\w+\.env$", APPLICATIONS, WHERE),
    Allowed("environment", r"/departures_(producer|consumer)\.py( |$)", APPLICATIONS, WHERE),
    Allowed("file", r"^lab/work/([\w-]+/)*\d{8}T\d+-\w+/(source|target)\.json$", "password of kdr-proof", WHERE),
]


def secrets_of(vaulted: dict, vault_password: str) -> dict[str, str]:
    """Every secret of the lab by what it is."""
    found = {
        "vault password": vault_password,
        "ledger secret": vaulted["kafka_dr_ledger_secret"],
        "rebuild secret": vaulted["kafka_dr_rebuild_secret"],
    }
    found |= {f"password of {name}": password for name, password in vaulted["lab_passwords"].items()}
    for region, one in vaulted["lab_clusters"].items():
        found[f"password of admin in {region}"] = one["admin_password"]
        found[f"key of the authority in {region}"] = one["authority"]["key"]
        found[f"key of the broker in {region}"] = one["broker"]["key"]
    return found
