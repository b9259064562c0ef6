# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of Ansible as plain data: templates resolved one by one, so that one that cannot be resolved does not hide
the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Undefined

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_value import Hidden, Unresolved

try:
    from ansible.parsing.vault import VaultHelper
except ImportError:
    # ansible-core 2.18 keeps vaulted texts as objects of their own.
    VaultHelper = None
if VaultHelper is None:
    from ansible.utils.unsafe_proxy import wrap_var

UNDEFINED = re.compile(r"'[^'\n]{1,80}' is undefined|has no attribute '[^'\n]{1,80}'")


def plain(container: Any, key: Any) -> Any:
    """What stands under a key of a mapping or list, as plain data.

    :returns: dictionaries, lists, texts, numbers and None; ``Hidden`` for what is vaulted, ``Unresolved`` for what
        cannot be told.
    """
    try:
        return _plain(container[key])
    except Exception as error:  # pylint: disable=broad-except
        # Whatever a template, a lookup or a vault may raise is a mistake of this one place.
        return Unresolved(_reason(error))


def as_data(value: dict[str, Any]) -> dict[str, Any]:
    """What was made of plain data, so that Ansible takes none of it for a template. ansible-core 2.18 forgets that of
    all that is read from ``hostvars``; later ones take only what they have read themselves for one.
    """
    return value if VaultHelper is not None else wrap_var(value)


def _reason(error: object) -> str:
    """Why a template cannot be resolved. ansible-core 2.18 puts the whole variable into its message, secrets beside the
    template included.
    """
    message = " ".join(str(error).split())
    names = UNDEFINED.findall(message)
    if names:
        return names[-1]
    return message if VaultHelper is not None else type(error).__name__


def _plain(value: object) -> Any:
    if isinstance(value, Undefined) or type(value).__name__.endswith("Marker"):
        return Unresolved(_reason(getattr(value, "_undefined_message", None) or "a name in it is undefined"))
    if isinstance(value, Mapping):
        return {_plain(key): plain(value, key) for key in value}
    if isinstance(value, str):
        if VaultHelper is None and "{{" in value and not hasattr(value, "__UNSAFE__"):
            # ansible-core 2.18 leaves a template as it stands where a name in it is undefined.
            return Unresolved("a name in it is undefined")
        return Hidden(value) if _vaulted(value) else str.__str__(value)
    if getattr(value, "__ENCRYPTED__", False):
        return Hidden(str(value))
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(value, at) for at in range(len(value))]
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def _vaulted(value: str) -> bool:
    return VaultHelper is not None and VaultHelper.get_ciphertext(value, with_tags=False) is not None
