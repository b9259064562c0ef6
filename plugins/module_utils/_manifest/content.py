# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""manifest.json, which names everything that counts: read, checked and replaced."""

from __future__ import annotations

import hashlib
import json
import re

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError:
    pa = None

from .._errors import FormatError, NotProvableError, UsageError
from .place import locate, private, shown

FORMAT = 1
NAME = "manifest.json"
# A name leads nowhere but to the manifest's own data.
FILE = re.compile(r"data/[\w.-]+\.parquet")


def load(path):
    """The content of manifest.json, or None if there is none; as :func:`read`."""
    found = read(path)
    return found and found[0]


def read(path):
    """``(content, digest)`` of manifest.json, or None if there is none. The digest is that of its bytes, and so of every file that it names.

    :raises NotProvableError: it cannot be read. :raises FormatError: it is something else.
    """
    system, inside = locate(path)
    name = "%s/%s" % (inside, NAME)
    try:
        if system.get_file_info(name).type != pyarrow.fs.FileType.File:
            return None
        with system.open_input_stream(name) as stream:
            raw = stream.read()
        found = json.loads(raw)
    except (OSError, pa.ArrowException) as error:
        raise NotProvableError("The manifest %s cannot be read" % shown(path), found=str(error)) from error
    except ValueError as error:
        raise FormatError("%s is not valid JSON" % name, found=str(error), position=getattr(error, "pos", 0)) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        told = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise FormatError("%s is no manifest of this version" % name, expected="format %d" % FORMAT, found=told, position=0)
    _check(found, name)
    return found, hashlib.sha256(raw).hexdigest()


def require(path, digest=""):
    """The content, where there has to be one.

    :param digest: what the ledger knows as the digest of this manifest; empty where it knows none.
    :raises UsageError: there is none. :raises NotProvableError: it is another than was made.
    """
    found = read(path)
    if found is None:
        raise UsageError("There is no manifest at %s" % shown(path), expected="a directory or URI with %s" % NAME,
                         found="%s, which cannot be read: it is not there" % NAME,
                         remedy="Give the directory of a manifest, or save one with: main.py manifest --out")
    if digest and found[1] != digest:
        raise NotProvableError("The manifest %s is not the one that was made" % shown(path), expected="digest %s, as in the ledger" % digest, found=found[1],
                               remedy="Find out who changed it; give the manifest that was made, or a copy of it")
    return found[0]


def store(path, content):
    """Replace manifest.json; what it does not name does not count, so a run that was cut off leaves the old one valid. Returns its digest."""
    system, inside = locate(path)
    temporary = "%s/%s.new" % (inside, NAME)
    raw = json.dumps(content, indent=1, sort_keys=True).encode()
    with private():
        system.create_dir(inside, recursive=True)
        with system.open_output_stream(temporary) as stream:
            stream.write(raw)
    system.move(temporary, "%s/%s" % (inside, NAME))
    return hashlib.sha256(raw).hexdigest()


def files(content):
    """The names of all data files that count, in order."""
    return sorted({name for topic in content["topics"].values() for part in topic["partitions"].values() for name in part["files"]})


def _check(found, name):
    """The shape that readers rely on. :raises FormatError: another one."""
    if not isinstance(found.get("cluster_id"), str) or not found["cluster_id"] or not isinstance(found.get("topics"), dict):
        raise FormatError("%s is damaged" % name, expected="cluster_id and topics", found=", ".join(sorted(map(str, found))), position=0)
    digests = found.get("digests", {})
    if not isinstance(digests, dict) or not all(isinstance(one, str) for one in digests.values()):
        raise FormatError("%s is damaged" % name, expected="a digest of every data file", position=0)
    for topic, one in found["topics"].items():
        try:
            sound = isinstance(one["topic_id"], str) and isinstance(one["config"], dict) and one["detail"] in ("records", "chunks") and all(
                number.isdigit() and 0 <= part["low"] <= part["high"] and all(FILE.fullmatch(file) for file in part["files"])
                for number, part in one["partitions"].items())
        except (AttributeError, KeyError, TypeError):
            sound = False
        if not sound:
            raise FormatError("%s is damaged" % name, expected="topic_id, detail, config and partitions of topic '%s'" % topic, position=0)
