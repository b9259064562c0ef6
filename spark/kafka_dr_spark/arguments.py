# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of the job's command line."""

from __future__ import annotations

import argparse


def parser() -> argparse.ArgumentParser:
    """The arguments of all commands."""
    top = argparse.ArgumentParser(
        prog="main.py", description="Prove that one Kafka cluster holds what another held, or name every difference."
    )
    commands = top.add_subparsers(dest="command", required=True)
    _add_common(_add_compare(commands))
    _add_common(_add_manifest(commands))
    _add_common(_add_salvage(commands))
    _add_common(_add_watch(commands))
    return top


def _add_compare(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    compare = commands.add_parser(
        "compare", help="compare a source (live, its manifest, or what its watch kept) with a target"
    )
    source = compare.add_mutually_exclusive_group()
    source.add_argument("--source-config", metavar="F", help="JSON in librdkafka keys, mode 0600")
    source.add_argument("--manifest", metavar="DIR", help="directory or URI written by 'manifest'")
    compare.add_argument(
        "--watch",
        metavar="MIRROR",
        help="compare what this mirror's watch kept; with --manifest, that for what the watch does not stand for",
    )
    compare.add_argument("--state", default="__kafka_dr_windows", metavar="TOPIC", help="of the watch, in the target")
    compare.add_argument("--source-cluster", default="", metavar="ID", help="cluster that the watch has to have read")
    compare.add_argument("--seen-at", type=int, default=0, metavar="MS", help="when the source was seen last")
    compare.add_argument(
        "--manifest-digest",
        default="",
        metavar="SHA256",
        help="what the manifest's digest was when it was made; another one is refused",
    )
    compare.add_argument("--target-config", metavar="F", required=True)
    _add_rename(compare)
    compare.add_argument("--ignore-timestamps", action="store_true")
    compare.add_argument(
        "--bounds", metavar="F", help="JSON: ends of either side and what was known at a loss, by topic and partition"
    )
    compare.add_argument(
        "--max-differences", type=int, default=100, metavar="N", help="runs of differences named for each partition"
    )
    _add_sides(compare, "a target that is catching up is waited for")
    return compare


def _add_rename(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--rename",
        default="identity",
        help="identity, identity:ALIAS. for the identity policy, which renames *heartbeats, or prefix:ALIAS. for the "
        "default policy",
    )


def _add_sides(command: argparse.ArgumentParser, waited_for: str) -> None:
    command.add_argument("--wait-seconds", type=float, default=30, metavar="N", help=f"how long {waited_for}")
    command.add_argument("--source-name", default="source", help="what reasons and errors call the source")
    command.add_argument("--target-name", default="target", help="what they call the target")
    command.add_argument("--report", metavar="F", required=True)


def _add_salvage(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    salvage = commands.add_parser(
        "salvage", help="take the records that a region which is back holds, and the active one never got"
    )
    salvage.add_argument("--source-config", metavar="F", required=True, help="the region that is back")
    salvage.add_argument("--target-config", metavar="F", required=True, help="the active region")
    salvage.add_argument(
        "--bounds", metavar="F", required=True, help="JSON as for 'compare'; target, where the copy ended, is needed"
    )
    salvage.add_argument(
        "--actions",
        metavar="F",
        help="JSON: [{topics: REGEX, action: export|side_topic|replay|none}], the first that matches; default export",
    )
    salvage.add_argument("--out", metavar="DIR", required=True, help="directory or URI for exported records")
    _add_rename(salvage)
    _add_sides(salvage, "open transactions of the source are waited for")
    return salvage


def _add_manifest(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    manifest = commands.add_parser(
        "manifest", help="save the digests of a cluster's records, to prove against when it is gone"
    )
    manifest.add_argument("--config", metavar="F", required=True)
    manifest.add_argument("--out", metavar="DIR", required=True, help="directory or URI (file, s3, gs, hdfs)")
    manifest.add_argument(
        "--manifest-digest",
        default="",
        metavar="SHA256",
        help="digest of the manifest that is there; another one is refused",
    )
    manifest.add_argument("--detail", choices=("records", "chunks"), default="records")
    return manifest


def _add_watch(commands: argparse._SubParsersAction) -> argparse.ArgumentParser:
    watch = commands.add_parser("watch", help="keep the proof of a mirror up to date while it works")
    watch.add_argument("--source-config", metavar="F", required=True, help="JSON in librdkafka keys, mode 0600")
    watch.add_argument("--target-config", metavar="F", required=True)
    watch.add_argument("--mirror", metavar="NAME", required=True, help="there is one watch a mirror")
    watch.add_argument("--state", default="__kafka_dr_windows", metavar="TOPIC", help="topic in the target region")
    _add_rename(watch)
    watch.add_argument("--source-name", default="source", help="what reasons and errors call the source")
    watch.add_argument("--target-name", default="target", help="what they call the target")
    watch.add_argument("--interval", type=float, default=1, metavar="S", help="seconds between rounds once caught up")
    watch.add_argument(
        "--metrics", metavar="[HOST:]PORT", help="serve Prometheus metrics there; on loopback if no host is given"
    )
    watch.add_argument("--offsets-topic", metavar="TOPIC", help="Connect's offsets topic of the mirror, in the target")
    watch.add_argument("--alias", metavar="NAME", help="the source's alias in that topic")
    watch.add_argument(
        "--positions-topic", metavar="TOPIC", help="topic of the position witness in the target, whose age is shown"
    )
    watch.add_argument(
        "--scrub-days", type=float, default=0, metavar="N", help="read all that is proven again in N days; 0 for never"
    )
    watch.add_argument("--once", action="store_true", help="end once the watch has caught up")
    watch.add_argument(
        "--begin-anew", action="store_true", help="forget what was proven, as for a cluster that took another's place"
    )
    return watch


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--topics", metavar="REGEX", required=True, help="matched against the whole name on the source"
    )
    command.add_argument(
        "--max-mb-per-second", type=float, metavar="N", help="read no faster than this from any broker"
    )
    command.add_argument(
        "--master", metavar="URL", help="Spark master; local[*] if neither this nor spark-submit says one"
    )
    command.add_argument(
        "--timeout", type=int, default=30, metavar="N", help="seconds without an answer after which it is given up"
    )
    command.add_argument("--progress", metavar="F", help="JSON file that is kept up to date while it runs")
    command.add_argument("--summary", metavar="F", help="JSON file for the result without offset maps and differences")
    command.add_argument("--parent-pid", type=int, metavar="N", help="end when this process does")
    command.add_argument("--quiet", action="store_true", help="no progress on stderr")
