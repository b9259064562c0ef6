# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions with one mistake each.

Each case changes one place of a valid description, and names the place and words of what was expected and found.
"""

from __future__ import annotations

from .harmful_names import HARMFUL
from .mistakes_of_clients import CLIENTS
from .mistakes_of_machines import MACHINES
from .mistakes_of_mirrors import MIRRORS
from .mistakes_of_shape import SHAPES
from .valid_description import Case

CASES: dict[str, Case] = {**SHAPES, **MIRRORS, **CLIENTS, **MACHINES, **HARMFUL}
