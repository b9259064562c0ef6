# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that programs are started on one after the other."""

from __future__ import annotations

import random

from kafka_dr_lab.ports import free_ports


def test_no_port_is_given_twice_whoever_seeds_the_shared_generator():
    """A broker's format failed on a controller and a listener of one port, and a stage waited for it in vain."""
    given = []
    for dummy in range(20):
        random.seed(0)
        given += free_ports(3)
    assert len(set(given)) == len(given) == 60
