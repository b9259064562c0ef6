# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness's rounds. A list of groups in part, which a broker gives without an error while a coordinator moves, is made here."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness

PROGRAM = Path(__file__).resolve().parents[5] / "roles" / "mirror" / "files" / "position_witness.py"
STANDS = {"orders": {"t": {0: 5}}, "bills": {"t": {0: 7}}}


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("position_witness", PROGRAM)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


class Source:
    """What the brokers list, and what the coordinators say when they are asked."""

    def __init__(self):
        self.listed, self.stands = list(STANDS), dict(STANDS)

    def groups(self):
        return self.listed

    def watches(self, name):
        return True

    def positions(self, names):
        return {name: self.stands.get(name, {}) for name in names}

    def ends(self):
        return {"t": {0: 9}}

    def topic_ids(self, topics):
        return dict.fromkeys(topics, "id")

    def connect(self):
        """Nothing to connect to."""


class Target:
    """Keeps the rows."""

    def __init__(self):
        self.rows = []

    def said(self):
        return witness.fold([])

    def end(self):
        return len(self.rows)

    def write(self, rows):
        self.rows += rows

    def folded(self):
        return witness.fold(witness.decode(*row) for row in self.rows)


def test_a_group_that_is_not_listed_and_still_has_positions_is_not_gone(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.listed, source.stands = ["bills"], {**STANDS, "orders": {"t": {0: 8}}}
    watch.round()
    assert {name: one["positions"] for name, one in target.folded()["groups"].items()} == {"orders": {"t": {0: 8}}, "bills": {"t": {0: 7}}}


def test_a_group_without_positions_that_is_not_listed_is_gone(program):
    source, target = Source(), Target()
    watch = program.Witness(source, target)
    watch.round()
    source.listed, source.stands = ["bills"], {"bills": STANDS["bills"]}
    watch.round()
    assert set(target.folded()["groups"]) == {"bills"}
