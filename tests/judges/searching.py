# SPDX-License-Identifier: GPL-3.0-or-later
"""Search bytes for secrets in all forms that they take, and tell the finds that docs/security.md allows from leaks."""

from __future__ import annotations

import base64
import re
import urllib.parse
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# Shorter ones would be found by chance.
LEAST = 12
PORTION = 8 << 20


class Find(NamedTuple):
    """One secret in one place; ``private`` where nobody but its owner may read the place."""

    kind: str
    where: str
    secret: str
    form: str
    private: bool


class Allowed(NamedTuple):
    """Where secrets may be: regular expressions of place and secret, and the section of docs/security.md about it."""

    kind: str
    where: str
    secret: str
    section: str

    def covers(self, find: Find) -> bool:
        return (
            find.kind == self.kind
            and find.private
            and re.search(self.where, find.where) is not None
            and re.fullmatch(self.secret, find.secret) is not None
        )


def texts(secret: str) -> list[str]:
    """What of a secret is looked for: the lines of a private key without the first, which all keys of a kind share;
    else all of it.
    """
    if "PRIVATE KEY-----" not in secret:
        return [secret]
    return [line for line in secret.splitlines() if line and not line.startswith("-----")][1:]


def in_base64(text: bytes) -> Iterator[bytes]:
    """The characters that base64 of anything with this text inside has in common, wherever the text begins."""
    for before, affected in ((0, 0), (1, 2), (2, 3)):
        whole = (before + len(text)) // 3 * 3
        yield base64.b64encode((b"\0" * before + text)[:whole])[affected:]


def forms(secret: str) -> dict[bytes, str]:
    """What to look for, and the name of the form."""
    made: dict[bytes, str] = {}
    for text in texts(secret):
        plain = text.encode()
        for one in in_base64(plain):
            made[one] = "base64"
            made[one.translate(bytes.maketrans(b"+/", b"-_"))] = "base64"
        made[urllib.parse.quote(text, safe="").encode()] = "URL-encoded"
        made[urllib.parse.quote_plus(text).encode()] = "URL-encoded"
        made[plain] = "plain"
    return made


class Search:
    """Knows the secrets, and what was found so far."""

    def __init__(self, secrets: dict[str, str]):
        short = [name for name, text in secrets.items() if any(len(one) < LEAST for one in texts(text))]
        if short:
            raise ValueError(
                f"Secrets that are too short to be looked for: {', '.join(short)}; expected {LEAST} characters or more"
            )
        self.wanted = [(pattern, name, form) for name, text in secrets.items() for pattern, form in forms(text).items()]
        self.longest = max((len(one[0]) for one in self.wanted), default=1)
        self.finds: set[Find] = set()

    def hidden(self, text: str) -> str:
        """A text that names a place, without secrets."""
        for pattern, name, dummy in self.wanted:
            text = text.replace(pattern.decode(), f"<{name}>")
        return text

    def look(self, kind: str, where: str, content: bytes, private: bool = False) -> None:
        """Search one content."""
        for pattern, name, form in self.wanted:
            if pattern in content:
                self.finds.add(Find(kind, self.hidden(where), name, form, private))

    def look_at_file(self, path: Path, where: str) -> None:
        """Search a file, portion by portion; a file that is gone again has nothing to tell."""
        try:
            private = not path.stat().st_mode & 0o077
            with path.open("rb") as file:
                kept = b""
                while portion := file.read(PORTION):
                    self.look("file", where, kept + portion, private)
                    kept = portion[-self.longest :]
        except FileNotFoundError:
            return

    def leaks(self, allowed: Iterable[Allowed]) -> list[Find]:
        """What was found where it must not be."""
        rules = list(allowed)
        return sorted(find for find in self.finds if not any(one.covers(find) for one in rules))


def sections(page: str) -> set[str]:
    """The headings of a page."""
    return {line.lstrip("#").strip() for line in page.splitlines() if line.startswith("#")}
