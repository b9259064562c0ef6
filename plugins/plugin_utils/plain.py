# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of Ansible as plain data: templates resolved one by one, so that one that cannot be resolved does not hide the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jinja2 import Undefined

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check import Hidden, Unresolved

try:
    from ansible.parsing.vault import VaultHelper
except ImportError:
    # ansible-core 2.18 keeps vaulted texts as objects of their own.
    VaultHelper = None


def plain(container, key):
    """What stands under a key of a mapping or list, as plain data.

    :returns: dictionaries, lists, texts, numbers and None; ``Hidden`` for what is vaulted, ``Unresolved`` for what cannot be told.
    """
    try:
        return _plain(container[key])
    except Exception as error:  # pylint: disable=broad-except
        # Whatever a template, a lookup or a vault may raise is a mistake of this one place.
        return Unresolved(" ".join(str(error).split()))


def _plain(value):
    if isinstance(value, Undefined) or type(value).__name__.endswith("Marker"):
        return Unresolved(" ".join(str(getattr(value, "_undefined_message", None) or "a name in it is undefined").split()))
    if isinstance(value, Mapping):
        return {_plain(key): plain(value, key) for key in value}
    if isinstance(value, str):
        return Hidden(value) if _vaulted(value) else str.__str__(value)
    if getattr(value, "__ENCRYPTED__", False):
        return Hidden(str(value))
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [plain(value, at) for at in range(len(value))]
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    return value


def _vaulted(value):
    return VaultHelper is not None and VaultHelper.get_ciphertext(value, with_tags=False) is not None
