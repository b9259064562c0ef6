# SPDX-License-Identifier: GPL-3.0-or-later
"""Small files that only their owner may read, many at once."""

from __future__ import annotations

import base64
import binascii
import errno
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from os import stat_result
from typing import Any

from .._errors import KafkaDrError, RefusedError, UsageError
from .._host.files import FILE_MODE, replace
from .._values.safe import CONTROL, shown

DIRECTORY_MODE = 0o700
# Of a way through links; a circle of them has no end.
MOST_STEPS = 1000
# What the mark beside a file is called whose readers have to be started again.
MARK = ".restart-due"


def private_files(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Make directories and files be there, or gone.

    :param params: ``directories[path]``, ``files[{path, content, encoding}]`` (``encoding``: ``text`` or ``base64``),
        ``absent[path]``, ``owner`` (a user's name, or None), ``marks``: leave a mark beside a file before it changes.
    :returns: ``changed``, ``changed_paths``, ``restart_due`` (marks that are there, of this call or an earlier one),
        ``diff`` (paths only: contents may be secrets).
    :raises UsageError: a path is relative, or stands both under ``files`` and ``absent``.
    :raises RefusedError: a directory, or a link, is somebody else's, or may be exchanged by everybody.
    :raises KafkaDrError: the system refuses.
    """
    wanted = {file["path"]: _data(file) for file in params["files"]}
    owner = _owner(params.get("owner"))
    _check_paths(params, wanted)
    changed: list[str] = []
    try:
        _refuse_what_is_strange(params, wanted, owner)
        for path in params["directories"]:
            _directory(path, owner, check_mode, changed)
            # Somebody may have been faster than the making of it.
            _refuse_strange(path, owner)
        due = list(_written(wanted, owner, params.get("marks"), check_mode, changed))
        for path in params["absent"]:
            _absent(path, check_mode, changed)
    except OSError as error:
        raise KafkaDrError(
            f"'{error.filename or 'a file'}' cannot be written",
            found=error.strerror,
            remedy="Look at its directory's owner, mode and free space",
        ) from error
    listing = "".join(f"{path}\n" for path in changed)
    return {
        "changed": bool(changed),
        "changed_paths": changed,
        "restart_due": due,
        "diff": {"before": "", "after": listing},
    }


def _refuse_what_is_strange(params: dict[str, Any], wanted: dict[str, bytes], owner: tuple[int, int] | None) -> None:
    for path in params["directories"]:
        _refuse_strange(path, owner)
    for path in wanted:
        _refuse_strange_link(path, owner)
    for path in [*params["directories"], *map(os.path.dirname, [*wanted, *params["absent"]])]:
        _refuse_strange_way(path, owner)


def _written(
    wanted: dict[str, bytes], owner: tuple[int, int] | None, marks: bool | None, check_mode: bool, changed: list[str]
) -> Iterator[str]:
    """Write the files, each after its mark; the marks that are there then, or would be."""
    for path, data in wanted.items():
        mark = path + MARK
        differs = not _holds(path, data, owner)
        if differs:
            changed.append(path)
            if not check_mode:
                if marks:
                    replace(mark, b"", FILE_MODE, owner)
                replace(path, data, FILE_MODE, owner)
        if marks and (differs or os.path.lexists(mark)):
            yield mark


def _data(file: dict[str, Any]) -> bytes:
    """What a file is to hold."""
    if file.get("encoding") != "base64":
        return file["content"].encode()
    try:
        return base64.b64decode(file["content"], validate=True)
    except binascii.Error as error:
        raise UsageError(
            f"The content of '{file['path']}' is not base64", expected="base64", found=str(error)
        ) from error


def _check_paths(params: dict[str, Any], wanted: dict[str, bytes]) -> None:
    """Refuse paths that are relative, contradict each other, or lead out of their directory."""
    for path in [*params["directories"], *wanted, *params["absent"]]:
        if not os.path.isabs(path):
            raise UsageError(
                f"Path {shown(path)} is relative", expected="an absolute path", remedy="Give the whole path"
            )
        # A name that became part of a path must not lead out of its directory, which is removed with all that is in it.
        if ".." in path.split("/") or CONTROL.search(path):
            raise UsageError(
                f"Path {shown(path)} has a way out of its directory, or a control character",
                expected="a path without '..'",
                remedy="Give the path itself; a name in it may have letters, digits, dot, dash and underscore",
            )
        if path in params["absent"] and (path in wanted or path in params["directories"]):
            raise UsageError(
                f"Path '{path}' is to be there and to be absent",
                expected="one of the two",
                remedy="Take it out of one list",
            )
        if path in params["absent"] and os.path.normpath(path).count("/") < 2:
            raise UsageError(
                f"Path {shown(path)} is not deleted",
                expected="a path below a directory of its own",
                remedy="Name the directory of the mirror, or of the broker",
            )


def _owner(name: str | None) -> tuple[int, int] | None:
    if not name:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        raise UsageError(
            f"User '{name}' is unknown on this host",
            expected="an existing user",
            remedy="Create it, or name another one",
        ) from error
    return entry.pw_uid, entry.pw_gid


def _trusted(owner: tuple[int, int] | None) -> set[int]:
    """Users whose directories and links are taken: root, who runs this, and who is to own the files."""
    return {0, os.geteuid(), *((owner[0],) if owner else ())}


def _unmapped() -> set[Any]:
    """The user that root's own files seem to belong to within a user namespace, such as a container's."""
    try:
        with open("/proc/sys/kernel/overflowuid") as file, open("/proc/self/uid_map") as mapped:
            return {int(file.read())} if mapped.read().split() != ["0", "0", "4294967295"] else set()
    except (OSError, ValueError):
        return set()


def _strange(path: str, found: stat_result, trusted: set[int], what: str) -> None:
    others = "".join(f" or of {_name(user)}" for user in sorted(trusted - {0}))
    raise RefusedError(
        f"'{path}' cannot be used for private files",
        expected=f"{what} of root{others}",
        found=f"{'a link' if stat.S_ISLNK(found.st_mode) else 'one'} of {_name(found.st_uid)}",
        remedy="Its owner can read or exchange what is written there: remove it, give it another owner, or name "
        "another place",
    )


def _name(uid: int) -> str:
    try:
        return f"user {pwd.getpwuid(uid).pw_name}"
    except KeyError:
        return f"user {uid}"


def _refuse_strange_link(path: str, owner: tuple[int, int] | None) -> None:
    found = os.lstat(path) if os.path.lexists(path) else None
    if found and stat.S_ISLNK(found.st_mode) and found.st_uid not in _trusted(owner):
        _strange(path, found, _trusted(owner), "a file, or a link")


def _refuse_strange_way(path: str, owner: tuple[int, int] | None) -> None:
    """No link on the way to a directory is somebody else's: its owner would choose what is written or deleted."""
    trusted, place, left = _trusted(owner) | _unmapped(), "/", path.split("/")
    for dummy in range(MOST_STEPS):
        if not left:
            return
        place = os.path.normpath(os.path.join(place, left.pop(0)))
        if os.path.islink(place):
            if os.lstat(place).st_uid not in trusted:
                _strange(place, os.lstat(place), _trusted(owner), "no link, or one")
            # As the system does: the rest of the way begins at what the link names.
            place, left = os.path.dirname(place), os.readlink(place).split("/") + left
            place = "/" if left[0] == "" else place
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)


def _refuse_strange(path: str, owner: tuple[int, int] | None) -> None:
    """A directory that is there, and all above it, belong to who is trusted, and nobody else may exchange them."""
    trusted, unmapped = _trusted(owner), _unmapped()
    if os.path.lexists(path) and not os.path.isdir(path):
        raise RefusedError(
            f"'{path}' cannot be used for private files",
            expected="a directory, or nothing",
            found="something else",
            remedy="Remove it, or name another place",
        )
    _refuse_strange_link(path, owner)
    place = os.path.realpath(path)
    while True:
        if os.path.isdir(place):
            found = os.stat(place)
            if found.st_uid not in trusted | unmapped:
                _strange(place, found, trusted, "a directory")
            if place != os.path.realpath(path) and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
                raise RefusedError(
                    f"'{path}' cannot be used for private files",
                    expected="directories above it that not everybody may write, or with the sticky bit",
                    found=f"mode {stat.S_IMODE(found.st_mode):o} of {place}",
                    remedy=f"chmod o-w {place}, or name another place",
                )
        if place == os.path.dirname(place):
            return
        place = os.path.dirname(place)


def _directory(path: str, owner: tuple[int, int] | None, check_mode: bool, changed: list[str]) -> None:
    exists = os.path.isdir(path)
    if exists and _right(path, DIRECTORY_MODE, owner):
        return
    if exists and owner:
        _refuse_foreign(path, owner)
    changed.append(path)
    if check_mode:
        return
    if not exists:
        os.makedirs(path, DIRECTORY_MODE)
    # By what was opened: whoever owns the directory above could put a link to another one in its place.
    opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY | (0 if exists and os.path.islink(path) else os.O_NOFOLLOW))
    try:
        if exists and owner:
            _refuse_foreign(path, owner, os.fstat(opened).st_uid)
        os.fchmod(opened, DIRECTORY_MODE)
        if owner:
            os.fchown(opened, *owner)
    finally:
        os.close(opened)


def _refuse_foreign(path: str, owner: tuple[int, int], uid: int | None = None) -> None:
    """A directory that is not yet the owner's becomes so only where the owner cannot have chosen which one it is."""
    uid = os.stat(path).st_uid if uid is None else uid
    if uid != owner[0] and any(os.lstat(above).st_uid == owner[0] for above in _above(path) if os.path.lexists(above)):
        raise RefusedError(
            f"'{path}' is not given to {_name(owner[0])}",
            expected="a directory that is theirs, or whose links and directories above are root's",
            found=f"one of {_name(uid)} below what {_name(owner[0])} can exchange",
            remedy="Give it that owner by hand, or name another place",
        )


def _above(path: str) -> list[str]:
    """The links on the way to a directory, and the directories above it, by both names."""
    found = [path] if os.path.islink(path) else []
    for place in (os.path.abspath(path), os.path.realpath(path)):
        while place != os.path.dirname(place):
            place = os.path.dirname(place)
            found.append(place)
    return found


def _holds(path: str, data: bytes, owner: tuple[int, int] | None) -> bool:
    """Whether the file is as it is to be."""
    if not (os.path.isfile(path) and _right(path, FILE_MODE, owner)):
        return False
    with open(path, "rb") as file:
        return file.read() == data


def _absent(path: str, check_mode: bool, changed: list[str]) -> None:
    if not os.path.lexists(path):
        return
    changed.append(path)
    if check_mode:
        return
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def _right(path: str, mode: int, owner: tuple[int, int] | None) -> bool:
    found = os.stat(path)
    return stat.S_IMODE(found.st_mode) == mode and (
        found.st_uid == os.geteuid() if owner is None else (found.st_uid, found.st_gid) == owner
    )
