# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch of a mirror: where it runs, and how often it looks."""

from __future__ import annotations

from ..kinds import mapping, number, path, port, record, text

ADDRESS = r"^[^\s\x00-\x1f\x7f\"'\\{}/]+$"

WATCH = record(
    "The watch beside the mirror into this region, which keeps a standing proof; see [monitoring.md](monitoring.md). "
    "The stages stop and start it with the mirror. C({}) where all is to be as it comes; without it no mirror into "
    "this region has a watch",
    {
        "host": text(
            "The one machine that it runs on, of C(kafka_dr_mirror_hosts); the first of them if left out",
            ADDRESS,
            "the name of a host",
        ),
        "directory": path(
            "Where its files go, in a directory for each mirror; C(watch) in C(kafka_dr_mirror_directory) if left out"
        ),
        "python": path(
            "Python that has the packages of C(requirements-watch.txt); C(kafka_dr_python), or the controller's, if "
            "left out"
        ),
        "interval": number("Seconds between its rounds once it is not behind; 5 if left out", 1, 3600),
        "scrub_days": number(
            "Days in which it reads all that is proven again, as long as both regions hold it; never if left out",
            1,
            366,
        ),
        "max_mb_per_second": number("Megabytes that it reads from any broker in a second; unlimited if left out", 1),
        "metrics": record(
            "Where Prometheus finds its metrics; nowhere if left out",
            {
                "port": port("Port"),
                "host": text(
                    "Address that it listens on; C(127.0.0.1) if left out. The page has no password",
                    ADDRESS,
                    "a name or an address",
                ),
            },
            ("port",),
        ),
        "image": text(
            "Kubernetes: image with Python and the packages of C(requirements-watch.txt)",
            r"^[A-Za-z0-9][A-Za-z0-9._:/@-]*$",
            "the name of an image",
        ),
        "fields": mapping("Kubernetes: anything else for the Deployment"),
    },
    x_where="target region",
)
