# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Small files that only their owner may read, many at once."""

from __future__ import annotations

import os
import pwd
import shutil
import stat

from .._errors import KafkaDrError, RefusedError, UsageError
from .._safe import CONTROL, shown

FILE_MODE = 0o600
DIRECTORY_MODE = 0o700


def ensure_files(params, check_mode):
    """Make directories and files be there, or gone.

    :param params: ``directories[path]``, ``files[{path, content}]``, ``absent[path]``, ``owner`` (a user's name, or None).
    :returns: ``changed``, ``changed_paths``, ``diff`` (paths only: contents may be secrets).
    :raises UsageError: a path is relative, or stands both under ``files`` and ``absent``.
    :raises RefusedError: a directory, or a link, is somebody else's, or may be exchanged by everybody.
    :raises KafkaDrError: the system refuses.
    """
    wanted = {one["path"]: one["content"] for one in params["files"]}
    owner = _owner(params.get("owner"))
    for path in [*params["directories"], *wanted, *params["absent"]]:
        if not os.path.isabs(path):
            raise UsageError("Path %s is relative" % shown(path), expected="an absolute path", remedy="Give the whole path")
        # A name that became part of a path must not lead out of its directory, which is removed with all that is in it.
        if ".." in path.split("/") or CONTROL.search(path):
            raise UsageError("Path %s has a way out of its directory, or a control character" % shown(path), expected="a path without '..'",
                             remedy="Give the path itself; a name in it may have letters, digits, dot, dash and underscore")
        if path in params["absent"] and (path in wanted or path in params["directories"]):
            raise UsageError("Path '%s' is to be there and to be absent" % path, expected="one of the two", remedy="Take it out of one list")
        if path in params["absent"] and os.path.normpath(path).count("/") < 2:
            raise UsageError("Path %s is not deleted" % shown(path), expected="a path below a directory of its own",
                             remedy="Name the directory of the mirror, or of the broker")
    changed = []
    try:
        for path in params["directories"]:
            _refuse_strange(path, owner)
        for path in wanted:
            _refuse_strange_link(path, owner)
        for path in params["directories"]:
            _directory(path, owner, check_mode, changed)
            # Somebody may have been faster than the making of it.
            _refuse_strange(path, owner)
        for path, content in wanted.items():
            _file(path, content, owner, check_mode, changed)
        for path in params["absent"]:
            _absent(path, check_mode, changed)
    except OSError as error:
        raise KafkaDrError("'%s' cannot be written" % (error.filename or "a file"), found=error.strerror,
                           remedy="Look at its directory's owner, mode and free space") from error
    listing = "".join("%s\n" % path for path in changed)
    return {"changed": bool(changed), "changed_paths": changed, "diff": {"before": "", "after": listing}}


def _owner(name):
    if not name:
        return None
    try:
        entry = pwd.getpwnam(name)
    except KeyError as error:
        raise UsageError("User '%s' is unknown on this host" % name, expected="an existing user", remedy="Create it, or name another one") from error
    return entry.pw_uid, entry.pw_gid


def _trusted(owner):
    """Users whose directories and links are taken: root, who runs this, and who is to own the files."""
    return {0, os.geteuid(), *((owner[0],) if owner else ())}


def _unmapped():
    """The user that root's own files seem to belong to within a user namespace, such as a container's."""
    try:
        with open("/proc/sys/kernel/overflowuid") as file, open("/proc/self/uid_map") as mapped:
            return {int(file.read())} if mapped.read().split() != ["0", "0", "4294967295"] else set()
    except (OSError, ValueError):
        return set()


def _strange(path, found, trusted, what):
    others = "".join(" or of %s" % _name(one) for one in sorted(trusted - {0}))
    raise RefusedError("'%s' cannot be used for private files" % path, expected="%s of root%s" % (what, others),
                       found="%s of %s" % ("a link" if stat.S_ISLNK(found.st_mode) else "one", _name(found.st_uid)),
                       remedy="Its owner can read or exchange what is written there: remove it, give it another owner, or name another place")


def _name(uid):
    try:
        return "user %s" % pwd.getpwuid(uid).pw_name
    except KeyError:
        return "user %d" % uid


def _refuse_strange_link(path, owner):
    found = os.lstat(path) if os.path.lexists(path) else None
    if found and stat.S_ISLNK(found.st_mode) and found.st_uid not in _trusted(owner):
        _strange(path, found, _trusted(owner), "a file, or a link")


def _refuse_strange(path, owner):
    """A directory that is there, and all above it, belong to who is trusted, and nobody else may exchange them."""
    trusted, unmapped = _trusted(owner), _unmapped()
    if os.path.lexists(path) and not os.path.isdir(path):
        raise RefusedError("'%s' cannot be used for private files" % path, expected="a directory, or nothing", found="something else",
                           remedy="Remove it, or name another place")
    _refuse_strange_link(path, owner)
    here = os.path.realpath(path)
    while True:
        if os.path.isdir(here):
            found = os.stat(here)
            if found.st_uid not in trusted | unmapped:
                _strange(here, found, trusted, "a directory")
            if here != os.path.realpath(path) and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
                raise RefusedError("'%s' cannot be used for private files" % path,
                                   expected="directories above it that not everybody may write, or with the sticky bit",
                                   found="mode %o of %s" % (stat.S_IMODE(found.st_mode), here), remedy="chmod o-w %s, or name another place" % here)
        if here == os.path.dirname(here):
            return
        here = os.path.dirname(here)


def _directory(path, owner, check_mode, changed):
    there = os.path.isdir(path)
    if there and _right(path, DIRECTORY_MODE, owner):
        return
    changed.append(path)
    if check_mode:
        return
    if not there:
        os.makedirs(path, DIRECTORY_MODE)
    os.chmod(path, DIRECTORY_MODE)
    if owner:
        os.chown(path, *owner)


def _file(path, content, owner, check_mode, changed):
    data = content.encode()
    if os.path.isfile(path) and _right(path, FILE_MODE, owner):
        with open(path, "rb") as file:
            if file.read() == data:
                return
    changed.append(path)
    if not check_mode:
        replace(path, data, FILE_MODE, owner)


def replace(path, data, mode, owner=None):
    """Put ``data`` at ``path`` at once, or not at all; with this mode (less what the umask takes) from its first moment on.

    :param owner: ``(uid, gid)``, or None for who runs this.
    :raises OSError: the system refuses; what was there stays.
    """
    aside = "%s.%d.new" % (path, os.getpid())
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if owner:
            os.chown(aside, *owner)
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)


def _absent(path, check_mode, changed):
    if not os.path.lexists(path):
        return
    changed.append(path)
    if check_mode:
        return
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def _right(path, mode, owner):
    found = os.stat(path)
    return stat.S_IMODE(found.st_mode) == mode and (found.st_uid == os.geteuid() if owner is None else (found.st_uid, found.st_gid) == owner)
